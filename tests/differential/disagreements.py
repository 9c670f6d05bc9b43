"""Where a reference and the specification, or the references among each other, disagree. Linnet follows the
specification; a difference that one of these explains is no failure."""

import dataclasses
from collections.abc import Callable

import numpy as np
from values import FLOATS, is_integer

DOUBLE = 11


@dataclasses.dataclass
class Disagreement:
    operators: tuple
    explains: Callable
    text: str


def attribute(configuration, name, default=None):
    return configuration.attributes.get(name, default)


def strings(configuration):
    return "string" in configuration.types.values()


def integers(configuration):
    return configuration.types.get("T", "").startswith(("int", "uint"))


def wider_stride(configuration):
    """Some window is narrower than its stride."""
    strides = attribute(configuration, "strides", [])
    return any(k < s for k, s in zip(configuration.attributes["kernel_shape"], strides))


def reduced_elements(configuration):
    """How many elements a mean is taken of."""
    shape = configuration.inputs[0].shape
    return int(np.prod([shape[axis] for axis in attribute(configuration, "axes", [0, 2, 3])]))


DISAGREEMENTS = (
    Disagreement(
        ("Dropout",),
        lambda c: c.schema.since_version == 10 and c.outputs == 2,
        "the mask of version 10 outside of training: ONNX Runtime fills it with false, later versions say true",
    ),
    Disagreement(
        ("OneHot",),
        lambda c: c.schema.since_version == 9 and bool(np.any(c.inputs[0].astype(float) < 0)),
        "negative indices in version 9: the specification makes the whole row off_value, ONNX Runtime and "
        "onnx.reference count them from the end as later versions do",
    ),
    Disagreement(
        ("CenterCropPad", "GridSample", "Pad", "Trilu"),
        strings,
        'what replaces a string: onnx.reference writes "0", Linnet the empty string everywhere',
    ),
    Disagreement(
        ("Cast", "CastLike"),
        lambda c: c.types["T2"] == "string" and c.types["T1"] in FLOATS,
        'floats as text: how many digits is open; onnx.reference writes "1.0", ONNX Runtime and Linnet "1"',
    ),
    Disagreement(
        ("Gather",),
        strings,
        "rows of strings: ONNX Runtime copies the first string of each and leaves the others empty",
    ),
    Disagreement(
        ("Gelu", "HardSwish"),
        lambda c: attribute(c, "approximate") != "none" and "double" in c.types.values(),
        "approximate=tanh, and HardSwish, in double: ONNX Runtime runs the function body, whose constants are float32",
    ),
    Disagreement(
        ("GridSample",),
        lambda c: attribute(c, "mode") in ("cubic", "bicubic") and attribute(c, "padding_mode") != "zeros",
        "cubic with border or reflection: the specification (and onnx.reference) moves the location into the image "
        "first, ONNX Runtime only its taps",
    ),
    Disagreement(
        ("GridSample",),
        lambda c: is_integer(c.types["T1"]) and attribute(c, "mode") != "nearest",
        "integers between positions: onnx.reference cuts the weights to integers; Linnet rounds the exact value",
    ),
    Disagreement(
        ("Scan",),
        lambda c: c.schema.since_version == 8 and c.types["V"].startswith("complex"),
        "version 8, for types that ONNX Runtime has not: onnx.reference leaves the axes of states out",
    ),
    Disagreement(("Loop",), strings, "scan outputs of strings: ONNX Runtime leaves elements of later iterations empty"),
    Disagreement(
        ("LSTM",),
        lambda c: "clip" in c.attributes,
        "clip: the specification clips the input of every activation, ONNX Runtime not that of the last one, h",
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
    ),
    Disagreement(
        ("BlackmanWindow", "HammingWindow"),
        lambda c: attribute(c, "output_datatype") == DOUBLE,
        "windows in double: the coefficients of ONNX Runtime are float32",
    ),
    Disagreement(
        ("DFT",),
        lambda c: "double" in c.types.values(),
        "transforms of double: ONNX Runtime's are as exact as float32",
    ),
    Disagreement(
        ("QLinearConv", "QLinearMatMul"),
        lambda c: len(c.inputs) > 7 and bool(np.any(c.inputs[7].astype(float))),
        "halves: the specification rounds before it adds the zero point, onnx.reference after",
    ),
    Disagreement(
        ("QLinearMatMul",),
        lambda c: any(t.startswith("float8") for t in c.types.values()),
        "float8: onnx.reference subtracts zero points in float8, where the difference is rounded",
    ),
    Disagreement(
        ("StringNormalizer",),
        lambda c: attribute(c, "case_change_action", "NONE") != "NONE",
        "changing the case: onnx.reference also takes accents off",
    ),
    Disagreement(
        ("Unique",),
        lambda c: attribute(c, "sorted", 1) == 0 and c.outputs == 1,
        "sorted=0 with one output: onnx.reference sorts",
    ),
    Disagreement(
        ("Resize",),
        lambda c: any(t.startswith("complex") for t in c.types.values()),
        "complex numbers: onnx.reference drops the imaginary part",
    ),
    Disagreement(
        ("ReduceLogSumExp",), integers, "integers: ONNX Runtime computes the exponentials in integers, Linnet in double"
    ),
)


def explanation(configuration):
    """The text of the disagreement that a difference of this configuration falls under, or None."""
    for known in DISAGREEMENTS:
        if configuration.schema.name in known.operators and known.explains(configuration):
            return known.text
    return None
