"""Sessions of linnet for graphs of a few nodes, and arrays of every dtype."""

import linnet
import ml_dtypes
import numpy as np
from onnx import helper

ARRAYS = [
    np.array([[1.5, -2], [np.nan, 4]], np.dtype(name))
    for name in ("float16", "float32", "float64", "complex64", "complex128")
]
ARRAYS += [np.array([[0, 1], [100, 127]], name) for name in ("int8", "uint8", "int16", "uint16", "int32", "uint32")]
ARRAYS += [np.array([-(2**63), 2**63 - 1], np.int64), np.array([2**64 - 1], np.uint64), np.array([True, False])]
ARRAYS += [np.array([1, -2, 0.5], name) for name in (ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2)]
ARRAYS += [np.array([1, 7, -8], ml_dtypes.int4), np.array([[1, 15], [7, 8], [0, 3]], ml_dtypes.uint4)]
ARRAYS += [np.array([1, -1, 6], ml_dtypes.float4_e2m1fn), np.array(3.5, np.float32), np.zeros((2, 0, 3), np.float32)]


def session(nodes, inputs, outputs, initializers=(), **options):
    graph = helper.make_graph(nodes, "graph", inputs, outputs, list(initializers))
    opsets = [helper.make_opsetid(*opset) for opset in (("", 21), ("com.microsoft", 1), ("ai.onnx.ml", 3))]
    return linnet.Session(helper.make_model(graph, ir_version=10, opset_imports=opsets).SerializeToString(), **options)


def tensor(name, dtype, shape):
    return helper.make_tensor_value_info(name, dtype, shape)


def identity(dtype, shape, **options):
    node = helper.make_node("Identity", ["x"], ["y"])
    return session([node], [tensor("x", dtype, shape)], [tensor("y", dtype, shape)], **options)
