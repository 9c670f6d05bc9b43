"""Nodes to add before an input, which then still receives the same values, and after an output.

`BEFORE`: function(value, name, opset) -> (nodes, constants, the array for the new input NAME_fed), or None if the value
cannot have such a neighbour. `BEHIND`: function(value, name, opset) -> (nodes that compute NAME_seen, constants, element
type), or None. Each computes the same numbers in any form: factors are permutation matrices or powers of two.
"""

import numpy as np
from by_operator import table
from onnx import TensorProto, helper, numpy_helper

BEFORE, before = table()
BEHIND, behind = table()

FLOATS = ("float32", "float16", "bfloat16", "float64")
SCALE, ZERO = 1 / 16, 128


def node(op, inputs, outputs, **attributes):
    return helper.make_node(op, inputs, outputs, name=f"{op}_of_{outputs[0]}", **attributes)


def constant(array, name):
    return numpy_helper.from_array(np.ascontiguousarray(array), name)


def element_type(array):
    return helper.np_dtype_to_tensor_dtype(array.dtype)


def is_image(value):
    return value.dtype.name in FLOATS[:3] and 3 <= value.ndim <= 5 and value.size > 0


def plain(value):
    """Returns values that a product by zeros and ones preserves."""
    return np.where(np.isfinite(value.astype(np.float64)), value, value.dtype.type(1)) + value.dtype.type(0)


def permutation(n, dtype):
    """Returns a matrix that moves row i of the other factor to row (i + 1) % n. Its inverse is its transpose."""
    return np.roll(np.eye(n), 1, axis=0).astype(dtype)


def transposition(rank, to_last):
    return [0, *range(2, rank), 1] if to_last else [0, rank - 1, *range(1, rank - 1)]


@before("transpose")
def transposed_before(value, name, opset):
    if value.ndim < 3:
        return None
    fed = np.ascontiguousarray(np.moveaxis(value, 1, -1))
    return [node("Transpose", [f"{name}_fed"], [name], perm=transposition(value.ndim, False))], [], fed


@behind("transpose")
def transposed_behind(value, name, opset):
    if value.ndim < 3:
        return None
    perm = transposition(value.ndim, True)
    return [node("Transpose", [name], [f"{name}_seen"], perm=perm)], [], element_type(value)


def pointwise(channels, rank, dtype, name):
    return constant(permutation(channels, dtype).reshape(channels, channels, *[1] * (rank - 2)), name)


@before("conv")
def convolved_before(value, name, opset):
    if not is_image(value):
        return None
    channels = value.shape[1]
    weights = pointwise(channels, value.ndim, value.dtype, f"{name}_w")
    return [node("Conv", [f"{name}_fed", f"{name}_w"], [name])], [weights], np.roll(plain(value), -1, axis=1)


@behind("conv")
def convolved_behind(value, name, opset):
    if not is_image(value):
        return None
    weights = pointwise(value.shape[1], value.ndim, value.dtype, f"{name}_v")
    return [node("Conv", [name, f"{name}_v"], [f"{name}_seen"])], [weights], element_type(value)


def is_matrix(value):
    return value.dtype.name in FLOATS and value.ndim >= 2 and value.size > 0


def added(x, b, made, opset):
    legacy = {"broadcast": 1} if opset < 7 else {}
    return node("Add", [x, b], [made], **legacy)


@before("product")
def multiplied_before(value, name, opset):
    if not is_matrix(value):
        return None
    n = value.shape[-1]
    bias = np.arange(n).astype(value.dtype)
    constants = [constant(permutation(n, value.dtype), f"{name}_w"), constant(bias, f"{name}_b")]
    nodes = [
        node("MatMul", [f"{name}_fed", f"{name}_w"], [f"{name}_product"]),
        added(f"{name}_product", f"{name}_b", name, opset),
    ]
    return nodes, constants, np.roll(plain(value) - bias, 1, axis=-1)


@behind("product")
def multiplied_behind(value, name, opset):
    if not is_matrix(value):
        return None
    n = value.shape[-1]
    constants = [
        constant(permutation(n, value.dtype), f"{name}_v"),
        constant((np.arange(n) - 1).astype(value.dtype), f"{name}_c"),
    ]
    nodes = [
        node("MatMul", [name, f"{name}_v"], [f"{name}_multiplied"]),
        added(f"{name}_multiplied", f"{name}_c", f"{name}_seen", opset),
    ]
    return nodes, constants, element_type(value)


