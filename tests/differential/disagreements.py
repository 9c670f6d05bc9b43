"""Where a reference and the specification, or the references among each other, disagree. Linnet follows the
specification; a difference that one of these explains is no failure."""

import numpy as np
from disagreement import Disagreement, attribute
from disagreements_ml import OF_CLASSICAL_MODELS
from values import FLOATS, is_integer

HALF, DOUBLE = 10, 11
REDUCTIONS = tuple(f"Reduce{of}" for of in "L1 L2 LogSum LogSumExp Max Mean Min Prod Sum SumSquare".split())


def strings(configuration):
    return "string" in configuration.types.values()


def integers(configuration):
    return configuration.types.get("T", "").startswith(("int", "uint"))


def wider_stride(configuration):
    """Some window is narrower than its stride."""
    strides = attribute(configuration, "strides", [])
    return any(k < s for k, s in zip(configuration.attributes["kernel_shape"], strides))


def queries(configuration):
    return configuration.inputs[0].shape[-2]


def keys_given(configuration):
    return configuration.inputs[1].shape[-2]


def one_and_a_bit(configuration):
    """Whether scales make a fractional length between 1 and 2, which is cut to 1."""
    lengths = [n * s for n, s in zip(configuration.inputs[0].shape, configuration.inputs[-1].ravel())]
    return configuration.inputs[-1].dtype.kind == "f" and any(1 < n < 2 for n in lengths)


def axes(configuration):
    """Those of a reduction, an attribute or the second input."""
    return configuration.inputs[1] if len(configuration.inputs) > 1 else attribute(configuration, "axes", [])


def has_nan(x):
    return bool(np.any(np.isnan(x.astype(float))))


def reduced_elements(configuration):
    """How many elements a mean is taken of."""
    shape = configuration.inputs[0].shape
    return int(np.prod([shape[axis] for axis in attribute(configuration, "axes", [0, 2, 3])]))


