import numpy as np
from configuration import Configuration
from values import is_integer, type_name

from .elementwise import real_attributes
from .movement import int64s, positive
from .by_operator import family


def spatial_attributes(draw, rank, size, kernel, dilation=True):
    """strides, pads, dilations, auto_pad that leave at least one window."""
    schema, attributes = draw.schema, {}
    if draw.flag():
        attributes["strides"] = [draw.integer(1, 3) for _ in range(rank)]
    if dilation and "dilations" in schema.attributes and draw.rare():
        attributes["dilations"] = [2 if (k - 1) * 2 + 1 <= n else 1 for k, n in zip(kernel, size)]
    choice = draw.integer(0, 3)
    if choice == 0:
        attributes["pads"] = [draw.integer(0, max(0, k - 1)) for k in kernel * 2]
    elif choice == 1 and "dilations" not in attributes:
        attributes["auto_pad"] = draw.choice(("SAME_UPPER", "SAME_LOWER", "VALID"))
    return attributes


def image(draw, rank):
    """Spatial size and a kernel that fits into it."""
    size = [draw.integer(3, 9) for _ in range(rank)]
    return size, [draw.integer(1, min(3, n)) for n in size]


@family("Conv")
def conv(draw):
    kind, rank, group = draw.type("T"), draw.integer(1, 3), draw.integer(1, 3)
    size, kernel = image(draw, rank)
    per_group, out = draw.integer(1, 4), group * draw.integer(1, 4)
    attributes = {"group": group, **spatial_attributes(draw, rank, size, kernel)}
    if draw.flag():
        attributes["kernel_shape"] = kernel
    batch = draw.integer(1, 2)
    inputs = [draw.tensor(kind, (batch, group * per_group, *size)), draw.tensor(kind, (out, per_group, *kernel))]
    if draw.flag():
        inputs.append(draw.tensor(kind, (out,)))
    return Configuration(draw.schema, inputs, attributes, types=draw.types, slack=8)


