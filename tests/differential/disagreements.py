"""Where a reference and the specification, or the references among each other, disagree. Linnet follows the
specification; a difference that one of these explains is no failure."""

import dataclasses
from collections.abc import Callable

import numpy as np
from values import is_integer


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
        ("CenterCropPad", "Trilu"),
        strings,
        'what replaces a string: onnx.reference writes "0", Linnet the empty string as Pad and ConstantOfShape do',
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
        ("Loop",),
        strings,
        "scan outputs of strings: ONNX Runtime leaves elements of later iterations empty",
    ),
    Disagreement(
        ("LpPool",),
        lambda c: attribute(c, "auto_pad", "").startswith("SAME") and wider_stride(c),
        "SAME_UPPER and SAME_LOWER with a stride above the window: ONNX Runtime pads by a negative number, which it "
        "does for no other operator",
    ),
    Disagreement(
        ("Resize",),
        lambda c: attribute(c, "coordinate_transformation_mode") == "align_corners" and len(c.inputs) == 3,
        "align_corners with scales: the specification's test cases divide by the fractional length, ONNX Runtime by "
        "the whole one",
    ),
    Disagreement(
        ("ReduceLogSumExp",),
        integers,
        "integers: ONNX Runtime computes the exponentials in integers, Linnet in double",
    ),
)


def explanation(configuration):
    """The text of the disagreement that a difference of this configuration falls under, or None."""
    for known in DISAGREEMENTS:
        if configuration.schema.name in known.operators and known.explains(configuration):
            return known.text
    return None
