"""The C API: operators whose callbacks are functions of Python."""

import ctypes
import threading
import time
from ctypes import POINTER, byref, c_int64

import numpy as np
import pytest
from c_api import (ARGUMENT, CALLBACK, CANCELLED, CHUNK, FREE, INTERNAL, IO, LIMIT, MODEL, OK, SHAPE, TYPE, UNSUPPORTED,
                   Failed, Operator, String, Tensor, ValueInfo, array, described, dims, refused)  # fmt: skip
from c_models import RNG, X, model_bytes, node_model, value
from locations import BUILD
from onnx import TensorProto, helper


class Mine:
    """An operator mine::Op. Its callbacks are Python functions of the API and of their arguments without user_data."""

    kept = []  # objects that contexts may call

    def __init__(self, api, infer, compute, inputs=(2, 2), outputs=1):
        self.api, self.freed, self.raised = api, [], []
        self.callbacks = [CALLBACK(self.guarded(infer)), CALLBACK(self.guarded(compute)), FREE(self.freed.append)]
        Mine.kept.append(self.callbacks)
        self.definition = Operator(**{
            "domain": b"mine", "name": b"Op", "since": 1, "min_inputs": inputs[0], "max_inputs": inputs[1],
            "output_count": outputs, "infer": self.callbacks[0], "compute": self.callbacks[1], "user_data": 77,
            "free_user_data": self.callbacks[2]})  # fmt: skip

    def guarded(self, function):
        """Returns the status of failures in the API. Other exceptions are failures of the test."""

        def callback(user_data, node, call):
            assert user_data == 77
            try:
                return function(self.api, node, call) or OK
            except Failed as error:
                return error.status
            except BaseException as error:
                self.raised.append(error)
                return INTERNAL

        return callback

    def registry(self):
        registry = self.api.created("registry_create")
        self.api.registry_add(registry, byref(self.definition))
        return registry

    def load(self, model):
        registry = self.registry()
        try:
            return self.api.load(model, registry=registry)
        finally:
            self.api.registry_free(registry)

    def context(self, model):
        return self.api.created("context_create", self.load(model))


def given(api, function, call, index):
    result = (ValueInfo if function.startswith("inference") else Tensor)()
    getattr(api, function)(call, index, byref(result))
    return result


def like_first_input(api, node, inference):
    api.inference_set_output(inference, 0, byref(given(api, "inference_input", inference, 0)))


def attribute(api, node, kind, name, *types):
    values = [t() for t in types]
    getattr(api, f"node_{kind}")(node, name, *map(byref, values))
    return values[0].value if len(values) == 1 else values[0][: values[1].value]


def scaled_add(api, node, computation):
    """y = alpha a + b"""
    a, b = (array(given(api, "computation_input", computation, i)) for i in range(2))
    y = array(given(api, "computation_output", computation, 0))
    y[...] = attribute(api, node, "float", b"alpha", ctypes.c_float) * a + b


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16])
def test_an_operator_computes(api, dtype):
    mine = Mine(api, like_first_input, scaled_add)
    model = mine.load(node_model(dtype=helper.np_dtype_to_tensor_dtype(np.dtype(dtype)), alpha=2.5))
    assert described(api, model, "output", 0)[2:] == (2, [-1, 3], ["N", ""])
    context = api.created("context_create", model)
    api.model_free(model)
    for rows in (2, 5):
        a, b = (RNG.integers(-8, 8, (rows, 3)).astype(dtype) for _ in range(2))
        api.run(context, [a, b])
        np.testing.assert_array_equal(api.output(context), (2.5 * a.astype(np.float64) + b).astype(dtype))
    assert not mine.raised and not mine.freed
    api.context_free(context)
    assert mine.freed == [77]


