"""Translations: the ONNX form of PyTorch operators in files of the dynamo exporter.

They are functions of ONNX values, as torch.onnx.export takes them in custom_translation_table, and correspond to
symbolics.py. This module needs onnxscript, so it is imported only for the dynamo exporter.
"""

import onnx
import torch
from onnx.defs import OpSchema
from onnxscript import OnnxFunction, opset18, opset19
from onnxscript.values import Op, Opset

from .symbolics import CUSTOM_DOMAIN, ONNX_TYPES, SELU_DOMAIN, my_add_dtype

_NUMBERS = "float double float16 bfloat16 int8 int16 int32 int64 uint8 bool".split()
_DTYPES = {number: dtype for dtype, number in ONNX_TYPES.items()}


def translations(deform_conv: str, my_add: str, selu: str) -> dict:
    """Returns the translations of one export, by operator. Operators that are not registered are omitted."""
    result = {"linnet::my_add": my_add_translation(my_add)}
    for name in ("linnet::deform_conv2d", "torchvision::deform_conv2d"):
        result[name] = deform_conv2d_translation(deform_conv)
    if selu == "function":
        result["aten::selu"] = selu_function
    return {overload: function for name, function in result.items() if (overload := _overload(name)) is not None}


def selu_function(x):
    """Converts aten::selu to a call of the model function custom-onnx-script::Selu."""
    return _operator(SELU_DOMAIN, "Selu", "x")(x)


def deform_conv2d_translation(form: str):
    """Converts deform_conv2d of torchvision and linnet to custom::deform_conv2d or DeformConv-19, as in
    symbolics.py."""
    attributes = {"lists": "strides pads dilations", "numbers": "group offset_group"}
    custom = _operator(CUSTOM_DOMAIN, "deform_conv2d", "x w offset b mask", **attributes)
    operator = opset19.DeformConv if form == "standard" else custom

    def deform_conv2d(
        x,
        w,
        offset,
        mask,
        b,
        stride_h: int,
        stride_w: int,
        pad_h: int,
        pad_w: int,
        dil_h: int,
        dil_w: int,
        groups: int,
        offset_groups: int,
        use_mask: bool,
    ):
        return operator(
            *((x, w, offset, b, mask) if use_mask else (x, w, offset, b)),
            strides=[stride_h, stride_w],
            pads=[pad_h, pad_w, pad_h, pad_w],
            dilations=[dil_h, dil_w],
            group=groups,
            offset_group=offset_groups,
        )

    return deform_conv2d


def my_add_translation(form: str):
    """Converts my_add to custom::my_add or Mul and Add, as in symbolics.py."""

    def my_add(a, b):
        dtype = my_add_dtype((_DTYPES[a.dtype], len(a.shape)), (_DTYPES[b.dtype], len(b.shape)))
        a, b = (value if value.dtype == ONNX_TYPES[dtype] else _cast(value, dtype) for value in (a, b))
        if form != "decompose":
            return _operator(CUSTOM_DOMAIN, "my_add", "a b")(a, b)
        two = opset18.Constant(value=onnx.helper.make_tensor("two", ONNX_TYPES[dtype], [], [2]))
        return opset18.Add(opset18.Mul(a, two), b)

    return my_add


def as_call(function):
    """Returns a translation to a call of `function` if onnxscript.script made it; returns others unchanged.

    PyTorch accepts such a function only with annotated types, and replaces calls by its body.
    """
    if not isinstance(function, OnnxFunction) or function.function_ir.attributes:
        return function
    proto = function.to_function_proto()
    operator = _operator(proto.domain, proto.name, " ".join(proto.input))
    return lambda *inputs: operator(*inputs)


def _cast(value, dtype: torch.dtype):
    return opset18.Cast(value, to=ONNX_TYPES[dtype])


def _operator(domain: str, name: str, inputs: str, lists: str = "", numbers: str = "") -> Op:
    """Returns an operator that ONNX does not define, with these inputs and integer attributes.

    All inputs but the first are optional. onnxscript only writes nodes of operators with a schema.
    """
    options = OpSchema.FormalParameterOption
    schema = OpSchema(
        name,
        domain,
        1,
        inputs=[
            OpSchema.FormalParameter(parameter, "T", param_option=options.Optional if i > 0 else options.Single)
            for i, parameter in enumerate(inputs.split())
        ],
        outputs=[OpSchema.FormalParameter("y", "T")],
        type_constraints=[("T", [f"tensor({name})" for name in _NUMBERS], "")],
        attributes=[OpSchema.Attribute(attribute, OpSchema.AttrType.INTS) for attribute in lists.split()]
        + [OpSchema.Attribute(attribute, OpSchema.AttrType.INT) for attribute in numbers.split()],
    )
    return Op(Opset(domain, 1), name, schema)


def _overload(name: str):
    namespace, operator = name.split("::")
    packet = getattr(getattr(torch.ops, namespace), operator, None)
    return packet and packet.default
