"""Symbolic functions: the ONNX form of PyTorch operators in files of the TorchScript exporter.

A file's custom operators are in domain "custom". Operators that are newer than PyTorch's own exporter supports are
emitted in PENDING_DOMAIN; upgrade.py moves them to the standard domain.
"""

import torch
from torch.onnx.symbolic_helper import parse_args

from .errors import ExportError

CUSTOM_DOMAIN = "custom"
SELU_DOMAIN = "custom-onnx-script"
PENDING_DOMAIN = "linnet-pending"

# ONNX's number (TensorProto.DataType) and PyTorch's dtype for each of TorchScript's names of scalar types.
_SCALAR_TYPES = {
    "Bool": (9, torch.bool),
    "Byte": (2, torch.uint8),
    "Char": (3, torch.int8),
    "Short": (5, torch.int16),
    "Int": (6, torch.int32),
    "Long": (7, torch.int64),
    "Half": (10, torch.float16),
    "BFloat16": (16, torch.bfloat16),
    "Float": (1, torch.float32),
    "Double": (11, torch.float64),
}
ONNX_TYPES = {dtype: number for number, dtype in _SCALAR_TYPES.values()}


def rules(deform_conv: str, my_add: str, selu: str) -> dict:
    """Returns the symbolic functions to register for one export, by qualified operator name."""
    result = {
        "aten::asinh": asinh,
        "aten::zero": zero,
        "linnet::deform_conv2d": deform_conv2d_rule(deform_conv),
        "torchvision::deform_conv2d": deform_conv2d_rule(deform_conv),
        "linnet::my_add": my_add_rule(my_add),
    }
    if selu == "function":
        result["aten::selu"] = selu_function
    return result


def asinh(g, x):
    """Converts aten::asinh to Asinh (ONNX opset 9)."""
    return g.op("Asinh", x)


def zero(g, x):
    """Converts aten::zero, which PyTorch 1.13 makes of zero_() on a part of a parameter's copy, to ConstantOfShape."""
    return g.op("ConstantOfShape", g.op("Shape", x), value_t=torch.zeros(1)).setType(x.type())


def selu_function(g, x):
    """Converts aten::selu to a call of the model function custom-onnx-script::Selu."""
    return g.op(f"{SELU_DOMAIN}::Selu", x).setType(x.type())


def deform_conv2d_rule(form: str):
    """Converts deform_conv2d of torchvision and linnet to custom::deform_conv2d or DeformConv-19.

    Both have the same inputs and attributes.
    Source: https://onnx.ai/onnx/operators/onnx__DeformConv.html
    """
    name = f"{PENDING_DOMAIN}::DeformConv" if form == "standard" else f"{CUSTOM_DOMAIN}::deform_conv2d"

    # mask and bias are always passed. They are zeros if the model lacks them; use_mask determines whether mask counts.
    @parse_args("v", "v", "v", "v", "v", "i", "i", "i", "i", "i", "i", "i", "i", "b")
    def symbolic(
        g, x, w, offset, mask, b, stride_h, stride_w, pad_h, pad_w, dil_h, dil_w, groups, offset_groups, use_mask
    ):
        y = g.op(
            name,
            *((x, w, offset, b, mask) if use_mask else (x, w, offset, b)),
            strides_i=[stride_h, stride_w],
            pads_i=[pad_h, pad_w, pad_h, pad_w],
            dilations_i=[dil_h, dil_w],
            group_i=groups,
            offset_group_i=offset_groups,
        )
        return _typed(g, y, x, 4)

    return symbolic


def my_add_rule(form: str):
    """Converts my_add to custom::my_add ("custom"; with "function" the file also has its body) or Mul and Add
    ("decompose").

    ONNX does not promote types, so inputs of different types are first cast to the result's type.
    """

    def symbolic(g, a, b):
        dtype = my_add_dtype(*((_dtype(value), value.type().dim()) for value in (a, b)))
        a, b = _cast(g, a, dtype), _cast(g, b, dtype)
        if form != "decompose":
            ranks = a.type().dim(), b.type().dim()
            return _typed(g, g.op(f"{CUSTOM_DOMAIN}::my_add", a, b), a, None if None in ranks else max(ranks))
        # The constant has no dims: one of shape [1] would give a result without dims the shape [1].
        two = g.op("Constant", value_t=torch.tensor(2, dtype=dtype))
        return g.op("Add", g.op("Mul", a, two), b)

    return symbolic


def _typed(g, result, like, rank):
    """Gives `result` the element type of `like` if PyTorch does not know its type, as in scripted modules.

    In traced modules the value has its traced type, with all sizes, if nothing is set.
    """
    node = getattr(g, "original_node", None)
    known = node is None or node.output().type().scalarType() is not None
    if not known and rank is not None and like.type().scalarType() is not None:
        result.setType(like.type().with_sizes([None] * rank))
    return result


def my_add_dtype(*operands) -> torch.dtype:
    """Returns the dtype of 2a + b for the (dtype, rank) of a and b. Promotion depends on whether a tensor has dims."""
    a, b = (torch.zeros([] if rank == 0 else [1], dtype=dtype) for dtype, rank in operands)
    return (2 * a + b).dtype


def _dtype(value) -> torch.dtype:
    name = value.type().scalarType()
    if name not in _SCALAR_TYPES:
        raise ExportError(f"my_add: an input has type {name or 'unknown'}, expected one of {', '.join(_SCALAR_TYPES)}")
    return _SCALAR_TYPES[name][1]


def _cast(g, value, dtype: torch.dtype):
    return value if _dtype(value) == dtype else g.op("Cast", value, to_i=ONNX_TYPES[dtype])