@pytest.mark.parametrize("optimization, computed", [(0, 1), (1, 1), (2, 2)], ids=["all", "basic", "nothing"])
def test_equal_nodes_are_computed_once_unless_nothing_is_optimized(api, optimization, computed):
    calls = []

    def compute(api, node, computation):
        calls.append(node)
        scaled_add(api, node, computation)

    mine = Mine(api, like_first_input, compute)
    registry = mine.registry()
    nodes = [helper.make_node("Op", ["x", "x"], [y], domain="mine", alpha=2.0) for y in "ab"]
    model = model_bytes([*nodes, helper.make_node("Add", ["a", "b"], ["y"])], [value("x", TensorProto.FLOAT, [4, 3])],
                        [value("y", TensorProto.FLOAT, [4, 3])])  # fmt: skip
    context = api.created("context_create", api.load(model, registry=registry, optimization=optimization))
    api.run(context, [X])
    assert len(calls) == computed
    np.testing.assert_allclose(api.output(context), 6 * X, rtol=1e-6)


def test_bools_that_an_operator_writes_are_zero_or_one(api):
    def compute(api, node, computation):
        array(given(api, "computation_output", computation, 0)).view(np.uint8)[...] = [0, 2, 255]

    mine = Mine(api, like_first_input, compute, inputs=(1, 1))
    registry = mine.registry()
    nodes = [helper.make_node("Op", ["x"], ["m"], domain="mine"), helper.make_node("NonZero", ["m"], ["places"]),
             helper.make_node("Identity", ["m"], ["y"])]  # fmt: skip
    model = model_bytes(nodes, [value("x", TensorProto.BOOL, [3])],
                        [value("y", TensorProto.BOOL, [3]), value("places", TensorProto.INT64, None)])  # fmt: skip
    context = api.created("context_create", api.load(model, registry=registry))
    api.run(context, [np.zeros(3, bool)])
    assert api.output(context).view(np.uint8).tolist() == [0, 1, 1]
    assert api.output(context, 1).tolist() == [[1, 2]]
    assert not mine.raised


def test_an_operator_reads_attributes_of_every_kind(api):
    seen = []

    def infer(api, node, inference):
        has, string = api.library.linnet_node_has_attribute, String()
        api.node_string(node, b"s", byref(string))
        seen.append([
            attribute(api, node, "int", b"i", c_int64),
            attribute(api, node, "float", b"f", ctypes.c_float),
            attribute(api, node, "ints", b"is", POINTER(c_int64), ctypes.c_size_t),
            attribute(api, node, "floats", b"fs", POINTER(ctypes.c_float), ctypes.c_size_t),
            has(ctypes.c_void_p(node), b"i"), has(ctypes.c_void_p(node), b"j"),
            ctypes.string_at(string.data, string.size),
        ])  # fmt: skip
        refused(MODEL, "'j' is required", attribute, api, node, "int", b"j", c_int64)
        refused(MODEL, "'f' has the wrong type", attribute, api, node, "int", b"f", c_int64)
        refused(ARGUMENT, "name is NULL", attribute, api, node, "int", None, c_int64)
        like_first_input(api, node, inference)

    mine = Mine(api, infer, scaled_add)
    mine.load(node_model(i=-(2**40), f=0.5, **{"is": [3, -4], "fs": [1.5], "s": "Grüße"}))
    assert seen[0] == [-(2**40), 0.5, [3, -4], [1.5], 1, 0, "Grüße".encode()]
    assert not mine.raised


def test_inputs_and_outputs_may_be_omitted(api):
    def infer(api, node, inference):
        assert given(api, "inference_input", inference, 1).dtype == 0
        assert given(api, "inference_input", inference, 3).dtype == 0
        for output in range(2):
            api.inference_set_output(inference, output, byref(given(api, "inference_input", inference, 0)))

    def compute(api, node, computation):
        assert given(api, "computation_input", computation, 1).dtype == 0
        assert given(api, "computation_output", computation, 0).dtype == 0
        a, c = (array(given(api, "computation_input", computation, i)) for i in (0, 2))
        array(given(api, "computation_output", computation, 1))[...] = a - c

    mine = Mine(api, infer, compute, inputs=(1, 4), outputs=2)
    context = mine.context(node_model(inputs=("a", "", "c"), outputs=("", "y")))
    api.run(context, [X, 2 * X])
    np.testing.assert_array_equal(api.output(context), -X)
    assert not mine.raised


