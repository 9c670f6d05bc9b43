"""Registers schemas with ONNX, as ONNX Runtime defines them: those of the com.microsoft operators that Linnet has, and
those of default-domain operators that only ONNX Runtime defines."""

import onnx.reference  # noqa: F401  First, because it builds a table in which each name belongs to one operator.
from by_operator import MICROSOFT
from onnx import AttributeProto, defs
from onnx.defs import OpSchema
from onnxruntime.capi import onnxruntime_pybind11_state as onnx_runtime

# The types that ONNX Runtime's CPU kernels accept, if the schema allows more.
KERNEL_TYPES = {
    "BeamSearch": {"F": ["tensor(int32)"], "T": ["tensor(float)"]},
    "BiasAdd": {},
    "BiasGelu": {},
    "BiasSplitGelu": {},
    "CDist": {},
    "ComplexMul": {},
    "ComplexMulConj": {},
    "CropAndResize": {"T1": ["tensor(float)"]},
    "Attention": {"T": ["tensor(float)"]},
    "CausalConvWithState": {"T": ["tensor(float)"]},
    "DecoderMaskedMultiHeadAttention": {"T": ["tensor(float)"], "QK": ["tensor(float)"]},
    "DequantizeLinear": {},
    "DynamicQuantizeLSTM": {},
    "DynamicQuantizeMatMul": {},
    "EmbedLayerNormalization": {},
    "ExpandDims": {},
    "FastGelu": {},
    "FusedConv": {},
    "FusedGemm": {"T": ["tensor(float)"]},
    "FusedMatMul": {},
    "FusedMatMulActivation": {},
    "GatherND": {},
    "Gelu": {},
    "GreedySearch": {},
    "GridSample": {"T1": ["tensor(float)"], "T2": ["tensor(float)"]},
    "GroupNorm": {},
    "GroupQueryAttention": {"T": ["tensor(float)"], "T_CACHE": ["tensor(float)"]},
    "Inverse": {},
    "Irfft": {},
    "LinearAttention": {"T": ["tensor(float)"], "S": ["tensor(float)"]},
    "MatMulBnb4": {"T1": ["tensor(float)"]},
    "MatMulIntegerToFloat": {"T3": ["tensor(float)"]},
    "NGramRepeatBlock": {},
    "NhwcConv": {},
    "NhwcFusedConv": {},
    "NhwcMaxPool": {},
    "Pad": {},
    "MoE": {"T": ["tensor(float)"]},
    "MultiHeadAttention": {"T": ["tensor(float)"], "QK": ["tensor(float)"]},
    "QAttention": {"T1": ["tensor(uint8)"], "T3": ["tensor(float)"]},
    "QEmbedLayerNormalization": {},
    "QGemm": {},
    "QMoE": {"T": ["tensor(float)"], "T1": ["tensor(uint8)"], "T2": ["tensor(float)"], "T4": []},
    "QLinearAdd": {},
    "QLinearAveragePool": {},
    "QLinearConcat": {},
    "QLinearConv": {},
    "QLinearGlobalAveragePool": {},
    "QLinearLeakyRelu": {},
    "QLinearMul": {},
    "QLinearReduceMean": {},
    "QLinearSigmoid": {},
    "QLinearSoftmax": {},
    "QLinearWhere": {},
    "QuantizeLinear": {},
    "QuickGelu": {},
    "Range": {},
    "Rfft": {},
    "Sampling": {},
    "SkipGroupNorm": {},
    "SkipLayerNormalization": {},
    "SkipSimplifiedLayerNormalization": {},
    "SparseAttention": {"T": ["tensor(float)"]},
    "Tokenizer": {},
    "TransposeMatMul": {},
    "Trilu": {},
    "Unique": {},
    "RotaryEmbedding": {"T": ["tensor(float)"]},
    "WhisperBeamSearch": {"F": ["tensor(float)"], "T": ["tensor(float)"]},
    "WordConvEmbedding": {},
}
# Operators of the default domain, in their first version.
OWN_IN_DEFAULT_DOMAIN = (
    "Affine", "Crop", "DynamicSlice", "ImageScaler", "LayerNormalization", "MeanVarianceNormalization",
    "ParametricSoftplus", "Scale", "ScaledTanh", "SimplifiedLayerNormalization", "ThresholdedRelu",
)  # fmt: skip


def parameter(found):
    option = getattr(OpSchema.FormalParameterOption, found.option.name)
    return OpSchema.FormalParameter(found.name, found.typeStr, param_option=option, is_homogeneous=found.isHomogeneous)


def attribute(name, found):
    default = AttributeProto.FromString(found._default_value)
    if default.name:
        return OpSchema.Attribute(name, default)
    return OpSchema.Attribute(name, getattr(OpSchema.AttrType, found.type.name), required=found.required)


def schema(found):
    types = KERNEL_TYPES.get(found.name, {}) if found.domain else {}
    return OpSchema(
        found.name,
        found.domain,
        found.since_version,
        inputs=[parameter(entry) for entry in found.inputs],
        outputs=[parameter(entry) for entry in found.outputs],
        type_constraints=[
            (c.type_param_str, types.get(c.type_param_str, list(c.allowed_type_strs)), "")
            for c in found.type_constraints
        ],
        attributes=[attribute(name, entry) for name, entry in found.attributes.items()],
    )


def is_wanted(found):
    if found.domain == MICROSOFT:
        return found.name in KERNEL_TYPES
    return found.domain == "" and found.since_version == 1 and found.name in OWN_IN_DEFAULT_DOMAIN


def register():
    """Registers them once per process. ONNX then returns them with its schemas."""
    known = {(entry.name, entry.domain, entry.since_version) for entry in defs.get_all_schemas_with_history()}
    for found in onnx_runtime.get_all_operator_schema():
        if is_wanted(found) and (found.name, found.domain, found.since_version) not in known:
            defs.register_schema(schema(found))


register()
