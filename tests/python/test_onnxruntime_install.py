"""Linnet under the name onnxruntime, and its intended differences."""

import importlib
import subprocess
import sys
from pathlib import Path

import linnet.onnxruntime as ort
import ml_dtypes
import numpy as np
import onnxruntime
import pytest
from model_bytes import identity, model
from onnx import TensorProto, helper

X = np.arange(6, dtype=np.float32).reshape(2, 3)
# Modules that the original package imports for itself.
NO_API = {"contextlib", "import_capi_exception", "onnxruntime_validation", "package_name", "version", "cuda_version"}
NotImplemented = ort.capi.onnxruntime_pybind11_state.NotImplemented
InvalidGraph = ort.capi.onnxruntime_pybind11_state.InvalidGraph


def python(*arguments, code=0):
    result = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, timeout=120)
    assert result.returncode == code, result.stderr
    return result.stdout if code == 0 else result.stderr


INSTALLED = """
import importlib.metadata, importlib.util, numpy, os, sys
import linnet.onnxruntime
linnet.onnxruntime.install()
linnet.onnxruntime.install()
assert importlib.util.find_spec("onnxruntime").name == "onnxruntime"
assert "onnxruntime" not in sys.modules
import onnxruntime
assert onnxruntime.linnet_version == linnet.__version__
assert onnxruntime.__spec__.name == onnxruntime.__name__ == "onnxruntime"
for name in ("capi", "capi._pybind_state", "capi.onnxruntime_pybind11_state", "capi.onnxruntime_inference_collection"):
    name = "onnxruntime." + name
    module = importlib.import_module(name)
    assert module.__spec__.name == module.__name__ == name and sys.modules[name] is module
    assert importlib.util.find_spec(name) is module.__spec__ and os.path.isfile(module.__file__)
from onnxruntime.capi import _pybind_state as C
from onnxruntime.capi.onnxruntime_pybind11_state import InvalidArgument, NoSuchFile
from onnxruntime.capi.onnxruntime_inference_collection import OrtValue
assert C.get_available_providers() == onnxruntime.get_available_providers()
assert OrtValue is onnxruntime.OrtValue is linnet.onnxruntime.OrtValue
assert InvalidArgument is linnet.onnxruntime.capi.onnxruntime_pybind11_state.InvalidArgument
try:
    onnxruntime.InferenceSession("nothing.onnx")
except NoSuchFile:
    pass
assert importlib.metadata.version("onnxruntime") == "1.32.0"
assert importlib.metadata.distribution("onnxruntime").files is None, "is that of the real one"
assert importlib.metadata.version("numpy") == numpy.__version__
assert os.path.isdir(onnxruntime.__path__[0])
from onnxruntime.datasets import get_example
try:
    get_example("sigmoid.onnx")
except FileNotFoundError as error:
    assert "Linnet has no example models" in str(error)
for missing in ("quantization", "tools", "transformers.optimizer", "training"):
    try:
        importlib.import_module("onnxruntime." + missing)
    except ModuleNotFoundError as error:
        assert "Linnet's onnxruntime has no module" in str(error), error
    else:
        raise AssertionError(missing)
print("done")
"""


def test_install_puts_linnet_in_the_place_of_onnxruntime():
    assert python("-c", INSTALLED) == "done\n"


def test_install_is_refused_where_onnxruntime_is_imported():
    assert "RuntimeError: onnxruntime is imported already" in python(
        "-c", "import onnxruntime, linnet.onnxruntime\nlinnet.onnxruntime.install()", code=1)  # fmt: skip


def test_importing_the_package_changes_nothing_global():
    assert python("-c", "import linnet.onnxruntime, onnxruntime; print(hasattr(onnxruntime, 'linnet_version'))") == "False\n"


def test_programs_run_unchanged(tmp_path):
    (tmp_path / "neighbour.py").write_text("import onnxruntime\nversion = onnxruntime.linnet_version\n")
    (tmp_path / "app.py").write_text(
        "import sys, neighbour\nassert __name__ == '__main__' and __file__ == sys.argv[0]\n"
        "print(neighbour.version, *sys.argv[1:])\nsys.exit(3 if 'fail' in sys.argv else 0)\n")  # fmt: skip
    app = str(tmp_path / "app.py")
    assert python("-m", "linnet.as_onnxruntime", app, "-m", "two") == f"{ort.linnet_version} -m two\n"
    python("-m", "linnet.as_onnxruntime", app, "fail", code=3)
    assert "usage: " in python("-m", "linnet.as_onnxruntime", code=1)


