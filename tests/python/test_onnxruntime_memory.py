"""Devices and memory of ONNX Runtime and of Linnet in its place, which programs use below the Python classes."""

import importlib

import numpy as np
import onnx
import pytest
from model_bytes import identity, model
from onnx import TensorProto, helper, numpy_helper

X = np.arange(6, dtype=np.float32).reshape(2, 3)
N = np.arange(1, 7, dtype=np.float32)


def native(ort):
    return ort.capi.onnxruntime_pybind11_state


def described(info):
    numbers = [int(value) for value in (info.mem_type, info.allocator_type, info.device_mem_type)]
    return (info.name, info.device_id, info.device_vendor_id, *numbers)


@pytest.mark.parametrize("allocator, memory, numbers", [
    ("ORT_ARENA_ALLOCATOR", "DEFAULT", (0, 1, 0)), ("ORT_DEVICE_ALLOCATOR", "CPU_INPUT", (-2, 0, 0)),
    ("INVALID", "CPU", (-1, -1, 0)),
])  # fmt: skip
def test_memory_of_the_cpu(ort, allocator, memory, numbers):
    for device in (0, 3):
        info = ort.OrtMemoryInfo("Cpu", getattr(ort.OrtAllocatorType, allocator), device, getattr(ort.OrtMemType, memory))
        assert described(info) == ("Cpu", 0, 0, *numbers)
    assert info.allocator_type == getattr(ort.OrtAllocatorType, allocator)


@pytest.mark.parametrize("memory, kind", [("DEFAULT", 0), ("HOST_ACCESSIBLE", -1)])
def test_memory_of_a_device(ort, memory, kind):
    device, memory = ort.OrtMemoryInfoDeviceType.CPU, getattr(ort.OrtDeviceMemoryType, memory)
    info = ort.OrtMemoryInfo.create_v2("mine", device, 7, 2, memory, 64, ort.OrtAllocatorType.ORT_DEVICE_ALLOCATOR)
    assert described(info) == ("mine", 2, 7, kind, 0, int(memory))


def test_other_memory_is_refused(ort):
    for name in ("cpu", "Nothing", ""):
        with pytest.raises(RuntimeError):
            ort.OrtMemoryInfo(name, ort.OrtAllocatorType.ORT_ARENA_ALLOCATOR, 0, ort.OrtMemType.DEFAULT)
    for arguments in (("Cpu", 1, 0, ort.OrtMemType.DEFAULT), ("Cpu", ort.OrtAllocatorType.INVALID, "0", ort.OrtMemType.CPU),
                      ("Cpu", ort.OrtAllocatorType.INVALID, 0, 0)):  # fmt: skip
        with pytest.raises(TypeError):
            ort.OrtMemoryInfo(*arguments)
    with pytest.raises(TypeError):
        ort.OrtValue.ortvalue_from_shape_and_type([2], np.float32, memory_info="Cpu")


def test_where_inputs_and_outputs_are(ort):
    session = ort.InferenceSession(identity())
    for (info,) in (session.get_input_memory_infos(), session.get_output_memory_infos()):
        assert described(info) == ("Cpu", 0, 0, 0, 1, 0)


def test_devices_in_numbers(ort):
    device = native(ort).OrtDevice
    assert (device.cpu(), device.default_memory()) == (0, 0)
    for made, vendor in ((device(0, 0, 3), 0), (device(0, 0, 7, 3), 7)):
        assert (made.device_type(), made.mem_type(), made.vendor_id(), made.device_id()) == (0, 0, vendor, 3)
        again = ort.OrtDevice(made)
        assert again._get_c_device() is made
        assert (again.device_type(), again.device_mem_type(), again.device_vendor_id(), again.device_id()) == (0, 0, vendor, 3)
    for arguments in ((), (0, 0), ("cpu", 0, 0)):
        with pytest.raises(TypeError):
            device(*arguments)
    with pytest.raises(ValueError):
        ort.OrtDevice(0)
    assert ort.OrtDevice.make("cpu", 2, ort.OrtDeviceVendorId.INTEL).device_vendor_id() == 0x8086


def test_the_value_within_a_value(ort):
    x = X.copy()
    value = ort.OrtValue.ortvalue_from_numpy(x)
    inner = value._ortvalue
    assert isinstance(inner, native(ort).OrtValue)
    assert (inner.shape(), inner.data_type(), inner.data_ptr()) == ([2, 3], "tensor(float)", x.ctypes.data)
    again = ort.OrtValue(inner)
    assert again.data_ptr() == x.ctypes.data and type(again) is ort.OrtValue
    for other in (x, None):
        with pytest.raises(ValueError):
            ort.OrtValue(other)