@family("ConvTranspose")
def conv_transpose(draw):
    kind, rank, group = draw.type("T"), draw.integer(1, 3), draw.integer(1, 2)
    size, kernel = image(draw, rank)
    per_group, out = draw.integer(1, 3), draw.integer(1, 3)
    attributes = {"group": group, "kernel_shape": kernel}
    strides = [draw.integer(1, 3) for _ in range(rank)]
    attributes["strides"] = strides
    choice = draw.integer(0, 3)
    if choice == 0:
        attributes["pads"] = [draw.integer(0, (k - 1) // 2) for k in kernel * 2]
    elif choice == 1:
        attributes["output_padding"] = [draw.integer(0, s - 1) for s in strides]
    elif choice == 2 and all(k >= s for k, s in zip(kernel, strides)):
        attributes["auto_pad"] = draw.choice(("SAME_UPPER", "SAME_LOWER", "VALID"))
    inputs = [draw.tensor(kind, (1, group * per_group, *size)), draw.tensor(kind, (group * per_group, out, *kernel))]
    if draw.flag():
        inputs.append(draw.tensor(kind, (group * out,)))
    return Configuration(draw.schema, inputs, attributes, types=draw.types, slack=8)


@family("MaxPool", "AveragePool", "LpPool")
def pool(draw):
    name, since, kind = draw.schema.name, draw.schema.since_version, draw.type("T")
    rank = 2 if name == "LpPool" and since < 2 else draw.integer(1, 3)
    size, kernel = image(draw, rank)
    attributes = {"kernel_shape": kernel, **spatial_attributes(draw, rank, size, kernel)}
    if "ceil_mode" in draw.schema.attributes and draw.flag() and "auto_pad" not in attributes:
        attributes["ceil_mode"] = draw.integer(0, 1)
    if "count_include_pad" in draw.schema.attributes and draw.flag():
        attributes["count_include_pad"] = draw.integer(0, 1)
    if name == "LpPool" and draw.flag():
        attributes["p"] = draw.integer(1, 3) if since >= 2 else float(draw.integer(1, 3))
    x = draw.tensor(kind, (draw.integer(1, 2), draw.integer(1, 5), *size))
    indices = name == "MaxPool" and since >= 8 and draw.flag()
    return Configuration(draw.schema, [x], attributes, 2 if indices else 1, {**draw.types, "I": "int64"})


@family("GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool")
def global_pool(draw):
    x = draw.tensor(draw.type("T"), positive(draw.shape(3, 5)))
    if draw.schema.name != "GlobalLpPool":
        return Configuration(draw.schema, [x], {}, types=draw.types)
    p = draw.integer(1, 3)
    attributes = {"p": float(p) if draw.schema.since_version == 1 else p}
    return Configuration(draw.schema, [x], attributes, types=draw.types)


@family("BatchNormalization")
def batch_normalization(draw):
    since = draw.schema.since_version
    shape = positive(draw.shape(2, 5))
    kinds = [draw.type(v) if since >= 14 else draw.type("T") for v in parameter_types(since)]
    limits = ((None, None), (None, None), (None, None), (0.2, 2))
    inputs = [draw.tensor(draw.type("T"), shape)]
    inputs += [draw.tensor(k, (shape[1],), *limit) for k, limit in zip(kinds, limits)]
    attributes = real_attributes(draw, ("epsilon",), 1e-5, 0.1)
    outputs = 1
    if since < 7:
        attributes["is_test"] = 1
    if since < 6:
        attributes["consumed_inputs"] = [0, 0, 0, 1, 1]
    if since >= 14 and draw.rare():
        attributes["training_mode"] = 1
        outputs = 3
    return Configuration(draw.schema, inputs, attributes, outputs, draw.types, slack=4)


def parameter_types(since):
    return ("T1", "T1", "T2", "T2") if since >= 15 else ("T", "T", "U", "U")


@family("InstanceNormalization", "GroupNormalization")
def channel_normalization(draw):
    name, since, kind = draw.schema.name, draw.schema.since_version, draw.type("T")
    groups = draw.integer(1, 3)
    channels = groups * draw.integer(1, 3)
    shape = (draw.integer(1, 2), channels, *(draw.integer(2, 5) for _ in range(draw.integer(1, 2))))
    attributes = real_attributes(draw, ("epsilon",), 1e-5, 0.1)
    length = channels
    if name == "GroupNormalization":
        attributes["num_groups"] = groups
        length = groups if since < 21 else channels
    inputs = [draw.tensor(kind, shape), draw.tensor(kind, (length,)), draw.tensor(kind, (length,))]
    return Configuration(draw.schema, inputs, attributes, types=draw.types, slack=8)


@family("LayerNormalization", "RMSNormalization")
def row_normalization(draw):
    kind, layer = draw.type("T", draw.forced.values() or None), draw.schema.name == "LayerNormalization"
    shape = positive(draw.shape(1, 4))
    axis = draw.integer(-len(shape), len(shape) - 1)
    attributes = {"axis": axis, **real_attributes(draw, ("epsilon",), 1e-5, 0.1)}
    scale = shape[axis % len(shape) :]
    inputs = [draw.tensor(kind, shape), draw.tensor(kind if layer else draw.type("V", [kind]), scale)]
    if layer and draw.flag():
        inputs.append(draw.tensor(kind, scale))
    if "U" in draw.forced:
        attributes["stash_type"] = {"float": 1, "bfloat16": 16}[draw.type("U")]
    draw.types.setdefault("U", "float")
    return Configuration(draw.schema, inputs, attributes, draw.integer(1, 3) if layer else 1, draw.types, slack=8)


@family("LRN")
def lrn(draw):
    attributes = {"size": draw.choice((1, 3, 5)), **real_attributes(draw, ("alpha", "beta", "bias"), 0.1, 1)}
    return Configuration(
        draw.schema,
        [draw.tensor(draw.type("T"), positive(draw.shape(3 if draw.rare() else 4, 4)))],
        attributes,
        types=draw.types,
    )


@family("MeanVarianceNormalization")
def mean_variance_normalization(draw):
    x = draw.tensor(draw.type("T"), tuple(draw.integer(2, 4) for _ in range(4)))
    attributes = {"axes": draw.choice(([0, 2, 3], [1], [0, 1, 2, 3], [2, 3]))} if draw.flag() else {}
    return Configuration(draw.schema, [x], attributes, types=draw.types, slack=8)


@family("DeformConv")
def deform_conv(draw):
    kind, group, offset_group = draw.type("T"), draw.integer(1, 2), draw.integer(1, 2)
    channels = 2 * draw.integer(1, 2)
    size, kernel = [draw.integer(3, 6) for _ in range(2)], [draw.integer(1, 3) for _ in range(2)]
    outs = [n - k + 1 for n, k in zip(size, kernel)]
    taps = offset_group * kernel[0] * kernel[1]
    inputs = [
        draw.tensor(kind, (1, channels, *size)),
        draw.tensor(kind, (2 * group, channels // group, *kernel)),
        draw.tensor(kind, (1, 2 * taps, *outs), -1, 1),
        draw.tensor(kind, (2 * group,)) if draw.flag() else None,
        draw.tensor(kind, (1, taps, *outs), 0, 1) if draw.flag() else None,
    ]
    while inputs[-1] is None:
        inputs.pop()
    attributes = {"group": group, "offset_group": offset_group, "pads": [0] * 4, "kernel_shape": kernel}
    return Configuration(draw.schema, inputs, attributes, types=draw.types, slack=8)


@family("NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss")
def loss(draw):
    kind, classes = draw.type("T"), draw.integer(2, 5)
    rest = positive(draw.shape(0, 2))
    batch = draw.integer(1, 3)
    dtype = np.int32 if draw.type("Tind") == "int32" else np.int64
    labels = np.array([draw.integer(0, classes - 1) for _ in range(batch * int(np.prod(rest)))], dtype)
    inputs = [draw.tensor(kind, (batch, classes, *rest)), labels.reshape(batch, *rest)]
    if draw.flag():
        inputs.append(draw.tensor(kind, (classes,), 0.2, 2))
    attributes = {"reduction": draw.choice(("none", "mean", "sum"))}
    if draw.rare():
        attributes["ignore_index"] = 0 if labels.any() else 1
    both = draw.schema.name == "SoftmaxCrossEntropyLoss" and draw.flag()
    return Configuration(draw.schema, inputs, attributes, 2 if both else 1, draw.types, slack=4)


# Types between which there is nothing to interpolate.
MOVED = ("bool", "string")


@family("GridSample")
def grid_sample(draw):
    rank = draw.integer(2, 3) if draw.schema.since_version >= 20 else 2
    old = draw.schema.since_version < 20
    modes = ("bilinear", "nearest", "bicubic") if old else ("linear", "nearest", "cubic")
    mode = draw.choice(modes if rank == 2 else modes[:2]) if draw.type("T1") not in MOVED else "nearest"
    attributes = {"mode": mode, "padding_mode": draw.choice(("zeros", "border", "reflection"))}
    attributes["align_corners"] = draw.integer(0, 1)
    x = draw.tensor(draw.type("T1"), (1, draw.integer(1, 2), *(draw.integer(2, 5) for _ in range(rank))))
    grid = draw.tensor(draw.type("T2"), (1, *(draw.integer(1, 4) for _ in range(rank)), rank), -1.2, 1.2)
    open_rounding = rounds(attributes, draw.types["T1"])
    return Configuration(draw.schema, [x, grid], attributes, types=draw.types, slack=8, open_rounding=open_rounding)


@family("Resize", "Upsample")
def resize(draw):
    since, name = draw.schema.since_version, draw.schema.name
    kind = draw.type("T1" if name == "Resize" and since >= 11 else "T")
    shape = (1, draw.integer(1, 2), draw.integer(2, 5), draw.integer(2, 5))
    x = draw.tensor(kind, shape)
    attributes = {
        "mode": (
            "nearest"
            if kind in MOVED
            else draw.choice(
                ("nearest", "linear") if since < 11 or name == "Upsample" else ("nearest", "linear", "cubic")
            )
        )
    }
    low = 1 if name == "Upsample" else 0.5
    scales = [
        1.0,
        1.0,
        *(draw.choice((1.0, 2.0, 3.0)) if low == 1 else draw.choice((0.5, 1.0, 2.0, 1.5)) for _ in range(2)),
    ]
    if name == "Upsample" and since < 7:
        attributes.update(height_scale=scales[2], width_scale=scales[3])
        attributes["mode"] = {"linear": "bilinear"}.get(attributes["mode"], "nearest")
        mode = {"bilinear": "linear"}.get(attributes["mode"], "nearest")
        modern = ([x, np.array(scales, np.float32)], {"mode": mode})
        return Configuration(
            draw.schema, [x], attributes, types=draw.types, modern=modern, open_rounding=is_integer(kind)
        )
    if name == "Upsample" and since < 9:
        return Configuration(
            draw.schema, [x], {**attributes, "scales": scales}, types=draw.types, open_rounding=rounds(attributes, kind)
        )
    scales = np.array(scales, np.float32)
    if since < 11 or name == "Upsample":
        return Configuration(
            draw.schema, [x, scales], attributes, types=draw.types, open_rounding=rounds(attributes, kind)
        )
    return modern_resize(draw, x, scales, attributes)


def modern_resize(draw, x, scales, attributes):
    since = draw.schema.since_version
    modes = ["half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric"]
    modes += ["half_pixel_symmetric"] if since >= 19 else []
    attributes["coordinate_transformation_mode"] = draw.choice(modes)
    if attributes["mode"] == "nearest":
        rounding = ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")
        attributes["nearest_mode"] = draw.choice(rounding)
    if attributes["mode"] == "cubic":
        attributes["cubic_coeff_a"] = draw.choice((-0.75, -0.5))
        attributes["exclude_outside"] = draw.integer(0, 1)
    if since >= 18 and attributes["mode"] != "nearest" and draw.rare():
        attributes["antialias"] = 1
    roi = np.zeros(0, np.float32) if since < 13 else None
    if "T2" in draw.forced:
        roi = draw.tensor(draw.type("T2"), (0,))
    draw.types.setdefault("T2", "float")
    if draw.flag():
        sizes = int64s([*x.shape[:2], draw.integer(1, 9), draw.integer(1, 9)])
        inputs = [x, roi, np.zeros(0, np.float32) if since < 13 else None, sizes]
    else:
        inputs = [x, roi, scales]
    open_rounding = rounds(attributes, type_name(x))
    return Configuration(draw.schema, inputs, attributes, types=draw.types, slack=8, open_rounding=open_rounding)


def rounds(attributes, kind):
    """Whether integers are interpolated."""
    return is_integer(kind) and attributes["mode"] != "nearest"


@family("RoiAlign")
def roi_align(draw):
    kind, count = draw.type("T1"), draw.integer(1, 3)
    corners = draw.tensor(kind, (count, 2), 0, 2)
    far = (corners.astype(np.float64) + draw.tensor("double", (count, 2), 1, 4)).astype(corners.dtype)
    attributes = {"output_height": draw.integer(1, 3), "output_width": draw.integer(1, 3)}
    attributes["mode"] = draw.choice(("avg", "max"))
    attributes["sampling_ratio"] = draw.integer(0, 2)
    if draw.schema.since_version >= 16:
        attributes["coordinate_transformation_mode"] = draw.choice(("half_pixel", "output_half_pixel"))
    batch = draw.integer(1, 2)
    which = int64s(draw.integer(0, batch - 1) for _ in range(count))
    inputs = [draw.tensor(kind, (batch, 2, 6, 6)), np.concatenate([corners, far], 1), which]
    return Configuration(draw.schema, inputs, attributes, types={**draw.types, "T2": "int64"}, slack=8)
