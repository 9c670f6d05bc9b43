"""The C API: loading models, and their descriptions."""

import ctypes
from ctypes import byref, c_size_t, c_uint64

import numpy as np
import onnx
import pytest
from c_api import ARGUMENT, IO, LIMIT, MODEL, UNSUPPORTED, Metadata, Options, described, refused
from c_models import ENDLESS, ENDLESS_INPUTS, LINEAR, W, X, model_bytes, value
from onnx import TensorProto, helper, numpy_helper
from processors import multiplies_bfloat16


def test_the_interface_is_described(api, loaded):
    count = c_size_t()
    assert [api.model_input_count(loaded[0], byref(count)), count.value][1] == 1
    assert [api.model_output_count(loaded[0], byref(count)), count.value][1] == 2
    assert described(api, loaded[0], "input", 0) == ("x", TensorProto.FLOAT, 2, [-1, 3], ["N", ""])
    assert described(api, loaded[0], "output", 1) == ("z", TensorProto.FLOAT, 2, [-1, 2], ["N", ""])
    assert [api.model_output_index(loaded[0], b"z", byref(count)), count.value][1] == 1
    assert [api.model_input_index(loaded[0], b"x", byref(count)), count.value][1] == 0
    for side, index in ("input", 1), ("output", 2), ("output", 2**64 - 1):
        refused(ARGUMENT, f"there is no {side}", described, api, loaded[0], side, index)


def test_an_unknown_name_is_answered_by_those_that_exist(api, loaded):
    refused(MODEL, "no input 'q'; the inputs are 'x'", api.model_input_index, loaded[0], b"q", byref(c_size_t()))
    refused(MODEL, "no output 'q'; the outputs are 'y', 'z'", api.model_output_index, loaded[0], b"q", byref(c_size_t()))


def test_metadata_is_what_the_file_says(api):
    proto = onnx.load_from_string(LINEAR)
    proto.metadata_props.extend([onnx.StringStringEntryProto(key=k, value=v) for k, v in (("b", "2"), ("a", "ä"))])
    proto.model_version = 7
    metadata = Metadata()
    api.model_metadata(api.load(proto.SerializeToString()), byref(metadata))
    assert (metadata.producer_name, metadata.description, metadata.graph_name) == (b"me", b"about", b"graph")
    assert (metadata.domain, metadata.version) == (b"", 7)
    properties = metadata.property_keys[: metadata.property_count], metadata.property_values[: metadata.property_count]
    assert properties == ([b"a", b"b"], ["ä".encode(), b"2"])


def test_containers_are_described_and_refused(api):
    model = api.load(model_bytes(
        [helper.make_node("SequenceConstruct", ["x"], ["s"]), helper.make_node("Neg", ["x"], ["y"])],
        [value("x", TensorProto.FLOAT, [2])],
        [helper.make_tensor_sequence_value_info("s", TensorProto.FLOAT, [2]), value("y", TensorProto.FLOAT, [2])]))  # fmt: skip
    assert described(api, model, "output", 0)[:3] == ("s", 64, -1)
    context = api.created("context_create", model)
    api.run(context, [np.ones(2, np.float32)])
    refused(UNSUPPORTED, "output 's' is not a tensor: sequence", api.output, context, 0)
    np.testing.assert_array_equal(api.output(context, 1), [-1, -1])




def test_a_file_is_loaded_with_data_beside_it(api, tmp_path):
    proto = onnx.load_from_string(LINEAR)
    onnx.save(proto, tmp_path / "m.onnx", save_as_external_data=True, size_threshold=0, location="m.data")
    for path in str(tmp_path / "m.onnx").encode(), None:
        if path:
            model = api.created("model_load", path, None)
        else:
            data = (tmp_path / "m.onnx").read_bytes()
            refused(MODEL, "m.data.*no folder", api.load, data)
            model = api.created("model_load_bytes", data, len(data), str(tmp_path).encode(), None)
        context = api.created("context_create", model)
        api.run(context, [X])
        np.testing.assert_allclose(api.output(context), X @ W, rtol=1e-5)


def test_what_cannot_be_loaded_leaves_no_model(api, tmp_path):
    missing, context = ctypes.c_void_p(1), ctypes.c_void_p(1)
    refused(IO, "none.onnx", api.model_load, str(tmp_path / "none.onnx").encode(), None, byref(missing))
    refused(ARGUMENT, "model is NULL", api.context_create, missing, byref(context))
    assert (missing.value, context.value) == (None, None)
    refused(MODEL, "", api.load, b"no model")
    unknown = model_bytes([helper.make_node("Nothing", ["x"], ["y"], domain="mine")], [value("x", 1, [1])], [value("y", 1, [1])])
    refused(UNSUPPORTED, "mine::Nothing", api.load, unknown)


