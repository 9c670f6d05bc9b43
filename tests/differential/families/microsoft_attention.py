"""Attention operators of com.microsoft."""

import numpy as np
from by_operator import family

from .linear_attention import linear_attention
from .microsoft import finished
from .movement import int64s


@family("com.microsoft.RotaryEmbedding")
def rotary_embedding(draw):
    draw.types["M"] = "int64"
    kind, batch, heads, length, half = draw.type("T"), *(draw.integer(1, n) for n in (2, 3, 4, 4))
    attributes = {"interleaved": draw.integer(0, 1)} if draw.flag() else {}
    size, flat, positions = 2 * half, draw.flag(), 8
    if draw.rare():
        attributes["is_packed_batching"] = 1
    # It is possible to rotate only the first part of each head.
    if draw.flag():
        size += draw.integer(0, 3)
        attributes.update(num_heads=heads, rotary_embedding_dim=2 * half)
    shape = (batch, length, heads * size) if flat else (batch, heads, length, size)
    if draw.flag():
        rows = draw.tensor("int64", (batch, length), 0, positions - 1)
    else:
        rows = int64s([draw.integer(0, positions - length)])
    tables = [draw.tensor(kind, (positions, half), -1, 1) for _ in range(2)]
    return finished(draw, [draw.tensor(kind, shape, -3, 3), rows, *tables], attributes, roundings=4)


def lengths(draw, batch):
    """Returns the rows of the query, and the tokens of each sample including these: a prompt, one more token, or
    several."""
    form = draw.choice(("prompt", "token", "tokens" if batch == 1 else "token"))
    if form == "prompt":
        length = draw.integer(1, 5)
        return length, [length] + [draw.integer(1, length) for _ in range(batch - 1)]
    length = 1 if form == "token" else draw.integer(2, 4)
    return length, [length + draw.integer(1, 6) for _ in range(batch)]


def caches(draw, kind, shape, before, length, total):
    """Returns past keys and values with zeros after the tokens: none, of the least length, or of a greater capacity."""
    most = max(before)
    form = draw.choice(("short", "long") if most else ("none", "long"))
    if form == "none":
        return [None, None]
    rows = total - length if form == "short" else total + draw.integer(0, 3)
    found = [draw.tensor(kind, (*shape[:2], rows, shape[2]), -2, 2) for _ in range(2)]
    for cache in found:
        for sample, tokens in zip(cache, before):
            sample[:, tokens:] = 0
    return found


