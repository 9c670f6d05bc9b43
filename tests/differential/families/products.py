import numpy as np
from by_operator import family
from configuration import Configuration
from own.recurrent import ACTIVATIONS, HAVE_ALPHA, HAVE_BETA

from .elementwise import thin


@family("MatMul")
def matmul(draw):
    batch = draw.shape(0, 2, most=3)
    m, k, n = draw.count(9), draw.count(40 if draw.rare() else 9), draw.count(20)
    a, b = (*thin(draw, batch), m, k), (*thin(draw, batch), k, n)
    if draw.rare():
        a = (k,)
    if draw.rare():
        b = (k,)
    kind = draw.type("T")
    return Configuration(draw.schema, [draw.tensor(kind, a), draw.tensor(kind, b)], {}, types=draw.types, roundings=4)


@family("Gemm")
def gemm(draw):
    since, kind = draw.schema.since_version, draw.type("T")
    m, k, n = draw.count(9), draw.count(12), draw.count(20)
    attributes = {name: draw.integer(0, 1) for name in ("transA", "transB") if draw.flag()}
    whole = not kind.startswith(("int", "uint"))
    for name in ("alpha", "beta"):
        if draw.flag():
            attributes[name] = draw.real(0.25, 2) if whole else float(draw.integer(1, 2))
    a = (k, m) if attributes.get("transA") else (m, k)
    b = (n, k) if attributes.get("transB") else (k, n)
    # alpha and beta are floats, so the results for large integers are unspecified.
    limits = (None, None) if whole else (-5, 7)
    if "broadcast" in draw.schema.attributes and draw.flag():
        attributes["broadcast"] = 1
    inputs = [draw.tensor(kind, a, *limits), draw.tensor(kind, b, *limits)]
    if since < 11 or draw.flag():
        c = (m, n) if since < 7 and "broadcast" not in attributes else draw.choice(((m, n), (n,), (1, n), (m, 1), ()))
        inputs.append(draw.tensor(kind, c, *limits))
    modern = (inputs, {n: v for n, v in attributes.items() if n != "broadcast"}) if "broadcast" in attributes else None
    return Configuration(draw.schema, inputs, attributes, types=draw.types, modern=modern, roundings=4)


def directions(draw):
    direction = draw.choice(("forward", "reverse", "bidirectional"))
    return direction, 2 if direction == "bidirectional" else 1


def activations(draw, count):
    """Returns their names and, half the time, the parameters of those that have parameters."""
    names = [draw.choice(sorted(ACTIVATIONS)) for _ in range(count)]
    if draw.flag():
        return {"activations": names}
    alphas = [draw.real(0.25, 1) for name in names if name in HAVE_ALPHA]
    betas = [draw.real(0.25, 1) for name in names if name in HAVE_BETA]
    given = {"activations": names, "activation_alpha": alphas, "activation_beta": betas}
    return {name: values for name, values in given.items() if values}


@family("RNN", "GRU", "LSTM")
def recurrent(draw):
    name, since, kind = draw.schema.name, draw.schema.since_version, draw.type("T")
    gates = {"RNN": 1, "GRU": 3, "LSTM": 4}[name]
    direction, ways = directions(draw)
    length, batch, width, hidden = (draw.integer(1, n) for n in (5, 3, 4, 5))
    layout = draw.integer(0, 1) if "layout" in draw.schema.attributes and draw.flag() else 0
    attributes = {"hidden_size": hidden, "direction": direction}
    if layout:
        attributes["layout"] = 1
    if "linear_before_reset" in draw.schema.attributes:
        attributes["linear_before_reset"] = draw.integer(0, 1)
    if draw.rare():
        attributes["clip"] = draw.real(0.3, 2)
    if since < 7:
        attributes["output_sequence"] = 1
    if draw.flag():
        attributes.update(activations(draw, {"RNN": 1, "GRU": 2, "LSTM": 3}[name] * ways))
    if "input_forget" in draw.schema.attributes and draw.flag():
        attributes["input_forget"] = draw.integer(0, 1)
    tensor = lambda *shape: draw.tensor(kind, shape, -1, 1)  # noqa: E731
    optional = lambda *shape: tensor(*shape) if draw.flag() else None  # noqa: E731
    state = (batch, ways, hidden) if layout else (ways, batch, hidden)
    inputs = [tensor(*((batch, length, width) if layout else (length, batch, width)))]
    inputs += [
        tensor(ways, gates * hidden, width),
        tensor(ways, gates * hidden, hidden),
        optional(ways, 2 * gates * hidden),
    ]
    lengths = np.array([draw.integer(1, length) for _ in range(batch)], np.int32) if draw.flag() else None
    inputs += [lengths, optional(*state)]
    if name == "LSTM":
        inputs += [optional(*state), optional(ways, 3 * hidden)]
    while inputs[-1] is None:
        inputs.pop()
    outputs, types = draw.integer(1, 3 if name == "LSTM" else 2), {**draw.types, "T1": "int32"}
    return Configuration(draw.schema, inputs, attributes, outputs, types, roundings=64, magnitude=4)
