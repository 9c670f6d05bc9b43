"""Operators that only move elements."""

import numpy as np
from by_operator import family
from configuration import Configuration
from containers import tensor_proto
from onnx import helper
from values import FLOATS, element_type, numpy_dtype

from .elementwise import thin, trim
from .reduction import some_axes


def positive(shape):
    return tuple(max(1, n) for n in shape)


def int64s(values):
    return np.array(list(values), np.int64)


@family("Shape")
def shape_of(draw):
    attributes = {}
    if "start" in draw.schema.attributes:
        attributes = {name: draw.integer(-5, 5) for name in ("start", "end") if draw.flag()}
    return Configuration(draw.schema, [draw.tensor(draw.type("T"), draw.shape())], attributes, types=with_int64(draw))


def with_int64(draw):
    return {**draw.types, "T1": "int64"}


@family("Size")
def size(draw):
    return Configuration(draw.schema, [draw.tensor(draw.type("T"), draw.shape())], {}, types=with_int64(draw))


@family("Flatten")
def flatten(draw):
    shape = draw.shape(1 if draw.schema.since_version < 9 else 0, 4)
    low = -len(shape) if draw.schema.since_version >= 11 else 0
    attributes = {"axis": draw.integer(low, len(shape))} if draw.flag() or not shape else {}
    return Configuration(draw.schema, [draw.tensor(draw.type("T"), shape)], attributes, types=draw.types)


@family("Reshape")
def reshape(draw):
    shape, since = draw.shape(0, 4), draw.schema.since_version
    x = draw.tensor(draw.type("T"), shape)
    target = list(draw.choice((shape, shape[::-1], (int(np.prod(shape)),), (1, *shape))))
    attributes = {}
    if 0 not in shape and target and draw.flag():
        target[draw.integer(0, len(target) - 1)] = -1
    elif 0 in shape and since >= 14:
        attributes["allowzero"] = 1
    elif 0 in shape:
        target = [0] * len(shape)
    if since < 5:
        return Configuration(draw.schema, [x], {"shape": target}, types=draw.types, modern=([x, int64s(target)], {}))
    return Configuration(draw.schema, [x, int64s(target)], attributes, types=draw.types)


@family("Squeeze", "Unsqueeze")
def squeeze(draw):
    since, name = draw.schema.since_version, draw.schema.name
    shape = list(draw.shape(1, 3))
    axes = [draw.integer(0, len(shape))] if draw.flag() else [0, len(shape) + 1]
    wide = list(shape)
    for axis in axes:
        wide.insert(axis, 1)
    if since >= 11 and draw.flag():
        axes = [axis - len(wide) for axis in axes]
    x = draw.tensor(draw.type("T"), wide if name == "Squeeze" else shape)
    if name == "Squeeze" and draw.rare():
        return Configuration(draw.schema, [x], {}, types=draw.types)
    if since < 13:
        return Configuration(draw.schema, [x], {"axes": axes}, types=draw.types, modern=([x, int64s(axes)], {}))
    return Configuration(draw.schema, [x, int64s(axes)], {}, types=draw.types)


@family("Transpose")
def transpose(draw):
    shape = draw.shape(0, 5)
    perm = list(range(len(shape)))
    for i in range(len(perm) - 1, 0, -1):
        j = draw.integer(0, i)
        perm[i], perm[j] = perm[j], perm[i]
    attributes = {"perm": perm} if draw.flag() and perm else {}
    return Configuration(draw.schema, [draw.tensor(draw.type("T"), shape)], attributes, types=draw.types)


@family("Expand")
def expand(draw):
    shape = draw.shape(0, 4)
    return Configuration(
        draw.schema, [draw.tensor(draw.type("T"), thin(draw, shape)), int64s(shape)], {}, types=draw.types
    )


