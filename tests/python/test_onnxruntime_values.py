"""Input and output values of ONNX Runtime and of Linnet in its place: arrays, containers, OrtValue, IOBinding."""

import collections
import concurrent.futures
import gc

import numpy as np
import pytest
from model_bytes import identity, model
from onnx import TensorProto, helper

X = np.arange(6, dtype=np.float32).reshape(2, 3)


@pytest.fixture
def session(ort):
    return ort.InferenceSession(identity())


def invalid(ort):
    return ort.capi.onnxruntime_pybind11_state.InvalidArgument


def three_outputs(ort):
    nodes = [helper.make_node("Mul", ["x", "two"], ["a:1"]), helper.make_node("Neg", ["x"], ["a:2"]),
             helper.make_node("Abs", ["x"], ["a:0"])]  # fmt: skip
    two = helper.make_tensor("two", TensorProto.FLOAT, [], [2.0])
    return ort.InferenceSession(model(nodes, [("x", 1, ["N"])], [(f"a:{i}", 1, ["N"]) for i in range(3)], [two]))


def test_outputs_come_in_the_order_asked_for(ort):
    session = three_outputs(ort)
    feed = {"x": np.array([3, -4], np.float32)}
    want = {"a:0": [3, 4], "a:1": [6, -8], "a:2": [-3, 4]}
    for names in (["a:1", "a:2", "a:0"], ("a:2",), ["a:0", "a:0"]):
        assert [y.tolist() for y in session.run(names, feed)] == [want[name] for name in names]
    for everything in (None, []):
        assert [y.tolist() for y in session.run(everything, feed)] == list(want.values())
    assert session.run(output_names=["a:2"], input_feed=feed, run_options=None)[0].tolist() == [-3, 4]


def test_outputs_are_fresh_writable_arrays(ort):
    """This includes outputs that are the input, the same value twice, or a constant of the model or of its shapes."""
    c = helper.make_tensor("c", TensorProto.INT64, [2], [5, 6])
    nodes = [helper.make_node("Identity", [x], [y]) for x, y in ("xa", "xb", "cd")] + [helper.make_node("Shape", ["x"], ["e"])]
    outputs = [("a", 7, ["N"]), ("b", 7, ["N"]), ("d", 7, [2]), ("e", 7, [1])]
    session = ort.InferenceSession(model(nodes, [("x", 7, ["N"])], outputs, [c]))
    x = np.array([1, 2])
    ys = session.run(None, {"x": x})
    for i, y in enumerate(ys):
        y[:] = -i
    assert x.tolist() == [1, 2]
    assert [y[0] for y in ys] == [0, -1, -2, -3]
    assert [y.tolist() for y in session.run(None, {"x": x})] == [[1, 2], [1, 2], [5, 6], [2]]
    assert all(type(y) is np.ndarray and y.flags.c_contiguous for y in ys)


def test_outputs_outlive_the_session(ort):
    session = ort.InferenceSession(identity())
    y = session.run(None, {"x": X})[0]
    session.run(None, {"x": X + 1})
    del session
    gc.collect()
    np.testing.assert_array_equal(y, X)


@pytest.mark.parametrize("change", [
    lambda x: x[::-1].copy()[::-1], np.asfortranarray, lambda x: np.repeat(x, 2, axis=1)[:, ::2],
    lambda x: np.lib.stride_tricks.as_strided(x, x.shape, x.strides, writeable=False), lambda x: x.tolist(),
    lambda x: list(x), lambda x: x.view(np.recarray), np.ma.masked_array,
], ids=["reversed", "fortran", "strided", "read-only", "lists", "list of arrays", "subclass", "masked"])  # fmt: skip
def test_any_form_of_an_array_is_read(session, change):
    y = session.run(None, {"x": change(X)})[0]
    np.testing.assert_array_equal(y, X)
    assert (y.dtype, type(y)) == (np.float32, np.ndarray)


def test_lists_become_the_inputs_dtype(ort):
    assert ort.InferenceSession(identity(TensorProto.INT32, [2])).run(None, {"x": [1.5, 2]})[0].tolist() == [1, 2]
    with pytest.raises(RuntimeError):
        ort.InferenceSession(identity(shape=None)).run(None, {"x": [[1], [1, 2]]})


class OnlyArray:
    def __array__(self, *args, **kwargs):
        return X


@pytest.mark.parametrize("value", [
    np.float32(1), 1.0, 1, True, (1.0, 2.0), "abc", memoryview(X), OnlyArray(),
], ids=lambda value: type(value).__name__)  # fmt: skip
def test_other_objects_are_refused(ort, value):
    with pytest.raises(RuntimeError):
        ort.InferenceSession(identity(shape=None)).run(None, {"x": value})


