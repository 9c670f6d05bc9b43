"""Operators of com.microsoft that move elements, and experimental ones that ONNX Runtime still has."""

import numpy as np
from by_operator import family
from values import numpy_dtype

from .elementwise import real_attributes
from .indexing import tuples
from .microsoft import finished
from .movement import positive


@family("com.microsoft.GatherND")
def gather_nd(draw):
    shape = positive(draw.shape(1, 4, most=3))
    where = tuples(draw, shape, draw.integer(1, len(shape)), positive(draw.shape(0, 2, most=3)))
    return finished(draw, [draw.tensor(draw.type("T"), shape), where.astype(numpy_dtype(draw.type("Tind")))])


@family("com.microsoft.Pad")
def pad(draw):
    kind, shape = draw.type("T"), positive(draw.shape(1, 4))
    attributes = {"mode": draw.choice(("constant", "reflect", "edge"))} if draw.flag() else {}
    most = [min(3, n - 1) if attributes.get("mode") == "reflect" else 3 for n in shape]
    pads = np.array([draw.integer(0, n) for n in most * 2], np.int64)
    inputs = [draw.tensor(kind, shape), pads.reshape(1, -1) if draw.rare() else pads]
    value = draw.tensor(kind, (1,) if draw.rare() else ()) if draw.flag() else None
    return finished(draw, [*inputs, value], attributes)


@family("com.microsoft.Trilu")
def trilu(draw):
    inputs = [draw.tensor(draw.type("T"), positive(draw.shape(2, 4)))]
    inputs += [np.asarray(draw.integer(-6, 6), np.int64)] if draw.flag() else []
    return finished(draw, inputs, {"upper": draw.integer(0, 1)} if draw.flag() else {})


@family("com.microsoft.ExpandDims")
def expand_dims(draw):
    shape = positive(draw.shape(0, 4))
    draw.types["axis"] = "int32"
    axis = np.asarray(draw.integer(-len(shape) - 1, len(shape)), np.int32)
    return finished(draw, [draw.tensor(draw.type("T"), shape), axis])


@family("com.microsoft.Range")
def ranges(draw):
    dtype = numpy_dtype(draw.type("T"))
    start, step, count = draw.integer(-4, 4), draw.choice((1, 2, -1, -3)), draw.integer(0, 6)
    step = step if draw.flag() else 1
    values = [np.array(v).astype(dtype) for v in (start, start + step * count, step)]
    values = [v.reshape(1) for v in values] if draw.rare() else values
    return finished(draw, values[:2] if step == 1 and draw.flag() else values)


@family("com.microsoft.Unique")
def unique(draw):
    x = np.round(draw.tensor("float", (draw.integer(1, 12),), 0, 5))
    return finished(draw, [x.astype(numpy_dtype(draw.type("T")))], outputs=3)


@family("Affine", "Scale", "ScaledTanh", "ParametricSoftplus")
def experimental_function(draw):
    attributes = real_attributes(draw, ("alpha", "beta", "scale"), 0.25, 1.5)
    if draw.schema.name in ("ScaledTanh", "ParametricSoftplus"):
        attributes = {name: draw.real(0.25, 1.5) for name in ("alpha", "beta")}
    return finished(draw, [draw.tensor(draw.type("T"), draw.shape(0, 4), -3, 3)], attributes, roundings=4, magnitude=4)


@family("Crop")
def crop(draw):
    height, width = (draw.integer(3, 7) for _ in range(2))
    left, top, right, bottom = (draw.integer(0, 1) for _ in range(4))
    attributes = {"border": [left, top, right, bottom]}
    if draw.flag():
        attributes["scale"] = [draw.integer(1, height - top), draw.integer(1, width - left)]
    x = draw.tensor(draw.type("T"), (draw.integer(1, 2), draw.integer(1, 3), height, width))
    return finished(draw, [x], attributes)


@family("ImageScaler")
def image_scaler(draw):
    channels = draw.integer(1, 4)
    attributes = {"bias": [draw.real(-1, 1) for _ in range(channels)], **real_attributes(draw, ("scale",), 0.25, 2)}
    x = draw.tensor(draw.type("T"), (draw.integer(1, 2), channels, draw.integer(1, 5), draw.integer(1, 5)), -3, 3)
    return finished(draw, [x], attributes, magnitude=6)


@family("DynamicSlice")
def dynamic_slice(draw):
    shape = positive(draw.shape(1, 4))
    dtype = numpy_dtype(draw.type("Tind"))
    axes = sorted({draw.integer(0, len(shape) - 1) for _ in range(2)}) if draw.flag() else list(range(len(shape)))
    starts = [draw.integer(-shape[axis], shape[axis] - 1) for axis in axes]
    ends = [draw.choice((shape[axis], 2**31 - 1, -1, shape[axis] + 3)) for axis in axes]
    chosen = axes != list(range(len(shape))) or "Tind" in draw.forced
    inputs = [draw.tensor(draw.type("T"), shape), np.array(starts, dtype), np.array(ends, dtype)]
    return finished(draw, [*inputs, np.array(axes, dtype) if chosen else None])
