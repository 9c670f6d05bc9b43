"""The disagreements between the references and the specification, and what Linnet does: it follows ONNX Runtime and
PyTorch if they agree, or else the specification. If a configuration covered by a disagreement differs from the given
reference, the next reference decides."""

import numpy as np
from disagreement import ORT, PYTORCH, REFERENCE, Answers, Disagreement, attribute, integers
from disagreements_images import OF_IMAGES
from disagreements_microsoft import OF_MICROSOFT
from disagreements_ml import OF_CLASSICAL_MODELS
from own.recurrent import HAVE_ALPHA
from values import FLOATS

FLOATS_OF_NUMPY = ("float16", "bfloat16", "float32", "float64")


def has_nan(x):
    return x.dtype.name in FLOATS_OF_NUMPY and bool(np.any(np.isnan(x)))


def has_infinity(x):
    return x.dtype.name in FLOATS_OF_NUMPY and bool(np.any(np.isinf(x)))


def has_small_variance(configuration):
    """Whether the variance is small relative to the square of the mean."""
    x, axes = configuration.inputs[0].astype(np.float64), tuple(attribute(configuration, "axes", (0, 2, 3)))
    with np.errstate(all="ignore"):
        return bool(np.any(x.var(axes) < 0.01 * x.mean(axes) ** 2))


def overflows(configuration):
    """Whether a sum or product may exceed the range of the type, or of the integers that float32 represents exactly."""
    x = configuration.inputs[0]
    largest = max(map(abs, x.ravel().tolist()), default=0) ** (2 if "Square" in configuration.schema.name else 1)
    if configuration.schema.name == "ReduceProd":
        largest = max(largest, 1) ** x.size
    return largest * max(x.size, 1) >= 2 ** min(8 * x.dtype.itemsize - 1, 24)


def strings(configuration):
    return "string" in configuration.types.values()


def texts_changed(change):
    """Returns an adjustment that changes every string."""

    def changed(y):
        return np.array([change(text) for text in y.ravel()], object).reshape(y.shape)

    def adjust(_, outputs):
        return [changed(y) if y.dtype == object else y for y in outputs]

    return adjust


def has_no_zero(configuration):
    """Whether zero cannot be represented: float8e8m0 has only powers of two."""
    given = configuration.inputs[2] if len(configuration.inputs) > 2 else None
    return configuration.types.get("T") == "float8e8m0" and given is None


def without_zero_text(text):
    return "" if str(text) == "0" else text


