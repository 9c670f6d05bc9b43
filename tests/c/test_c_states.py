"""The C API: outputs that are inputs of the next run."""

from ctypes import byref

import numpy as np
import pytest
from c_api import ARGUMENT, MODEL, SHAPE, TYPE, Tensor, array, refused, tensor
from c_models import model_bytes, value
from onnx import TensorProto, helper

ROWS = np.random.default_rng(5).standard_normal((9, 2, 1, 3)).astype(np.float32)
NOTHING = np.zeros((2, 0, 3), np.float32)
X, PAST = 0, 1
Y, PRESENT = 0, 1

# present = past and the rows of x below it; y = the sums of its columns.
GROWING = model_bytes(
    [helper.make_node("Concat", ["past", "x"], ["present"], axis=1),
     helper.make_node("ReduceSum", ["present", "axes"], ["y"], keepdims=0)],
    [value("x", TensorProto.FLOAT, [2, "T", 3]), value("past", TensorProto.FLOAT, [2, "P", 3])],
    [value("y", TensorProto.FLOAT, [2, 3]), value("present", TensorProto.FLOAT, [2, "S", 3])],
    [helper.make_tensor("axes", TensorProto.INT64, [1], [1])])  # fmt: skip


def sums(rows):
    return np.concatenate(list(rows), axis=1).sum(axis=1)


@pytest.fixture
def context(api):
    model = api.load(GROWING)
    context = api.created("context_create", model)
    api.context_bind_state(context, PRESENT, PAST, byref(tensor(NOTHING)), 0)
    yield context
    api.context_free(context)
    api.model_free(model)


def step(api, context, x):
    api.run(context, [x, Tensor()])
    return api.output(context, Y)


def state(api, context):
    view = Tensor()
    api.context_state(context, PAST, byref(view))
    return array(view).copy()


def test_a_state_grows_by_what_a_run_gives(api, context):
    for count, x in enumerate(ROWS, 1):
        np.testing.assert_allclose(step(api, context, x), sums(ROWS[:count]), rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(state(api, context), np.concatenate(list(ROWS), axis=1))


def test_an_output_that_is_a_state_is_undefined(api, context):
    step(api, context, ROWS[0])
    output = tensor(ROWS[0])
    api.context_output(context, PRESENT, byref(output))
    assert (output.dtype, output.rank, output.bytes) == (0, 0, 0)


def test_states_are_truncated_set_and_reset(api, context):
    for x in ROWS:
        step(api, context, x)
    api.context_truncate_states(context, 4)
    np.testing.assert_allclose(step(api, context, ROWS[4]), sums(ROWS[:5]), rtol=1e-5, atol=1e-6)
    api.context_set_state(context, PAST, byref(tensor(ROWS[7])))
    np.testing.assert_allclose(step(api, context, ROWS[8]), sums(ROWS[7:]), rtol=1e-5, atol=1e-6)
    api.context_reset_states(context)
    np.testing.assert_allclose(step(api, context, ROWS[3]), sums(ROWS[3:4]), rtol=1e-5, atol=1e-6)


def test_forks_go_their_own_ways(api, context):
    for x in ROWS[:3]:
        step(api, context, x)
    fork = api.created("context_fork", context)
    np.testing.assert_allclose(step(api, fork, ROWS[5]), sums([*ROWS[:3], ROWS[5]]), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(step(api, context, ROWS[3]), sums(ROWS[:4]), rtol=1e-5, atol=1e-6)
    assert state(api, fork).shape == state(api, context).shape == (2, 4, 3)
    api.context_free(fork)


def test_what_does_not_fit_is_refused_and_changes_nothing(api, context):
    step(api, context, ROWS[0])
    empty = byref(tensor(NOTHING))
    refused(MODEL, "'past'", api.context_bind_state, context, PRESENT, PAST, empty, 0)
    refused(ARGUMENT, "there is no output 2 of 2", api.context_bind_state, context, 2, PAST, empty, 0)
    refused(ARGUMENT, "there is no input 2 of 2", api.context_bind_state, context, PRESENT, 2, empty, 0)
    refused(ARGUMENT, "initial is NULL", api.context_bind_state, context, PRESENT, PAST, None, 0)
    refused(ARGUMENT, "value is NULL", api.context_set_state, context, PAST, None)
    refused(ARGUMENT, "state is NULL", api.context_state, context, PAST, None)
    refused(MODEL, "'x'", api.context_state, context, X, byref(Tensor()))
    refused(SHAPE, "past", api.context_set_state, context, PAST, byref(tensor(ROWS[0][0])))
    refused(TYPE, "past", api.context_set_state, context, PAST, byref(tensor(ROWS[0].astype(np.float64))))
    refused(TYPE, "input 'x'", api.run, context, [Tensor(), Tensor()])
    refused(MODEL, "past", api.run, context, [ROWS[1], NOTHING])
    refused(SHAPE, "", api.context_truncate_states, context, 2)
    refused(SHAPE, "", api.context_truncate_states, context, -1)
    np.testing.assert_array_equal(state(api, context), ROWS[0])
    np.testing.assert_allclose(step(api, context, ROWS[1]), sums(ROWS[:2]), rtol=1e-5, atol=1e-6)