def test_values_of_the_inner_class(ort):
    make, cpu = native(ort).OrtValue, native(ort).OrtDevice(0, 0, 0)
    x = X.copy()
    assert make.ortvalue_from_numpy(x, cpu).data_ptr() == x.ctypes.data
    for value in (make.ortvalue_from_shape_and_type([2, 3], np.float32, cpu),
                  make.ortvalue_from_shape_and_onnx_type([2, 3], TensorProto.FLOAT, cpu)):  # fmt: skip
        assert (value.shape(), value.data_type()) == ([2, 3], "tensor(float)")


def test_capsules_of_dlpack(ort):
    x = X.copy()
    inner = ort.OrtValue.ortvalue_from_numpy(x)._ortvalue
    for make in (native(ort).OrtValue, ort.OrtValue):
        assert make.from_dlpack(inner.to_dlpack()).data_ptr() == x.ctypes.data


@pytest.mark.parametrize("by_address", [True, False])
def test_the_binding_within_a_binding(ort, by_address):
    session = ort.InferenceSession(identity())
    x, y, cpu = X.copy(), np.zeros_like(X), native(ort).OrtDevice(0, 0, 0)
    inner = session.io_binding()._iobinding
    assert isinstance(inner, native(ort).SessionIOBinding)
    binding = session.io_binding()
    inner = binding._iobinding
    if by_address:
        inner.bind_input("x", cpu, np.float32, [2, 3], x.ctypes.data)
        inner.bind_output("y", cpu, np.float32, [2, 3], y.ctypes.data)
    else:
        inner.bind_ortvalue_input("x", ort.OrtValue.ortvalue_from_numpy(x)._ortvalue)
        inner.bind_ortvalue_output("y", ort.OrtValue.ortvalue_from_numpy(y)._ortvalue)
    session.run_with_iobinding(binding)
    np.testing.assert_array_equal(y, X)
    (value,) = inner.get_outputs()
    assert ort.OrtValue(value).data_ptr() == binding.get_outputs()[0].data_ptr() == y.ctypes.data
    inner.clear_binding_outputs()
    inner.bind_input("x", -X)
    inner.bind_output("y", cpu)
    session.run_with_iobinding(binding)
    assert [out.tolist() for out in inner.copy_outputs_to_cpu()] == [(-X).tolist()]


def test_memory_without_a_shape_is_refused(ort):
    binding = ort.InferenceSession(identity()).io_binding()
    for element_type, shape in ((None, [2, 3]), (np.float32, None)):
        with pytest.raises(ValueError, match="are to be provided"):
            binding.bind_output("y", "cpu", 0, element_type, shape, X.ctypes.data)


def one(name, *inputs, initializers=(), shape=("N",), **attributes):
    """y = an operator of x and of initializers."""
    return model([helper.make_node(name, ["x", *inputs], ["y"], **attributes)], [("x", 1, list(shape))],
                 [("y", 1, None)], initializers)  # fmt: skip


SQUARE = N[:4].reshape(2, 2)
TWICE = model([helper.make_node("Add", ["x", "x"], ["t"]), helper.make_node("Mul", ["t", "x"], ["y"])],
              [("x", 1, ["N"])], [("y", 1, ["N"])])  # fmt: skip
BOTH = model([helper.make_node("Neg", ["x"], ["y"]), helper.make_node("Exp", ["x"], ["z"])], [("x", 1, ["N"])],
             [("y", 1, ["N"]), ("z", 1, ["N"])])  # fmt: skip


def bound_to_its_input(ort, contents, x, how):
    """Returns the contents of x after each of two runs, which write the first output to it, and the other outputs."""
    session = ort.InferenceSession(contents)
    binding, value = session.io_binding(), ort.OrtValue.ortvalue_from_numpy(x)
    outputs = [arg.name for arg in session.get_outputs()]
    if how == "value":
        binding.bind_ortvalue_input("x", value)
        binding.bind_ortvalue_output(outputs[0], value)
    else:
        if how == "array":
            binding.bind_cpu_input("x", x)
        else:
            binding.bind_input("x", "cpu", 0, np.float32, x.shape, x.ctypes.data)
        binding.bind_output(outputs[0], "cpu", 0, np.float32, x.shape, x.ctypes.data)
    for name in outputs[1:]:
        binding.bind_output(name)
    for _ in range(2):
        session.run_with_iobinding(binding)
        assert binding.get_outputs()[0].data_ptr() == x.ctypes.data
        yield [x.copy(), *binding.copy_outputs_to_cpu()[1:]]