def test_an_output_whose_shape_depends_on_data_is_allocated(api):
    """The output contains the values above zero."""

    def infer(api, node, inference):
        x = given(api, "inference_input", inference, 0)
        y = ValueInfo(dtype=x.dtype, rank=1, dims=dims(-1))
        api.inference_set_output(inference, 0, byref(y))

    def compute(api, node, computation):
        x = array(given(api, "computation_input", computation, 0))
        y = Tensor()
        refused(ARGUMENT, "allocate it", api.computation_output, computation, 0, byref(y))
        api.computation_allocate_output(computation, 0, 1, dims(int((x > 0).sum())), byref(y))
        array(y)[...] = x[x > 0]
        refused(ARGUMENT, "allocated already", api.computation_allocate_output, computation, 0, 1, dims(1), byref(y))

    mine = Mine(api, infer, compute, inputs=(1, 1))
    context = mine.context(node_model(inputs=("a",)))
    for x in X, -X, np.abs(X), -np.abs(X):
        api.run(context, [x])
        np.testing.assert_array_equal(api.output(context), x[x > 0])
    assert not mine.raised


def test_an_operator_uses_the_threads_of_the_run(api):
    workers = set()

    def compute(api, node, computation):
        x, y = (array(given(api, f"computation_{side}", computation, 0)) for side in ("input", "output"))

        def chunk(data, i, worker):
            workers.add((worker, threading.get_ident()))
            time.sleep(0.01)
            y[i] = -x[i]
            return OK

        api.computation_parallel_for(computation, len(x), CHUNK(chunk), None)
        fails = CHUNK(lambda data, i, worker: api.library.linnet_set_error(SHAPE, b"chunk fails"))
        refused(SHAPE, "chunk fails", api.computation_parallel_for, computation, 8, fails, None)
        refused(ARGUMENT, "chunks", api.computation_parallel_for, computation, c_int64(-1), fails, None)

    mine = Mine(api, like_first_input, compute, inputs=(1, 1))
    registry = mine.registry()
    context = api.created("context_create", api.load(node_model(inputs=("a",)), registry=registry, threads=2))
    x = RNG.standard_normal((16, 3)).astype(np.float32)
    api.run(context, [x])
    np.testing.assert_array_equal(api.output(context), -x)
    assert {worker for worker, _ in workers} == {0, 1} and len({thread for _, thread in workers}) == 2
    assert not mine.raised


def test_an_operator_notices_that_its_run_is_cancelled(api):
    token = api.created("cancellation_create")

    def compute(api, node, computation):
        api.computation_check(computation)
        api.cancellation_cancel(token)
        while True:
            api.computation_check(computation)

    mine = Mine(api, like_first_input, compute, inputs=(1, 1))
    context = mine.context(node_model(inputs=("a",)))
    refused(CANCELLED, "mine::Op 'node'", lambda: api.run(context, [X], cancellation=token))


@pytest.mark.parametrize("status, expected", [*((s, s) for s in range(MODEL, ARGUMENT)), (ARGUMENT, INTERNAL),
                                              (77, INTERNAL), (-1, INTERNAL)])  # fmt: skip
def test_errors_of_callbacks_become_those_of_the_call(api, status, expected):
    fails = lambda api, node, call: api.library.linnet_set_error(status, b"it does not fit")
    where = r"mine::Op 'node' \(opset 1\): it does not fit"
    refused(expected, where, Mine(api, fails, scaled_add).load, node_model())
    refused(expected, where, api.run, Mine(api, like_first_input, fails).context(node_model()), [X, X])
    silent = lambda api, node, call: status
    refused(expected, f"returned status {status}", Mine(api, silent, scaled_add).load, node_model())


def test_what_callbacks_leave_out_is_an_error(api):
    nothing = lambda api, node, call: OK
    refused(INTERNAL, r"infer\(\) did not set output 0", Mine(api, nothing, scaled_add).load, node_model())

    def open_output(api, node, inference):
        api.inference_set_output(inference, 0, byref(ValueInfo(dtype=1, rank=-1)))

    context = Mine(api, open_output, nothing).context(node_model())
    refused(INTERNAL, r"compute\(\) did not allocate output 0", api.run, context, [X, X])


