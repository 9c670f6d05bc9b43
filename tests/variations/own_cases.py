"""One valid case of each operator without a schema: those of Linnet's own domains, and some of com.microsoft."""

import dataclasses

import numpy as np
from ml_dtypes import bfloat16
from onnx import TensorProto, helper


@dataclasses.dataclass
class OwnCase:
    op: str
    inputs: list  # None: omitted
    attributes: dict = dataclasses.field(default_factory=dict)
    domain: str = "linnet"
    outputs: int = 1
    opset: int = 1


def f(*shape):
    return np.arange(1, np.prod(shape, dtype=int) + 1, dtype=np.float32).reshape(shape) / 8


def i(values, dtype=np.int64):
    return np.array(values, dtype)


def u(*shape):
    return np.arange(np.prod(shape, dtype=int), dtype=np.uint8).reshape(shape)


def s(*shape):
    return u(*shape).astype(np.int8)


ONE, ZERO = np.float32(0.5), np.uint8(3)
RELU = {"activation": "Relu"}
WINDOW = {"kernel_shape": [2, 2], "strides": [1, 2], "pads": [1, 0, 1, 1], "dilations": [1, 2]}
BYTE_GRIDS = {"x_scale": 0.5, "x_zero_point": 3, "y_scale": 0.25, "y_zero_point": 1}
# The order of the inputs after x: x_scale, x_zero, w, w_scale, y_scale, y_zero, bias, residual, its grid, the grid of
# the sum, w_zero.
MICROSOFT = "com.microsoft"


def quantized(x, w, channels, y):
    """Returns the inputs of a quantised product."""
    grid = [ONE, ZERO]
    return [x, *grid, w, np.full(channels, 0.5, np.float32), *grid, i([5] * channels, np.int32), y, *grid, *grid]


def sum_body():
    x, y, z = (helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in ("bx", "by", "bz"))
    return helper.make_graph([helper.make_node("Add", ["bx", "by"], ["bz"])], "body", [x, y], [z])


