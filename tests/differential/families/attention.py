"""The attention family."""

from configuration import Configuration

from .elementwise import trim
from .movement import int64s
from .by_operator import family


@family("Attention")
def attention(draw):
    since = draw.schema.since_version
    batch, group, kv_heads, size = draw.integer(1, 2), draw.integer(1, 2), draw.integer(1, 2), draw.integer(1, 5)
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
    past = draw.integer(1, 3) if draw.rare() else 0

    def tensor(kind, count, steps, width):
        return draw.tensor(kind, (batch, steps, count * width) if flat else (batch, count, steps, width))

    inputs = [
        tensor(key, heads, length, size),
        tensor(key, kv_heads, total, size),
        tensor(value, kv_heads, total, value_size),
    ]
    mask = draw.type("U", ["bool", key])
    inputs.append(draw.tensor(mask, (length, total + past)) if draw.flag() and mask != "bool" else None)
    if past:
        inputs += [
            draw.tensor(key, (batch, kv_heads, past, size)),
            draw.tensor(value, (batch, kv_heads, past, value_size)),
        ]
    elif since >= 24 and draw.rare():
        inputs += [None, None, int64s([draw.integer(1, total) for _ in range(batch)])]
    outputs = 3 if past else 1
    return Configuration(draw.schema, trim(inputs), attributes, outputs, draw.types, slack=16)


@family("RotaryEmbedding")
def rotary_embedding(draw):
    kind, batch, heads, length, half = draw.type("T"), *(draw.integer(1, n) for n in (2, 3, 4, 4))
    attributes = {"interleaved": draw.integer(0, 1)}
    flat = draw.flag()
    if flat:
        attributes["num_heads"] = heads
    shape = (batch, length, heads * 2 * half) if flat else (batch, heads, length, 2 * half)
    draw.types["M"] = "int64"
    if draw.flag():
        tables = [draw.tensor(kind, (6, half), -1, 1) for _ in range(2)]
        rows = [[draw.integer(0, 5) for _ in range(length)] for _ in range(batch)]
        inputs = [draw.tensor(kind, shape), *tables, int64s(sum(rows, [])).reshape(batch, length)]
    else:
        inputs = [draw.tensor(kind, shape), *(draw.tensor(kind, (batch, length, half), -1, 1) for _ in range(2))]
    return Configuration(draw.schema, inputs, attributes, types=draw.types, slack=4)