def rotation(draw, kind, length, size, total, batch, before):
    """Returns caches of cosines and sines and, optionally, positions."""
    half = 8 * draw.integer(1, size // 16)
    rows = total + draw.integer(0, 2)
    tables = [draw.tensor(kind, (rows, half), -1, 1) for _ in range(2)]
    given = [[start + i for i in range(length)] for start in before] if draw.flag() else None
    return [*tables, None if given is None else int64s(sum(given, [])).reshape(batch, length)]


@family("com.microsoft.GroupQueryAttention")
def group_query_attention(draw):
    kind, batch, kv_heads, group = draw.type("T"), *(draw.integer(1, n) for n in (3, 2, 3))
    draw.types.update(T_CACHE=kind, T_KV_SCALE="float", M="int32")
    length, tokens = lengths(draw, batch)
    total, before = max(tokens), [max(0, n - length) for n in tokens]
    whole = min(tokens) >= length
    rotates = whole and draw.flag()
    size, heads = 16 if rotates else 8 * draw.integer(1, 3), kv_heads * group
    attributes = {"num_heads": heads, "kv_num_heads": kv_heads, "do_rotary": int(rotates)}
    tables = rotation(draw, kind, length, size, total, batch, before) if rotates else [None] * 3
    if rotates:
        attributes["rotary_interleaved"] = draw.integer(0, 1)
    for name, low, high in (("scale", 0.1, 0.6), ("softcap", 1, 3)):
        if draw.rare():
            attributes[name] = draw.real(low, high)
    if draw.rare():
        attributes["causal"] = 0
    elif whole and draw.flag():
        attributes["local_window_size"] = draw.integer(1, 4)
    shapes = [(batch, length, n * size) for n in (heads, kv_heads, kv_heads)]
    rows = [draw.tensor(kind, shape, -2, 2) for shape in shapes]
    if draw.flag():
        rows = [np.concatenate(rows, 2), None, None]
    bias = sink = None
    if draw.rare() or draw.rare():
        shape = (batch if draw.flag() else 1, heads if draw.flag() else 1, length, total)
        bias = draw.tensor(kind, shape, -2, 2)
    if draw.rare():
        sink = draw.tensor(kind, (heads,), -2, 2)
    elif draw.rare():
        attributes["smooth_softmax"] = 1
    outputs = 3
    if draw.rare():
        attributes["qk_output"], outputs = draw.integer(1, 2), 4
    inputs = [*rows, *caches(draw, kind, (batch, kv_heads, size), before, length, total)]
    inputs += [np.array(tokens, np.int32) - 1, np.array(total if draw.flag() else [total], np.int32), *tables, bias, sink]
    # It requires past keys, and room for rows that are no tokens, whose results are unspecified.
    if whole and inputs[3] is not None and attributes.get("causal", 1) and draw.rare():
        inputs += [None] * 4 + [np.full(batch, length, np.int32)]
    return finished(draw, inputs, attributes, outputs=outputs, roundings=64, magnitude=4)


def block_mask(draw, layouts, blocks):
    """Returns a mask of blocks in compressed rows with a padding of -1. Every block attends to itself."""
    rows, columns = np.zeros((layouts, blocks + 1), np.int32), [[] for _ in range(layouts)]
    for layout, found in enumerate(columns):
        for row in range(blocks):
            found += [column for column in range(row) if draw.flag()] + [row]
            rows[layout, row + 1] = len(found)
    most = max(map(len, columns))
    return [rows, np.array([found + [-1] * (most - len(found)) for found in columns], np.int32)]


@family("com.microsoft.SparseAttention")
def sparse_attention(draw):
    draw.type("M")
    kind, batch, kv_heads, group = draw.type("T"), *(draw.integer(1, n) for n in (2, 2, 3))
    heads, block, blocks = kv_heads * group, draw.choice((16, 32)), draw.integer(1, 3)
    layouts = draw.choice([n for n in range(1, heads + 1) if heads % n == 0])
    # ONNX Runtime takes the rows of the mask from the longest sample.
    tokens, prompt = draw.integer(1, block * blocks), draw.flag()
    length = tokens if prompt else 1
    rotates = draw.flag()
    size = 16 if rotates else 8 * draw.integer(1, 3)
    attributes = {"num_heads": heads, "kv_num_heads": kv_heads, "sparse_block_size": block, "do_rotary": int(rotates)}
    if draw.rare():
        attributes["scale"] = draw.real(0.1, 0.6)
    tables = []
    if rotates:
        attributes["rotary_interleaved"] = draw.integer(0, 1)
        tables = rotation(draw, kind, length, size, tokens, batch, [tokens - length] * batch)[:2]
    rows = [draw.tensor(kind, (batch, length, n * size), -2, 2) for n in (heads, kv_heads, kv_heads)]
    if draw.flag():
        rows = [np.concatenate(rows, 2), None, None]
    past = [draw.tensor(kind, (batch, kv_heads, block * blocks, size), -2, 2) for _ in range(2)]
    counts = [np.array([tokens], np.int32), np.full(batch, tokens, np.int32)]
    inputs = [*rows, *past, *block_mask(draw, layouts, blocks), *counts, *tables]
    return finished(draw, inputs, attributes, outputs=3, roundings=64, magnitude=4)


def scaled(draw, attributes):
    """Adds attributes that all of them have."""
    if draw.flag():
        attributes["scale"] = draw.real(0.25, 1)
    if draw.flag():
        attributes["mask_filter_value"] = draw.choice((-100.0, -1000.0))
    return attributes


def padding_mask(draw, batch, length, keys):
    """Returns a mask that leaves every query at least one key."""
    kind = draw.integer(0, 3)
    ends = np.array([draw.integer(1, keys) for _ in range(batch)], np.int32)
    if kind == 0:
        return ends
    if kind == 1:
        starts = np.arange(batch + 1, dtype=np.int32)
        return np.concatenate([ends, starts * length, starts * keys])
    mask = draw.tensor("int32", (batch, keys) if kind == 2 else (batch, length, keys), 0, 1)
    mask[..., 0] = 1
    return mask


def score_bias(draw, kind, batch, heads, length, keys):
    shape = (batch if draw.flag() else 1, heads if draw.flag() else 1, length, keys)
    return draw.tensor(kind, shape, -2, 2) if draw.flag() else None


@family("com.microsoft.MultiHeadAttention")
def multi_head_attention(draw):
    kind, batch, heads, size, length = draw.type("T"), *(draw.integer(1, n) for n in (2, 3, 4, 4))
    draw.types.update(QK=kind, M="int32")
    form = draw.choice(("plain", "past", "buffer", "split"))
    new = draw.integer(1, 5) if form in ("plain", "split") else length
    width = draw.integer(1, 4) if form == "plain" else size
    past = draw.integer(1, 3) if form in ("past", "buffer") else 0
    attributes = scaled(draw, {"num_heads": heads})
    if draw.flag():
        attributes["unidirectional"] = draw.integer(0, 1)
    shapes = [(batch, length, heads * size), (batch, new, heads * size), (batch, new, heads * width)]
    if form == "split":
        shapes[1:] = [(batch, heads, new, size)] * 2
    rows = [draw.tensor(kind, shape, -2, 2) for shape in shapes]
    bias = draw.tensor(kind, (2 * heads * size + heads * width,), -1, 1) if draw.flag() else None
    mask = padding_mask(draw, batch, length, past + new) if draw.flag() else None
    inputs = [*rows, bias, mask, score_bias(draw, kind, batch, heads, length, past + new)]
    if past:
        most = past if form == "past" else past + length + draw.integer(0, 2)
        states = [draw.tensor(kind, (batch, heads, most, size), -1, 1) for _ in range(2)]
        inputs += states
    if form == "buffer":
        for state in states:
            state[:, :, past:] = 0
        inputs.append(np.array([past], np.int32))
    # ONNX Runtime does not read a past unless the present is an output.
    outputs = 3 if past else draw.choice((1, 3))
    if form == "plain" and not attributes.get("unidirectional") and draw.rare():
        outputs = 4
    return finished(draw, inputs, attributes, outputs=outputs, roundings=64, magnitude=4)


@family("com.microsoft.Attention")
def attention(draw):
    kind, batch, length, width, heads, size = draw.type("T"), *(draw.integer(1, n) for n in (2, 4, 8, 3, 4))
    draw.types["M"] = "int32"
    past = draw.integer(0, 3)
    attributes = scaled(draw, {"num_heads": heads})
    if draw.flag():
        attributes["unidirectional"] = draw.integer(0, 1)
    widths = [heads * size] * 3
    if not past and draw.flag():
        widths[2] = heads * draw.integer(1, 4)
        attributes["qkv_hidden_sizes"] = widths
    mask = padding_mask(draw, batch, length, past + length) if draw.flag() else None
    if mask is not None and mask.shape == (3 * batch + 2,):
        ends = mask[:batch]
        mask = np.concatenate([ends, [draw.integer(0, end - 1) for end in ends]]).astype(np.int32)
    state = draw.tensor(kind, (2, batch, heads, past, size), -1, 1) if past else None
    bias = None if past else score_bias(draw, kind, batch, heads, length, length)
    inputs = [draw.tensor(kind, shape, -1, 1) for shape in ((batch, length, width), (width, sum(widths)))]
    inputs += [draw.tensor(kind, (sum(widths),), -1, 1) if draw.flag() else None, mask, state, bias]
    # The present cannot store values of another size.
    outputs = 2 if past else draw.integer(1, 1 if widths[2] != widths[0] else 2)
    return finished(draw, inputs, attributes, outputs=outputs, roundings=64, magnitude=8)


family("com.microsoft.LinearAttention")(linear_attention)


@family("com.microsoft.CausalConvWithState")
def causal_conv(draw):
    kind, batch, channels, length, taps = draw.type("T"), *(draw.integer(1, n) for n in (2, 4, 6, 4))
    attributes = {"activation": draw.choice(("none", "silu", "swish"))} if draw.flag() else {}
    last, dilation = draw.flag(), draw.integer(1, 3) if draw.flag() else 1
    attributes.update({"channels_last": 1} if last else {}, **({"dilation": dilation} if dilation > 1 else {}))
    tensor = lambda n: draw.tensor(kind, (batch, n, channels) if last else (batch, channels, n))  # noqa: E731
    inputs = [tensor(length), draw.tensor(kind, (channels, 1, taps))]
    inputs.append(draw.tensor(kind, (channels,)) if draw.flag() else None)
    inputs.append(tensor((taps - 1) * dilation) if draw.flag() else None)
    return finished(draw, inputs, attributes, outputs=2, roundings=8, magnitude=9 * taps + 3)


@family("com.microsoft.DecoderMaskedMultiHeadAttention")
def decoder_masked_multi_head_attention(draw):
    kind, batch, heads, size = draw.type("T"), *(draw.integer(1, n) for n in (2, 3, 4))
    draw.types.update(QK=kind, M="int32")
    attributes = scaled(draw, {"num_heads": heads})
    crosses, past = draw.flag(), draw.integer(0, 4)
    keys = draw.integer(1, 5) if crosses else past + 1
    row, states = (batch, 1, heads * size), []
    shapes = [row, *([(batch, heads, keys, size)] * 2 if crosses else [row] * 2)]
    rows = [draw.tensor(kind, shape, -2, 2) for shape in shapes]
    mask = None
    if draw.flag():
        mask = draw.tensor("int32", (batch, keys), 0, 1)
        mask[:, 0] = 1
    # ONNX Runtime supports it only with caches.
    added = None if crosses else score_bias(draw, kind, batch, heads, 1, keys)
    if not crosses:
        # ONNX Runtime has no other form on CPUs.
        attributes["past_present_share_buffer"] = 1
        states = [draw.tensor(kind, (batch, heads, keys + draw.integer(0, 3), size), -1, 1)] * 2
        states.append(np.array([past], np.int32))
        if draw.flag():
            states.append(np.array([1], np.int32))
    states += [None] * (5 - len(states))
    bias = draw.tensor(kind, (3 * heads * size,), -1, 1) if draw.flag() else None
    outputs = 1 if crosses else 3
    if not crosses and draw.rare():
        attributes["output_qk"], outputs = 1, 4
    inputs = [*rows, mask, added, *states, bias]
    return finished(draw, inputs, attributes, outputs=outputs, roundings=64, magnitude=4)
