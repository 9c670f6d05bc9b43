"""The least cost of an operator: bytes that are read or written once, and arithmetic operations.

Bytes: all inputs and outputs; for operators of PARTIAL, only the used part of their inputs. Operations: one for each
element of the largest tensor; for operators of PRODUCTS, two for each multiply-add.
"""

import math

import numpy as np


def size_of(value):
    """Returns the bytes of a value; for texts, their letters."""
    if isinstance(value, (list, dict)):
        return sum(size_of(part) for part in (value.values() if isinstance(value, dict) else value))
    if not isinstance(value, np.ndarray):
        return 0 if value is None else np.asarray(value).nbytes
    return sum(map(len, map(str, value.ravel()))) if value.dtype == object else value.nbytes


def count(value):
    return sum(count(part) for part in value) if isinstance(value, list) else np.size(value)


# Operators that read only as many elements of the first input as they write.
PARTIAL = {
    "ArrayFeatureExtractor", "CenterCropPad", "Crop", "DynamicSlice", "Gather", "GatherElements", "GatherND",
    "GridSample", "Slice",
}  # fmt: skip
# Operators that need only the shape of the first input.
SHAPE_ONLY = {"ConstantOfShape", "EyeLike", "RandomNormalLike", "RandomUniformLike", "SequenceLength", "Shape", "Size"}


def bytes_of(case, inputs, outputs):
    written = sum(map(size_of, outputs))
    read = [size_of(value) for value in inputs]
    if case.type in PARTIAL:
        read[0] = min(read[0], written)
    if case.type in SHAPE_ONLY:
        read[0] = 0
    return sum(read) + written


def of_matmul(case, inputs, outputs):
    a = next(value for value in inputs if np.ndim(value) >= 1)
    return 2 * count(outputs[0]) * (np.shape(a)[-2] if case.attributes.get("transA") else np.shape(a)[-1])


def of_conv(case, inputs, outputs):
    weights = max((value for value in inputs[1:] if np.ndim(value) >= 3), key=np.size)
    return 2 * count(outputs[0]) * count(weights) // len(weights)


def of_conv_transpose(case, inputs, outputs):
    return 2 * count(inputs[0]) * count(inputs[1]) // len(inputs[1])


def of_recurrent(case, inputs, outputs):
    """x w and h r of every step."""
    steps, batch = inputs[0].shape[:2]
    return 2 * steps * batch * (count(inputs[1]) + count(inputs[2]))


def of_attention(case, inputs, outputs):
    """Queries by keys and weights by values, half of both if no query sees a later key, and the projection of
    com.microsoft."""
    query, key = inputs[:2]
    projected = np.ndim(key) == 2
    scores = 4 * count(query) * np.shape(query if projected else key)[-2]
    causal = case.attributes.get("is_causal") or case.type in ("GroupQueryAttention", "SparseAttention")
    return (scores // 2 if causal else scores) + (2 * count(query) * np.shape(key)[-1] if projected else 0)


def of_einsum(case, inputs, outputs):
    """The product of all lengths, as for a single contraction."""
    letters = case.attributes["equation"].partition("->")[0].replace(",", "")
    lengths = dict(zip(letters, (length for value in inputs for length in value.shape)))
    return 2 * math.prod(lengths.values())


def of_transform(case, inputs, outputs):
    """5 n log2(n) for n complex numbers, half of that for real ones."""
    length = inputs[-1].item() if case.type == "STFT" else np.shape(inputs[0])[1]
    transforms = count(outputs[0]) / np.shape(outputs[0])[-2 if case.type == "STFT" else 1] / 2
    return (2.5 if case.attributes.get("onesided") else 5) * transforms * length * math.log2(length)


KNOWN = {
    of_matmul: "MatMul MatMulInteger Gemm QLinearMatMul FusedMatMul TransposeMatMul FusedGemm FusedMatMulActivation QGemm "
    "MatMulIntegerToFloat DynamicQuantizeMatMul MatMulNBits MatMulBnb4 CDist",
    of_conv: "Conv ConvInteger QLinearConv FusedConv NhwcConv NhwcFusedConv DeformConv",
    of_conv_transpose: "ConvTranspose",
    of_recurrent: "LSTM GRU RNN DynamicQuantizeLSTM",
    of_attention: "Attention FlexAttention MultiHeadAttention GroupQueryAttention QAttention SparseAttention",
    of_einsum: "Einsum",
    of_transform: "DFT STFT",
}
PRODUCTS = {name: function for function, names in KNOWN.items() for name in names.split()}


def operations_of(case, inputs, outputs):
    known = PRODUCTS.get(case.type)
    return int(known(case, inputs, outputs)) if known else max(map(count, [*inputs, *outputs]), default=0)
