"""The C API: invalid arguments."""

import ctypes
import re
from ctypes import POINTER, byref, c_int64, c_size_t

import numpy as np
import pytest
from c_api import ARGUMENT, LIMIT, MODEL, SHAPE, TYPE, Failed, RunOptions, Tensor, dims, refused, tensor
from c_models import LINEAR, W, X
from locations import BUILD, ROOT
from onnx import TensorProto

HEADER = (ROOT / "bindings" / "c" / "include" / "linnet.h").read_text()


def with_field(x, **fields):
    for name, field in fields.items():
        setattr(x, name, field)
    return x


# The changes to a struct that refers to an array of X's shape, which is made for each run.
INPUTS = {
    "dtype of another input": (TYPE, "'x'", {"dtype": TensorProto.INT32}),
    "dtype that does not exist": (TYPE, "input 'x': dtype 99", {"dtype": 99}),
    "dtype of a sequence": (TYPE, "input 'x': dtype 64", {"dtype": 64}),
    "no dtype": (TYPE, "input 'x': dtype 0", {"dtype": 0}),
    "dims that do not fit": (SHAPE, "'x'", {"dims": dims(3, 4)}),
    "rank that does not fit": (SHAPE, "'x'", {"rank": 1, "dims": dims(12)}),
    "negative rank": (ARGUMENT, "input 'x': rank is below 0", {"rank": -1}),
    "huge rank": (LIMIT, "input 'x'", {"rank": 17, "dims": dims(*[1] * 17)}),
    "negative dim": (SHAPE, "input 'x'", {"dims": dims(-4, -3)}),
    "dims whose product overflows": (LIMIT, "input 'x'", {"dims": dims(2**62, 3)}),
    "no dims": (ARGUMENT, "input 'x': dims is NULL", {"dims": POINTER(c_int64)()}),
    "no data": (ARGUMENT, "input 'x': data is NULL", {"data": None}),
    "too few bytes": (SHAPE, r"input 'x': float32\[4,3\] occupies 48 bytes, the memory has 44", {"bytes": 44}),
    "too many bytes": (SHAPE, "input 'x': .*52", {"bytes": 52}),
}


@pytest.mark.parametrize("case", INPUTS)
def test_an_input_that_does_not_fit_is_named(api, loaded, case):
    status, words, fields = INPUTS[case]
    refused(status, words, api.run, loaded[1], [with_field(tensor(X), **fields)])
    api.run(loaded[1], [X])
    np.testing.assert_allclose(api.output(loaded[1]), X @ W, rtol=1e-5)


def test_the_count_of_inputs_must_be_the_model_s(api, loaded):
    refused(MODEL, "expected 1 inputs, got 2", api.run, loaded[1], [X, X])
    refused(MODEL, "expected 1 inputs, got 0", api.run, loaded[1], [])
    refused(ARGUMENT, "inputs is NULL", api.context_run, loaded[1], None, 1, None)


def test_memory_for_an_output_must_be_of_its_dtype_and_shape(api, loaded):
    y = np.zeros((4, 2), np.float32)
    refused(TYPE, "'y'", api.run, loaded[1], [X], [np.zeros((4, 2), np.int32)])
    refused(SHAPE, "'z'", api.run, loaded[1], [X], [y, np.zeros((2, 4), np.float32)])
    refused(SHAPE, "output 'y'.*bytes", api.run, loaded[1], [X], [with_field(tensor(y), bytes=28)])
    refused(ARGUMENT, "output 'y': data is NULL", api.run, loaded[1], [X], [with_field(tensor(y), data=None)])
    refused(MODEL, "3 outputs, of 2", api.run, loaded[1], [X], [y, None, None])
    options = RunOptions(output_count=1)
    refused(ARGUMENT, "outputs is NULL", api.context_run, loaded[1], (Tensor * 1)(tensor(X)), 1, byref(options))
    options = RunOptions(size=9)
    refused(ARGUMENT, "options->size", api.context_run, loaded[1], (Tensor * 1)(tensor(X)), 1, byref(options))


def test_memory_for_outputs_must_not_overlap(api, loaded):
    memory = np.zeros(40, np.float32)
    x, y, z = memory[:12].reshape(4, 3), memory[12:20].reshape(4, 2), memory[20:28].reshape(4, 2)
    x[:] = X
    api.run(loaded[1], [x], [y, z])
    np.testing.assert_allclose(y, X @ W, rtol=1e-5)
    np.testing.assert_array_equal(z, -y)
    refused(SHAPE, "'y' overlaps", api.run, loaded[1], [x], [memory[11:19].reshape(4, 2)])
    refused(SHAPE, "'y' overlaps", api.run, loaded[1], [x], [y, memory[19:27].reshape(4, 2)])
    np.testing.assert_array_equal(x, X)


