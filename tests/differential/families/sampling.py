"""Operators that sample images between their elements."""

import numpy as np
from by_operator import family
from configuration import Configuration
from draw import Impossible

from .elementwise import trim
from .movement import int64s

# Types that cannot be interpolated.
MOVED = ("bool", "string")


def pixels(draw, kind, shape):
    """Returns pixels without infinities, since the result between one and another pixel depends on how 0 times infinity
    is avoided."""
    return draw.tensor(kind, shape, -5, 7)


@family("GridSample")
def grid_sample(draw):
    rank = draw.integer(2, 3) if draw.schema.since_version >= 20 else 2
    old = draw.schema.since_version < 20
    modes = ("bilinear", "nearest", "bicubic") if old else ("linear", "nearest", "cubic")
    mode = draw.choice(modes if rank == 2 else modes[:2]) if draw.type("T1") not in MOVED else "nearest"
    attributes = {"mode": mode, "padding_mode": draw.choice(("zeros", "border", "reflection"))}
    attributes["align_corners"] = draw.integer(0, 1)
    batch = draw.count(2)
    x = pixels(draw, draw.type("T1"), (batch, draw.integer(1, 2), *(draw.integer(2, 5) for _ in range(rank))))
    grid = draw.tensor(draw.type("T2"), (batch, *(draw.integer(1, 4) for _ in range(rank)), rank), -1.2, 1.2)
    return Configuration(draw.schema, [x, grid], attributes, types=draw.types, roundings=8, magnitude=7)


@family("Resize", "Upsample")
def resize(draw):
    since, name = draw.schema.since_version, draw.schema.name
    kind = draw.type("T1" if name == "Resize" and since >= 11 else "T")
    if name == "Resize" and since >= 11:
        return modern_resize(draw, kind)
    shape = (draw.integer(1, 2), draw.integer(1, 2), draw.integer(1, 5), draw.integer(1, 5))
    shape = shape if name == "Upsample" and since < 7 else shape[: draw.integer(1, 4)]
    x = pixels(draw, kind, shape)
    linear = ("linear",) if since >= 7 else ("bilinear",)
    mode = "nearest" if kind in MOVED else draw.choice(("nearest", *linear))
    # Upsample does not shrink.
    options = (1.0, 2.0, 3.0, 1.5) if name == "Upsample" else (0.5, 1.0, 2.0, 1.5)
    scales = [1.0 if axis < len(shape) - 2 and since < 7 else draw.choice(options) for axis in range(len(shape))]
    made = {"types": draw.types, "roundings": 8, "magnitude": 3}
    attributes = {"mode": mode} if mode != "nearest" or draw.flag() else {}
    if name == "Upsample" and since < 7:
        attributes.update(height_scale=scales[2], width_scale=scales[3])
        return Configuration(draw.schema, [x], attributes, **made)
    if name == "Upsample" and since < 9:
        return Configuration(draw.schema, [x], {**attributes, "scales": scales}, **made)
    return Configuration(draw.schema, [x, np.array(scales, np.float32)], attributes, **made)


def modern_resize(draw, kind):
    """Resize from version 11 on."""
    since = draw.schema.since_version
    shape = tuple(draw.integer(1, 6) for _ in range(draw.integer(1, 5)))
    x = pixels(draw, kind, shape)
    attributes = resize_attributes(draw, kind, since)
    axes = list(range(len(shape)))
    if since >= 18 and draw.flag():
        axes = [axis for axis in axes if draw.flag()] or axes[:1]
        axes = axes[::-1] if draw.flag() else axes
        attributes["axes"] = [axis - len(shape) if draw.rare() else axis for axis in axes]
    crops = attributes.get("coordinate_transformation_mode") == "tf_crop_and_resize"
    roi = region(draw, len(axes)) if crops else np.zeros(0, np.float32) if since < 13 else None
    if roi is None and "T2" in draw.forced:
        roi = draw.tensor(draw.type("T2"), (0,))
    roi_type = draw.type("T2", ["float"])
    roi = roi if roi is None else roi.astype(draw.tensor(roi_type, ()).dtype)
    if draw.flag():
        # Most of five axes keep their size because the others multiply.
        sizes = [draw.integer(1, 8) if i < 3 else shape[axis] for i, axis in enumerate(axes)]
        if since >= 18 and draw.flag():
            attributes["keep_aspect_ratio_policy"] = draw.choice(("stretch", "not_larger", "not_smaller"))
            if attributes["keep_aspect_ratio_policy"] != "stretch" and not all_remain(x, axes, sizes, attributes):
                raise Impossible
        inputs = [x, roi, np.zeros(0, np.float32) if since < 13 else None, int64s(sizes)]
    else:
        # One of these would make an axis of length 1 vanish.
        scales = [draw.choice((0.6, 1.0, 2.0, 1.5, 2.6) if shape[axis] > 1 else (1.0, 2.0, 1.3)) for axis in axes]
        inputs = [x, roi, np.array([s if i < 3 else 1 for i, s in enumerate(scales)], np.float32)]
    return Configuration(draw.schema, trim(inputs), attributes, types=draw.types, roundings=16, magnitude=7)