@pytest.mark.parametrize("options, status, words", [
    ({"size": 8}, ARGUMENT, "options->size is 8"),
    ({"size": ctypes.sizeof(Options) + 8}, ARGUMENT, "options->size"),
    ({"threads": -1}, ARGUMENT, "options->threads"),
    ({"optimization": 3}, ARGUMENT, "options->optimization"),
    ({"precision": 2}, ARGUMENT, "options->precision"),
    ({"max_memory_bytes": -1}, ARGUMENT, "limit"),
    ({"max_nodes": 1}, LIMIT, "nodes"),
])  # fmt: skip
def test_options_are_checked(api, options, status, words):
    refused(status, words, lambda: api.load(LINEAR, **options))


@pytest.mark.parametrize("options", [
    {}, {"threads": 1}, {"threads": 2}, {"optimization": 1}, {"optimization": 2}, {"plan_cache_bytes": -1},
    {"plan_cache_bytes": 1},
], ids=str)  # fmt: skip
def test_options_do_not_change_outputs(api, options):
    context = api.created("context_create", api.load(LINEAR, **options))
    for rows in (1, 2, 1, 2):
        api.run(context, [X[:rows]])
        np.testing.assert_allclose(api.output(context), X[:rows] @ W, rtol=1e-5)


def test_precision_rounds_factors_to_bfloat16(api):
    """y = x, which has one bit more than bfloat16."""
    model = model_bytes([helper.make_node("MatMul", ["x", "w"], ["y"])], [value("x", TensorProto.FLOAT, [1, 1])],
                        [value("y", TensorProto.FLOAT, [1, 1])],
                        [numpy_helper.from_array(np.ones((1, 1), np.float32), "w")])  # fmt: skip
    x = 1 + 2**-8
    for precision, y in ((0, x), (1, 1 if multiplies_bfloat16() else x)):
        context = api.created("context_create", api.load(model, precision=precision))
        api.run(context, [np.array([[x]], np.float32)])
        assert api.output(context).tolist() == [[y]]


def test_fast_int4_rounds_rows_to_int8(api):
    """y = the sum of x, whose values are multiplied by 9 - 8. The scale of the row is 1."""
    codes, scale = numpy_helper.from_array(np.full((1, 1, 8), 0x99, np.uint8), "b"), np.ones(1, np.float32)
    node = helper.make_node("MatMulNBits", ["x", "b", "s"], ["y"], domain="com.microsoft", K=16, N=1, block_size=16)
    model = model_bytes([node], [value("x", TensorProto.FLOAT, [1, 16])], [value("y", TensorProto.FLOAT, [1, 1])],
                        [codes, numpy_helper.from_array(scale, "s")])  # fmt: skip
    x = np.array([[127, 0.25] + [0] * 14], np.float32)
    for options, y in (({}, 127.25), ({"fast_int4": 1}, 127)):
        context = api.created("context_create", api.load(model, **options))
        api.run(context, [x])
        assert api.output(context).tolist() == [[y]]


def test_a_seed_makes_random_numbers_repeatable(api):
    model = model_bytes([helper.make_node("RandomUniform", [], ["y"], shape=[8])], [], [value("y", TensorProto.FLOAT, [8])])
    seed = c_uint64(5)

    def drawn(**options):
        context = api.created("context_create", api.load(model, **options))
        api.run(context, [])
        return api.output(context).tolist()

    assert drawn(seed=ctypes.pointer(seed)) == drawn(seed=ctypes.pointer(seed))
    assert drawn() != drawn()


def test_runs_have_limits(api):
    context = api.created("context_create", api.load(LINEAR, max_memory_bytes=60_000))
    api.run(context, [X])
    refused(LIMIT, "bytes", api.run, context, [np.zeros((10_000, 3), np.float32)])
    refused(ARGUMENT, "no outputs", api.output, context)
    api.run(context, [X])
    np.testing.assert_allclose(api.output(context), X @ W, rtol=1e-5)
    endless = api.created("context_create", api.load(ENDLESS, deadline_ms=50))
    refused(LIMIT, "", api.run, endless, ENDLESS_INPUTS)
