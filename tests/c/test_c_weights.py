"""The C API: initializers that runs override, and models with other weights."""

import os
from ctypes import byref, c_size_t

import numpy as np
import pytest
from c_api import ARGUMENT, MODEL, SHAPE, TYPE, UNSUPPORTED, Tensor, described, refused, tensor
from c_models import LINEAR, X, model_bytes, value
from onnx import TensorProto, helper, numpy_helper


def floats(*values):
    return np.array(values, np.float32)


# y = (x a + b) c, where a and b are also inputs.
OPEN = model_bytes(
    [helper.make_node("Mul", ["x", "a"], ["xa"]), helper.make_node("Add", ["xa", "b"], ["xab"]),
     helper.make_node("Mul", ["xab", "c"], ["y"])],
    [value(name, TensorProto.FLOAT, [2]) for name in "xab"], [value("y", TensorProto.FLOAT, [2])],
    [numpy_helper.from_array(floats(*values), name)
     for name, values in (("a", (2, 3)), ("b", (10, 20)), ("c", (1, 2)))])  # fmt: skip


def answer(api, context, *inputs):
    api.run(context, [floats(1, 1), *inputs])
    return api.output(context).tolist()


@pytest.fixture
def opened(api):
    """Loads OPEN with initializers that runs may override, and makes a context."""
    model = api.load(OPEN, overridable_initializers=1, replaceable_weights=1)
    context = api.created("context_create", model)
    yield model, context
    api.context_free(context)
    api.model_free(model)


def test_overridable_initializers_are_described(api, opened):
    for model in opened[0], api.load(OPEN):
        count = c_size_t()
        assert [api.model_input_count(model, byref(count)), count.value][1] == 1
        assert [api.model_overridable_count(model, byref(count)), count.value][1] == 2
        assert described(api, model, "overridable", 1) == ("b", TensorProto.FLOAT, 1, [2], [""])
        assert [api.model_overridable_index(model, b"b", byref(count)), count.value][1] == 1
        refused(MODEL, "no overridable initializer 'c'; the overridable initializers are 'a', 'b'",
                api.model_overridable_index, model, b"c", byref(count))  # fmt: skip
        refused(ARGUMENT, "no overridable initializer 2 of 2", described, api, model, "overridable", 2)


def test_a_run_overrides_initializers(api, opened):
    for _ in range(2):
        assert answer(api, opened[1]) == [12, 46]
        assert answer(api, opened[1], floats(0, 0)) == [10, 40]
        assert answer(api, opened[1], None, floats(0, 0)) == [2, 6]
        assert answer(api, opened[1], floats(5, 6), floats(1, 1)) == [6, 14]
    refused(MODEL, "1 inputs and up to 2 overridable initializers, got 4", answer, api, opened[1], None, None, None)
    refused(SHAPE, "'b'", answer, api, opened[1], None, floats(1))
    refused(TYPE, "'a'", answer, api, opened[1], np.ones(2))
    wrong = tensor(floats(1, 1))
    wrong.bytes = 7
    refused(SHAPE, "overridable initializer 'b': float32.2. occupies 8 bytes", answer, api, opened[1], None, wrong)
    assert answer(api, opened[1]) == [12, 46]
    closed = api.created("context_create", api.load(OPEN))
    refused(MODEL, "expected 1 inputs, got 2", answer, api, closed, floats(0, 0))
    shapes = (Tensor * 2)(wrong, wrong)
    refused(MODEL, "expected 1 inputs, got 2", api.context_prepare, opened[1], shapes, 2)


def test_weights_are_replaced_in_a_model_of_its_own(api, opened):
    c = floats(0, 1)
    second = api.with_weights(opened[0], {"a": floats(1, 1), "c": c})
    third = api.with_weights(second, {"b": floats(0, 0)})
    c[:] = 7
    contexts = [api.created("context_create", model) for model in (second, third)]
    api.model_free(second)
    assert [answer(api, context) for context in (opened[1], *contexts)] == [[12, 46], [0, 21], [0, 1]]
    assert answer(api, contexts[1], floats(2, 2)) == [0, 2]


@pytest.mark.parametrize("weights, status, words", [
    ({"q": floats(1, 2)}, MODEL, "no initializer 'q'"),
    ({"x": floats(1, 2)}, MODEL, "no initializer 'x'"),
    ({"c": floats(1)}, SHAPE, "'c' is float32.2., not float32.1."),
    ({"a": np.ones(2)}, TYPE, "'a' is float32.2., not float64.2."),
    ({"c": None}, TYPE, "initializer 'c': dtype 0"),
])  # fmt: skip
def test_weights_that_do_not_fit_are_named(api, opened, weights, status, words):
    refused(status, words, api.with_weights, opened[0], weights)
    assert answer(api, opened[1]) == [12, 46]


def test_weights_are_replaceable_where_that_was_asked_for(api, loaded, opened):
    refused(UNSUPPORTED, "replaceable_weights", api.with_weights, loaded[0], {"w": np.zeros((3, 2), np.float32)})
    refused(ARGUMENT, "names or weights is NULL", api.created, "model_with_weights", opened[0], None, None, 1)
    refused(ARGUMENT, "model is NULL", api.with_weights, None, {})
    strings = model_bytes([helper.make_node("Identity", ["s"], ["y"])], [], [value("y", TensorProto.STRING, [2])],
                          [helper.make_tensor("s", TensorProto.STRING, [2], [b"a", b"b"])])  # fmt: skip
    model = api.with_weights(api.load(strings, replaceable_weights=1), {"s": np.array(["ü", ""], object)})
    context = api.created("context_create", model)
    api.run(context, [])
    assert api.output(context).tolist() == ["ü".encode(), b""]


def test_a_prepared_model_is_kept(api, tmp_path):
    results = []
    for options in ({}, *2 * [{"cache_dir": os.fsencode(tmp_path / "cache")}]):
        model = api.load(LINEAR, **options)
        context = api.created("context_create", model)
        api.run(context, [X])
        results.append(api.output(context).tolist())
        api.context_free(context)
        api.model_free(model)
    assert results[0] == results[1] == results[2]
    assert len([*(tmp_path / "cache").glob("*/model")]) == 1
