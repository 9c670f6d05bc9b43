"""Convolutions, pools and normalisations."""

import math

import torch
from request import counterpart, need
from torch.nn import functional as F


def padded(x, pads, value=0.0):
    """pads: the begins and the ends of the spatial axes."""
    count = len(pads) // 2
    flat = [n for axis in reversed(range(count)) for n in (pads[axis], pads[axis + count])]
    return F.pad(x, flat, value=value) if any(flat) else x


def same_pads(r, x, kernel, strides, dilations):
    """Returns the pads of auto_pad."""
    auto = r.get("auto_pad", "NOTSET")
    count = len(kernel)
    if not auto.startswith("SAME"):
        return [0] * 2 * count if auto == "VALID" else list(r.get("pads", [0] * 2 * count))
    begins, ends = [], []
    for n, k, stride, dilation in zip(x.shape[2:], kernel, strides, dilations):
        total = max(0, (-(-n // stride) - 1) * stride + (k - 1) * dilation + 1 - n)
        begins.append(total // 2 if auto == "SAME_UPPER" else total - total // 2)
        ends.append(total - begins[-1])
    return begins + ends


def window(r, x, kernel):
    strides = list(r.get("strides", [1] * len(kernel)))
    dilations = list(r.get("dilations", [1] * len(kernel)))
    return strides, dilations, same_pads(r, x, kernel, strides, dilations)


@counterpart("Conv", "ConvInteger")
def conv(r):
    x, w = r.inputs[0].double(), r.inputs[1].double()
    bias = r.input(2)
    if r.name == "ConvInteger":
        need(r.input(3) is None or r.input(3).numel() == 1, "zero points of channels")
        x, bias = x - (0 if bias is None else bias.double()), None
        w = w - (0 if r.input(3) is None else r.input(3).double())
    strides, dilations, pads = window(r, x, list(w.shape[2:]))
    function = (F.conv1d, F.conv2d, F.conv3d)[w.dim() - 3]
    y = function(padded(x, pads), w, bias, strides, 0, dilations, r.get("group", 1))
    return y if r.name == "Conv" else y.long()


@counterpart("ConvTranspose")
def conv_transpose(r):
    need("output_shape" not in r.attributes and r.get("auto_pad", "NOTSET") == "NOTSET", "output_shape, auto_pad")
    x, w = r.inputs[:2]
    count = w.dim() - 2
    strides, dilations = r.get("strides", [1] * count), r.get("dilations", [1] * count)
    pads, more = r.get("pads", [0] * 2 * count), r.get("output_padding", [0] * count)
    need(pads[:count] == pads[count:], "uneven pads")
    function = (F.conv_transpose1d, F.conv_transpose2d, F.conv_transpose3d)[count - 1]
    return function(x, w, r.input(2), strides, pads[:count], more, r.get("group", 1), dilations)


@counterpart("MaxPool")
def max_pool(r):
    x, kernel = r.inputs[0].double(), r.get("kernel_shape")
    strides, dilations, pads = window(r, x, kernel)
    indices = len(r.output_kinds) > 1
    count = len(kernel)
    fits = pads[:count] == pads[count:] and all(2 * p <= k for p, k in zip(pads, kernel))
    need(not r.get("storage_order", 0) and (fits or not (indices or r.get("ceil_mode", 0))), "the order of the indices")
    function = (F.max_pool1d, F.max_pool2d, F.max_pool3d)[count - 1]
    inside = pads[:count] if fits else 0
    x = x if fits else padded(x, pads, -float("inf"))
    if not indices:
        return function(x, kernel, strides, inside, dilations, bool(r.get("ceil_mode", 0)))
    y, at = function(x, kernel, strides, inside, dilations, bool(r.get("ceil_mode", 0)), return_indices=True)
    # ONNX counts across all planes.
    plane = math.prod(x.shape[2:])
    first = torch.arange(x.shape[0] * x.shape[1]).reshape(x.shape[0], x.shape[1], *[1] * count) * plane
    return y, at + first


@counterpart("AveragePool")
def average_pool(r):
    x, kernel = r.inputs[0], r.get("kernel_shape")
    strides, dilations, pads = window(r, x, kernel)
    count, counts = len(kernel), bool(r.get("count_include_pad", 0))
    fits = pads[:count] == pads[count:] and all(2 * p <= k for p, k in zip(pads, kernel))
    need(all(d == 1 for d in dilations) and fits, "dilations, uneven pads")
    function = (F.avg_pool1d, F.avg_pool2d, F.avg_pool3d)[count - 1]
    return function(x, kernel, strides, pads[:count], bool(r.get("ceil_mode", 0)), counts)


@counterpart("LpPool")
def lp_pool(r):
    x, kernel = r.inputs[0], r.get("kernel_shape")
    strides, dilations, pads = window(r, x, kernel)
    need(len(kernel) < 3 and all(d == 1 for d in dilations) and not r.get("ceil_mode", 0), "volumes, dilations")
    function = (F.lp_pool1d, F.lp_pool2d)[len(kernel) - 1]
    if len(kernel) == 1:
        kernel, strides = kernel[0], strides[0]
    return function(padded(x.abs(), pads), float(r.get("p", 2)), kernel, strides)


@counterpart("GlobalAveragePool", "GlobalMaxPool")
def global_pool(r):
    x = r.inputs[0]
    name = "avg" if r.name == "GlobalAveragePool" else "max"
    need(3 <= x.dim() <= 5, "the number of axes")
    return getattr(F, f"adaptive_{name}_pool{x.dim() - 2}d")(x, 1)


@counterpart("MaxUnpool")
def max_unpool(r):
    x, at, kernel = r.inputs[0], r.inputs[1], r.get("kernel_shape")
    count, size = len(kernel), r.ints(2)
    strides, pads = r.get("strides", [1] * count), r.get("pads", [0] * 2 * count)
    need(pads[:count] == pads[count:], "uneven pads")
    whole = [(n - 1) * s - 2 * p + k for n, s, p, k in zip(x.shape[2:], strides, pads, kernel)]
    size = whole if size is None else size[2:]
    plane = math.prod(size)
    first = torch.arange(x.shape[0] * x.shape[1]).reshape(x.shape[0], x.shape[1], *[1] * count) * plane
    function = (F.max_unpool1d, F.max_unpool2d, F.max_unpool3d)[count - 1]
    return function(x, at - first, kernel, strides, pads[:count], [*x.shape[:2], *size])


@counterpart("BatchNormalization")
def batch_normalization(r):
    need(len(r.output_kinds) == 1 and not r.get("training_mode", 0) and r.get("spatial", 1), "training, all elements")
    x, scale, bias, mean, variance = r.inputs[:5]
    return F.batch_norm(x, mean, variance, scale, bias, False, 0.0, r.get("epsilon", 1e-5))


@counterpart("InstanceNormalization")
def instance_normalization(r):
    need(math.prod(r.inputs[0].shape[2:]) > 1 and r.inputs[0].numel(), "one element, or none")
    return F.instance_norm(r.inputs[0], None, None, *r.inputs[1:], eps=r.get("epsilon", 1e-5))


@counterpart("GroupNormalization")
def group_normalization(r):
    x, scale, bias = r.inputs
    groups = r.get("num_groups")
    if r.since < 21:
        scale, bias = (v.repeat_interleave(x.shape[1] // groups) for v in (scale, bias))
    return F.group_norm(x, groups, scale, bias, r.get("epsilon", 1e-5))


@counterpart("LayerNormalization")
def layer_normalization(r):
    x, axis = r.inputs[0], r.get("axis", -1) % r.inputs[0].dim()
    bias = r.input(2)
    need(r.inputs[1].shape == x.shape[axis:] and (bias is None or bias.shape == x.shape[axis:]), "broadcasting")
    return torch.native_layer_norm(x, x.shape[axis:], r.inputs[1], bias, r.get("epsilon", 1e-5))


@counterpart("RMSNormalization", "SimplifiedLayerNormalization")
def rms_normalization(r):
    x, axis = r.inputs[0], r.get("axis", -1) % r.inputs[0].dim()
    need(hasattr(F, "rms_norm") and len(r.output_kinds) == 1, "rms_norm")
    return F.rms_norm(x, x.shape[axis:], r.inputs[1], r.get("epsilon", 1e-5))


@counterpart("LRN")
def lrn(r):
    x = r.inputs[0]
    need(x.dim() >= 3 and r.get("size") % 2 == 1, "rank 2, an even size")
    return F.local_response_norm(x, r.get("size"), r.get("alpha", 1e-4), r.get("beta", 0.75), r.get("bias", 1.0))
