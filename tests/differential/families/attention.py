"""The attention family."""

from by_operator import family
from configuration import Configuration
from values import element_type

from .elementwise import trim
from .movement import int64s


@family("Attention")
def attention(draw):
    since = draw.schema.since_version
    batch, group, kv_heads, size = draw.count(2), draw.integer(1, 2), draw.integer(1, 2), draw.integer(1, 5)
    heads, length, total, value_size = group * kv_heads, draw.integer(1, 5), draw.integer(1, 6), draw.integer(1, 5)
    key, value = draw.type("T1"), draw.type("T2", [draw.types["T1"]])
    attributes = {"is_causal": draw.integer(0, 1)} if draw.flag() else {}
    if draw.flag():
        attributes["scale"] = draw.real(0.2, 1.5)
    if draw.rare():
        attributes["softcap"] = draw.real(1, 3)
    flat = draw.flag()
    if flat:
        attributes.update(q_num_heads=heads, kv_num_heads=kv_heads)
    for name in ("left_window_size", "right_window_size"):
        if name in draw.schema.attributes and draw.flag():
            attributes[name] = draw.integer(-1, 3)
    past = draw.integer(1, 3) if draw.rare() else 0

    def tensor(kind, count, steps, width):
        return draw.tensor(kind, (batch, steps, count * width) if flat else (batch, count, steps, width), -3, 3)

    inputs = [
        tensor(key, heads, length, size),
        tensor(key, kv_heads, total, size),
        tensor(value, kv_heads, total, value_size),
        mask(draw, key, (batch, heads, length, total + past)) if draw.flag() else None,
    ]
    if past:
        inputs.append(draw.tensor(key, (batch, kv_heads, past, size), -3, 3))
        inputs.append(draw.tensor(value, (batch, kv_heads, past, value_size), -3, 3))
    elif since >= 24 and draw.rare():
        inputs += [None, None, int64s([draw.integer(1, total) for _ in range(batch)])]
    draw.types.setdefault("U", key)
    # The scores are the fourth output. The outputs before them require a past.
    outputs = 1
    if past:
        outputs = 4 if draw.flag() else 3
    if outputs == 4 and draw.flag():
        attributes["qk_matmul_output_mode"] = draw.integer(0, 3)
    if draw.rare():
        attributes["softmax_precision"] = element_type("double" if key == "double" else "float")
    return Configuration(draw.schema, trim(inputs), attributes, outputs, draw.types, roundings=64, magnitude=3)


def mask(draw, key, shape):
    """Returns a mask of booleans or numbers. It has any of the dims before the last two, some of which are 1, and is
    occasionally too short."""
    kind = draw.type("U", ["bool", key])
    shape = (*(1 if draw.flag() else n for n in shape[:2]), *shape[2:])[draw.integer(0, 2) :]
    if draw.schema.since_version >= 24 and draw.rare():
        shape = (*shape[:-1], draw.integer(1, shape[-1]))
    return draw.tensor(kind, shape, -3, 3)


@family("RotaryEmbedding")
def rotary_embedding(draw):
    kind, batch, heads, length, half = draw.type("T"), *(draw.integer(1, n) for n in (2, 3, 4, 4))
    attributes = {"interleaved": draw.integer(0, 1)}
    flat = draw.flag()
    if flat:
        attributes["num_heads"] = heads
    # It is possible to rotate only the first part of each head.
    width = 2 * half
    if draw.flag():
        width += draw.integer(0, 3)
        attributes["rotary_embedding_dim"] = 2 * half
    shape = (batch, length, heads * width) if flat else (batch, heads, length, width)
    draw.types["M"] = "int64"
    if draw.flag():
        tables = [draw.tensor(kind, (6, half), -1, 1) for _ in range(2)]
        rows = [[draw.integer(0, 5) for _ in range(length)] for _ in range(batch)]
        inputs = [draw.tensor(kind, shape, -3, 3), *tables, int64s(sum(rows, [])).reshape(batch, length)]
    else:
        inputs = [draw.tensor(kind, shape, -3, 3), *(draw.tensor(kind, (batch, length, half), -1, 1) for _ in range(2))]
    return Configuration(draw.schema, inputs, attributes, types=draw.types, roundings=4)
