"""Quantisation. PyTorch multiplies by the float32 reciprocal of a scale, while others divide, so values close to the
midpoint between two integers are not compared."""

import torch
from request import counterpart, need

QUANTIZED = {"uint8": torch.quint8, "int8": torch.qint8}


def rounds_surely(quotient):
    fraction = quotient - torch.floor(quotient)
    return bool((torch.abs(fraction - 0.5) > 1e-4 * (1 + quotient.abs() / 256)).all())


@counterpart("QuantizeLinear", "com.microsoft.QuantizeLinear")
def quantize_linear(r):
    """Also for halves, whose quotients PyTorch computes in float32, as ONNX does without the attribute precision."""
    x, scale, zero = r.inputs[0], r.inputs[1], r.input(2)
    kind = r.output_kinds[0]
    need(kind in QUANTIZED and r.is_float(), "the type")
    need("float" in r.kinds[:1] or r.since < 23 or r.name.startswith("com"), "halves, whose quotients ONNX rounds")
    need("block_size" not in r.attributes and bool(torch.isfinite(x).all()), "blocks, infinities")
    axis = r.get("axis", 1) % x.dim()
    each = scale if scale.dim() == 0 else scale.reshape(-1, *[1] * (x.dim() - 1 - axis))
    need(rounds_surely(x / each), "ties")
    if scale.dim() == 0:
        return torch.quantize_per_tensor(x.float(), float(scale), int(zero or 0), QUANTIZED[kind]).int_repr()
    points = torch.zeros(scale.shape, dtype=torch.int64) if zero is None else zero.long()
    return torch.quantize_per_channel(x.float(), scale.double(), points, axis, QUANTIZED[kind]).int_repr()


@counterpart("DequantizeLinear", "com.microsoft.DequantizeLinear")
def dequantize_linear(r):
    x, scale, zero = r.inputs[0], r.inputs[1], r.input(2)
    need(r.kinds[0] in QUANTIZED and "block_size" not in r.attributes and "double" not in r.output_kinds, "the type")
    if scale.numel() == 1 and scale.dim() == 0:
        made = torch._make_per_tensor_quantized_tensor(x, float(scale), int(zero or 0))
    else:
        points = torch.zeros(scale.shape, dtype=torch.int64) if zero is None else zero.long()
        made = torch._make_per_channel_quantized_tensor(x, scale.double(), points, r.get("axis", 1) % x.dim())
    return made.dequantize()


@counterpart("DynamicQuantizeLinear")
def dynamic_quantize_linear(r):
    """Uses ONNX's scale and zero point. PyTorch chooses others, also if all elements are 0."""
    x = r.inputs[0].float()
    need(x.numel() > 0 and bool(torch.isfinite(x).all()) and bool((x != 0).any()), "zeros, infinities")
    low, high = x.min().clamp(max=0), x.max().clamp(min=0)
    scale = (high - low) / 255
    zero = int(torch.round(-low / scale))
    need(rounds_surely((x / scale).double()), "ties")
    return torch.quantize_per_tensor(x, float(scale), zero, torch.quint8).int_repr(), scale, torch.tensor(zero).byte()


@counterpart("com.microsoft.QLinearAdd", "com.microsoft.QLinearMul")
def qlinear_arithmetic(r):
    a, a_scale, a_zero, b, b_scale, b_zero, scale, zero = (r.inputs + [None] * 8)[:8]
    need(r.kinds[0] in QUANTIZED and all(s.numel() == 1 for s in (a_scale, b_scale, scale)), "the type")
    one = lambda x: 0 if x is None else x.double().reshape(())  # noqa: E731
    pair = (a.double() - one(a_zero)) * one(a_scale), (b.double() - one(b_zero)) * one(b_scale)
    real = pair[0] + pair[1] if r.name.endswith("Add") else pair[0] * pair[1]
    need(rounds_surely(real / one(scale)), "ties")
    return torch.quantize_per_tensor(real.float(), float(one(scale)), int(one(zero)), QUANTIZED[r.kinds[0]]).int_repr()
