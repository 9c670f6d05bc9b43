"""Where the references and the specification disagree, and what Linnet does: what ONNX Runtime and PyTorch agree on,
otherwise what the specification says. Where a configuration under one of these differs from the reference that is
named, the next one decides."""

import numpy as np
from disagreement import Answers, Disagreement, attribute
from disagreements_microsoft import OF_MICROSOFT
from disagreements_ml import OF_CLASSICAL_MODELS
from own.recurrent import HAVE_ALPHA
from own.resize import positions, targets
from values import FLOATS, is_integer, type_name

ORT, REFERENCE, PYTORCH = "ONNX Runtime", "onnx.reference", "PyTorch"
FLOATS_OF_NUMPY = ("float16", "bfloat16", "float32", "float64")
POOLS = ("AveragePool", "LpPool", "MaxPool")


def has_nan(x):
    return x.dtype.name in FLOATS_OF_NUMPY and bool(np.any(np.isnan(x)))


def has_infinity(x):
    return x.dtype.name in FLOATS_OF_NUMPY and bool(np.any(np.isinf(x)))


def has_small_variance(configuration):
    """Beside the square of the mean."""
    x, axes = configuration.inputs[0].astype(np.float64), tuple(attribute(configuration, "axes", (0, 2, 3)))
    with np.errstate(all="ignore"):
        return bool(np.any(x.var(axes) < 0.01 * x.mean(axes) ** 2))


def overflows(configuration):
    """Whether a sum or product may leave the type, or the integers that float32 holds."""
    x = configuration.inputs[0]
    largest = max(map(abs, x.ravel().tolist()), default=0) ** (2 if "Square" in configuration.schema.name else 1)
    if configuration.schema.name == "ReduceProd":
        largest = max(largest, 1) ** x.size
    return largest * max(x.size, 1) >= 2 ** min(8 * x.dtype.itemsize - 1, 24)


def strings(configuration):
    return "string" in configuration.types.values()


def integers(configuration):
    return configuration.types.get("T", configuration.types.get("T1", "")).startswith(("int", "uint"))


def texts_changed(change):
    """An adjustment of every string."""

    def changed(y):
        return np.array([change(text) for text in y.ravel()], object).reshape(y.shape)

    def adjust(_, outputs):
        return [changed(y) if y.dtype == object else y for y in outputs]

    return adjust


def leaves_elements_out(configuration):
    """Whether a window of auto_pad is smaller than its step."""
    a = configuration.attributes
    if not a.get("auto_pad", "").startswith("SAME"):
        return False
    kernel = a["kernel_shape"]
    steps = zip(kernel, a.get("strides", [1] * len(kernel)), a.get("dilations", [1] * len(kernel)))
    return any((taps - 1) * dilation + 1 < stride for taps, stride, dilation in steps)


def has_no_zero(configuration):
    """float8e8m0 has powers of two only."""
    given = configuration.inputs[2] if len(configuration.inputs) > 2 else None
    return configuration.types.get("T") == "float8e8m0" and given is None


def without_zero_text(text):
    return "" if str(text) == "0" else text


def has_fractional_length(configuration):
    """Whether scales make a length that is cut to a whole one."""
    return any(
        length != scale * n for (length, scale, _), n in zip(targets(configuration), configuration.inputs[0].shape)
    )


def meets_ties(configuration):
    """Whether a position is, but for the rounding of float32, one of an element or halfway between two."""
    if attribute(configuration, "mode", "nearest") != "nearest":
        return False
    return any(abs(2 * at - round(2 * at)) < 1e-5 for at in positions(configuration))


def crops_some_axes(configuration):
    """Whether a crop is of a volume, leaves the number of elements along an axis as it is, or is for some axes only."""
    crops = attribute(configuration, "coordinate_transformation_mode") == "tf_crop_and_resize"
    unscaled = any(scale == 1 and region != (0, 1) for _, scale, region in targets(configuration))
    volumes = attribute(configuration, "mode") == "linear" and configuration.inputs[0].ndim > 2
    return crops and (unscaled or volumes or "axes" in configuration.attributes)


def interpolates_integers(configuration):
    return (
        is_integer(type_name(configuration.inputs[0]))
        and attribute(configuration, "mode", "linear" if configuration.schema.name == "GridSample" else "nearest")
        != "nearest"
    )


