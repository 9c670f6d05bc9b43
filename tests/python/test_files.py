"""Session(files=): models and external data that the program reads, and the limits on loading."""

import builtins
import concurrent.futures
import gc
import pickle
import time
import weakref

import linnet
import numpy as np
import onnx
import pt2_archive
import pytest
from onnx import TensorProto, helper, numpy_helper

RANDOM = np.random.default_rng(5)
W = RANDOM.standard_normal((192, 192)).astype(np.float32)
B = RANDOM.standard_normal(192).astype(np.float32)
X = RANDOM.standard_normal((2, 192)).astype(np.float32)


class Files:
    """Files in memory, which are read in parts of `most` bytes."""

    def __init__(self, files, most=2**62, kind=bytes):
        self.files, self.most, self.kind, self.asked = files, most, kind, set()

    def size(self, name):
        self.asked.add(name)
        return len(self.files[name])

    def read(self, name, offset, size):
        return self.kind(self.files[name][offset : offset + min(size, self.most)])


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """Returns the files of y = x w + b by name, and their outputs when loaded from a folder."""
    nodes = [helper.make_node("MatMul", ["x", "w"], ["xw"]), helper.make_node("Add", ["xw", "b"], ["y"])]
    values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["N", 192]) for name in "xy"]
    graph = helper.make_graph(nodes, "g", values[:1], values[1:], [numpy_helper.from_array(W, "w"), numpy_helper.from_array(B, "b")])
    proto = helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17)])
    folder = tmp_path_factory.mktemp("model")
    onnx.save(proto, folder / "m.onnx", save_as_external_data=True, size_threshold=1000, location="w.bin")
    files = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert files.keys() == {"m.onnx", "w.bin"}
    return files, linnet.Session(folder / "m.onnx").run({"x": X})["y"]


@pytest.mark.parametrize("most, kind", [(1000, bytes), (2**62, bytearray), (2**62, memoryview),
                                        (2**62, lambda b: np.frombuffer(b, np.uint8))])  # fmt: skip
def test_a_model_is_read_by_the_program(stored, most, kind):
    files = Files(stored[0], most, kind)
    np.testing.assert_array_equal(linnet.Session("m.onnx", files=files).run({"x": X})["y"], stored[1])
    assert files.asked == {"m.onnx", "w.bin"}


def test_a_model_in_memory_has_external_data(stored):
    files = Files({"w.bin": stored[0]["w.bin"]})
    np.testing.assert_array_equal(linnet.Session(stored[0]["m.onnx"], files=files).run({"x": X})["y"], stored[1])


def test_several_threads_load_at_once(stored):
    files = Files(stored[0], 10_000)
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        for session in pool.map(lambda _: linnet.Session("m.onnx", files=files), range(16)):
            np.testing.assert_array_equal(session.run({"x": X})["y"], stored[1])


def test_programs_of_pytorch():
    data = pt2_archive.zip_bytes(pt2_archive.members(model=pt2_archive.program()))
    x = X[:, :3].copy()
    for most in (100, 2**62):
        y = linnet.Session("a/m.pt2", files=Files({"a/m.pt2": data}, most)).run({"x": x})["y"]
        np.testing.assert_array_equal(y, linnet.Session(data).run({"x": x})["y"])


def test_models_in_the_format_of_onnx_runtime(stored, tmp_path):
    onnxruntime = pytest.importorskip("onnxruntime", reason="the file is written by the package onnxruntime")
    for name, contents in stored[0].items():
        (tmp_path / name).write_bytes(contents)
    options = onnxruntime.SessionOptions()
    options.optimized_model_filepath = str(tmp_path / "m.ort")
    options.add_session_config_entry("session.save_model_format", "ORT")
    onnxruntime.InferenceSession(tmp_path / "m.onnx", options, providers=["CPUExecutionProvider"])
    data = (tmp_path / "m.ort").read_bytes()
    assert data[4:8] == b"ORTM"
    for most in (1000, 2**62):
        y = linnet.Session("m.ort", files=Files({"m.ort": data}, most)).run({"x": X})["y"]
        np.testing.assert_allclose(y, stored[1], rtol=1e-4, atol=1e-4)