def test_a_tensor_has_no_none(ort, session):
    with pytest.raises(ort.capi.onnxruntime_pybind11_state.Fail):
        session.run(None, {"x": None})


def test_scalars_are_arrays_without_dims(ort):
    session = ort.InferenceSession(identity(TensorProto.INT64, []))
    y = session.run(None, {"x": np.array(16000)})[0]
    assert (y.shape, y.dtype, y.item()) == ((), np.int64, 16000)
    # Applications pass arrays of one element for inputs that are declared as scalars.
    assert session.run(None, {"x": np.array([16000])})[0].ravel().tolist() == [16000]


def test_feeds_are_mappings_and_dims_may_be_zero(session):
    np.testing.assert_array_equal(session.run(None, collections.UserDict(x=X))[0], X)
    assert session.run(None, {"x": X[:0]})[0].shape == (0, 3)


@pytest.mark.parametrize("dtype", ["u1", "i1", "u2", "i2", "i4", "i8", "?", "f2", "f8", "u4", "u8"])
def test_dtypes_come_back(ort, dtype):
    x = np.array([0, 1], dtype)
    number = helper.np_dtype_to_tensor_dtype(x.dtype)
    y = ort.InferenceSession(identity(number, ["N"])).run(None, {"x": x})[0]
    assert (y.dtype, y.tolist()) == (x.dtype, x.tolist())


def test_equal_symbols_may_be_different_sizes(ort):
    add = model([helper.make_node("Add", ["x", "y"], ["z"])], [("x", 1, ["N"]), ("y", 1, ["N"])], [("z", 1, None)])
    x = np.ones(3, np.float32)
    assert ort.InferenceSession(add).run(None, {"x": x, "y": x[:1]})[0].tolist() == [2, 2, 2]


@pytest.mark.parametrize("value", [
    np.array(["a", "é"], object), np.array(["a", "é"]), ["a", "é"], np.array([["a"], ["é"]])[:, 0],
], ids=["objects", "unicode", "list", "strided"])  # fmt: skip
def test_strings_come_back_as_objects(ort, value):
    y = ort.InferenceSession(identity(TensorProto.STRING, ["N"])).run(None, {"x": value})[0]
    assert (y.dtype, y.tolist()) == (object, ["a", "é"])


def test_objects_are_taken_by_their_str(ort):
    session = ort.InferenceSession(identity(TensorProto.STRING, ["N"]))
    for value in ([1, 2.5], np.array([1, None, b"b"], object)):
        assert session.run(None, {"x": value})[0].tolist() == [str(item) for item in value]


def test_sequences_are_lists(ort):
    make = model([helper.make_node("SequenceConstruct", ["x", "x"], ["y"])], [("x", 1, [2])],
                 [helper.make_tensor_sequence_value_info("y", 1, [2])])  # fmt: skip
    x = np.array([1, 2], np.float32)
    (y,) = ort.InferenceSession(make).run(None, {"x": x})
    assert isinstance(y, list) and [item.tolist() for item in y] == [[1, 2], [1, 2]]
    at = model([helper.make_node("SequenceAt", ["x", "i"], ["y"])],
               [helper.make_tensor_sequence_value_info("x", 1, None), ("i", 7, [])], [("y", 1, None)])  # fmt: skip
    at = ort.InferenceSession(at)
    i = np.array(1)
    assert at.run(None, {"x": [x, -x], "i": i})[0].tolist() == [-1, -2]
    with pytest.raises(invalid(ort)):
        at.run(None, {"x": x, "i": i})
    for wrong in ([[1.0, 2.0]], [x.astype(np.float64)]):
        with pytest.raises(RuntimeError):
            at.run(None, {"x": wrong, "i": i})


@pytest.mark.parametrize("labels, number, keys", [
    ({"classlabels_int64s": [3, 4]}, TensorProto.INT64, [3, 4]),
    ({"classlabels_strings": ["a", "b"]}, TensorProto.STRING, ["a", "b"]),
])  # fmt: skip
def test_zipmap_gives_a_list_of_dicts(ort, labels, number, keys):
    element = helper.make_map_type_proto(number, helper.make_tensor_type_proto(TensorProto.FLOAT, []))
    y = helper.make_value_info("y", helper.make_sequence_type_proto(element))
    zipmap = helper.make_node("ZipMap", ["x"], ["y"], domain="ai.onnx.ml", **labels)
    session = ort.InferenceSession(model([zipmap], [("x", 1, ["N", 2])], [y], opset=17, domains={"ai.onnx.ml": 3}, ir=8))
    (got,) = session.run(None, {"x": X[:, :2]})
    assert got == [dict(zip(keys, [0.0, 1.0])), dict(zip(keys, [3.0, 4.0]))]
    assert {type(key) for key in got[0]} == {type(keys[0])} and {type(v) for v in got[0].values()} == {float}
    name = {TensorProto.INT64: "int64", TensorProto.STRING: "string"}[number]
    assert session.get_outputs()[0].type == f"seq(map({name},tensor(float)))"