DISAGREEMENTS = (
    Disagreement(
        ("GridSample",),
        REFERENCE,
        interpolates_integers,
        "integers between positions, in onnx.reference",
        Answers("the sum is cast to the type", "cuts the sum", "none", "cuts the sum; onnx.reference cuts the weights"),
    ),
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
        ("Resize",),
        (ORT, PYTORCH),
        lambda c: attribute(c, "coordinate_transformation_mode") == "align_corners" and has_fractional_length(c),
        "align_corners with scales that make a fractional length",
        Answers(
            "divides by the fractional length",
            "divides by the whole length, and fails both cases",
            "as ONNX Runtime",
            "the specification, as its cases would fail otherwise",
            case="test_resize_downsample_scales_linear_align_corners and its cubic twin: as the text",
        ),
    ),
    Disagreement(
        ("Dropout",),
        ORT,
        lambda c: c.schema.since_version == 10 and c.outputs == 2,
        "the mask of version 10 outside of training",
        Answers("open; later versions say true", "false", "true", "true", case="of version 12 on: true"),
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
        Answers("infinity", "NaN or infinity, by the place where it stands", "NaN", "the specification"),
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
        (*POOLS, "com.microsoft.NhwcMaxPool"),
        ORT,
        lambda c: attribute(c, "auto_pad", "").startswith("SAME") and max(attribute(c, "dilations", [1])) > 1,
        "SAME_UPPER and SAME_LOWER with dilations",
        Answers(
            "pads by the dilated window",
            "leaves dilations out where it pads",
            "none for pools; Conv's padding='same' takes them in",
            "the specification",
        ),
    ),
    Disagreement(
        (*POOLS, "com.microsoft.NhwcMaxPool", "com.microsoft.QLinearAveragePool"),
        (ORT, REFERENCE),
        leaves_elements_out,
        "SAME_UPPER and SAME_LOWER with windows that leave elements out",
        Answers(
            "pads by less than nothing",
            "pads by less than nothing, though not for Conv",
            "none",
            "does not pad, as for Conv",
        ),
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
        ("GridSample",),
        REFERENCE,
        lambda c: attribute(c, "mode") in ("cubic", "bicubic") and attribute(c, "padding_mode", "zeros") != "zeros",
        "cubic with border or reflection",
        Answers(
            "moves the location into the image first; so does onnx.reference",
            "moves its taps",
            "moves its taps",
            "moves its taps",
            case="of zeros only",
        ),
    ),
    Disagreement(
        ("LSTM",),
        ORT,
        lambda c: "clip" in c.attributes,
        "clip",
        Answers("clips the input of every activation", "not that of the last one, h", "none", "the specification"),
    ),
    Disagreement(
        ("Resize", "Upsample"),
        "",
        meets_ties,
        "nearest: positions of elements and halves",
        Answers(
            "the exact position",
            "computes them in float32, dividing by the scale",
            "computes them in float32, multiplying by its inverse; with ONNX Runtime and against the exact one "
            "in 2 of 2,500,000",
            "the specification",
            case="of positions where all agree",
        ),
    ),
    Disagreement(
        ("Resize",),
        ORT,
        crops_some_axes,
        "tf_crop_and_resize of volumes, along an axis of scale 1, or with axes",
        Answers(
            "crops the axes that are named",
            "does not crop all axes, or other ones",
            "none",
            "the specification",
            case="of images: all agree",
        ),
    ),
    Disagreement(
        ("Resize",),
        ORT,
        lambda c: "keep_aspect_ratio_policy" in c.attributes and min(attribute(c, "axes", [0])) < 0,
        "keep_aspect_ratio_policy with negative axes",
        Answers("adjusts their sizes", "does not", "none", "the specification", case="of other axes only"),
    ),
    Disagreement(
        ("Resize", "Upsample"),
        "",
        lambda c: interpolates_integers(c),
        "integers between positions",
        Answers(
            "open",
            "cuts them; so does onnx.reference",
            "rounds them to the nearest, uint8 only",
            "rounds them to the nearest",
        ),
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
        "the position behind the last, in onnx.reference",
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
        ("MaxUnpool",),
        REFERENCE,
        lambda c: len(c.inputs) > 2,
        "the indices with output_shape",
        Answers(
            "open",
            "count in the output",
            "count in the output",
            "count in the output where they all lie in the windows of their elements, or do not fit otherwise; else as "
            "the backend case",
            case="test_maxunpool_export_with_output_shape: count in what the windows make, 4 x 4 of an output of 5 x 5",
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
