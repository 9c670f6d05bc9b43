"""Mixtures of experts of com.microsoft."""

import numpy as np
from by_operator import family

from .microsoft import finished


def mixture(draw, experts):
    """Returns the attributes, and the factor of the rows of fc1."""
    attributes = {"k": draw.integer(1, experts), "normalize_routing_weights": draw.integer(0, 1)}
    attributes["activation_type"] = draw.choice(("relu", "gelu", "silu", "identity", "swiglu"))
    if attributes["activation_type"] != "swiglu":
        return attributes, 1
    # ONNX Runtime has no other form on CPUs.
    attributes["swiglu_fusion"] = 1
    for name, low, high in (("activation_alpha", 0.5, 2), ("activation_beta", 0, 1), ("swiglu_limit", 0.25, 4)):
        if draw.flag():
            attributes[name] = draw.real(low, high)
    return attributes, 2


def tokens_and_router(draw, kind, tokens, hidden, experts):
    shape = (1, tokens, hidden) if draw.flag() else (tokens, hidden)
    # All probabilities are different, since the order of equal ones is unspecified.
    router = draw.tensor(kind, (tokens, experts), -1, 1) + np.arange(experts, dtype=np.float32) / 64
    return [draw.tensor(kind, shape, -2, 2), router]


@family("com.microsoft.MoE")
def mixture_of_experts(draw):
    kind, tokens, hidden, inner, experts = draw.type("T"), *(draw.integer(1, n) for n in (5, 9, 9, 5))
    attributes, factor = mixture(draw, experts)
    bias = lambda n: draw.tensor(kind, (experts, n), -1, 1) if draw.flag() else None  # noqa: E731
    inputs = tokens_and_router(draw, kind, tokens, hidden, experts)
    inputs += [draw.tensor(kind, (experts, factor * inner, hidden), -1, 1), bias(factor * inner)]
    inputs += [draw.tensor(kind, (experts, hidden, inner), -1, 1), bias(hidden)]
    return finished(draw, inputs, attributes, roundings=64, magnitude=16)


def layer(draw, kind, bits, block, shape, zeros):
    """Returns the codes, scales and, optionally, zero points of weights of a shape."""
    experts, rows, depth = shape
    scaled = (experts, rows, depth // block) if block else (experts, rows)
    packed = (*scaled[:-1], -(-scaled[-1] * bits // 8))
    codes = draw.tensor(kind, (experts, rows, depth * bits // 8), 0, 255)
    scales = draw.tensor(draw.types["T2"], scaled, 0.02, 0.5)
    return codes, scales, draw.tensor(kind, packed, 0, 255) if zeros else None


@family("com.microsoft.QMoE")
def quantized_mixture_of_experts(draw):
    kind, codes, tokens, experts = draw.type("T"), draw.type("T1"), draw.integer(1, 5), draw.integer(1, 5)
    draw.type("T2")
    block = draw.choice((0, 16, 32))
    attributes, factor = mixture(draw, experts)
    # ONNX Runtime multiplies blocks of 8 bits with rows that it rounds to 8 bits.
    widths = (2, 4) if block else (2, 4, 8)
    attributes["expert_weight_bits"] = draw.choice(widths)
    bits = attributes["expert_weight_bits"]
    # ONNX Runtime's CPU kernels have one width for all layers.
    attributes.update({name: bits for name in ("fc1_expert_weight_bits", "fc2_expert_weight_bits") if draw.flag()})
    if block:
        attributes["block_size"] = block
    if draw.flag():
        attributes["weights_prepacked"] = draw.integer(-1, 0)
    if draw.flag():
        attributes["quant_type"] = "int"
    hidden, inner = (draw.integer(1, 3) * (block or 4) for _ in range(2))
    zeros = draw.flag()
    fc1, fc2 = (
        layer(draw, codes, bits, block, (experts, factor * inner, hidden), zeros),
        layer(draw, codes, bits, block, (experts, hidden, inner), zeros),
    )
    bias = lambda n: draw.tensor(kind, (experts, n), -1, 1) if draw.flag() else None  # noqa: E731
    inputs = tokens_and_router(draw, kind, tokens, hidden, experts)
    inputs += [*fc1[:2], bias(factor * inner), *fc2[:2], bias(hidden), None, None, None, fc1[2], fc2[2], None]
    if draw.flag():
        inputs.append(draw.tensor(kind, (tokens, experts), 0.1, 1))
    return finished(draw, inputs, attributes, roundings=64, magnitude=2**20)
