"""The C API: input and output values."""

import ctypes
from ctypes import byref, c_int64

import ml_dtypes
import numpy as np
import pytest
from c_api import ARGUMENT, MODEL, SHAPE, UNSUPPORTED, Tensor, refused, tensor
from c_models import LINEAR, RNG, W, X, identity, model_bytes, value
from onnx import TensorProto, helper


def test_outputs_lie_in_memory_of_the_context(api, loaded):
    api.run(loaded[1], [X])
    np.testing.assert_allclose(api.output(loaded[1], 0), X @ W, rtol=1e-5)
    np.testing.assert_array_equal(api.output(loaded[1], 1), -api.output(loaded[1], 0))


def test_outputs_lie_in_memory_of_the_caller_where_it_gives_some(api, loaded):
    y, z = np.zeros((4, 2), np.float32), np.zeros((4, 2), np.float32)
    for given in ([y, z], [None, z], [y]):
        y[:] = z[:] = 0
        api.run(loaded[1], [X], given)
        for i, memory in enumerate(given):
            if memory is not None:
                assert api.output(loaded[1], i).ctypes.data == memory.ctypes.data
                np.testing.assert_allclose(memory, [X @ W, -(X @ W)][i], rtol=1e-5)
        np.testing.assert_allclose(api.output(loaded[1], 1), -(X @ W), rtol=1e-5)


def test_a_context_outlives_its_model_and_runs_other_shapes(api):
    model = api.load(LINEAR)
    context = api.created("context_create", model)
    api.model_free(model)
    for rows in (1, 5, 0, 2):
        x = RNG.standard_normal((rows, 3)).astype(np.float32)
        api.run(context, [x])
        np.testing.assert_allclose(api.output(context), x @ W, rtol=1e-5)
    api.context_free(context)


def test_outputs_are_inputs_of_the_next_run(api):
    context = api.created("context_create", api.load(model_bytes(
        [helper.make_node("Add", ["x", "x"], ["y"])], [value("x", TensorProto.FLOAT, [3])],
        [value("y", TensorProto.FLOAT, [3])])))  # fmt: skip
    api.run(context, [np.ones(3, np.float32)])
    for expected in (4, 8, 16):
        fed = Tensor()
        api.context_output(context, 0, byref(fed))
        api.run(context, [fed])
        np.testing.assert_array_equal(api.output(context), np.full(3, expected, np.float32))


ARRAYS = [np.array([[1.5, -2], [np.nan, 4]], np.dtype(name))
          for name in ("float16", "float32", "float64", "complex64", "complex128")]  # fmt: skip
ARRAYS += [np.array([[0, 1], [100, 127]], name) for name in ("int8", "uint8", "int16", "uint16", "int32", "uint32")]
ARRAYS += [np.array([-(2**63), 2**63 - 1], np.int64), np.array([2**64 - 1], np.uint64), np.array([True, False])]
ARRAYS += [np.array([1, -2, 0.5], name) for name in (ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn)]
ARRAYS += [np.array(3.5, np.float32), np.zeros((2, 0, 3), np.float32)]


@pytest.mark.parametrize("x", ARRAYS, ids=lambda x: f"{x.dtype}-{x.shape}")
def test_every_dtype_comes_back(api, x):
    context = api.created("context_create", api.load(identity(helper.np_dtype_to_tensor_dtype(x.dtype), list(x.shape))))
    given = np.zeros_like(x)
    api.run(context, [x])
    assert api.output(context).tobytes() == x.tobytes() and api.output(context).shape == x.shape
    api.run(context, [x], [given])
    assert given.tobytes() == x.tobytes()


def test_elements_of_less_than_a_byte_lie_without_gaps(api):
    context = api.created("context_create", api.load(identity(TensorProto.UINT4, [3])))
    packed = np.array([0x21, 0x03], np.uint8)
    x = tensor(packed)
    x.dtype, x.dims = TensorProto.UINT4, (c_int64 * 1)(3)
    api.run(context, [x])
    y = Tensor()
    api.context_output(context, 0, byref(y))
    assert y.bytes == 2 and ctypes.string_at(y.data, 2) == packed.tobytes()


def test_strings_come_back(api):
    context = api.created("context_create", api.load(identity(TensorProto.STRING, ["N", 2])))
    texts = np.array([["a", ""], ["Grüße", "x" * 1000], ["null\0inside", "\n"]], object)
    for texts in texts, texts[::-1], texts[1:]:
        api.run(context, [texts])
        expected = np.array([[text.encode() for text in row] for row in texts], object)
        np.testing.assert_array_equal(api.output(context), expected)
        np.testing.assert_array_equal(api.output(context), expected)
    memory = tensor(texts)
    refused(UNSUPPORTED, "output 'y': strings", api.run, context, [texts], [memory])
    memory.held[-1][3] = (None, 5)
    refused(ARGUMENT, "input 'x': data of a string is NULL", api.run, context, [memory])


def test_prepare_plans_for_shapes(api, loaded):
    shapes = (Tensor * 1)(tensor(X))
    shapes[0].data, shapes[0].dtype = None, 0
    api.context_prepare(loaded[1], shapes, 1)
    refused(ARGUMENT, "no outputs", api.output, loaded[1])
    api.run(loaded[1], [X])
    np.testing.assert_allclose(api.output(loaded[1]), X @ W, rtol=1e-5)
    shapes[0].dims[1] = 4
    refused(SHAPE, "'x'", api.context_prepare, loaded[1], shapes, 1)
    refused(MODEL, "expected 1 inputs, got 0", api.context_prepare, loaded[1], None, 0)