@family("Tile")
def tile(draw):
    shape = draw.shape(1, 4)
    x = draw.tensor(draw.type("T"), shape)
    if draw.schema.since_version < 6:
        axis, tiles = draw.integer(0, len(shape) - 1), draw.integer(1, 3)
        repeats = [tiles if i == axis else 1 for i in range(len(shape))]
        count = [np.array([v]).astype(x.dtype) for v in (tiles, axis)]
        draw.types["T1"] = "int64"
        return Configuration(draw.schema, [x, *count], {}, types=draw.types, modern=([x, int64s(repeats)], {}))
    repeats = [draw.integer(0 if draw.rare() else 1, 3) for _ in shape]
    draw.types["T1"] = "int64"
    return Configuration(draw.schema, [x, int64s(repeats)], {}, types=draw.types)


@family("Concat")
def concat(draw):
    shape, since = draw.shape(1, 4), draw.schema.since_version
    axis = draw.integer(-len(shape) if since >= 11 else 0, len(shape) - 1)
    attributes = {"axis": axis}
    shapes = []
    for _ in range(draw.integer(1, 4)):
        dims = list(shape)
        dims[axis] = draw.integer(0 if draw.rare() else 1, 5)
        shapes.append(dims)
    return Configuration(
        draw.schema, [draw.tensor(draw.type("T"), dims) for dims in shapes], attributes, types=draw.types
    )