@pytest.mark.parametrize("how", ["value", "address", "array"])
@pytest.mark.parametrize("contents, x, right_everywhere", [
    (one("Identity"), N, True), (one("Neg"), N, True), (one("Softmax"), N, True), (TWICE, N, True), (BOTH, N, True),
    (one("MatMul", "x", shape=[2, 2]), SQUARE, True), (one("Transpose", shape=[2, 2]), SQUARE, False),
    (one("Gather", "i", initializers=[numpy_helper.from_array(np.array([5, 4, 3, 2, 1, 0]), "i")]), N, False),
], ids=["identity", "neg", "softmax", "twice", "two outputs", "product", "transpose", "reversed"])  # fmt: skip
def test_an_output_in_the_memory_of_an_input(ort, contents, x, right_everywhere, how):
    """ONNX Runtime reads values that it has already overwritten if an operator is not element-wise."""
    if not right_everywhere and not hasattr(ort, "linnet_version"):
        pytest.skip("its results are those of values that are overwritten before they are read")
    feed = x
    for got in bound_to_its_input(ort, contents, x.copy(), how):
        for result, want in zip(got, ort.InferenceSession(contents).run(None, {"x": feed}), strict=True):
            np.testing.assert_allclose(result, want, rtol=1e-6)
        feed = got[0]


def with_denotations(dims, words):
    proto = onnx.load_from_string(model([helper.make_node("Relu", ["x"], ["y"])], [("x", 1, dims)], [("y", 1, dims)]))
    for dim, word in zip(proto.graph.input[0].type.tensor_type.shape.dim, words, strict=True):
        dim.denotation = word
    return proto.SerializeToString()


DENOTED = with_denotations(["N", 3], ["ROWS", "COLUMNS"])


def with_overrides(ort, *overrides):
    options = ort.SessionOptions()
    for by, name, size in overrides:
        getattr(options, f"add_free_dimension_override_by_{by}")(name, size)
    return options


@pytest.mark.parametrize("overrides, rows", [
    ([("denotation", "ROWS", 4)], 4), ([("denotation", "rows", 4)], 4), ([("denotation", "", 4)], "N"),
    ([("denotation", "COLUMNS", 3)], "N"), ([("denotation", "x", 4)], "N"), ([("denotation", "ROWS", 0)], 0),
    ([("denotation", "ROWS", 4), ("denotation", "ROWS", 6)], 4), ([("denotation", "ROWS", 4), ("name", "N", 4)], 4),
    ([("name", "N", 4), ("name", "N", 6)], 4), ([("name", "n", 4)], "N"),
])  # fmt: skip
def test_open_dims_get_sizes(ort, overrides, rows):
    options = with_overrides(ort, *overrides)
    for _ in range(2):  # the options can be used again
        session = ort.InferenceSession(DENOTED, options)
        assert [arg.shape for arg in (*session.get_inputs(), *session.get_outputs())] == [[rows, 3]] * 2
    x = np.ones((4 if rows == "N" else rows, 3), np.float32)
    np.testing.assert_array_equal(session.run(None, {"x": x})[0], x)
    if rows != "N":
        with pytest.raises(native(ort).InvalidArgument, match="Got: 9 Expected: "):
            session.run(None, {"x": np.ones((9, 3), np.float32)})


def test_open_dims_without_a_symbol_get_sizes(ort):
    session = ort.InferenceSession(with_denotations([None, 3], ["ROWS", ""]), with_overrides(ort, ("denotation", "ROWS", 4)))
    assert session.get_inputs()[0].shape == [4, 3]


@pytest.mark.parametrize("overrides, words", [
    ([("denotation", "COLUMNS", 7)], "Invalid free dimension override"),
    ([("denotation", "ROWS", 4), ("name", "N", 5)], "Conflicting free dimension overrides"),
])  # fmt: skip
def test_sizes_that_contradict(ort, overrides, words):
    with pytest.raises(native(ort).InvalidArgument, match=words):
        ort.InferenceSession(DENOTED, with_overrides(ort, *overrides))


def test_sizes_are_for_symbols_of_inputs(ort):
    contents = model([helper.make_node("Relu", ["x"], ["y"])], [("x", 1, ["N"])], [("y", 1, ["M"])])
    session = ort.InferenceSession(contents, with_overrides(ort, ("name", "M", 4)))
    assert (session.get_inputs()[0].shape, session.get_outputs()[0].shape) == (["N"], ["M"])


@pytest.mark.parametrize("arguments", [(1, 2), ("a", "b"), ("a", 2.0)])
@pytest.mark.parametrize("by", ["name", "denotation"])
def test_sizes_have_types(ort, by, arguments):
    with pytest.raises(TypeError):
        with_overrides(ort, (by, *arguments))


def test_examples_are_files(ort, tmp_path):
    datasets = importlib.import_module(ort.__name__ + ".datasets")
    (tmp_path / "mine.onnx").write_bytes(identity())
    path = datasets.get_example(str(tmp_path / "mine.onnx"))
    np.testing.assert_array_equal(ort.InferenceSession(path).run(None, {"x": X})[0], X)
    for missing in (str(tmp_path / "no.onnx"), "no.onnx"):
        with pytest.raises(FileNotFoundError, match="Unable to find example '.*no.onnx'"):
            datasets.get_example(missing)
