import numpy as np
from by_operator import family
from configuration import Configuration

from .elementwise import real_attributes
from .movement import positive


def spatial_attributes(draw, rank, size, kernel):
    """Returns strides, pads, dilations and auto_pad that leave at least one window."""
    schema, attributes = draw.schema, {}
    if draw.flag():
        attributes["strides"] = [draw.integer(1, 3) for _ in range(rank)]
    if "dilations" in schema.attributes and draw.flag():
        attributes["dilations"] = dilations(draw, size, kernel)
    choice = draw.integer(0, 3)
    if choice == 0:
        attributes["pads"] = [draw.integer(0, max(0, k - 1)) for k in kernel * 2]
    elif choice == 1:
        attributes["auto_pad"] = draw.choice(("SAME_UPPER", "SAME_LOWER", "VALID"))
    return attributes


def dilations(draw, size, kernel):
    """Returns dilations of up to 4 for which the windows fit."""
    return [draw.integer(1, min(4, (n - 1) // max(1, k - 1))) for n, k in zip(size, kernel)]


def image(draw, rank):
    """Returns a spatial size and a kernel that fits into it."""
    size = [draw.integer(3, 9) for _ in range(rank)]
    return size, [draw.integer(1, min(3, n)) for n in size]


def weights(draw, kind, shape):
    """Returns weights without infinities, which become NaN in algorithms that multiply by zeros."""
    return draw.tensor(kind, shape, -3, 3)


@family("Conv")
def conv(draw):
    kind, rank, group = draw.type("T"), draw.integer(1, 3), draw.integer(1, 3)
    size, kernel = image(draw, rank)
    per_group, out = draw.integer(1, 4), group * draw.integer(1, 4)
    attributes = {"group": group, **spatial_attributes(draw, rank, size, kernel)}
    if draw.flag():
        attributes["kernel_shape"] = kernel
    batch = draw.count(2)
    inputs = [draw.tensor(kind, (batch, group * per_group, *size)), weights(draw, kind, (out, per_group, *kernel))]
    if draw.flag():
        inputs.append(weights(draw, kind, (out,)))
    return Configuration(draw.schema, inputs, attributes, types=draw.types, roundings=8)


@family("ConvTranspose")
def conv_transpose(draw):
    kind, rank, group = draw.type("T"), draw.integer(1, 3), draw.integer(1, 2)
    size, kernel = image(draw, rank)
    per_group, out = draw.integer(1, 3), draw.integer(1, 3)
    attributes = {"group": group, "kernel_shape": kernel}
    strides = [draw.integer(1, 3) for _ in range(rank)]
    attributes["strides"] = strides
    reach = kernel
    if draw.flag():
        attributes["dilations"] = [draw.integer(1, 3) for _ in range(rank)]
        reach = [(k - 1) * d + 1 for k, d in zip(kernel, attributes["dilations"])]
    choice = draw.integer(0, 4)
    if choice == 0:
        attributes["pads"] = [draw.integer(0, (k - 1) // 2) for k in kernel * 2]
    elif choice == 1:
        attributes["output_padding"] = [draw.integer(0, s - 1) for s in strides]
    elif choice == 2 and all(k >= s for k, s in zip(reach, strides)):
        attributes["auto_pad"] = draw.choice(("SAME_UPPER", "SAME_LOWER", "VALID"))
    elif choice == 3:
        whole = [s * (n - 1) + k for s, n, k in zip(strides, size, reach)]
        attributes["output_shape"] = [draw.integer(max(1, n - k + 1), n) for n, k in zip(whole, reach)]
        if draw.flag():
            attributes["auto_pad"] = draw.choice(("SAME_UPPER", "SAME_LOWER"))
    inputs = [
        draw.tensor(kind, (draw.count(2), group * per_group, *size)),
        weights(draw, kind, (group * per_group, out, *kernel)),
    ]
    if draw.flag():
        inputs.append(weights(draw, kind, (group * out,)))
    return Configuration(draw.schema, inputs, attributes, types=draw.types, roundings=8)


@family("MaxPool", "AveragePool", "LpPool")
def pool(draw):
    name, since, kind = draw.schema.name, draw.schema.since_version, draw.type("T")
    rank = 2 if name == "LpPool" and since < 2 else draw.integer(1, 3)
    size, kernel = image(draw, rank)
    attributes = {"kernel_shape": kernel, **spatial_attributes(draw, rank, size, kernel)}
    if "ceil_mode" in draw.schema.attributes and draw.flag():
        attributes["ceil_mode"] = draw.integer(0, 1)
    if "count_include_pad" in draw.schema.attributes and draw.flag():
        attributes["count_include_pad"] = draw.integer(0, 1)
    if name == "LpPool" and draw.flag():
        attributes["p"] = draw.integer(1, 3) if since >= 2 else float(draw.integer(1, 3))
    indices = name == "MaxPool" and since >= 8 and draw.flag()
    if indices and draw.flag():
        attributes["storage_order"] = draw.integer(0, 1)
    # If several elements are NaN, the index of the maximum is unspecified.
    x = draw.tensor(kind, (draw.count(2), draw.integer(1, 5), *size), *((-3, 3) if indices else ()))
    return Configuration(draw.schema, [x], attributes, 2 if indices else 1, {**draw.types, "I": "int64"})


@family("GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool")
def global_pool(draw):
    x = draw.tensor(draw.type("T"), (draw.count(3), *positive(draw.shape(2, 4))))
    if draw.schema.name != "GlobalLpPool":
        return Configuration(draw.schema, [x], {}, types=draw.types)
    p = draw.integer(1, 3)
    attributes = {"p": float(p) if draw.schema.since_version == 1 else p}
    return Configuration(draw.schema, [x], attributes, types=draw.types)


@family("BatchNormalization")
def batch_normalization(draw):
    since = draw.schema.since_version
    shape = (draw.count(4), *positive(draw.shape(1, 4)))
    kinds = [draw.type(v) if since >= 14 else draw.type("T") for v in parameter_types(since)]
    limits = ((-3, 3), (-3, 3), (-3, 3), (0.2, 2))
    attributes = real_attributes(draw, ("epsilon",), 1e-5, 0.1)
    if "spatial" in draw.schema.attributes and draw.flag():
        attributes["spatial"] = draw.integer(0, 1)
    # One for each channel, or for each of its elements.
    length = shape[1:] if attributes.get("spatial") == 0 else shape[1:2]
    inputs = [draw.tensor(draw.type("T"), shape)]
    inputs += [draw.tensor(k, length, *limit) for k, limit in zip(kinds, limits)]
    outputs = 1
    if draw.flag():
        attributes["momentum"] = draw.real(0.5, 1)
    if since < 7:
        attributes["is_test"] = 1
    if since < 6:
        attributes["consumed_inputs"] = [0, 0, 0, 1, 1]
    if since >= 14 and draw.rare():
        attributes["training_mode"] = 1
        outputs = 3
    whole = attributes.get("spatial") == 1
    modern = (inputs, {n: v for n, v in attributes.items() if n != "spatial"}) if whole else None
    return Configuration(draw.schema, inputs, attributes, outputs, draw.types, modern=modern, roundings=4)


def parameter_types(since):
    return ("T1", "T1", "T2", "T2") if since >= 15 else ("T", "T", "U", "U")


@family("InstanceNormalization", "GroupNormalization")
def channel_normalization(draw):
    name, since, kind = draw.schema.name, draw.schema.since_version, draw.type("T")
    groups = draw.integer(1, 3)
    channels = groups * draw.integer(1, 3)
    shape = (draw.count(2), channels, *(draw.integer(2, 5) for _ in range(draw.integer(1, 2))))
    attributes = real_attributes(draw, ("epsilon",), 1e-5, 0.1)
    length = channels
    if name == "GroupNormalization":
        attributes["num_groups"] = groups
        if since >= 21 and draw.rare():
            attributes["stash_type"] = 1
        length = groups if since < 21 else channels
    inputs = [draw.tensor(kind, shape), weights(draw, kind, (length,)), weights(draw, kind, (length,))]
    parts = attributes.get("num_groups", channels)
    rows = inputs[0].reshape(shape[0], parts, int(np.prod(shape[1:])) // parts)
    stretched = stretch(rows, (2,), attributes.get("epsilon", 1e-5))
    return Configuration(draw.schema, inputs, attributes, types=draw.types, roundings=64, magnitude=stretched)


def stretch(x, axes, epsilon):
    """Returns the factor by which rounding errors of the elements grow if their deviations from the mean are small."""
    x = np.nan_to_num(x.astype(np.float64), posinf=0, neginf=0)
    return float((3 * np.abs(x).max(initial=0) / np.sqrt(x.var(axes) + epsilon)).max(initial=0))


@family("LayerNormalization", "RMSNormalization")
def row_normalization(draw):
    kind, layer = draw.type("T", draw.forced.values() or None), draw.schema.name == "LayerNormalization"
    shape = positive(draw.shape(1, 4))
    axis = draw.integer(-len(shape), len(shape) - 1)
    attributes = {"axis": axis, **real_attributes(draw, ("epsilon",), 1e-5, 0.1)}
    scale = shape[axis % len(shape) :]
    # Scale and bias have a separate type, except in LayerNormalization from 17 on.
    scale_kind = kind if layer and draw.schema.since_version > 1 else draw.type("V", [kind])
    inputs = [draw.tensor(kind, shape), draw.tensor(scale_kind, scale)]
    if layer and draw.flag():
        inputs.append(draw.tensor(scale_kind, scale))
    if "U" in draw.forced:
        attributes["stash_type"] = {"float": 1, "bfloat16": 16, "double": 11}[draw.type("U")]
    elif draw.rare():
        attributes["stash_type"] = 1
    draw.types.setdefault("U", "float")
    rows = tuple(range(axis % len(shape), len(shape)))
    stretched = stretch(inputs[0], rows, attributes.get("epsilon", 1e-5)) if layer else 0
    outputs = draw.integer(1, 3) if layer else 1
    return Configuration(draw.schema, inputs, attributes, outputs, draw.types, roundings=8, magnitude=stretched)


@family("LRN")
def lrn(draw):
    attributes = {"size": draw.choice((1, 3, 5)), **real_attributes(draw, ("alpha", "beta", "bias"), 0.1, 1)}
    return Configuration(
        draw.schema,
        [draw.tensor(draw.type("T"), (draw.count(3), *positive(draw.shape(2 if draw.rare() else 3, 3))))],
        attributes,
        types=draw.types,
    )


@family("MeanVarianceNormalization")
def mean_variance_normalization(draw):
    x = draw.tensor(draw.type("T"), tuple(draw.integer(2, 4) for _ in range(4)))
    attributes = {"axes": draw.choice(([0, 2, 3], [1], [0, 1, 2, 3], [2, 3]))} if draw.flag() else {}
    if draw.schema.since_version < 9:
        names = ("across_channels", "normalize_variance")
        attributes = {name: draw.integer(0, 1) for name in names if draw.flag()}
    return Configuration(draw.schema, [x], attributes, types=draw.types, roundings=8)


@family("DeformConv")
def deform_conv(draw):
    kind, group, offset_group = draw.type("T"), draw.integer(1, 2), draw.integer(1, 2)
    channels = 2 * draw.integer(1, 2)
    size, kernel = [draw.integer(3, 6) for _ in range(2)], [draw.integer(1, 3) for _ in range(2)]
    attributes = {"strides": [draw.integer(1, 2) for _ in range(2)]} if draw.flag() else {}
    attributes["pads"] = [draw.integer(0, 2) if draw.flag() else 0 for _ in range(4)]
    if draw.flag():
        attributes["dilations"] = dilations(draw, size, kernel)
    outs = [
        (n + attributes["pads"][i] + attributes["pads"][i + 2] - (k - 1) * attributes.get("dilations", [1, 1])[i] - 1)
        // attributes.get("strides", [1, 1])[i]
        + 1
        for i, (n, k) in enumerate(zip(size, kernel))
    ]
    taps = offset_group * kernel[0] * kernel[1]
    inputs = [
        # The result between an infinity and another pixel depends on how 0 times infinity is avoided.
        draw.tensor(kind, (1, channels, *size), -3, 3),
        weights(draw, kind, (2 * group, channels // group, *kernel)),
        draw.tensor(kind, (1, 2 * taps, *outs), -1, 1),
        weights(draw, kind, (2 * group,)) if draw.flag() else None,
        draw.tensor(kind, (1, taps, *outs), 0, 1) if draw.flag() else None,
    ]
    while inputs[-1] is None:
        inputs.pop()
    attributes.update(group=group, offset_group=offset_group, kernel_shape=kernel)
    return Configuration(draw.schema, inputs, attributes, types=draw.types, roundings=8)


@family("NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss")
def loss(draw):
    kind, classes = draw.type("T"), draw.integer(2, 5)
    rest = positive(draw.shape(0, 2))
    batch = draw.count(3)
    dtype = np.int32 if draw.type("Tind") == "int32" else np.int64
    labels = np.array([draw.integer(0, classes - 1) for _ in range(batch * int(np.prod(rest)))], dtype)
    # An infinity would make the shares of the others 0, whose logarithm is taken.
    inputs = [draw.tensor(kind, (batch, classes, *rest), -3, 3), labels.reshape(batch, *rest)]
    if draw.flag():
        inputs.append(draw.tensor(kind, (classes,), 0.2, 2))
    attributes = {"reduction": draw.choice(("none", "mean", "sum"))}
    if draw.rare():
        attributes["ignore_index"] = 0 if labels.any() else 1
    both = draw.schema.name == "SoftmaxCrossEntropyLoss" and draw.flag()
    return Configuration(
        draw.schema, inputs, attributes, 2 if both else 1, draw.types, roundings=4, magnitude=6 * labels.size
    )