def test_maps_are_dicts(ort):
    x = helper.make_value_info("x", helper.make_map_type_proto(
        TensorProto.STRING, helper.make_tensor_type_proto(TensorProto.FLOAT, [])))  # fmt: skip
    node = helper.make_node("DictVectorizer", ["x"], ["y"], domain="ai.onnx.ml", string_vocabulary=["a", "b"])
    session = ort.InferenceSession(model([node], [x], [("y", 1, None)], opset=17, domains={"ai.onnx.ml": 3}, ir=8))
    for value in ({"a": 1.0}, {"a": np.float32(1)}, {"a": 1}):
        assert session.run(None, {"x": value})[0].ravel().tolist() == [1, 0]
    with pytest.raises(RuntimeError):
        session.run(None, {"x": [{"a": 1.0}]})


def test_optionals_may_be_left_out(ort):
    x = helper.make_value_info("x", helper.make_optional_type_proto(helper.make_tensor_type_proto(1, [2])))
    has = ort.InferenceSession(model([helper.make_node("OptionalHasElement", ["x"], ["y"])], [x], [("y", 9, [])]))
    for feed, want in (({"x": np.ones(2, np.float32)}, True), ({"x": None}, False), ({}, False)):
        assert has.run(None, feed)[0].item() is want


def test_threads_share_a_session(session):
    xs = [np.full((n, 3), n, np.float32) for n in range(1, 17)] * 8
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        for x, y in zip(xs, pool.map(lambda x: session.run(None, {"x": x})[0], xs)):
            np.testing.assert_array_equal(x, y)


def test_an_ort_value_shares_an_arrays_memory(ort):
    x = X.copy()
    value = ort.OrtValue.ortvalue_from_numpy(x, "cpu", 0)
    assert (value.shape(), value.data_type(), value.element_type()) == ([2, 3], "tensor(float)", 1)
    assert (value.device_name(), value.tensor_size_in_bytes(), value.data_ptr()) == ("cpu", 24, x.ctypes.data)
    assert (value.is_tensor(), value.has_value()) == (True, True)
    assert (value.is_sparse_tensor(), value.is_tensor_sequence()) == (False, False)
    assert np.shares_memory(value.numpy(), x)
    value.update_inplace(x + 1)
    np.testing.assert_array_equal(x, X + 1)
    with pytest.raises(RuntimeError):
        value.update_inplace(x[:1])


def test_ort_values_speak_dlpack_and_numpy(ort):
    x = X.copy()
    value = ort.OrtValue.ortvalue_from_numpy(x)
    assert value.__dlpack_device__() == (1, 0)
    for array in (np.from_dlpack(value), np.asarray(value)):
        np.testing.assert_array_equal(array, X)
    assert ort.OrtValue.from_dlpack(x).data_ptr() == x.ctypes.data


@pytest.mark.parametrize("element_type", [np.float32, np.dtype("f4"), "float32", 1])
def test_ort_values_of_a_shape(ort, element_type):
    value = ort.OrtValue.ortvalue_from_shape_and_type([2, 3], element_type, "cpu", 0)
    assert (value.shape(), value.data_type()) == ([2, 3], "tensor(float)")


def test_ort_values_of_a_type_that_numpy_lacks(ort):
    value = ort.OrtValue.ortvalue_from_numpy_with_onnx_type(np.zeros(2, np.uint16), TensorProto.BFLOAT16)
    assert (value.data_type(), value.element_type()) == ("tensor(bfloat16)", TensorProto.BFLOAT16)


@pytest.mark.parametrize("make", [
    lambda ort: ort.OrtValue.ortvalue_from_numpy(np.array(["a"])),
    lambda ort: ort.OrtValue.ortvalue_from_numpy([1, 2]),
    lambda ort: ort.OrtValue.ortvalue_from_numpy(X, "cuda", 0),
    lambda ort: ort.OrtValue.ortvalue_from_shape_and_type([2], np.float32, "cuda", 0),
], ids=["strings", "list", "cuda", "empty on cuda"])  # fmt: skip
def test_other_ort_values_cannot_be_made(ort, make):
    with pytest.raises(RuntimeError):
        make(ort)


def test_ort_values_run(ort, session):
    value = ort.OrtValue.ortvalue_from_numpy(X[:, ::-1])
    np.testing.assert_array_equal(session.run(None, {"x": value})[0], X[:, ::-1])
    for names in (None, ["y"]):
        (y,) = session.run_with_ort_values(names, {"x": value})
        assert isinstance(y, ort.OrtValue)
        np.testing.assert_array_equal(y.numpy(), X[:, ::-1])
    with pytest.raises(AttributeError):
        session.run_with_ort_values(None, {"x": X})