def grid(name):
    return [constant(np.float32(SCALE), f"{name}_scale"), constant(np.uint8(ZERO), f"{name}_zero")]


@before("bytes")
def dequantized_before(value, name, opset):
    if value.dtype.name != "float32" or opset < 10:
        return None
    fed = np.clip(np.rint(np.nan_to_num(value) / SCALE) + ZERO, 0, 255).astype(np.uint8)
    nodes = [node("DequantizeLinear", [f"{name}_fed", f"{name}_scale", f"{name}_zero"], [name])]
    return nodes, grid(name), fed


@before("weights")
def quantized_before(value, name, opset):
    """For a product of bytes, whose other constants become weights()."""
    return dequantized_before(value, name, opset) if opset >= 13 else None


def weights(array, name):
    """Returns nodes that dequantise to approximately the values of a constant, and their constants. A vector becomes
    int32 with a scale and a zero point for each element, one of which is not 0. All else becomes int8 with one scale.
    Returns None for other types than float32."""
    if array.dtype != np.float32 or array.size == 0:
        return None
    wide = np.nan_to_num(array)
    if array.ndim == 1:
        zeros = np.where((np.arange(array.size) == 1) & (array.size > 2), 5000, 0).astype(np.int32)
        codes = np.clip(np.rint(wide / SCALE**2), -(2.0**20), 2.0**20).astype(np.int32) + zeros
        parameters = [np.full(array.size, SCALE**2, np.float32), zeros]
        axis = {"axis": 0}
    else:
        codes = np.clip(np.rint(wide / SCALE), -128, 127).astype(np.int8)
        parameters, axis = [np.float32(SCALE), np.int8(0)], {}
    names = [f"{name}_codes", f"{name}_scale", f"{name}_shift"]
    constants = [constant(value, made) for value, made in zip((codes, *parameters), names)]
    return [node("DequantizeLinear", names, [name], **axis)], constants


@behind("bytes")
def quantized_behind(value, name, opset):
    if value.dtype.name != "float32" or opset < 10 or not np.isfinite(value).all():
        return None
    nodes = [node("QuantizeLinear", [name, f"{name}_scale", f"{name}_zero"], [f"{name}_seen"])]
    return nodes, grid(name), TensorProto.UINT8


def factors(value):
    """Returns a power of two for each channel."""
    return (2.0 ** (np.arange(value.shape[1]) % 4)).astype(value.dtype)


def scaled(x, value, factor, made, opset):
    """Returns x times the factors, and their constant."""
    if opset < 7:
        return node("Mul", [x, factor], [made], broadcast=1, axis=1), constant(factors(value), factor)
    shaped = factors(value).reshape(-1, *[1] * (value.ndim - 2))
    return node("Mul", [x, factor], [made]), constant(shaped, factor)


@before("scale")
def scaled_before(value, name, opset):
    if value.dtype.name not in FLOATS or value.ndim < 2:
        return None
    multiply, factor = scaled(f"{name}_fed", value, f"{name}_factor", name, opset)
    return [multiply], [factor], value / factors(value).reshape(-1, *[1] * (value.ndim - 2))


@behind("scale")
def scaled_behind(value, name, opset):
    if value.dtype.name not in FLOATS or value.ndim < 2:
        return None
    multiply, factor = scaled(name, value, f"{name}_multiple", f"{name}_scaled", opset)
    return [multiply, node("Relu", [f"{name}_scaled"], [f"{name}_seen"])], [factor], element_type(value)


def reshaped(x, shape, made, opset):
    if opset < 5:
        return node("Reshape", [x], [made], shape=list(shape)), []
    return node("Reshape", [x, f"{made}_shape"], [made]), [constant(np.array(shape, np.int64), f"{made}_shape")]


@before("reshape")
def reshaped_before(value, name, opset):
    if value.ndim < 2 or value.size == 0:
        return None
    reshape, constants = reshaped(f"{name}_fed", value.shape, name, opset)
    return [reshape], constants, value.reshape(1, value.shape[0] * value.shape[1], *value.shape[2:])


@behind("reshape")
def reshaped_behind(value, name, opset):
    if value.ndim < 2 or value.size == 0:
        return None
    reshape, constants = reshaped(name, (-1, value.shape[-1]), f"{name}_seen", opset)
    return [reshape], constants, element_type(value)
