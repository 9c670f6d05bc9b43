"""Disagreements between ONNX Runtime and its documentation of com.microsoft."""

import numpy as np
from disagreement import ORT, Answers, Disagreement
from own.recurrent import HAVE_ALPHA
from processors import onnx_runtime_sums_bytes_exactly


def zero_point_of_output(configuration):
    at = 7 if configuration.schema.name == "QLinearAdd" else 4
    return configuration.inputs[at] if len(configuration.inputs) > at else None


def is_odd(zero_point):
    return zero_point is not None and int(zero_point.reshape(())) % 2 == 1


def units(scale):
    """Returns how many units make 1."""
    return 1 / scale.astype(np.float64).reshape(())


def has_later_keys(configuration):
    query, key = configuration.inputs[:2]
    return configuration.attributes.get("unidirectional") and key.shape[-2] > query.shape[1]


OF_PROCESSORS = () if onnx_runtime_sums_bytes_exactly() else (
    Disagreement(
        ("ConvInteger", "com.microsoft.DynamicQuantizeLSTM", "com.microsoft.DynamicQuantizeMatMul", "com.microsoft.QAttention",
         "com.microsoft.QGemm"),  # fmt: skip
        ORT,
        lambda c: True,
        "sums of products of uint8 by int8 on processors without VNNI",
        Answers("are exact", "saturate", "exact", "the specification", case="of small numbers"),
    ),
)

OF_MICROSOFT = (
    *OF_PROCESSORS,
    Disagreement(
        ("com.microsoft.FastGelu",),
        ORT,
        lambda c: c.types["T"] == "double",
        "double",
        Answers(
            "the documented formula",
            "has a kernel for float32 only, and six digits of the formula in its place",
            "the formula",
            "the formula",
        ),
    ),
    Disagreement(
        ("com.microsoft.MultiHeadAttention",),
        ORT,
        has_later_keys,
        "unidirectional with more keys than queries",
        Answers(
            "no query sees keys after it",
            "the last query sees the keys after it, too",
            "is_causal counts from the first key",
            "the specification",
        ),
    ),
    Disagreement(
        ("com.microsoft.BeamSearch",),
        ORT,
        lambda c: len(c.inputs[0]) > 1 and not c.attributes.get("early_stopping"),
        "when a prompt is done that is not the only one",
        Answers(
            "when none of the prompt's sequences can get better",
            "compares with the scores of other prompts",
            "transformers asks for each prompt's own",
            "the specification",
        ),
    ),
    Disagreement(
        ("com.microsoft.GreedySearch", "com.microsoft.Sampling"),
        ORT,
        lambda c: True,
        "what follows the last tokens where all sequences have ended",
        Answers("padding, as after each that has ended", "is not written", "none", "the specification"),
    ),
    Disagreement(
        ("com.microsoft.Sampling",),
        ORT,
        lambda c: len(c.inputs) > 7 and c.inputs[7] is not None and c.inputs[7].any(),
        "presence_penalty",
        Answers(
            "is subtracted from the score of each token that presence_mask names",
            "is subtracted from the first token of the first sequence, once for each that is named",
            "none",
            "the specification",
        ),
    ),
    Disagreement(
        ("com.microsoft.QLinearSoftmax",),
        ORT,
        lambda c: not units(c.inputs[3]).is_integer(),
        "y_scale that is not one by a whole number",
        Answers(
            "divides by it",
            "cuts 1 / y_scale to a whole number, so that results are too small",
            "divides by it",
            "the specification",
        ),
    ),
    Disagreement(
        ("com.microsoft.QLinearAdd", "com.microsoft.QLinearAveragePool"),
        ORT,
        lambda c: is_odd(zero_point_of_output(c)),
        "the middle between two integers where the zero point is odd",
        Answers(
            "is rounded before the zero point is added",
            "QLinearAveragePool after that, QLinearAdd now and then",
            "average pools, of which X and Y have one scale, round after that; sums in the last elements of a row, which "
            "fill no vector",
            "the specification",
        ),
    ),
    Disagreement(
        ("com.microsoft.DynamicQuantizeLSTM",),
        ORT,
        lambda c: (
            c.inputs[4] is not None
            or "clip" in c.attributes
            or set(c.attributes.get("activations", ())) & set(HAVE_ALPHA)
        ),
        "sequence_lens; clip and activations without their parameters",
        Answers(
            "the range of what is rounded takes in all of X and the last states of sequences that have ended",
            "not; as LSTM",
            "none",
            "the specification",
        ),
    ),
)
