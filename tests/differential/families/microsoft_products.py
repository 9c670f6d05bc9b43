"""Products, attention and recurrent operators of com.microsoft."""

import numpy as np
from by_operator import family

from .elementwise import real_attributes
from .microsoft import OUTPUT_SCALES, WEIGHTS, finished, of_columns, of_kernels, parameters, quantized
from .products import activations, directions


@family("com.microsoft.QGemm")
def qgemm(draw):
    a_kind = draw.type("TA")
    b_kind = draw.type("TB", of_kernels(draw, a_kind, WEIGHTS))
    draw.types.update(T="float", TC="int32")
    m, k, n = (draw.integer(1, 9) for _ in range(3))
    attributes = {name: draw.integer(0, 1) for name in ("transA", "transB") if draw.flag()}
    if draw.flag():
        attributes["alpha"] = draw.real(0.25, 2)
    a = quantized(draw, a_kind, (k, m) if attributes.get("transA") else (m, k), False)
    b = draw.tensor(b_kind, (n, k) if attributes.get("transB") else (k, n), -128, 255)
    b_scale, b_zero = of_columns(draw, b_kind, n)
    inputs = [*a, b, b_scale, np.zeros(b_scale.shape, b.dtype) if b_zero is None else b_zero.reshape(b_scale.shape)]
    c_shape = draw.choice(((n,), (1, n), (m, 1), (m, n), (1,), ()))
    inputs.append(draw.tensor("int32", c_shape, -500, 500) if draw.flag() else None)
    y_kind = draw.forced.get("TYZ") or draw.forced.get("TY") or draw.choice(("float", a_kind))
    draw.types.update(TY=y_kind, TYZ=a_kind if y_kind == "float" else y_kind)
    if y_kind != "float":
        inputs += parameters(draw, y_kind, OUTPUT_SCALES, False)
    return finished(draw, inputs, attributes, roundings=8)


def matrices(draw):
    """Returns the shapes of A and B, and the number of columns."""
    m, k, n = (draw.integer(1, 9) for _ in range(3))
    batch = tuple(draw.integer(1, 3) for _ in range(draw.integer(0, 2)))
    return (*batch, m, k), (k, n), n


def bias(draw, n):
    return draw.tensor("float", (n,), -3, 3) if draw.flag() else None


@family("com.microsoft.DynamicQuantizeMatMul")
def dynamic_quantize_matmul(draw):
    kind, (a, b, n) = draw.type("T2"), matrices(draw)
    draw.types["T1"] = "float"
    inputs = [draw.tensor("float", a, *draw.choice(((-3, 3), (0.5, 2), (-9, -1)))), draw.tensor(kind, b, -128, 255)]
    inputs += [*of_columns(draw, kind, n), bias(draw, n)]
    return finished(draw, inputs, roundings=64)


@family("com.microsoft.MatMulIntegerToFloat")
def matmul_integer_to_float(draw):
    a_kind, (a, b, n) = draw.type("T1"), matrices(draw)
    b_kind = draw.type("T2", of_kernels(draw, a_kind, WEIGHTS))
    draw.types["T3"] = "float"
    (a_scale, a_zero), (b_scale, b_zero) = parameters(draw, a_kind), of_columns(draw, b_kind, n)
    inputs = [draw.tensor(a_kind, a, -128, 255), draw.tensor(b_kind, b, -128, 255)]
    return finished(draw, [*inputs, a_scale, b_scale, a_zero, b_zero, bias(draw, n)], roundings=8)