def test_ort_values_of_sequences(ort):
    make = model([helper.make_node("SequenceConstruct", ["x"], ["y"])], [("x", 1, [2])],
                 [helper.make_tensor_sequence_value_info("y", 1, [2])])  # fmt: skip
    feed = {"x": ort.OrtValue.ortvalue_from_numpy(np.ones(2, np.float32))}
    (y,) = ort.InferenceSession(make).run_with_ort_values(None, feed)
    assert (y.data_type(), y.is_tensor(), y.is_tensor_sequence()) == ("seq(tensor(float))", False, True)
    for call in (y.numpy, y.shape):
        with pytest.raises(RuntimeError):
            call()


def test_bindings_by_address(session):
    x, y = X.copy(), np.zeros((2, 3), np.float32)
    binding = session.io_binding()
    binding.bind_input("x", "cpu", 0, np.float32, x.shape, x.ctypes.data)
    binding.bind_output("y", "cpu", 0, np.float32, y.shape, y.ctypes.data)
    binding.synchronize_inputs()
    session.run_with_iobinding(binding)
    binding.synchronize_outputs()
    np.testing.assert_array_equal(y, X)
    x += 1
    session.run_with_iobinding(binding)
    np.testing.assert_array_equal(y, X + 1)
    assert binding.get_outputs()[0].data_ptr() == y.ctypes.data
    binding.clear_binding_outputs()
    assert binding.get_outputs() == []


def test_bindings_of_arrays_and_of_memory_of_the_run(ort, session):
    binding = session.io_binding()
    binding.bind_cpu_input("x", X)
    binding.bind_output("y")
    session.run_with_iobinding(binding, ort.RunOptions())
    (value,) = binding.get_outputs()
    assert isinstance(value, ort.OrtValue)
    (copy,) = binding.copy_outputs_to_cpu()
    for y in (value.numpy(), copy):
        np.testing.assert_array_equal(y, X)
    copy[:] = 0
    np.testing.assert_array_equal(value.numpy(), X)
    assert len(binding.get_outputs_as_ortvaluevector()) == 1
    binding.bind_output("y", "cpu", 0, np.float32, (2, 3))
    binding.bind_cpu_input("x", X + 1)
    session.run_with_iobinding(binding)
    np.testing.assert_array_equal(binding.get_outputs()[0].numpy(), X + 1)


def test_bindings_of_ort_values(ort, session):
    y = ort.OrtValue.ortvalue_from_shape_and_type([2, 3], np.float32)
    binding = ort.IOBinding(session)
    binding.bind_ortvalue_input("x", ort.OrtValue.ortvalue_from_numpy(X))
    binding.bind_ortvalue_output("y", y)
    session.run_with_iobinding(binding)
    np.testing.assert_array_equal(y.numpy(), X)


def test_outputs_of_a_binding_come_in_the_order_of_the_binding(ort):
    session = three_outputs(ort)
    binding = session.io_binding()
    binding.bind_cpu_input("x", np.array([3], np.float32))
    for name in ("a:2", "a:0"):
        binding.bind_output(name)
    session.run_with_iobinding(binding)
    assert [y.tolist() for y in binding.copy_outputs_to_cpu()] == [[-3], [3]]


def bind(binding, x=X, y=None, name="y"):
    binding.bind_cpu_input("x", x)
    if y is None:
        binding.bind_output(name)
    else:
        binding.bind_output(name, "cpu", 0, y.dtype.type, y.shape, y.ctypes.data)


@pytest.mark.parametrize("prepare", [
    lambda b: None,
    lambda b: b.bind_cpu_input("x", X),
    lambda b: b.bind_output("y"),
    lambda b: b.bind_cpu_input("q", X),
    lambda b: b.bind_cpu_input("x", X.tolist()),
    lambda b: b.bind_input("x", "cuda", 0, np.float32, X.shape, X.ctypes.data),
    lambda b: bind(b, name="q"),
    lambda b: bind(b, X.astype(np.float64)),
    lambda b: bind(b, y=np.zeros((2, 2), np.float32)),
    lambda b: bind(b, y=np.zeros((4, 3), np.float32)),
    lambda b: bind(b, y=np.zeros((2, 3), np.float64)),
], ids=["nothing", "no output", "no input", "name of input", "list", "cuda", "name of output", "dtype of input",
        "columns of output", "rows of output", "dtype of output"])  # fmt: skip
def test_bindings_that_do_not_fit_are_runtime_errors(session, prepare):
    binding = session.io_binding()
    with pytest.raises(RuntimeError):
        prepare(binding)
        session.run_with_iobinding(binding)