def test_modules_run_unchanged(tmp_path):
    (tmp_path / "app.py").write_text("import sys, onnxruntime\nprint(onnxruntime.linnet_version, *sys.argv[1:])\n")
    result = subprocess.run([sys.executable, "-m", "linnet.as_onnxruntime", "-m", "app", "x"], cwd=tmp_path,
                            capture_output=True, text=True, timeout=120)  # fmt: skip
    assert result.stdout == f"{ort.linnet_version} x\n", result.stderr


def test_every_public_name_is_there_or_says_that_it_is_not_supported():
    names = {name for name in dir(onnxruntime) if not name.startswith("_")} - NO_API
    for name in sorted(names):
        assert hasattr(ort, name), name
    assert {name for name in names if name in ort.NAMES} == ort.NAMES & names
    for name in ort.NAMES:
        with pytest.raises(NotImplemented, match=f"{name} is not supported by Linnet"):
            getattr(ort, name)()
    with pytest.raises(NotImplemented, match="SparseTensor.sparse_coo_from_numpy"):
        ort.SparseTensor.sparse_coo_from_numpy()
    with pytest.raises(AttributeError):
        ort.nonsense


@pytest.mark.parametrize("name", ["SessionOptions", "RunOptions", "NodeArg", "ModelMetadata", "InferenceSession", "IOBinding",
                                  "OrtValue", "AdapterFormat", "LoraAdapter"])  # fmt: skip
def test_classes_have_all_public_attributes(name):
    public = {attribute for attribute in dir(getattr(onnxruntime, name)) if not attribute.startswith("_")}
    assert public <= set(dir(getattr(ort, name)))


@pytest.mark.parametrize("use", [
    lambda: ort.SessionOptions().add_initializer("w", None),
    lambda: ort.SessionOptions().add_external_initializers([], []),
    lambda: ort.SessionOptions().add_provider("CUDAExecutionProvider", {}),
    lambda: ort.InferenceSession(identity()).get_provider_graph_assignment_info(),
    lambda: ort.create_and_register_allocator(None, None),
    lambda: ort.OrtValue.ortvalue_from_numpy(X).as_sparse_tensor(),
])  # fmt: skip
def test_what_is_not_supported_says_so_when_used(use):
    with pytest.raises(NotImplemented, match=r"^\[ONNXRuntimeError\] : 9 : NOT_IMPLEMENTED : .* is not supported by Linnet"):
        use()


@pytest.mark.parametrize("key, value", [("session.load_model_format", "ORT"), ("session.set_denormal_as_zero", "1"),
                                        ("ep.context_enable", "1")])  # fmt: skip
def test_entries_that_change_results_are_refused(key, value):
    options = ort.SessionOptions()
    options.add_session_config_entry(key, value)
    with pytest.raises(NotImplemented, match=key):
        ort.InferenceSession(identity(), options)


def test_the_plan_cache_is_an_entry_of_the_session():
    options = ort.SessionOptions()
    options.add_session_config_entry("linnet.plan_cache_bytes", "0")
    np.testing.assert_array_equal(ort.InferenceSession(identity(), options).run(None, {"x": X})[0], X)
    for value in ("-1", "x", ""):
        options.add_session_config_entry("linnet.plan_cache_bytes", value)
        with pytest.raises(ort.capi.onnxruntime_pybind11_state.InvalidArgument, match="plan_cache_bytes"):
            ort.InferenceSession(identity(), options)


def test_operators_that_linnet_lacks_are_named():
    with pytest.raises(InvalidGraph, match="No Op registered for Nope"):
        ort.InferenceSession(model([helper.make_node("Nope", ["x"], ["y"])], [("x", 1, [1])], [("y", 1, [1])]))


def test_providers_of_the_wrong_form_are_a_warning():
    """ONNX Runtime prints that it falls back to the CPU."""
    for arguments in ({"providers": "CPUExecutionProvider"}, {"providers": [1]},
                      {"providers": ["CPUExecutionProvider"], "provider_options": [{}, {}]}):  # fmt: skip
        with pytest.warns(UserWarning, match="running on CPUExecutionProvider"):
            assert ort.InferenceSession(identity(), **arguments).get_providers() == ["CPUExecutionProvider"]


def test_foreign_byte_orders_are_read():
    """ONNX Runtime 1.32 reads their bytes without conversion."""
    np.testing.assert_array_equal(ort.InferenceSession(identity()).run(None, {"x": X.astype(">f4")})[0], X)
    own = ort.OrtValue.ortvalue_from_numpy(X.astype(">f4")).numpy()
    np.testing.assert_array_equal(own, X)
    assert own.dtype == np.float32