@family("com.microsoft.MatMulBnb4")
def matmul_bnb4(draw):
    draw.types.update(T1="float", T2="uint8")
    n, k, block = draw.integer(1, 9), draw.integer(1, 40), draw.choice((16, 32, 64))
    attributes = {"N": n, "K": k, "block_size": block, "quant_type": draw.integer(0, 1)}
    attributes.update({name: 1 for name in ("transB",) if draw.flag()})
    if draw.flag():
        attributes["training_mode"] = draw.integer(0, 1)
    rows = tuple(draw.integer(1, 4) for _ in range(draw.integer(1, 2)))
    inputs = [draw.tensor("float", (*rows, k)), draw.tensor("uint8", ((n * k + 1) // 2,), 0, 255)]
    inputs.append(draw.tensor("float", (-(-n * k // block),), 0.1, 2))
    return finished(draw, inputs, attributes, roundings=64)


def attention_mask(draw, batch, length, past):
    """Returns a mask that leaves every query at least one key."""
    keys = past + length
    kind = draw.integer(0, 6)
    bounds = np.array([[draw.integer(1, keys), 0] for _ in range(batch)], np.int32)
    if kind == 0:
        return bounds[:, 0]
    if kind == 1:
        bounds[:, 1] = [draw.integer(0, end - 1) for end in bounds[:, 0]]
        return bounds.T.reshape(-1)
    most = keys + draw.integer(0, 2)
    shapes = {2: (batch, keys), 3: (batch, length, keys), 4: (batch, 1, most, most), 5: (batch, 1), 6: (1, 1)}
    mask = draw.tensor("int32", shapes[kind], 0, 1)
    mask[..., 0] = 1
    return mask


@family("com.microsoft.QAttention")
def qattention(draw):
    kind = draw.type("T2")
    draw.types.update(T1="uint8", T3="float", T4="int32")
    batch, length, width, heads, size = (draw.integer(1, n) for n in (2, 4, 8, 3, 4))
    past = draw.integer(0, 3)
    hidden = heads * size
    attributes = {"num_heads": heads}
    if draw.flag():
        attributes["unidirectional"] = draw.integer(0, 1)
    if draw.flag():
        attributes["scale"] = draw.real(0.25, 1)
    if draw.flag():
        attributes["mask_filter_value"] = draw.choice((-100.0, -1000.0))
    x = [draw.tensor("uint8", (batch, length, width), 0, 255), *parameters(draw, "uint8", (0.0079, 0.0371))]
    w = [draw.tensor(kind, (width, 3 * hidden), -128, 255), *of_columns(draw, kind, 3 * hidden)]
    # Limits the scores, so that their rounding is not visible after the softmax.
    w[1] = (w[1] * np.float32(0.003)).astype(np.float32)
    mask = attention_mask(draw, batch, length, past) if draw.flag() else None
    if mask is not None and mask.ndim == 4:
        attributes.pop("unidirectional", None)
    state = draw.tensor("float", (2, batch, heads, past, size), -1, 1) if past else None
    inputs = [x[0], w[0], draw.tensor("float", (3 * hidden,), -1, 1), x[1], w[1], mask, x[2], w[2], state]
    # ONNX Runtime requires the present if there is a past.
    return finished(draw, inputs, attributes, outputs=2 if past else draw.integer(1, 2), roundings=64, magnitude=8)


@family("com.microsoft.DynamicQuantizeLSTM")
def dynamic_quantize_lstm(draw):
    kind = draw.type("T2")
    draw.types.update(T="float", T1="int32")
    direction, ways = directions(draw)
    length, batch, width, hidden = (draw.integer(1, n) for n in (5, 3, 4, 5))
    attributes = {"hidden_size": hidden, "direction": direction, **real_attributes(draw, ("clip",), 0.3, 2)}
    if draw.flag():
        attributes.update(activations(draw, 3 * ways))
    if draw.flag():
        attributes["input_forget"] = draw.integer(0, 1)
    optional = lambda *shape: draw.tensor("float", shape, -1, 1) if draw.flag() else None  # noqa: E731
    weights = [draw.tensor(kind, (ways, n, 4 * hidden), -128, 255) for n in (width, hidden)]
    inputs = [draw.tensor("float", (length, batch, width), -1, 1), *weights, optional(ways, 8 * hidden)]
    lengths = np.array([draw.integer(1, length) for _ in range(batch)], np.int32) if draw.flag() else None
    inputs += [lengths, optional(ways, batch, hidden), optional(ways, batch, hidden), optional(ways, 3 * hidden)]
    for _ in weights:
        shape = (ways, 4 * hidden) if draw.flag() else (ways,)
        # Zero points of columns are equal because ONNX Runtime accepts no others.
        zero = np.zeros(shape, weights[0].dtype) if len(shape) == 2 else draw.tensor(kind, shape, -3, 9)
        inputs += [draw.tensor("float", shape, 0.002, 0.01), zero]
    return finished(draw, inputs, attributes, outputs=draw.integer(1, 3), roundings=64, magnitude=4)


@family("com.microsoft.QEmbedLayerNormalization")
def qembed_layer_normalization(draw):
    kind = draw.type("T2")
    draw.types.update(T="float", T1="int32")
    batch, length, hidden, words = (draw.integer(1, n) for n in (3, 5, 8, 9))
    segments = draw.flag()
    ids = draw.tensor("int32", (batch, length), 0, words - 1)
    of_segments = draw.tensor("int32", (batch, length), 0, 1) if segments else None
    shapes = [(words, hidden), (length + 1, hidden), (2, hidden) if segments else None, (hidden,), (hidden,)]
    found = [[None, None, None] if shape is None else quantized(draw, kind, shape, False) for shape in shapes]
    tables, scales, zeros = zip(*found)
    mask = draw.tensor("int32", (batch, length), 0, 1) if draw.flag() else None
    attributes = real_attributes(draw, ("epsilon",), 1e-5, 0.1)
    inputs = [ids, of_segments, *tables, mask, *scales, *zeros]
    return finished(draw, inputs, attributes, outputs=2, roundings=64, magnitude=64)