def failing(stored, name, function, action):
    """Returns files for which one function behaves differently for one of the names."""
    files = Files(stored[0])
    usual = getattr(files, function)
    setattr(files, function, lambda asked, *more: action(*more) if asked == name else usual(asked, *more))
    return files


def raising(exception):
    def action(*_):
        raise exception

    return action


@pytest.mark.parametrize("name", ["m.onnx", "w.bin"])
@pytest.mark.parametrize("function", ["size", "read"])
def test_what_the_program_raises_is_the_cause(stored, name, function):
    cause = PermissionError("it is locked")
    with pytest.raises(linnet.IoError, match=f"cannot read '{name}': PermissionError: it is locked") as caught:
        linnet.Session("m.onnx", files=failing(stored, name, function, raising(cause)))
    assert caught.value.__cause__ is cause


@pytest.mark.parametrize("exception", [KeyboardInterrupt, SystemExit])
def test_what_ends_the_program_is_not_changed(stored, exception):
    with pytest.raises(exception):
        linnet.Session("m.onnx", files=failing(stored, "w.bin", "read", raising(exception())))


@pytest.mark.parametrize("name", ["m.onnx", "w.bin"])
@pytest.mark.parametrize("function, action, words", [
    ("size", lambda: "12", "TypeError"), ("size", lambda: None, "TypeError"), ("size", lambda: 2**63, "OverflowError"),
    ("size", lambda: -1, "its size is given as -1"), ("read", lambda *_: "text", "TypeError"),
    ("read", lambda *_: None, "TypeError"), ("read", lambda offset, size: bytes(size + 1), "got "),
    ("read", lambda *_: b"", "ends at byte 0, its size is given as "),
])  # fmt: skip
def test_what_the_functions_give_is_checked(stored, name, function, action, words):
    with pytest.raises(linnet.IoError, match=f"'{name}'.*{words}"):
        linnet.Session("m.onnx", files=failing(stored, name, function, action))


@pytest.mark.parametrize("files", [3, "folder", {}, object()])
def test_files_have_two_functions(files):
    with pytest.raises(builtins.TypeError, match="^files must have functions size"):
        linnet.Session("m.onnx", files=files)


def test_a_missing_file_is_named(stored):
    with pytest.raises(linnet.IoError, match="cannot read 'none.onnx': KeyError"):
        linnet.Session("none.onnx", files=Files(stored[0]))


def test_limits_bound_loading(stored):
    for model, files in (("m.onnx", Files(stored[0])), (stored[0]["m.onnx"], Files(stored[0]))):
        with pytest.raises(linnet.LimitError):
            linnet.Session(model, files=files, max_memory=W.nbytes // 2)
        linnet.Session(model, files=files, max_memory=64 * W.nbytes)

    def slowly(offset, size):
        time.sleep(0.005)
        return b"\0"

    with pytest.raises(linnet.LimitError, match="50 ms"):
        linnet.Session("m.onnx", files=failing(stored, "w.bin", "read", slowly), deadline_ms=50)


def test_loading_alone_reads(stored):
    files = Files(dict(stored[0]))
    session = linnet.Session("m.onnx", files=files, replaceable_weights=True)
    again = pickle.loads(pickle.dumps(session))
    files.files.clear()
    np.testing.assert_array_equal(session.run({"x": X})["y"], stored[1])
    np.testing.assert_array_equal(again.run({"x": X})["y"], stored[1])
    changed = session.with_weights({"b": np.zeros_like(B)}).run({"x": X})["y"]
    np.testing.assert_allclose(changed, stored[1] - B, rtol=1e-4, atol=1e-4)


def test_an_object_lives_as_long_as_its_session(stored):
    files = Files(stored[0])
    session, alive = linnet.Session("m.onnx", files=files), weakref.ref(files)
    del files
    gc.collect()
    assert alive() is not None
    del session
    gc.collect()
    assert alive() is None


def test_nothing_is_written_to_a_cache(stored, tmp_path):
    linnet.Session("m.onnx", files=Files(stored[0]), cache_dir=tmp_path / "cache").run({"x": X})
    assert list((tmp_path / "cache").iterdir()) == []