def test_memory_of_the_context_is_not_memory_of_the_caller(api, loaded):
    api.run(loaded[1], [X])
    held = Tensor()
    api.context_output(loaded[1], 1, byref(held))
    refused(ARGUMENT, "output 'y': .* the context's", api.run, loaded[1], [X], [held])
    mine = np.zeros((4, 2), np.float32)
    for _ in range(2):
        api.run(loaded[1], [X], [None, mine])


HANDLES = {"linnet_model", "linnet_context", "linnet_cancellation", "linnet_registry", "linnet_node", "linnet_inference",
           "linnet_computation"}  # fmt: skip
DECLARED = re.findall(r"LINNET_API (?:linnet_status|int|const char\*) (linnet_\w+)\((.*?)\);", re.sub(r"\s+", " ", HEADER))
TAKING_HANDLES = {name: parameters.split(",") for name, parameters in DECLARED
                  if not name.endswith(("_free", "has_attribute")) and name != "linnet_set_error" and parameters != "void"}  # fmt: skip


@pytest.mark.parametrize("name", TAKING_HANDLES)
def test_null_is_an_error_of_every_function(api, name):
    refused(ARGUMENT, "is NULL", getattr(api, name.removeprefix("linnet_")), *[None] * len(TAKING_HANDLES[name]))


def test_the_header_declares_what_these_tests_find_in_it():
    assert len(TAKING_HANDLES) > 25 and {"linnet_context_run", "linnet_registry_add"} <= set(TAKING_HANDLES)


@pytest.mark.parametrize("kind", ["model", "context", "cancellation", "registry"])
def test_null_may_be_freed(api, kind):
    getattr(api, f"{kind}_free")(None)


def test_results_have_somewhere_to_go(api, loaded):
    for function, arguments in [("model_input_count", (loaded[0], None)), ("model_input", (loaded[0], 0, None)),
                                ("model_output_index", (loaded[0], b"y", None)), ("model_metadata", (loaded[0], None)),
                                ("context_create", (loaded[0], None)), ("model_load", (b"m.onnx", None, None))]:  # fmt: skip
        refused(ARGUMENT, "is NULL", getattr(api, function), *arguments)
    refused(ARGUMENT, "name is NULL", api.model_input_index, loaded[0], None, byref(c_size_t()))
    refused(ARGUMENT, "path is NULL", api.model_load, None, None, byref(ctypes.c_void_p()))
    refused(ARGUMENT, "bytes is NULL", api.model_load_bytes, None, 3, None, None, byref(ctypes.c_void_p()))
    api.run(loaded[1], [X])
    refused(ARGUMENT, "output is NULL", api.context_output, loaded[1], 0, None)
    refused(ARGUMENT, "no output 2 of 2", api.output, loaded[1], 2)


def test_builds_with_assertions_know_freed_handles(checked_api):
    model = checked_api.load(LINEAR)
    context = checked_api.created("context_create", model)
    token, registry = checked_api.created("cancellation_create"), checked_api.created("registry_create")
    checked_api.run(context, [X])
    for kind, handle in ("model", model), ("context", context), ("cancellation", token), ("registry", registry):
        getattr(checked_api, f"{kind}_free")(handle)
        refused(ARGUMENT, f"{kind} is not a handle .*freed", getattr(checked_api, f"{kind}_free"), handle)
    refused(ARGUMENT, "context .*freed", checked_api.run, context, [X])
    refused(ARGUMENT, "context .*freed", checked_api.output, context)
    refused(ARGUMENT, "model .*freed", checked_api.created, "context_create", model)
    refused(ARGUMENT, "cancellation .*freed", checked_api.cancellation_cancel, token)
    with pytest.raises(Failed, match="registry .*freed"):
        checked_api.load(LINEAR, registry=registry)


def test_builds_with_assertions_know_handles_of_another_kind(checked_api):
    model = checked_api.load(LINEAR)
    refused(ARGUMENT, "context is not a handle of its kind", checked_api.run, model, [X])
    refused(ARGUMENT, "context is not a handle of its kind", checked_api.context_free, model)
    refused(ARGUMENT, "model is not a handle of its kind", checked_api.model_free, ctypes.addressof(ctypes.c_int64()))
    checked_api.model_free(model)