THREADS = """
import os, sys
sys.path.insert(0, {support!r})
import linnet.onnxruntime as ort, numpy as np
from model_bytes import model
from onnx import helper
options = ort.SessionOptions()
options.intra_op_num_threads = {own}
options.use_per_session_threads = {per_session}
ort.set_global_thread_pool_sizes(4)
product = model([helper.make_node("MatMul", ["x", "x"], ["y"])], [("x", 1, [300, 300])], [("y", 1, [300, 300])])
session, x = ort.InferenceSession(product, options), np.ones((300, 300), np.float32)
before = len(os.listdir("/proc/self/task"))
session.run(None, {{"x": x}})
print(len(os.listdir("/proc/self/task")) - before)
"""


@pytest.mark.parametrize("own, per_session, threads", [(1, True, 1), (3, True, 3), (1, False, 4)])
def test_runs_have_the_threads_asked_for(own, per_session, threads):
    program = THREADS.format(own=own, per_session=per_session, support=str(Path(__file__).parents[1] / "support"))
    assert python("-c", program) == f"{threads - 1}\n"


def test_arrays_of_bytes_are_strings():
    """ONNX Runtime 1.32 reads beyond the end of each of them."""
    session = ort.InferenceSession(identity(TensorProto.STRING, ["N"]))
    assert session.run(None, {"x": np.array([b"a", "é".encode()])})[0].tolist() == ["a", "é"]


def test_bfloat16_goes_in_and_out():
    """ONNX Runtime has no NumPy type for it."""
    x = np.array([1, 2], ml_dtypes.bfloat16)
    (y,) = ort.InferenceSession(identity(TensorProto.BFLOAT16, ["N"])).run(None, {"x": x})
    assert y.dtype == ml_dtypes.bfloat16 and y.tolist() == [1, 2]
    value = ort.OrtValue.ortvalue_from_numpy_with_onnx_type(x.view(np.uint16), TensorProto.BFLOAT16)
    assert value.numpy().dtype == ml_dtypes.bfloat16


def test_an_array_of_one_element_is_a_scalar():
    """ONNX Runtime does not change the shape of an array for an input that is declared as a scalar."""
    y = ort.InferenceSession(identity(shape=[])).run(None, {"x": np.ones(1, np.float32)})[0]
    assert y.shape == ()
    with pytest.raises(ort.capi.onnxruntime_pybind11_state.InvalidArgument):
        ort.InferenceSession(identity(shape=[])).run(None, {"x": np.ones(2, np.float32)})


def test_an_ort_value_keeps_its_dtype():
    """ONNX Runtime copies the bytes of another dtype."""
    with pytest.raises(RuntimeError):
        ort.OrtValue.ortvalue_from_numpy(X.copy()).update_inplace(X.astype(np.float64))


def test_an_output_on_another_device_is_refused():
    """ONNX Runtime leaves it on the CPU."""
    with pytest.raises(RuntimeError, match="cuda"):
        ort.InferenceSession(identity()).io_binding().bind_output("y", "cuda", 0)


def test_memory_needs_no_allocator():
    """ONNX Runtime only has memory for which an allocator was registered."""
    (info,) = ort.InferenceSession(identity()).get_input_memory_infos()
    value = ort.OrtValue.ortvalue_from_shape_and_type([4], np.int64, memory_info=info)
    assert (value.shape(), value.data_type()) == ([4], "tensor(int64)")
    with pytest.warns(UserWarning, match="ignored when memory_info is provided"):
        ort.OrtValue.ortvalue_from_shape_and_type([4], np.int64, "cpu", 1, memory_info=info)


def test_memory_of_other_devices_is_refused():
    """ONNX Runtime describes it but cannot allocate it."""
    arena, numbers = ort.OrtAllocatorType.ORT_ARENA_ALLOCATOR, ort.capi.onnxruntime_pybind11_state.OrtDevice
    gpu, memory = ort.OrtMemoryInfoDeviceType.GPU, ort.OrtDeviceMemoryType.DEFAULT
    for make in (lambda: ort.OrtMemoryInfo("Cuda", arena, 0, ort.OrtMemType.DEFAULT), lambda: numbers(1, 0, 0),
                 lambda: ort.OrtMemoryInfo.create_v2("x", gpu, 0, 0, memory, 0, arena)):  # fmt: skip
        with pytest.raises(RuntimeError, match="Linnet has no memory on "):
            make()


def test_equal_outputs_are_arrays_of_their_own():
    """ONNX Runtime returns the same array twice."""
    first, second = ort.InferenceSession(identity()).run(["y", "y"], {"x": X})
    first[:] = 0
    np.testing.assert_array_equal(second, X)


def test_the_backend_runs_models():
    backend = importlib.import_module("linnet.onnxruntime.backend")
    real = importlib.import_module("onnxruntime.backend")
    for module in (backend, real):
        assert module.supports_device("CPU") and not module.supports_device("CUDA")
        np.testing.assert_array_equal(module.prepare(identity(), "CPU").run([X])[0], X)
        np.testing.assert_array_equal(module.run(identity(), X)[0], X)