DISAGREEMENTS = (
    Disagreement(
        ("Dropout",),
        lambda c: c.schema.since_version == 10 and c.outputs == 2,
        "the mask of version 10 outside of training: ONNX Runtime fills it with false, later versions say true",
        "ONNX Runtime",
    ),
    Disagreement(
        ("OneHot",),
        lambda c: c.schema.since_version == 9 and bool(np.any(c.inputs[0].astype(float) < 0)),
        "negative indices in version 9: the specification makes the whole row off_value, ONNX Runtime and "
        "onnx.reference count them from the end as later versions do",
    ),
    Disagreement(
        ("CenterCropPad", "DictVectorizer", "GridSample", "Pad", "Trilu"),
        strings,
        'what replaces a string: onnx.reference writes "0", Linnet the empty string everywhere',
        "onnx.reference",
    ),
    Disagreement(
        ("Cast", "CastLike"),
        lambda c: c.types["T2"] == "string" and c.types["T1"] in FLOATS,
        'floats as text: how many digits is open; onnx.reference writes "1.0", ONNX Runtime and Linnet "1"',
        "onnx.reference",
    ),
    Disagreement(
        ("Cast", "CastLike"),
        lambda c: c.types["T2"] == "string" and c.types["T1"] == "bool",
        'bools as text: the words are open; ONNX Runtime writes "1" and "0", onnx.reference and Linnet "True", "False"',
        "ONNX Runtime",
    ),
    Disagreement(
        ("Attention",),
        lambda c: attribute(c, "is_causal") == 1 and len(c.inputs) > 6 and bool(np.any(c.inputs[6] != queries(c))),
        "is_causal with nonpad_kv_seqlen: the specification, corrected in ONNX 1.23, lets the last query see the last "
        "valid key, ONNX Runtime lets the first see the first only",
        "ONNX Runtime",
    ),
    Disagreement(
        ("Attention",),
        lambda c: attribute(c, "is_causal") == 1 and len(c.inputs) == 6 and queries(c) == 1 and keys_given(c) > 1,
        "is_causal for one query with a cache and several new keys: the specification lets it see the first new key "
        "only, ONNX Runtime all",
        "ONNX Runtime",
    ),
    Disagreement(
        ("Gather",),
        strings,
        "rows of strings: ONNX Runtime copies the first string of each and leaves the others empty",
        "ONNX Runtime",
    ),
    Disagreement(
        ("Gelu", "HardSwish"),
        lambda c: attribute(c, "approximate") != "none" and "double" in c.types.values(),
        "approximate=tanh, and HardSwish, in double: ONNX Runtime runs the function body, whose constants are float32",
        "ONNX Runtime",
    ),
    Disagreement(
        ("GridSample",),
        lambda c: attribute(c, "mode") in ("cubic", "bicubic") and attribute(c, "padding_mode") != "zeros",
        "cubic with border or reflection: the specification (and onnx.reference) moves the location into the image "
        "first, ONNX Runtime only its taps",
        "ONNX Runtime",
    ),
    Disagreement(
        ("GridSample",),
        lambda c: is_integer(c.types["T1"]) and attribute(c, "mode") != "nearest",
        "integers between positions: onnx.reference cuts the weights to integers; Linnet rounds the exact value",
        "onnx.reference",
    ),
    Disagreement(
        ("Loop",),
        strings,
        "scan outputs of strings: ONNX Runtime leaves elements of later iterations empty",
        "ONNX Runtime",
    ),
    Disagreement(
        ("LSTM",),
        lambda c: "clip" in c.attributes,
        "clip: the specification clips the input of every activation, ONNX Runtime not that of the last one, h",
        "ONNX Runtime",
    ),
    Disagreement(
        ("AveragePool", "LpPool", "MaxPool"),
        lambda c: attribute(c, "auto_pad", "").startswith("SAME") and wider_stride(c),
        "SAME_UPPER and SAME_LOWER with a stride above the window: the padding would be negative. ONNX Runtime and "
        "onnx.reference shift the windows or fail; Linnet pads nothing, as all do for Conv",
    ),
    Disagreement(
        ("Resize",),
        lambda c: attribute(c, "coordinate_transformation_mode") == "align_corners" and len(c.inputs) == 3,
        "align_corners with scales: the specification's test cases divide by the fractional length, ONNX Runtime by "
        "the whole one",
        "ONNX Runtime",
    ),
    Disagreement(
        ("Resize",),
        lambda c: attribute(c, "coordinate_transformation_mode") == "pytorch_half_pixel" and one_and_a_bit(c),
        "pytorch_half_pixel where a resized dimension is 1: its position is 0; onnx.reference takes the fractional "
        "length, which is above 1",
        "onnx.reference",
    ),
    Disagreement(
        ("MeanVarianceNormalization",),
        lambda c: reduced_elements(c) <= 4,
        "equal elements: the variance that the function body computes as E(X^2) - E(X)^2 may round below 0 and give "
        "NaN",
    ),
    Disagreement(
        ("QuantizeLinear",),
        lambda c: c.inputs[1].dtype.name in ("float16", "bfloat16"),
        "float16 and bfloat16: the specification rounds the quotient to the type of the scale (attribute precision), "
        "ONNX Runtime to float32",
        "ONNX Runtime",
    ),
    Disagreement(
        ("BlackmanWindow", "HammingWindow"),
        lambda c: attribute(c, "output_datatype") == DOUBLE,
        "windows in double: the coefficients of ONNX Runtime are float32",
        "ONNX Runtime",
    ),
    Disagreement(
        ("DFT",),
        lambda c: "double" in c.types.values(),
        "transforms of double: ONNX Runtime's are as exact as float32",
        "ONNX Runtime",
    ),
    Disagreement(
        ("QLinearConv", "QLinearMatMul"),
        lambda c: len(c.inputs) > 7 and bool(np.any(c.inputs[7].astype(float))),
        "halves: the specification rounds before it adds the zero point, onnx.reference after",
        "onnx.reference",
    ),
    Disagreement(
        ("QLinearMatMul",),
        lambda c: any(t.startswith("float8") for t in c.types.values()),
        "float8: onnx.reference subtracts zero points in float8, where the difference is rounded",
        "onnx.reference",
    ),
    Disagreement(
        ("StringNormalizer",),
        lambda c: any(not text.isascii() for text in c.inputs[0].ravel()),
        "accents: onnx.reference takes them off",
        "onnx.reference",
    ),
    Disagreement(
        ("StringNormalizer",),
        lambda c: attribute(c, "is_case_sensitive") == 0 and "stopwords" in c.attributes,
        "stop words where is_case_sensitive is 0: onnx.reference compares them with regard to case",
        "onnx.reference",
    ),
    Disagreement(
        ("Unique",),
        lambda c: attribute(c, "sorted", 1) == 0 and c.outputs == 1,
        "sorted=0 with one output: onnx.reference sorts",
        "onnx.reference",
    ),
    Disagreement(
        ("Resize",),
        lambda c: any(t.startswith("complex") for t in c.types.values()),
        "complex numbers: onnx.reference drops the imaginary part",
        "onnx.reference",
    ),
    Disagreement(
        ("ReduceLogSumExp",),
        integers,
        "integers: ONNX Runtime computes the exponentials in integers, Linnet in double",
        "ONNX Runtime",
    ),
    Disagreement(
        ("HannWindow",),
        lambda c: attribute(c, "output_datatype") == HALF,
        "windows in float16: onnx.reference rounds pi to float16",
        "onnx.reference",
    ),
    Disagreement(
        ("BlackmanWindow",),
        lambda c: c.inputs[0] == 2 and attribute(c, "periodic") == 0,
        "the symmetric window of size 2: both elements are 0, and what is computed is the error of rounding",
    ),
    Disagreement(
        ("GridSample",),
        lambda c: c.inputs[1].dtype.name in ("float16", "bfloat16"),
        "a grid in float16 or bfloat16: onnx.reference computes the positions in this type, which decides what is "
        "nearest",
        "onnx.reference",
    ),
    Disagreement(
        ("SplitToSequence",),
        lambda c: attribute(c, "keepdims") == 0 and len(c.inputs) == 2,
        "keepdims=0 with the input split: the specification ignores the attribute, ONNX Runtime removes the dimension "
        "where all parts have length 1",
        "ONNX Runtime",
    ),
    Disagreement(
        ("StringSplit",),
        lambda c: attribute(c, "delimiter") and "" in c.inputs[0],
        "the empty string with a delimiter: no delimiter means one substring; ONNX Runtime makes none",
        "ONNX Runtime",
    ),
    Disagreement(
        ("ReduceMean",),
        lambda c: 0 in c.inputs[0].shape,
        "the mean of no elements is undefined: 0 in ONNX Runtime, NaN in Linnet",
        "ONNX Runtime",
    ),
    Disagreement(
        REDUCTIONS,
        lambda c: 0 in c.inputs[0].shape and any(axis < 0 for axis in axes(c)),
        "negative axes of a tensor without elements: ONNX Runtime does not reduce",
        "ONNX Runtime",
    ),
    Disagreement(
        ("Optional",),
        lambda c: len(c.inputs) == 1,
        "the value: onnx.reference puts it into a list",
        "onnx.reference",
    ),
    Disagreement(
        ("Sign",),
        lambda c: c.inputs[0].dtype.name in ("float16", "bfloat16") and has_nan(c.inputs[0]),
        "the sign of NaN is open: NaN in Linnet, in ONNX Runtime too except for float16, where it is 0",
        "ONNX Runtime",
    ),
    Disagreement(
        ("Unique",),
        lambda c: attribute(c, "sorted", 1) == 0 and attribute(c, "axis", 0) % c.inputs[0].ndim != 0,
        "sorted=0 along another axis than the first: onnx.reference takes rows",
        "onnx.reference",
    ),
    *OF_CLASSICAL_MODELS,
)


def explanation(configuration, reference):
    """The text of the disagreement that a difference of this configuration from a reference falls under, or None."""
    for known in DISAGREEMENTS:
        applies = configuration.schema.name in known.operators and reference.startswith(known.reference)
        if applies and known.explains(configuration):
            return known.text
    return None
