"""Adapters: files of values for inputs. ONNX Runtime and Linnet write and read them, and use them in runs."""

import threading

import linnet.onnxruntime
import numpy as np
import onnxruntime
import pytest
from model_bytes import model
from onnx import TensorProto, helper, numpy_helper

X = np.arange(6, dtype=np.float32).reshape(2, 3)
Y, W = np.ones_like(X), 2 * X
NODES = [helper.make_node("Add", ["x", "w"], ["z"])]
INPUTS = [("x", TensorProto.FLOAT, [2, 3]), ("w", TensorProto.FLOAT, [2, 3])]
BARE = model(NODES, INPUTS, [("z", TensorProto.FLOAT, [2, 3])])
# An input may override w.
OVERRIDABLE = model(NODES, INPUTS, [("z", TensorProto.FLOAT, [2, 3])], [numpy_helper.from_array(W, "w")])


def export(ort, path, **arrays):
    adapter = ort.AdapterFormat()
    adapter.set_adapter_version(7)
    adapter.set_model_version(-9)
    adapter.set_parameters({name: ort.OrtValue.ortvalue_from_numpy(array) for name, array in arrays.items()})
    adapter.export_adapter(str(path))


@pytest.fixture
def options_with(ort, tmp_path):
    """Makes options of a run with an adapter, which ONNX Runtime's options do not keep alive."""
    kept = []

    def make(**arrays):
        export(ort, tmp_path / "a", **arrays)
        adapter, options = ort.LoraAdapter(), ort.RunOptions()
        adapter.Load(str(tmp_path / "a"))
        options.add_active_adapter(adapter)
        kept.append(adapter)
        return options

    return make


@pytest.fixture
def options(options_with):
    """Returns options with Y for w."""
    return options_with(w=Y)


@pytest.mark.parametrize("writer", [onnxruntime, linnet.onnxruntime])
@pytest.mark.parametrize("reader", [onnxruntime, linnet.onnxruntime])
def test_files_are_read_as_they_were_written(writer, reader, tmp_path):
    dtypes = (np.float32, np.float16, np.float64, np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64)
    arrays = {f"{dtype.__name__}é": np.arange(6).reshape(2, 3).astype(dtype) for dtype in dtypes}
    arrays["empty"] = np.zeros((0, 3), np.float32)
    export(writer, tmp_path / "a", **arrays)
    adapter = reader.AdapterFormat.read_adapter(str(tmp_path / "a"))
    assert (adapter.get_format_version(), adapter.get_adapter_version(), adapter.get_model_version()) == (1, 7, -9)
    read = {name: value.numpy() for name, value in adapter.get_parameters().items()}
    assert read.keys() == arrays.keys()
    for name, array in arrays.items():
        assert read[name].dtype == array.dtype
        np.testing.assert_array_equal(read[name], array)


def test_types_of_eight_bits_with_a_point(ort, tmp_path):
    value = ort.OrtValue.ortvalue_from_numpy_with_onnx_type(np.arange(3, dtype=np.uint8), TensorProto.FLOAT8E4M3FN)
    adapter = ort.AdapterFormat()
    adapter.set_parameters({"a": value})
    adapter.export_adapter(str(tmp_path / "a"))
    read = ort.AdapterFormat.read_adapter(str(tmp_path / "a")).get_parameters()["a"]
    assert read.data_type() == "tensor(float8e4m3fn)"


def test_what_a_file_without_parameters_has(ort, tmp_path):
    ort.AdapterFormat().export_adapter(str(tmp_path / "a"))
    adapter = ort.AdapterFormat.read_adapter(str(tmp_path / "a"))
    assert (adapter.get_adapter_version(), adapter.get_model_version(), adapter.get_parameters()) == (0, 0, {})


def test_an_adapter_goes_before_the_feed(ort, options):
    for contents, feed in ((OVERRIDABLE, {"x": X}), (OVERRIDABLE, {"x": X, "w": W}), (BARE, {"x": X, "w": W})):
        session = ort.InferenceSession(contents)
        np.testing.assert_array_equal(session.run(None, feed, options)[0], X + Y)
        values = {name: ort.OrtValue.ortvalue_from_numpy(array) for name, array in feed.items()}
        np.testing.assert_array_equal(session.run_with_ort_values(None, values, options)[0].numpy(), X + Y)
    np.testing.assert_array_equal(ort.InferenceSession(OVERRIDABLE).run(None, {"x": X})[0], X + W)


def test_the_feed_is_complete_without_adapters(ort, options):
    with pytest.raises(ValueError, match=r"Required inputs \(\['w'\]\) are missing"):
        ort.InferenceSession(BARE).run(None, {"x": X}, options)


def test_bound_and_asynchronous_runs_have_no_adapters(ort, options):
    session = ort.InferenceSession(OVERRIDABLE)
    binding = session.io_binding()
    binding.bind_cpu_input("x", X)
    binding.bind_output("z")
    session.run_with_iobinding(binding, options)
    np.testing.assert_array_equal(binding.copy_outputs_to_cpu()[0], X + W)
    ended, results = threading.Event(), []
    session.run_async(None, {"x": X}, lambda outputs, *_: (results.extend(outputs), ended.set()), None, options)
    assert ended.wait(30)
    np.testing.assert_array_equal(results[0], X + W)


def test_the_last_adapter_counts(ort, options, tmp_path):
    export(ort, tmp_path / "b", w=X)
    adapter = ort.LoraAdapter()
    options.add_active_adapter(None)
    options.add_active_adapter(adapter)
    session = ort.InferenceSession(OVERRIDABLE)
    if ort is linnet.onnxruntime:  # the original package crashes for None
        np.testing.assert_array_equal(session.run(None, {"x": X}, options)[0], X + Y)
        adapter.Load(str(tmp_path / "b"))
        np.testing.assert_array_equal(session.run(None, {"x": X}, options)[0], X + X)


@pytest.mark.parametrize("arrays, words", [
    ({"w": np.ones((3, 3), np.float32)}, "Got: 3 Expected: 2"), ({"w": np.ones((2, 3))}, r"Actual: \(tensor\(double\)\)"),
    ({"v": Y}, "Invalid input name: v")])  # fmt: skip
def test_an_adapter_must_fit(ort, options_with, arrays, words):
    options = options_with(**arrays)
    with pytest.raises(ort.capi.onnxruntime_pybind11_state.InvalidArgument, match=words):
        ort.InferenceSession(OVERRIDABLE).run(None, {"x": X}, options)


@pytest.mark.parametrize("array", [np.array(3, np.float32), np.ones(3, bool)])
def test_what_no_adapter_holds(ort, tmp_path, array):
    """ONNX Runtime writes it and cannot read it."""
    with pytest.raises(RuntimeError, match="Lora Param 'w': "):
        export(ort, tmp_path / "a", w=array)
        ort.AdapterFormat.read_adapter(str(tmp_path / "a"))


def test_what_is_refused(ort, tmp_path):
    (tmp_path / "text").write_text("no adapter")
    for read in ort.AdapterFormat.read_adapter, ort.LoraAdapter().Load:
        for path in (tmp_path / "missing", tmp_path / "text"):
            with pytest.raises(RuntimeError):
                read(str(path))
        with pytest.raises(TypeError):
            read(b"missing")
    with pytest.raises(RuntimeError):
        ort.AdapterFormat().export_adapter(str(tmp_path / "missing" / "a"))
    with pytest.raises(TypeError):
        ort.RunOptions().add_active_adapter(3)
    for version in ("1", 2**31):
        with pytest.raises(TypeError):
            ort.AdapterFormat().set_adapter_version(version)