def all_remain(x, axes, sizes, attributes):
    """Whether the policy leaves at least one element along every axis."""
    ratios = [size / x.shape[axis] for size, axis in zip(sizes, axes)]
    scale = min(ratios) if attributes["keep_aspect_ratio_policy"] == "not_larger" else max(ratios)
    return all(0.5 <= scale * x.shape[axis] <= 12 for axis in axes)


def resize_attributes(draw, kind, since):
    modes = ["half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric", "tf_crop_and_resize"]
    modes += ["half_pixel_symmetric"] if since >= 19 else []
    modes += ["tf_half_pixel_for_nn"] if since < 13 else []
    attributes = {"coordinate_transformation_mode": draw.choice(modes)} if draw.flag() else {}
    attributes["mode"] = "nearest" if kind in MOVED else draw.choice(("nearest", "linear", "cubic"))
    if attributes["mode"] == "nearest":
        attributes["nearest_mode"] = draw.choice(("round_prefer_floor", "round_prefer_ceil", "floor", "ceil"))
    if attributes["mode"] == "cubic" and draw.flag():
        attributes["cubic_coeff_a"] = draw.choice((-0.75, -0.5))
    if attributes["mode"] == "cubic" and draw.flag():
        attributes["exclude_outside"] = draw.integer(0, 1)
    if since >= 18 and attributes["mode"] != "nearest" and draw.rare():
        attributes["antialias"] = 1
    if attributes.get("coordinate_transformation_mode") == "tf_crop_and_resize" and draw.flag():
        attributes["extrapolation_value"] = draw.real(0, 9)
    return attributes


def region(draw, count):
    """Returns the starts and ends of a crop that is partially outside."""
    starts, ends = ([draw.real(low, high) for _ in range(count)] for low, high in ((-0.25, 0.5), (0.5, 1.25)))
    return np.array([*starts, *ends], np.float32)


@family("RoiAlign")
def roi_align(draw):
    kind, count = draw.type("T1"), draw.count(3)
    scale = draw.choice((1.0, 0.5, 0.6, 2.0))
    corners = draw.tensor(kind, (count, 2), -1 / scale, 2 / scale)
    far = (corners.astype(np.float64) + draw.tensor("double", (count, 2), 1 / scale, 4 / scale)).astype(corners.dtype)
    attributes = {"output_height": draw.integer(1, 3), "output_width": draw.integer(1, 3)}
    attributes["mode"] = draw.choice(("avg", "max"))
    if draw.flag():
        attributes["sampling_ratio"] = draw.integer(0, 3)
    if scale != 1 or draw.flag():
        attributes["spatial_scale"] = scale
    if draw.schema.since_version >= 16:
        attributes["coordinate_transformation_mode"] = draw.choice(("half_pixel", "output_half_pixel"))
    batch = draw.integer(1, 2)
    which = int64s(draw.integer(0, batch - 1) for _ in range(count))
    inputs = [pixels(draw, kind, (batch, 2, 6, 6)), np.concatenate([corners, far], 1), which]
    made = {**draw.types, "T2": "int64"}
    return Configuration(draw.schema, inputs, attributes, types=made, roundings=16, magnitude=7)
