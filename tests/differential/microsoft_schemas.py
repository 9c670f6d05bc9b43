"""Enters the operators of com.microsoft that Linnet has, as ONNX Runtime has them, among the schemas of ONNX."""

import onnx.reference  # noqa: F401  Before: it builds a table in which every name must be of one operator.
from by_operator import MICROSOFT
from onnx import AttributeProto, defs
from onnx.defs import OpSchema
from onnxruntime.capi import onnxruntime_pybind11_state as onnx_runtime

# The types that ONNX Runtime's kernels for CPUs take, where the schema allows more.
KERNEL_TYPES = {
    "DequantizeLinear": {},
    "DynamicQuantizeLSTM": {},
    "DynamicQuantizeMatMul": {},
    "MatMulBnb4": {"T1": ["tensor(float)"]},
    "MatMulIntegerToFloat": {"T3": ["tensor(float)"]},
    "QAttention": {"T1": ["tensor(uint8)"], "T3": ["tensor(float)"]},
    "QEmbedLayerNormalization": {},
    "QGemm": {},
    "QLinearAdd": {},
    "QLinearAveragePool": {},
    "QLinearConcat": {},
    "QLinearConv": {},
    "QLinearGlobalAveragePool": {},
    "QLinearLeakyRelu": {},
    "QLinearMul": {},
    "QLinearSigmoid": {},
    "QLinearSoftmax": {},
    "QLinearWhere": {},
    "QuantizeLinear": {},
}


def parameter(found):
    option = getattr(OpSchema.FormalParameterOption, found.option.name)
    return OpSchema.FormalParameter(found.name, found.typeStr, param_option=option, is_homogeneous=found.isHomogeneous)


def attribute(name, found):
    default = AttributeProto.FromString(found._default_value)
    if default.name:
        return OpSchema.Attribute(name, default)
    return OpSchema.Attribute(name, getattr(OpSchema.AttrType, found.type.name), required=found.required)


def schema(found):
    types = KERNEL_TYPES[found.name]
    return OpSchema(
        found.name,
        MICROSOFT,
        found.since_version,
        inputs=[parameter(entry) for entry in found.inputs],
        outputs=[parameter(entry) for entry in found.outputs],
        type_constraints=[
            (c.type_param_str, types.get(c.type_param_str, list(c.allowed_type_strs)), "")
            for c in found.type_constraints
        ],
        attributes=[attribute(name, entry) for name, entry in found.attributes.items()],
    )


def register():
    """Once in a process: whoever asks ONNX for its schemas then gets these, too."""
    for found in onnx_runtime.get_all_operator_schema():
        if found.domain == MICROSOFT and found.name in KERNEL_TYPES and not defs.has(found.name, MICROSOFT):
            defs.register_schema(schema(found))


register()
