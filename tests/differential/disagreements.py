"""Where a reference and the specification disagree. Linnet follows the specification; where a configuration under one
of these differs, the next reference decides."""

import numpy as np
from disagreement import Disagreement, attribute
from disagreements_microsoft import OF_MICROSOFT
from disagreements_ml import OF_CLASSICAL_MODELS
from own.recurrent import HAVE_ALPHA
from own.resize import positions, targets
from own.sampling import location
from values import FLOATS, is_integer, type_name

ORT, REFERENCE = "ONNX Runtime", "onnx.reference"
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


def is_moved(configuration):
    """Whether a location of a grid is moved into the image."""
    x, grid = configuration.inputs
    for axis in range(grid.shape[-1]):
        places = (location(configuration.attributes, float(g), x.shape[-1 - axis]) for g in grid[..., axis].ravel())
        if any(before != after for before, after in places):
            return True
    return False


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
        "integers between positions: onnx.reference cuts the weights to integers, not the sum",
    ),
    Disagreement(
        ("OneHot",),
        "",
        lambda c: c.schema.since_version == 9 and bool(np.any(c.inputs[0].astype(float) < 0)),
        "negative indices in version 9: the specification makes the whole row off_value, ONNX Runtime and "
        "onnx.reference count them from the end as later versions do",
    ),
    Disagreement(
        ("Resize",),
        ORT,
        lambda c: attribute(c, "coordinate_transformation_mode") == "align_corners" and has_fractional_length(c),
        "align_corners with scales: the specification's test cases divide by the fractional length, ONNX Runtime by "
        "the whole one",
    ),
    Disagreement(
        ("Dropout",),
        ORT,
        lambda c: c.schema.since_version == 10 and c.outputs == 2,
        "the mask of version 10 outside of training: ONNX Runtime fills it with false, later versions say true",
        lambda c, outputs: [outputs[0], np.ones_like(outputs[1])],
    ),
    Disagreement(
        ("CenterCropPad", "DictVectorizer", "GridSample", "Pad", "Trilu"),
        REFERENCE,
        strings,
        'what replaces a string: onnx.reference writes "0", Linnet the empty string everywhere',
        texts_changed(without_zero_text),
    ),
    Disagreement(
        ("Cast", "CastLike"),
        ORT,
        lambda c: c.types["T2"] == "string" and c.types["T1"] == "bool",
        'bools as text: the words are open; ONNX Runtime writes "1" and "0", onnx.reference and Linnet "True", "False"',
        texts_changed({"1": "True", "0": "False"}.get),
    ),
    Disagreement(
        ("Cast", "CastLike"),
        REFERENCE,
        lambda c: c.types["T2"] == "string" and c.types["T1"] in FLOATS,
        'whole numbers as text: onnx.reference writes "2.0", ONNX Runtime and Linnet "2"',
        texts_changed(lambda text: str(text).removesuffix(".0")),
    ),
    Disagreement(
        ("Pad",),
        REFERENCE,
        has_no_zero,
        "the 0 that float8e8m0 does not have: NaN in onnx.reference, the least number in Linnet, as in Cast",
    ),
    Disagreement(
        ("GRU", "LSTM", "RNN"),
        ORT,
        lambda c: "activation_alpha" not in c.attributes and set(attribute(c, "activations", ())) & set(HAVE_ALPHA),
        "activations without their parameters: ONNX Runtime takes 0 where the operator of that name has another "
        "default, or there is none",
    ),
    Disagreement(
        ("Clip",),
        (ORT, REFERENCE),
        lambda c: has_infinity(c.inputs[0]),
        "an infinity beyond an absent bound: the text makes it the largest number, as ONNX Runtime, the function body "
        "and Linnet leave it",
    ),
    Disagreement(
        ("QuantizeLinear",),
        ORT,
        lambda c: c.inputs[1].dtype.name in ("float16", "bfloat16") and "precision" not in c.attributes,
        "float16 and bfloat16: the specification rounds the quotient to the type of the scale, ONNX Runtime to float32",
    ),
    Disagreement(
        ("LayerNormalization",),
        ORT,
        lambda c: c.outputs > 1 and has_infinity(c.inputs[0]),
        "the mean of infinity and numbers is infinity, NaN in ONNX Runtime",
    ),
    Disagreement(
        ("MeanVarianceNormalization",),
        "",
        has_small_variance,
        "a variance about 0: the references compute it as E(X^2) - E(X)^2, of which rounding leaves little, NaN where "
        "it is below 0",
    ),
    Disagreement(
        ("LogSoftmax",),
        ORT,
        lambda c: has_infinity(c.inputs[0]) or has_nan(c.inputs[0]),
        "infinity or NaN among the elements: all are NaN by the function body, some are numbers in ONNX Runtime",
    ),
    Disagreement(
        ("MatMulInteger",),
        ORT,
        lambda c: c.inputs[0].shape[-1] == 0,
        "sums of no products: ONNX Runtime leaves the output as it finds it",
    ),
    Disagreement(
        (*POOLS, "com.microsoft.NhwcMaxPool"),
        ORT,
        lambda c: attribute(c, "auto_pad", "").startswith("SAME") and max(attribute(c, "dilations", [1])) > 1,
        "SAME_UPPER and SAME_LOWER with dilations: ONNX Runtime leaves them out where it pads",
    ),
    Disagreement(
        (*POOLS, "com.microsoft.NhwcMaxPool", "com.microsoft.QLinearAveragePool"),
        (ORT, REFERENCE),
        leaves_elements_out,
        "SAME_UPPER and SAME_LOWER with windows that leave elements out: the references pad by less than nothing, though "
        "not for Conv; Linnet does not pad",
    ),
    Disagreement(
        ("Gather",),
        ORT,
        lambda c: strings(c) and int(np.prod(c.inputs[0].shape[c.attributes["axis"] % c.inputs[0].ndim + 1 :])) > 1,
        "rows of strings: ONNX Runtime copies the first string of each and leaves the others empty",
    ),
    Disagreement(
        ("Loop",),
        ORT,
        lambda c: strings(c) and c.outputs == 2,
        "scan outputs of strings: ONNX Runtime leaves elements of later iterations empty",
    ),
    Disagreement(
        ("GridSample",),
        ORT,
        lambda c: (
            attribute(c, "mode") in ("cubic", "bicubic") and attribute(c, "padding_mode") != "zeros" and is_moved(c)
        ),
        "cubic with border or reflection: the specification (and onnx.reference) moves the location into the image "
        "first, ONNX Runtime only its taps",
    ),
    Disagreement(
        ("LSTM",),
        ORT,
        lambda c: "clip" in c.attributes,
        "clip: the specification clips the input of every activation, ONNX Runtime not that of the last one, h",
    ),
    Disagreement(
        ("Resize", "Upsample"),
        "",
        meets_ties,
        "nearest: the exact position decides, the references compute it in floats, which miss elements and halves",
    ),
    Disagreement(
        ("Resize",),
        ORT,
        crops_some_axes,
        "tf_crop_and_resize of volumes, along an axis of scale 1, or with axes: ONNX Runtime does not crop all axes, "
        "or other ones",
    ),
    Disagreement(
        ("Resize",),
        ORT,
        lambda c: "keep_aspect_ratio_policy" in c.attributes and min(attribute(c, "axes", [0])) < 0,
        "keep_aspect_ratio_policy with negative axes: ONNX Runtime does not adjust their sizes",
    ),
    Disagreement(
        ("Resize", "Upsample"),
        "",
        lambda c: interpolates_integers(c),
        "integers between positions: how they are rounded is open; the references cut, Linnet rounds to the nearest",
    ),
    Disagreement(
        ("ReduceLogSum", "ReduceLogSumExp"),
        "",
        integers,
        "integers: the references compute exponentials or logarithms in integers, Linnet in double, and cuts the "
        "result",
    ),
    Disagreement(
        ("SequenceInsert",),
        REFERENCE,
        lambda c: len(c.inputs) == 3 and len(c.inputs[0]) > 0 and int(c.inputs[2]) == len(c.inputs[0]),
        "the position behind the last: onnx.reference takes it for the first",
        lambda c, outputs: [[*outputs[0][1:], outputs[0][0]]],
    ),
    Disagreement(
        ("SplitToSequence",),
        ORT,
        lambda c: attribute(c, "keepdims") == 0 and len(c.inputs) == 2,
        "keepdims=0 with the input split: the specification ignores the attribute, ONNX Runtime removes the dimension "
        "where all parts have length 1",
    ),
    Disagreement(
        ("StringSplit",),
        ORT,
        lambda c: attribute(c, "delimiter") and "" in c.inputs[0],
        "the empty string with a delimiter: no delimiter means one substring; ONNX Runtime makes none",
    ),
    Disagreement(
        ("LRN",),
        ORT,
        lambda c: has_infinity(c.inputs[0]) or has_nan(c.inputs[0]),
        "infinities: ONNX Runtime adds and subtracts what enters and leaves the window",
    ),
    Disagreement(
        ("Selu",),
        REFERENCE,
        lambda c: c.schema.since_version == 1 and len(c.attributes) < 2,
        "the defaults of version 1: onnx.reference has those of version 6",
    ),
    Disagreement(
        ("ReduceMean",),
        ORT,
        lambda c: 0 in c.inputs[0].shape,
        "the mean of no elements is undefined: 0 in ONNX Runtime, NaN in Linnet",
    ),
    Disagreement(
        ("NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss"),
        ORT,
        lambda c: 0 in c.inputs[0].shape and c.attributes.get("reduction", "mean") == "mean",
        "the mean of no losses: 0 / 0 by the text, 0 in ONNX Runtime",
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
        "NaN is not less or greater than another number: ONNX Runtime leaves it out of some maxima; Linnet, as NumPy, "
        "does not",
    ),
    Disagreement(
        ("ReduceL1", "ReduceMean", "ReduceProd", "ReduceSum", "ReduceSumSquare"),
        "",
        lambda c: integers(c) and overflows(c),
        "integers beyond the range of their type: Linnet's sums are of 64 bits and wrap around, ONNX Runtime computes "
        "in floats, onnx.reference takes means of sums that wrap around in the type",
    ),
    *OF_CLASSICAL_MODELS,
    *OF_MICROSOFT,
)