@family("Split")
def split(draw):
    since = draw.schema.since_version
    rank = draw.integer(1, 3)
    axis, parts = draw.integer(0, rank - 1), draw.integer(1, 4)
    sizes = [draw.integer(0 if draw.rare() else 1, 4) for _ in range(parts)]
    even = since >= 2 and draw.flag()
    if even:
        sizes = [max(sizes)] * parts
        if since >= 18 and parts > 1 and draw.flag():
            sizes[-1] = draw.integer(1, max(1, sizes[0]))
            even = -(-sum(sizes) // parts) == sizes[0]
    shape = list(draw.shape(rank, rank))
    shape[axis] = sum(sizes)
    x = draw.tensor(draw.type("T"), shape)
    attributes = {"axis": axis - rank if since >= 11 and draw.flag() else axis}
    inputs, modern = [x], None
    if even and since >= 18:
        attributes["num_outputs"] = parts
    if not even and since in (2, 11):
        modern = ([x, int64s(sizes)], dict(attributes))
        attributes["split"] = sizes
    elif not even:
        inputs.append(int64s(sizes) if since >= 13 else np.array(sizes).astype(x.dtype))
        modern = ([x, int64s(sizes)], dict(attributes))
    return Configuration(draw.schema, inputs, attributes, parts, draw.types, modern=modern)


@family("Slice")
def slices(draw):
    since = draw.schema.since_version
    shape = draw.shape(1, 4)
    axes = some_axes(draw, len(shape), least=1)
    if since < 10:
        axes = [axis % len(shape) for axis in axes]
    pairs = [[draw.integer(-7, 7) for _ in axes] for _ in range(2)]
    x = draw.tensor(draw.type("T"), shape)
    if since < 10:
        attributes = {"starts": pairs[0], "ends": pairs[1], "axes": axes}
        inputs = [x, int64s(pairs[0]), int64s(pairs[1]), int64s(axes)]
        return Configuration(draw.schema, [x], attributes, types=draw.types, modern=(inputs, {}))
    steps = [draw.choice((1, 1, 2, 3, -1, -2)) for _ in axes]
    dtype = np.int32 if draw.type("Tind") == "int32" else np.int64
    rest = [np.array(v, dtype) for v in (*pairs, axes, steps)]
    if draw.rare():
        rest[3] = None
    return Configuration(draw.schema, trim([x, *rest]), {}, types=draw.types)


@family("Pad")
def pad(draw):
    since = draw.schema.since_version
    shape = positive(draw.shape(1, 4))
    modes = ["constant", "reflect", "edge"] + (["wrap"] if since >= 19 else [])
    mode = draw.choice(modes) if draw.flag() else "constant"
    axes = some_axes(draw, len(shape), least=1) if since >= 18 and draw.flag() else list(range(len(shape)))
    # reflect requires more elements than padding; wrap and edge require at least one.
    most = [min(3, shape[axis] - 1) if mode == "reflect" else min(3, shape[axis]) for axis in axes]
    pads = [draw.integer(0, n) for n in most * 2]
    if mode == "constant" and draw.rare():
        pads = [-min(p, (shape[axes[i % len(axes)]] - 1) // 2) for i, p in enumerate(pads)]
    x = draw.tensor(draw.type("T"), shape)
    attributes = {"mode": mode}
    if since < 11:
        attributes["pads" if since >= 2 else "paddings"] = pads
        value = np.zeros((), x.dtype)
        if mode == "constant" and x.dtype.kind == "f" and draw.flag():
            attributes["value"] = draw.real(-2, 2)
            value = np.asarray(attributes["value"]).astype(x.dtype)
        modern = ([x, int64s(pads), *([value] if mode == "constant" else [])], {"mode": mode})
        return Configuration(draw.schema, [x], attributes, types=draw.types, modern=modern)
    value = draw.tensor(draw.type("T"), ()) if mode == "constant" and draw.flag() else None
    given = (
        np.array(axes, np.int32 if draw.type("Tind") == "int32" else np.int64)
        if since >= 18 and (draw.flag() or "Tind" in draw.forced)
        else None
    )
    if given is None and axes != list(range(len(shape))):
        given = int64s(axes)
        draw.types["Tind"] = "int64"
    return Configuration(draw.schema, trim([x, int64s(pads), value, given]), attributes, types=draw.types)


@family("DepthToSpace", "SpaceToDepth")
def depth_to_space(draw):
    block, c, h, w = (draw.integer(1, 3) for _ in range(4))
    n = draw.count(3)
    deep = draw.schema.name == "DepthToSpace"
    shape = (n, c * block * block, h, w) if deep else (n, c, h * block, w * block)
    attributes = {"blocksize": block}
    if "mode" in draw.schema.attributes and draw.flag():
        attributes["mode"] = draw.choice(("DCR", "CRD"))
    return Configuration(draw.schema, [draw.tensor(draw.type("T"), shape)], attributes, types=draw.types)


@family("Trilu")
def trilu(draw):
    x = draw.tensor(draw.type("T"), draw.shape(2, 4))
    inputs = [x, np.asarray(draw.integer(-6, 6), np.int64)] if draw.flag() else [x]
    return Configuration(draw.schema, inputs, {"upper": draw.integer(0, 1)} if draw.flag() else {}, types=draw.types)


@family("CenterCropPad")
def center_crop_pad(draw):
    shape = positive(draw.shape(1, 4))
    axes = sorted({axis % len(shape) for axis in some_axes(draw, len(shape), least=1)}) if draw.flag() else None
    target = [draw.integer(1, 7) for _ in (axes or shape)]
    target = np.array(target, np.int32 if draw.type("Tind") == "int32" else np.int64)
    attributes = {"axes": axes} if axes else {}
    return Configuration(draw.schema, [draw.tensor(draw.type("T"), shape), target], attributes, types=draw.types)


@family("ReverseSequence")
def reverse_sequence(draw):
    time, batch = draw.integer(1, 4), draw.integer(1, 4)
    time_axis = draw.integer(0, 1)
    shape = ((time, batch) if time_axis == 0 else (batch, time)) + draw.shape(0, 2)
    lengths = int64s(draw.integer(1, time) for _ in range(batch))
    attributes = {"time_axis": time_axis, "batch_axis": 1 - time_axis}
    return Configuration(draw.schema, [draw.tensor(draw.type("T"), shape), lengths], attributes, types=draw.types)


@family("Constant")
def constant(draw):
    names = [name for name in draw.schema.attributes if name != "value"]
    if draw.forced or not names or draw.flag():
        kind = draw.type("T")
        return of_constant(draw, kind, "value", tensor_proto(draw.tensor(kind, draw.shape(0, 2)), "value"))
    name = draw.choice(sorted(names))
    kind = {"int": "int64", "str": "string", "flo": "float"}.get(name[6:9]) or draw.choice(("float", "int64", "double"))
    if name == "sparse_value":
        return of_constant(draw, kind, name, sparse(draw, kind, positive(draw.shape(1, 3))))
    values = draw.tensor(kind, (draw.integer(1, 4),), -3, 3).tolist()
    return of_constant(draw, kind, name, values if name.endswith("s") else values[0])


def of_constant(draw, kind, name, value):
    draw.types["T"] = kind
    return Configuration(draw.schema, [], {name: value}, types=draw.types)


def sparse(draw, kind, shape):
    """Returns some elements, with an index into the flattened tensor or one index per axis."""
    places = [i for i in range(int(np.prod(shape))) if draw.flag()]
    indices = int64s(places)
    if draw.flag():
        indices = np.stack(np.unravel_index(indices, shape), -1).astype(np.int64)
    values = draw.tensor(kind, (len(places),), 1, 7)
    return helper.make_sparse_tensor(tensor_proto(values, "values"), tensor_proto(indices, "indices"), shape)


@family("ConstantOfShape")
def constant_of_shape(draw):
    kind = draw.type("T2") if draw.forced or draw.flag() else draw.types.setdefault("T2", "float")
    attributes = {"value": tensor_proto(draw.tensor(kind, (1,)), "value")} if kind != "float" or draw.flag() else {}
    draw.types["T1"] = "int64"
    return Configuration(draw.schema, [int64s(draw.shape())], attributes, types=draw.types)


@family("EyeLike")
def eye_like(draw):
    x = draw.tensor(draw.type("T1"), draw.shape(2, 2))
    attributes = {"k": draw.integer(-3, 3)} if draw.flag() else {}
    if "T2" in draw.forced or draw.flag():
        attributes["dtype"] = element_type(draw.type("T2"))
    else:
        draw.types["T2"] = draw.types["T1"]
    return Configuration(draw.schema, [x], attributes, types=draw.types)


@family("Range")
def ranges(draw):
    kind = draw.type("T")
    start, step, count = draw.integer(-4, 4), draw.choice((1, 2, -1, -3)), draw.integer(-1, 6)
    values = (start, start + step * count, step)
    if kind in FLOATS and draw.flag():
        values = (start / 2, start / 2 + step * count / 4 + 0.125, step / 4)
    inputs = [np.array(v).astype(numpy_dtype(kind)) for v in values]
    attributes = {"stash_type": element_type("float")} if "stash_type" in draw.schema.attributes and draw.flag() else {}
    return Configuration(draw.schema, inputs, attributes, types=draw.types)


@family("OneHot")
def one_hot(draw):
    depth = draw.integer(1, 6)
    shape = draw.shape(0, 3)
    attributes = {"axis": draw.integer(-len(shape) - 1, len(shape))} if draw.flag() else {}
    signed = not draw.type("T1").startswith("u")
    indices = draw.tensor(draw.type("T1"), shape, -depth if signed else 0, depth)
    indices = np.round(indices.astype(np.float64)).astype(indices.dtype)
    # onnx.reference accepts only scalars.
    count = np.array([depth] if draw.rare() else depth).astype(draw.tensor(draw.type("T2"), ()).dtype)
    return Configuration(
        draw.schema, [indices, count, draw.tensor(draw.type("T3"), (2,))], attributes, types=draw.types
    )


@family("RandomNormal", "RandomUniform", "RandomNormalLike", "RandomUniformLike", "Bernoulli", "Multinomial")
def random_values(draw):
    name, attributes = draw.schema.name, {"seed": 1.0}
    output = draw.schema.outputs[0].type_str
    inputs = []
    if name.endswith("Like") or name in ("Bernoulli", "Multinomial"):
        shape = (2, 3) if name == "Multinomial" else draw.shape(0, 3)
        inputs = [draw.tensor(draw.type("T1"), shape, 0, 1)]
    else:
        attributes["shape"] = list(positive(draw.shape(1, 3)))
    attributes["dtype"] = element_type(draw.type(output))
    if name == "Multinomial":
        attributes["sample_size"] = draw.integer(1, 4)
    return Configuration(draw.schema, inputs, attributes, types=draw.types)