CASES = [
    OwnCase("Attention", [f(2, 4, 3, 8), f(2, 2, 5, 8), f(2, 2, 5, 8), f(3, 5), None, None, None, i([1, 2]), f(4)],
            {"is_causal": 1, "nan_without_keys": 1, "softcap": 2.0, "left_window_size": 3}),
    OwnCase("Attention", [f(2, 4, 3, 8), f(2, 2, 1, 8), f(2, 2, 1, 8), f(3, 3), f(2, 2, 2, 8), f(2, 2, 2, 8)], {}, outputs=3),
    OwnCase("AveragePool", [u(1, 5, 6, 3)], WINDOW | BYTE_GRIDS | {"count_include_pad": 1}),
    OwnCase("AveragePool", [f(1, 5, 6, 3)], WINDOW | {"ceil_mode": 1}),
    OwnCase("BatchNormalization", [f(2, 3, 4), f(4), f(4), f(4), f(4)], RELU | {"epsilon": 1e-3}),
    OwnCase("BlockMaskBias", [i([[0, 1, 3]], np.int32), i([[0, 0, 1]], np.int32), i([0, 1]), f(2, 3, 8), f(2, 2, 4, 4)],
            {"num_heads": 2, "sparse_block_size": 2}),
    OwnCase("CachePositions", [i([3, 4], np.int32), i(5, np.int32), i([2]), i([3]), i([2, 2], np.int32)], {}, outputs=3),
    OwnCase("Cast", [f(2, 3).astype(bfloat16)], {"to": 1}),
    OwnCase("Conv", [f(1, 5, 6, 4), f(6, 2, 3, 3), f(6), f(1, 5, 6, 6), f(6)],
            RELU | {"group": 2, "pads": [1, 1, 1, 1], "strides": [1, 1], "dilations": [1, 1]}),
    OwnCase("Conv", [f(1, 3, 8, 8), f(4, 3, 3, 3)], {"x_channels_first": 1, "strides": [2, 2]}),
    OwnCase("DeformConv", [f(1, 5, 5, 2), f(2, 2, 3, 3), f(1, 3, 3, 18), f(2), f(1, 3, 3, 9)], RELU),
    OwnCase("DeformConv", [f(1, 5, 5, 2), f(2, 2, 3, 3), f(1, 3, 3, 27), f(2)], {"mask_in_offset": 1, "group": 1, "offset_group": 1}),
    OwnCase("DimValues", [i([3])], {"bases": [1, 0], "slopes": [1, 2], "shape": [2], "to": 6}),
    OwnCase("DepthToSpace", [f(1, 2, 3, 8)], {"blocksize": 2, "mode": "CRD"}),
    OwnCase("DepthwisePointwiseConv", [f(1, 6, 6, 4), f(4, 1, 3, 3), f(8, 4, 1, 1), f(4), f(8), f(1, 6, 6, 8)],
            RELU | {"inner_activation": "Clip", "inner_activation_alpha": 0.0, "inner_activation_beta": 6.0,
                    "group": 4, "pads": [1, 1, 1, 1]}),
    OwnCase("DequantizeBnb4", [u(64), f(8)], {"N": 8, "K": 16, "block_size": 16, "quant_type": 1}),
    OwnCase("Elementwise", [f(2, 3), f(3), u(2, 3)],
            {"ops": ["DequantizeLinear", "Add", "Exp", "Mul"], "first": [2, 0, 4, 5], "second": [-1, 1, -1, 3],
             "alpha": [0.5, 0.0, 0.0, 0.0], "beta": [3.0, 0.0, 0.0, 0.0]}),
    OwnCase("ExpertMatMul", [f(2, 8), i([0, 2, 1, 1]), f(3, 4, 8), f(3, 4)]),
    OwnCase("ExpertMatMulNBits", [f(2, 32), i([0, 2, 1, 1]), u(3, 4, 16), f(3, 4, 2), u(3, 4, 1), f(3, 4)],
            {"bits": 4, "block_size": 16, "accuracy_level": 4}),
    OwnCase("GatherColumns", [i([[0, 3], [-1, 1]]), f(4, 5)]),
    OwnCase("Gemm", [f(3, 4), f(5, 4), f(5)], RELU | {"transB": 1, "alpha": 2.0, "beta": 0.5}),
    OwnCase("GlobalAveragePool", [u(1, 5, 6, 3)], BYTE_GRIDS),
    OwnCase("GlobalMaxPool", [f(1, 5, 6, 3)]),
    OwnCase("LayerNormalization", [f(2, 3, 4).astype(np.float16), f(4), f(3, 4)], {"to": 10}, outputs=3),
    OwnCase("LayerNormalization", [f(2, 3, 4), f(4)], {"to": 16, "axis": 1}),
    OwnCase("MatMul", [f(2, 3, 4), f(4, 5), f(5), f(2, 3, 5)], RELU),
    OwnCase("MaxPool", [f(1, 5, 6, 3)], WINDOW),
    OwnCase("PlaneConv", [f(1, 2, 9, 9), f(4, 1, 3, 3), f(4)], RELU | {"group": 2, "pads": [1, 1, 1, 1]}),
    OwnCase("PointwiseConv", [f(6, 5, 1, 1), f(6), f(1, 4, 4, 6), f(5), f(5), f(1, 4, 4, 2), f(1, 4, 4, 3)], RELU | {"relu": 1}),
    OwnCase("PointwiseDepthwiseConv", [f(1, 6, 6, 4), f(8, 4, 1, 1), f(8, 1, 3, 3), f(8), f(8)],
            RELU | {"inner_activation": "Relu", "group": 8, "pads": [1, 1, 1, 1]}),
    OwnCase("QLinearConv", [*quantized(u(1, 5, 5, 4), s(8, 4, 3, 3), 8, u(1, 5, 5, 8)), i([1] * 8, np.int8)],
            {"activation": "Relu", "pads": [1, 1, 1, 1]}),
    OwnCase("QLinearMatMul", [*quantized(u(2, 3, 16), s(16, 8), 8, u(2, 3, 8)), i([1] * 8, np.int8)], RELU),
    OwnCase("Resize", [f(1, 3, 4, 2), f(8), None, i([1, 2, 6, 5])], {"mode": "linear", "coordinate_transformation_mode": "tf_crop_and_resize"}),
    OwnCase("Resize", [f(1, 3, 4, 2), None, f(4) * 4], {"mode": "cubic", "antialias": 1}),
    OwnCase("RMSNormalization", [f(2, 3, 4).astype(bfloat16), f(4)], {"to": 1}),
    OwnCase("RotaryEmbedding", [f(2, 3, 4, 8), f(2, 4, 8), f(2, 4, 8)], {"rotary_embedding_dim": 8, "interleaved": 1}),
    OwnCase("RowsInUse", [i([2]), f(2, 4, 3), f(3)],
            {"body": sum_body(), "axes": [1, -1], "bases": [1, 0], "slopes": [1, 0], "output_axes": [1],
             "output0": helper.make_tensor_type_proto(TensorProto.FLOAT, [2, 4, 3])}),
    OwnCase("WriteRows", [f(2, 5, 3), f(2, 2, 3), i(1)], {"axis": 1}),
    OwnCase("GatherBlockQuantized", [u(4, 16), i([[0, 3]]), f(4, 2), u(4, 1)],
            {"block_size": 16, "bits": 4, "gather_axis": 0, "quantize_axis": 1}, MICROSOFT),
    OwnCase("MatMulNBits", [f(2, 32), u(4, 2, 8), f(4, 2), u(4), None, f(4)],
            {"K": 32, "N": 4, "bits": 4, "block_size": 16, "accuracy_level": 4}, MICROSOFT),
    OwnCase("MatMulNBits", [f(2, 32), u(4, 2, 8), f(4, 2), None, i([0] * 16 + [1] * 16, np.int32)],
            {"K": 32, "N": 4, "bits": 4, "block_size": 16}, MICROSOFT),
    OwnCase("SimplifiedLayerNormalization", [f(2, 3), f(3)], {"axis": -1}, MICROSOFT),
    OwnCase("deform_conv2d", [f(1, 2, 5, 5), f(2, 2, 3, 3), f(1, 18, 3, 3), f(2), f(1, 9, 3, 3)], {}, "custom"),
    OwnCase("my_add", [f(2, 3), f(3)], {}, "custom"),
    # Its statistics in groups, which version 21 no longer has.
    OwnCase("GroupNormalization", [f(1, 4, 2), f(2), f(2)], {"num_groups": 2}, "", opset=18),
]  # fmt: skip