def test_callbacks_cannot_pass_what_does_not_fit(api):
    def infer(api, node, inference):
        refused(ARGUMENT, "no input 2 of 2", given, api, "inference_input", inference, 2)
        like_first_input(api, node, inference)
        for status, words, output, fields in [
            (ARGUMENT, "no output 1 of 1", 1, {}), (TYPE, "dtype 99", 0, {"dtype": 99}), (TYPE, "dtype 0", 0, {"dtype": 0}),
            (UNSUPPORTED, "strings", 0, {"dtype": 8}), (LIMIT, "rank 17", 0, {"rank": 17, "dims": dims(*[1] * 17)}),
            (ARGUMENT, "rank", 0, {"rank": -2}), (ARGUMENT, "dims is NULL", 0, {"dims": POINTER(c_int64)()}),
            (ARGUMENT, "below -1", 0, {"dims": dims(-2)}),
        ]:  # fmt: skip
            info = ValueInfo(**{"dtype": 1, "rank": 1, "dims": dims(2), **fields})
            refused(status, words, api.inference_set_output, inference, output, byref(info))

    def compute(api, node, computation):
        refused(ARGUMENT, "no input 2 of 2", given, api, "computation_input", computation, 2)
        refused(ARGUMENT, "no output 1 of 1", given, api, "computation_output", computation, 1)
        refused(ARGUMENT, "has memory already", api.computation_allocate_output, computation, 0, 1, dims(1), byref(Tensor()))
        array(given(api, "computation_output", computation, 0))[...] = 1

    mine = Mine(api, infer, compute)
    api.run(mine.context(node_model()), [X, X])
    assert not mine.raised


@pytest.mark.parametrize("inputs, status, words", [
    (("a",), MODEL, "input 1 is missing"), (("", "b"), MODEL, "input 0 is missing"),
    (("a", "b", "c"), MODEL, "the node has 3 inputs, the operator 2")])  # fmt: skip
def test_nodes_have_the_inputs_that_the_operator_takes(api, inputs, status, words):
    refused(status, words, Mine(api, like_first_input, scaled_add).load, node_model(inputs=inputs))


def test_operators_in_c_take_no_strings(api):
    mine = Mine(api, like_first_input, scaled_add)
    refused(UNSUPPORTED, "input 0 holds strings", mine.load, node_model(dtype=TensorProto.STRING))


@pytest.mark.parametrize("fields", [
    {"size": 8}, {"name": None}, {"name": b""}, {"since": 0}, {"min_inputs": 3}, {"max_inputs": 2**63}, {"output_count": 0},
    {"output_count": 2**63}, {"infer": CALLBACK()}, {"compute": CALLBACK()},
], ids=lambda fields: "".join(fields))  # fmt: skip
def test_definitions_of_operators_are_checked(api, fields):
    mine = Mine(api, like_first_input, scaled_add)
    for name, field in fields.items():
        setattr(mine.definition, name, field)
    refused(ARGUMENT, f"definition->.*({next(iter(fields))})", mine.registry)
    assert mine.freed == []


def test_a_later_operator_replaces_an_earlier_one_and_the_registry_ends_them(api):
    first, second = Mine(api, like_first_input, scaled_add), Mine(api, like_first_input, scaled_add)
    registry = first.registry()
    api.registry_add(registry, byref(second.definition))
    assert (first.freed, second.freed) == ([77], [])
    api.registry_free(registry)
    assert second.freed == [77]


def test_a_registry_loads_libraries_of_operators_in_cpp(api, tmp_path):
    registry = api.created("registry_create")
    api.registry_load_library(registry, str(BUILD / "lib" / "libmy_ops.so").encode())
    refused(IO, "none.so", api.registry_load_library, registry, str(tmp_path / "none.so").encode())
    node = helper.make_node("my_add", ["a", "b"], ["y"], domain="custom")
    model = model_bytes([node], [value(name, 1, [3]) for name in "ab"], [value("y", 1, [3])])
    context = api.created("context_create", api.load(model, registry=registry))
    api.run(context, [np.ones(3, np.float32), np.ones(3, np.float32)])
    np.testing.assert_array_equal(api.output(context), [3, 3, 3])
