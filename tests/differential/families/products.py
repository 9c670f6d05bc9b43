import numpy as np
from configuration import Configuration

from .elementwise import thin
from .by_operator import family


@family("MatMul")
def matmul(draw):
    batch = draw.shape(0, 2, most=3)
    m, k, n = draw.integer(1, 9), draw.integer(1, 40 if draw.rare() else 9), draw.integer(1, 20)
    a, b = (*thin(draw, batch), m, k), (*thin(draw, batch), k, n)
    if draw.rare():
        a = (k,)
    if draw.rare():
        b = (k,)
    kind = draw.type("T")
    return Configuration(draw.schema, [draw.tensor(kind, a), draw.tensor(kind, b)], {}, types=draw.types, slack=4)


@family("Gemm")
def gemm(draw):
    since, kind = draw.schema.since_version, draw.type("T")
    m, k, n = draw.integer(1, 9), draw.integer(1, 12), draw.integer(1, 20)
    attributes = {name: draw.integer(0, 1) for name in ("transA", "transB") if draw.flag()}
    whole = not kind.startswith(("int", "uint"))
    for name in ("alpha", "beta"):
        if draw.flag():
            attributes[name] = draw.real(0.25, 2) if whole else float(draw.integer(1, 2))
    a = (k, m) if attributes.get("transA") else (m, k)
    b = (n, k) if attributes.get("transB") else (k, n)
    inputs = [draw.tensor(kind, a), draw.tensor(kind, b)]
    if since < 11 or draw.flag():
        c = (m, n) if since < 7 else draw.choice(((m, n), (n,), (1, n), (m, 1), ()))
        inputs.append(draw.tensor(kind, c))
    return Configuration(draw.schema, inputs, attributes, types=draw.types, slack=4)


def directions(draw):
    direction = draw.choice(("forward", "reverse", "bidirectional"))
    return direction, 2 if direction == "bidirectional" else 1


@family("RNN", "GRU", "LSTM")
def recurrent(draw):
    name, since, kind = draw.schema.name, draw.schema.since_version, draw.type("T")
    gates = {"RNN": 1, "GRU": 3, "LSTM": 4}[name]
    direction, ways = directions(draw)
    length, batch, width, hidden = (draw.integer(1, n) for n in (5, 3, 4, 5))
    layout = draw.integer(0, 1) if "layout" in draw.schema.attributes and draw.rare() else 0
    attributes = {"hidden_size": hidden, "direction": direction}
    if layout:
        attributes["layout"] = 1
    if "linear_before_reset" in draw.schema.attributes:
        attributes["linear_before_reset"] = draw.integer(0, 1)
    if draw.rare():
        attributes["clip"] = draw.real(0.3, 2)
    if since < 7:
        attributes["output_sequence"] = 1
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
    outputs = draw.integer(1, 3 if name == "LSTM" else 2)
    return Configuration(draw.schema, inputs, attributes, outputs, {**draw.types, "T1": "int32"}, slack=4)
