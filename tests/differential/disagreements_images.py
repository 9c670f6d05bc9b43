"""Disagreements between the references and the specification about pools and about operators that sample images."""

from disagreement import ORT, PYTORCH, REFERENCE, Answers, Disagreement, attribute, integers
from own.resize import positions, targets
from values import is_integer, type_name

POOLS = ("AveragePool", "LpPool", "MaxPool")


def leaves_elements_out(configuration):
    """Whether a window of auto_pad is smaller than its stride."""
    a = configuration.attributes
    if not a.get("auto_pad", "").startswith("SAME"):
        return False
    kernel = a["kernel_shape"]
    steps = zip(kernel, a.get("strides", [1] * len(kernel)), a.get("dilations", [1] * len(kernel)))
    return any((taps - 1) * dilation + 1 < stride for taps, stride, dilation in steps)


def has_fractional_length(configuration):
    """Whether scales lead to a fractional length, which is truncated."""
    return any(
        length != scale * n for (length, scale, _), n in zip(targets(configuration), configuration.inputs[0].shape)
    )


def meets_ties(configuration):
    """Whether a position is, within the rounding of float32, at an element or halfway between two."""
    if attribute(configuration, "mode", "nearest") != "nearest":
        return False
    return any(abs(2 * at - round(2 * at)) < 1e-5 for at in positions(configuration))


def crops_some_axes(configuration):
    """Whether a crop is of a volume, preserves the number of elements along an axis, or applies only to some axes."""
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


OF_IMAGES = (
    Disagreement(
        ("GridSample",),
        REFERENCE,
        interpolates_integers,
        "integers between positions, in onnx.reference",
        Answers("the sum is cast to the type", "cuts the sum", "none", "cuts the sum; onnx.reference cuts the weights"),
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
        ("MaxUnpool",),
        REFERENCE,
        lambda c: len(c.inputs) > 2,
        "the indices with output_shape",
        Answers(
            "open",
            "count in the output",
            "count in the output",
            "count in the output where they all are in the windows of their elements, or do not fit otherwise; else as "
            "the backend case",
            case="test_maxunpool_export_with_output_shape: count in what the windows make, 4 x 4 of an output of 5 x 5",
        ),
    ),
)