DISAGREEMENTS = (
    *OF_IMAGES,
    Disagreement(
        ("OneHot",),
        "",
        lambda c: c.schema.since_version == 9 and bool(np.any(c.inputs[0].astype(float) < 0)),
        "negative indices in version 9",
        Answers(
            "the whole row is off_value",
            "counts them from the end; so does onnx.reference",
            "refuses them",
            "the specification",
            case="of version 11 only: counted from the end",
        ),
    ),
    Disagreement(
        ("Dropout",),
        ORT,
        lambda c: c.schema.since_version == 10 and c.outputs == 2,
        "the mask of version 10 outside of training",
        Answers("open; true in later versions", "false", "true", "true", case="of version 12 on: true"),
        lambda c, outputs: [outputs[0], np.ones_like(outputs[1])],
    ),
    Disagreement(
        ("CenterCropPad", "DictVectorizer", "GridSample", "Pad", "Trilu"),
        REFERENCE,
        strings,
        "what replaces a string",
        Answers("the empty string", "the empty string", "none", 'the empty string; onnx.reference writes "0"'),
        texts_changed(without_zero_text),
    ),
    Disagreement(
        ("Cast", "CastLike"),
        ORT,
        lambda c: c.types["T2"] == "string" and c.types["T1"] == "bool",
        "bools as text",
        Answers(
            "open",
            '"1" and "0"',
            'none; Python writes "True" and "False"',
            '"True" and "False", as onnx.reference',
        ),
        texts_changed({"1": "True", "0": "False"}.get),
    ),
    Disagreement(
        ("Cast", "CastLike"),
        REFERENCE,
        lambda c: c.types["T2"] == "string" and c.types["T1"] in FLOATS,
        "whole numbers as text",
        Answers("open", '"2"', "none", '"2"; onnx.reference writes "2.0"'),
        texts_changed(lambda text: str(text).removesuffix(".0")),
    ),
    Disagreement(
        ("Pad",),
        REFERENCE,
        has_no_zero,
        "the 0 that float8e8m0 does not have",
        Answers("open", "none", "refuses it", "the least number, as in Cast; onnx.reference has NaN"),
    ),
    Disagreement(
        ("GRU", "LSTM", "RNN"),
        ORT,
        lambda c: "activation_alpha" not in c.attributes and set(attribute(c, "activations", ())) & set(HAVE_ALPHA),
        "activations without their parameters",
        Answers(
            "the default of the operator of that name",
            "0",
            "its functions have these defaults",
            "the specification",
        ),
    ),
    Disagreement(
        ("Clip",),
        (ORT, REFERENCE),
        lambda c: has_infinity(c.inputs[0]),
        "an infinity beyond an absent bound",
        Answers(
            "becomes the largest number",
            "leaves it; so does the function body",
            "leaves it",
            "leaves it",
            case="of finite numbers only",
        ),
    ),
    Disagreement(
        ("QuantizeLinear",),
        REFERENCE,
        lambda c: c.inputs[1].dtype.name in ("float16", "bfloat16") and c.schema.since_version < 23,
        "float16 and bfloat16 before version 23",
        Answers(
            "rounds the quotient to the type of the scale",
            "rounds it to float32; from version 23 on as the text",
            "float32",
            "float32; from version 23 on the specification",
        ),
    ),
    Disagreement(
        ("LayerNormalization",),
        (ORT, PYTORCH),
        lambda c: c.outputs > 1 and has_infinity(c.inputs[0]),
        "the mean of infinity and numbers",
        Answers("infinity", "NaN or infinity, depending on its place", "NaN", "the specification"),
    ),
    Disagreement(
        ("MeanVarianceNormalization",),
        "",
        has_small_variance,
        "a variance about 0",
        Answers(
            "the mean of squared differences, by its words",
            "E(X^2) - E(X)^2, of which rounding leaves little; NaN below 0",
            "the mean of squared differences",
            "the mean of squared differences",
            case="of other variances only",
        ),
    ),
    Disagreement(
        ("LogSoftmax",),
        ORT,
        lambda c: has_infinity(c.inputs[0]) or has_nan(c.inputs[0]),
        "infinity or NaN among the elements",
        Answers("all are NaN, by the function body", "some are numbers", "all are NaN", "the specification"),
    ),
    Disagreement(
        ("MatMulInteger",),
        ORT,
        lambda c: c.inputs[0].shape[-1] == 0,
        "sums of no products",
        Answers("0", "leaves the output as it finds it", "0", "the specification"),
    ),
    Disagreement(
        ("Gather",),
        ORT,
        lambda c: strings(c) and int(np.prod(c.inputs[0].shape[c.attributes["axis"] % c.inputs[0].ndim + 1 :])) > 1,
        "rows of strings",
        Answers(
            "copies them",
            "copies the first string of each and leaves the others empty",
            "none",
            "the specification",
        ),
    ),
    Disagreement(
        ("Loop",),
        ORT,
        lambda c: strings(c) and c.outputs == 2,
        "scan outputs of strings",
        Answers("stacks them", "leaves elements of later iterations empty", "none", "the specification"),
    ),
    Disagreement(
        ("LSTM",),
        ORT,
        lambda c: "clip" in c.attributes,
        "clip",
        Answers("clips the input of every activation", "not that of the last one, h", "none", "the specification"),
    ),
    Disagreement(
        ("ReduceLogSum", "ReduceLogSumExp"),
        "",
        integers,
        "integers",
        Answers(
            "open",
            "computes exponentials or logarithms in integers; so does onnx.reference",
            "makes floats of them",
            "computes in double, and cuts the result",
        ),
    ),
    Disagreement(
        ("SequenceInsert",),
        REFERENCE,
        lambda c: len(c.inputs) == 3 and len(c.inputs[0]) > 0 and int(c.inputs[2]) == len(c.inputs[0]),
        "the position after the last, in onnx.reference",
        Answers(
            "is the last",
            "as the text",
            "none",
            "the specification; onnx.reference takes it for the first",
            case="as the text",
        ),
        lambda c, outputs: [[*outputs[0][1:], outputs[0][0]]],
    ),
    Disagreement(
        ("SplitToSequence",),
        ORT,
        lambda c: attribute(c, "keepdims") == 0 and len(c.inputs) == 2,
        "keepdims=0 with the input split",
        Answers("ignores keepdims", "removes the dimension where all parts have length 1", "none", "the specification"),
    ),
    Disagreement(
        ("StringSplit",),
        ORT,
        lambda c: attribute(c, "delimiter") and "" in c.inputs[0],
        "the empty string with a delimiter",
        Answers("no delimiter means one substring", "makes none", "none", "the specification"),
    ),
    Disagreement(
        ("LRN",),
        ORT,
        lambda c: has_infinity(c.inputs[0]) or has_nan(c.inputs[0]),
        "infinities",
        Answers(
            "the sum of each window",
            "adds and subtracts what enters and leaves the window",
            "the sum of each window",
            "the specification",
        ),
    ),
    Disagreement(
        ("Selu",),
        REFERENCE,
        lambda c: c.schema.since_version == 1 and len(c.attributes) < 2,
        "the defaults of version 1, in onnx.reference",
        Answers(
            "1.6732 and 1.0507",
            "none",
            "those of version 6",
            "the specification; onnx.reference has those of version 6",
        ),
    ),
    Disagreement(
        ("ReduceMean",),
        ORT,
        lambda c: 0 in c.inputs[0].shape,
        "the mean of no elements",
        Answers("undefined", "0", "NaN", "NaN"),
    ),
    Disagreement(
        ("NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss"),
        ORT,
        lambda c: 0 in c.inputs[0].shape and c.attributes.get("reduction", "mean") == "mean",
        "the mean of no losses",
        Answers("0 / 0", "0", "NaN", "NaN"),
        adjust=lambda c, outputs: [np.full_like(outputs[0], np.nan), *outputs[1:]],
    ),
    Disagreement(
        (
            "ArgMax",
            "ArgMin",
            "GlobalMaxPool",
            "MaxPool",
            "ReduceLogSumExp",
            "ReduceMax",
            "ReduceMin",
            "ScatterElements",
            "ScatterND",
        ),
        ORT,
        lambda c: any(has_nan(x) for x in c.inputs if isinstance(x, np.ndarray)),
        "NaN in maxima and minima",
        Answers(
            "open; NaN is not less or greater than another number",
            "leaves it out of some",
            "takes it, as NumPy",
            "takes it, as NumPy",
        ),
    ),
    Disagreement(
        ("ReduceL1", "ReduceMean", "ReduceProd", "ReduceSum", "ReduceSumSquare"),
        "",
        lambda c: integers(c) and overflows(c),
        "integers beyond the range of their type",
        Answers(
            "open",
            "computes in floats",
            "sums of 64 bits that wrap around",
            "sums of 64 bits that wrap around; onnx.reference takes means of sums that wrap around in the type",
        ),
    ),
    Disagreement(
        ("DynamicQuantizeLinear",),
        REFERENCE,
        lambda c: not np.any(c.inputs[0]),
        "the scale of zeros",
        Answers("0, by its formula", "1", "0.1", "1; onnx.reference has 1 / 255"),
    ),
    Disagreement(
        ("Sign",),
        PYTORCH,
        lambda c: has_nan(c.inputs[0]),
        "NaN",
        Answers("open", "NaN", "0", "NaN"),
    ),
    Disagreement(
        ("ThresholdedRelu",),
        PYTORCH,
        lambda c: has_nan(c.inputs[0]),
        "NaN",
        Answers("0, as it is not above alpha", "0", "NaN", "0"),
    ),
    *OF_CLASSICAL_MODELS,
    *OF_MICROSOFT,
)
