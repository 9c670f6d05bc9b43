"""Where ONNX Runtime and its own documentation of com.microsoft disagree."""

import numpy as np
from disagreement import Disagreement
from own.recurrent import HAVE_ALPHA
from processors import onnx_runtime_sums_bytes_exactly

ORT = "ONNX Runtime"


def zero_point_of_output(configuration):
    at = 7 if configuration.schema.name == "QLinearAdd" else 4
    return configuration.inputs[at] if len(configuration.inputs) > at else None


def is_odd(zero_point):
    return zero_point is not None and int(zero_point.reshape(())) % 2 == 1


def units(scale):
    """How many of them make 1."""
    return 1 / scale.astype(np.float64).reshape(())


def has_later_keys(configuration):
    query, key = configuration.inputs[:2]
    return configuration.attributes.get("unidirectional") and key.shape[-2] > query.shape[1]


OF_PROCESSORS = () if onnx_runtime_sums_bytes_exactly() else (
    Disagreement(
        ("ConvInteger", "com.microsoft.DynamicQuantizeMatMul", "com.microsoft.QAttention", "com.microsoft.QGemm"),
        ORT,
        lambda c: True,
        "sums of products of uint8 by int8 saturate on processors without VNNI",
    ),
)

OF_MICROSOFT = (
    *OF_PROCESSORS,
    Disagreement(
        ("com.microsoft.FastGelu",),
        ORT,
        lambda c: c.types["T"] == "double",
        "there is a kernel for float32 only: what stands in for one has the six digits of the documented formula",
    ),
    Disagreement(
        ("com.microsoft.MultiHeadAttention",),
        ORT,
        has_later_keys,
        "with unidirectional the last query sees the keys behind it, too, where there are more keys than queries",
    ),
    Disagreement(
        ("com.microsoft.QLinearSoftmax",),
        ORT,
        lambda c: not units(c.inputs[3]).is_integer(),
        "1 / y_scale is cut to a whole number, so that results are too small",
    ),
    Disagreement(
        ("com.microsoft.QLinearAdd", "com.microsoft.QLinearAveragePool"),
        ORT,
        lambda c: is_odd(zero_point_of_output(c)),
        "the zero point is added before rounding, by QLinearAdd now and then: the middle between two integers goes to "
        "the other one where the zero point is odd",
    ),
    Disagreement(
        ("com.microsoft.DynamicQuantizeLSTM",),
        ORT,
        lambda c: (
            c.inputs[4] is not None
            or "clip" in c.attributes
            or set(c.attributes.get("activations", ())) & set(HAVE_ALPHA)
        ),
        "sequence_lens: the range of what is rounded takes in all of X and the last states of sequences that have "
        "ended, in ONNX Runtime not; clip and activations without their parameters: as LSTM",
    ),
)
