"""Attention with a state, and attention with bodies."""

from by_operator import family
from configuration import Configuration
from onnx import helper
from values import FLOATS, element_type

from .controlflow import info
from .elementwise import trim


@family("LinearAttention")
def linear_attention(draw):
    batch, length, heads, group = draw.integer(1, 2), draw.integer(1, 5), draw.integer(1, 2), draw.integer(1, 2)
    keys, values = draw.integer(1, 4), draw.integer(1, 4)
    kind, has_past = draw.type("T"), draw.flag()
    # Without a past state, the output state has the type of the queries.
    state = draw.type("S", None if has_past else [kind])
    rule = draw.choice(("linear", "gated", "delta", "gated_delta"))
    attributes = {"q_num_heads": heads * group, "kv_num_heads": heads, "update_rule": rule}
    if draw.flag():
        attributes["scale"] = draw.real(0.2, 1.5)
    if draw.flag():
        attributes["chunk_size"] = draw.choice((1, 2, 64))
    past = draw.tensor(state, (batch, heads, keys, values), -1, 1) if has_past else None
    decay = draw.tensor(kind, (batch, length, heads * (keys if draw.flag() else 1)), -1, 0) if "gated" in rule else None
    beta = draw.tensor(kind, (batch, length, heads if draw.flag() else 1), 0, 1) if "delta" in rule else None
    inputs = [
        draw.tensor(kind, (batch, length, n), -1, 1) for n in (heads * group * keys, heads * keys, heads * values)
    ]
    return Configuration(draw.schema, trim([*inputs, past, decay, beta]), attributes, 2, draw.types, roundings=32)


@family("CausalConvWithState")
def causal_conv(draw):
    batch, channels, length, taps = (draw.integer(1, n) for n in (2, 4, 6, 4))
    kind = draw.type("T")
    inputs = [draw.tensor(kind, (batch, channels, length)), draw.tensor(kind, (channels, 1, taps))]
    inputs.append(draw.tensor(kind, (channels,)) if draw.flag() else None)
    inputs.append(draw.tensor(kind, (batch, channels, taps - 1)) if draw.flag() else None)
    attributes = {"activation": draw.choice(("none", "silu", "swish"))} if draw.flag() else {}
    return Configuration(draw.schema, trim(inputs), attributes, 2, draw.types, roundings=8, magnitude=9 * taps + 3)


def modifier(draw, kind):
    """A body that negates or bounds."""
    steps = draw.choice((("Tanh",), ("Neg",), ("Neg", "Sigmoid")))
    names = ["in", *(f"v{i}" for i in range(len(steps)))]
    nodes = [helper.make_node(step, [names[i]], [names[i + 1]]) for i, step in enumerate(steps)]
    shapes = [f"d{i}" for i in range(4)]
    return helper.make_graph(nodes, "modifier", [info("in", kind, shapes)], [info(names[-1], kind, shapes)])


@family("FlexAttention")
def flex_attention(draw):
    batch, group, heads, length, total, size, width = (draw.integer(1, n) for n in (2, 2, 2, 4, 5, 4, 4))
    kind = draw.type("T1", FLOATS)
    inner = "double" if kind == "double" else "float"
    attributes = {"scale": draw.real(0.2, 1.5)} if draw.flag() else {}
    for name in ("score_mod", "prob_mod"):
        if draw.rare() or draw.rare():
            attributes[name] = modifier(draw, inner)
    if draw.rare():
        attributes["softmax_precision"] = element_type(inner)
    shapes = ((heads * group, length, size), (heads, total, size), (heads, total, width))
    inputs = [draw.tensor(kind, (batch, *shape)) for shape in shapes]
    return Configuration(draw.schema, inputs, attributes, types=draw.types, roundings=16)
