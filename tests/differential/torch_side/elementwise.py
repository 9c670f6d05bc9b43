"""Operators on single elements."""

import torch
from request import FLOATS, INTEGERS, counterpart, need
from torch.nn import functional as F

# Types that PyTorch has.
OWN_INTEGERS = ("bool", "int8", "int16", "int32", "int64", "uint8")


def unary(name, function):
    @counterpart(name)
    def apply(r):
        r.only("consumed_inputs")
        return function(r.inputs[0])


for each in (
    "abs acos acosh asin asinh atan atanh ceil cos cosh erf exp floor log neg reciprocal sigmoid sign sin sinh".split()
):
    unary(each.capitalize(), getattr(torch, each))
for each in "sqrt tan tanh relu round".split():
    unary(each.capitalize(), getattr(torch, each))
unary("IsNaN", torch.isnan)
unary("Identity", lambda x: x)
unary("Not", torch.logical_not)
unary("BitwiseNot", torch.bitwise_not)
unary("Mish", F.mish)
unary("HardSwish", F.hardswish)
unary("Softsign", F.softsign)
# PyTorch's function returns the argument above a threshold.
unary("Softplus", lambda x: F.softplus(x, threshold=1e9))


@counterpart("IsInf")
def is_inf(r):
    up, down = r.get("detect_positive", 1), r.get("detect_negative", 1)
    x, none = r.inputs[0], torch.zeros(r.inputs[0].shape, dtype=torch.bool)
    return (torch.isposinf(x) if up else none) | (torch.isneginf(x) if down else none)


@counterpart("Gelu")
def gelu(r):
    return F.gelu(r.inputs[0], approximate=r.get("approximate", "none"))


@counterpart("com.microsoft.Gelu", "com.microsoft.BiasGelu")
def bias_gelu(r):
    return F.gelu(r.inputs[0] if r.input(1) is None else r.inputs[0] + r.inputs[1])


@counterpart("com.microsoft.FastGelu")
def fast_gelu(r):
    return F.gelu(r.inputs[0] if r.input(1) is None else r.inputs[0] + r.inputs[1], approximate="tanh")


@counterpart("Elu")
def elu(r):
    return F.elu(r.inputs[0], r.get("alpha", 1.0))


@counterpart("Celu")
def celu(r):
    return F.celu(r.inputs[0], r.get("alpha", 1.0))


@counterpart("Selu")
def selu(r):
    r.only()
    need(r.since >= 6 and "double" not in r.kinds, "the defaults of version 1, which have other digits in double")
    return F.selu(r.inputs[0])


@counterpart("LeakyRelu")
def leaky_relu(r):
    return F.leaky_relu(r.inputs[0], r.get("alpha", 0.01))


@counterpart("ThresholdedRelu")
def thresholded_relu(r):
    return F.threshold(r.inputs[0], r.get("alpha", 1.0), 0)


@counterpart("HardSigmoid")
def hard_sigmoid(r):
    return F.hardtanh(r.get("alpha", 0.2) * r.inputs[0] + r.get("beta", 0.5), 0.0, 1.0)


@counterpart("Shrink")
def shrink(r):
    lambd, bias = r.get("lambd", 0.5), r.get("bias", 0.0)
    need(bias in (0.0, lambd) and r.is_float(), "a bias of its own")
    return (F.hardshrink if bias == 0 else F.softshrink)(r.inputs[0], lambd)


@counterpart("Swish", "com.microsoft.QuickGelu")
def swish(r):
    alpha = r.get("alpha", 1.0 if r.name == "Swish" else 1.702)
    return r.inputs[0] * torch.sigmoid(alpha * r.inputs[0])


def binary(name, function):
    @counterpart(name)
    def apply(r):
        need(r.since >= 7, "the broadcasting of versions before 7")
        r.only()
        return function(*r.inputs)


for each in "Add Sub Mul Pow Equal Less Greater".split():
    binary(each, getattr(torch, {"Equal": "eq"}.get(each, each.lower())))
binary("LessOrEqual", torch.le)
binary("GreaterOrEqual", torch.ge)
for each in ("And", "Or", "Xor"):
    binary(each, getattr(torch, f"logical_{each.lower()}"))
    binary(f"Bitwise{each}", getattr(torch, f"bitwise_{each.lower()}"))


@counterpart("Div")
def div(r):
    need(r.since >= 7, "the broadcasting of versions before 7")
    return torch.div(*r.inputs) if r.is_float() else torch.div(*r.inputs, rounding_mode="trunc")


@counterpart("Mod")
def mod(r):
    return torch.fmod(*r.inputs) if r.get("fmod", 0) else torch.remainder(*r.inputs)


@counterpart("BitShift")
def bit_shift(r):
    return (torch.bitwise_left_shift if r.get("direction") == "LEFT" else torch.bitwise_right_shift)(*r.inputs)


@counterpart("PRelu")
def prelu(r):
    x, slope = r.inputs
    need(r.since >= 7 and r.is_float(), "the slopes of versions before 7")
    if slope.numel() == 1:
        return F.prelu(x, slope.reshape(1))
    need(x.dim() > 1 and slope.shape == (x.shape[1], *(1,) * (x.dim() - 2)), "slopes that are not of channels")
    return F.prelu(x, slope.reshape(-1))


@counterpart("Max", "Min")
def extreme(r):
    made = r.inputs[0]
    for x in r.inputs[1:]:
        made = (torch.maximum if r.name == "Max" else torch.minimum)(made, x)
    return made


@counterpart("Sum", "Mean")
def add_all(r):
    made = r.inputs[0]
    for x in r.inputs[1:]:
        made = made + x
    return made / len(r.inputs) if r.name == "Mean" else made


@counterpart("Where")
def where(r):
    return torch.where(*r.inputs)


@counterpart("Clip")
def clip(r):
    if r.since >= 11:
        low, high = (None if r.input(i) is None else r.input(i).reshape(()).item() for i in (1, 2))
    else:
        low, high = r.get("min"), r.get("max")
    return r.inputs[0] if low is None and high is None else torch.clamp(r.inputs[0], low, high)


@counterpart("CumSum", "CumProd")
def cumulative(r):
    x, axis = r.inputs[0], int(r.inputs[1].reshape(()))
    product = r.name == "CumProd"
    x = x.flip(axis) if r.get("reverse", 0) else x
    if r.get("exclusive", 0):
        x = torch.cat([torch.full_like(x.narrow(axis, 0, 1), int(product)), x.narrow(axis, 0, x.shape[axis] - 1)], axis)
    made = torch.cumprod(x, axis) if product else torch.cumsum(x, axis)
    return made.flip(axis) if r.get("reverse", 0) else made


@counterpart("Dropout")
def dropout(r):
    if len(r.output_kinds) == 1:
        return F.dropout(r.inputs[0], training=False)
    y, mask = torch.native_dropout(r.inputs[0], 0.5, False)
    return y, torch.ones_like(y, dtype=torch.bool) if mask.numel() == 0 else mask


@counterpart("Cast")
def cast(r):
    """Floats are passed as float64, which represents them exactly, so they are rounded once."""
    kind = r.output_kinds[0]
    need(kind in FLOATS or kind in OWN_INTEGERS, "the type")
    return r.inputs[0].to(FLOATS.get(kind) or INTEGERS[kind])
