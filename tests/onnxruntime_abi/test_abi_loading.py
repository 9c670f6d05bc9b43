"""Sessions from files and from memory, and models that cannot be loaded."""

import ctypes

import numpy as np
import pytest
from abi_models import ADD, FLOAT, IDENTITY, TEXT, WEIGHTED, W, X, Y, model, node, one, value
from onnx import TensorProto
from session_support import ARGUMENT, FAIL, INVALID_GRAPH, NO_FILE, NOT_IMPLEMENTED, PROTOBUF, refused


def load(ort, path, options=None):
    return ort.new("Session", ort.api.CreateSession(ort.env, str(path).encode(), options))


def test_a_session_from_a_file(ort, tmp_path):
    for name in ("add.onnx", "mit Umlaut \u00fc.onnx", "no_suffix"):
        path = tmp_path / name
        path.write_bytes(ADD)
        session = load(ort, path, ort.options())
        path.unlink()
        assert ort.run(session, {"x": X, "y": Y}, "z")[0].tolist() == (X + Y).tolist()


def test_options_may_be_left_out(ort, tmp_path):
    (tmp_path / "add.onnx").write_bytes(ADD)
    for session in (load(ort, tmp_path / "add.onnx"),
                    ort.new("Session", ort.api.CreateSessionFromArray(ort.env, ADD, len(ADD), None))):  # fmt: skip
        assert ort.run(session, {"x": X, "y": Y}, "z")[0].tolist() == (X + Y).tolist()


def test_the_bytes_of_a_model_may_go_first(ort):
    memory = (ctypes.c_char * len(WEIGHTED)).from_buffer(bytearray(WEIGHTED))
    session = ort.new("Session", ort.api.CreateSessionFromArray(ort.env, memory, len(WEIGHTED), ort.options()))
    ctypes.memset(memory, 0x55, len(WEIGHTED))
    assert ort.run(session, {"x": X}, "z")[0].tolist() == (X + W).tolist()


def test_sessions_of_one_model_are_apart(ort):
    sessions = [ort.session(WEIGHTED) for _ in range(4)]
    ort.release("Session", sessions[1])
    for session in (sessions[0], *sessions[2:]):
        assert ort.run(session, {"x": X}, "z")[0].tolist() == (X + W).tolist()


def test_files_that_are_not_there(ort, tmp_path):
    refused(NO_FILE, "doesn't exist", load, ort, tmp_path / "none.onnx")
    refused(NO_FILE, "doesn't exist", load, ort, "")


def test_a_folder_is_no_model(ort, tmp_path):
    refused(ARGUMENT, "directory", load, ort, tmp_path)


@pytest.mark.parametrize(("contents", "code", "words"), [
    (b"hello garbage" * 10, PROTOBUF, "protobuf parsing failed"), (b"", ARGUMENT, "no graph was found"),
    (ADD[: len(ADD) // 2], PROTOBUF, "protobuf parsing failed"), (b"\xff" * 64, PROTOBUF, "protobuf parsing failed")],
    ids=["text", "nothing", "half", "bytes"])  # fmt: skip
def test_contents_that_are_no_model(ort, tmp_path, contents, code, words):
    (tmp_path / "m.onnx").write_bytes(contents)
    refused(code, "m.onnx.*" + words, load, ort, tmp_path / "m.onnx")
    refused(code, words, ort.session, contents)


def test_memory_may_be_missing(ort):
    refused(ARGUMENT, "pointer is null", ort.api.CreateSessionFromArray, ort.env, None, 0, None)
    refused(ARGUMENT, "pointer is null", ort.api.CreateSessionFromArray, ort.env, None, 10, None)
    refused(ARGUMENT, "no graph was found", ort.api.CreateSessionFromArray, ort.env, ADD, 0, None)


def foo(domain="", domains=()):
    return model([node("Foo", "x", "z", domain=domain)], [value("x")], [value("z")], domains=domains)


BROKEN = {
    "unknown operator": (foo(), INVALID_GRAPH, "Foo"),
    "unknown operator of a domain": (foo("a.b", {"a.b": 1}), FAIL, r"a\.b:+Foo"),
    "domain without import": (foo("a.b"), INVALID_GRAPH, r"a\.b"),
    "opset of the future": (one("Relu", opset=17).replace(b"\x10\x11", b"\x10\x63"), FAIL, "opset 99"),
    "type that the operator lacks": (one("Relu", kind=TEXT), INVALID_GRAPH, "Relu"),
    "input from nowhere": (model([node("Relu", "q", "z")], [value("x")], [value("z")]), ARGUMENT, "'q'"),
    "cycle": (model([node("Add", "x b", "a"), node("Relu", "a", "b")], [value("x")], [value("b")]), FAIL, "acyclic|cycle"),
    "type that no kernel has": (
        model([node("Conv", "x w", "z")], [value("x", TensorProto.DOUBLE, (1, 1, 4, 4)), value("w", TensorProto.DOUBLE, (1, 1, 3, 3))],
              [value("z", TensorProto.DOUBLE, None)]), NOT_IMPLEMENTED, "Conv"),
    "two values of one name": (
        model([node("Relu", "x", "z"), node("Abs", "x", "z")], [value("x")], [value("z")]), FAIL, "z"),
    "attribute of a wrong type": (one("Softmax", axis="a"), INVALID_GRAPH, "axis"),
    "missing attribute": (one("Cast"), INVALID_GRAPH, "to"),
    "too many inputs": (model([node("Relu", "x x", "z")], [value("x")], [value("z")]), INVALID_GRAPH, "Relu"),
    "output from nowhere": (model([node("Relu", "x", "y")], [value("x")], [value("z")]), FAIL, "z"),
}  # fmt: skip


@pytest.mark.parametrize("case", BROKEN)
def test_models_with_faults_are_refused(ort, case):
    contents, code, words = BROKEN[case]
    refused(code, words, ort.session, contents)


def test_an_ir_version_of_the_future_is_refused(ort):
    refused(FAIL, "IR version.*99", ort.session, model([node("Relu", "x", "z")], [value("x")], [value("z")], ir=99))


def test_a_wrong_shape_of_an_output_is_only_a_warning(ort):
    contents = model([node("Relu", "x", "z")], [value("x", FLOAT, [2])], [value("z", FLOAT, [3])])
    assert ort.run(ort.session(contents), {"x": np.ones(2, np.float32)}, "z")[0].tolist() == [1, 1]


def test_the_format_of_a_model_may_be_said(ort):
    for text in ("ONNX", "something"):
        session = ort.session(IDENTITY, ort.options(session__load_model_format=text))
        assert ort.run(session, {"x": X}, "z")[0].tolist() == X.tolist()
    refused(FAIL, "ORT model verification failed", ort.session, IDENTITY, ort.options(session__load_model_format="ORT"))


def test_loading_may_be_cancelled(ort):
    options = ort.options()
    ort.api.SessionOptionsSetLoadCancellationFlag(options, True)
    refused(12, "cancel", ort.session, ADD, options)
    ort.api.SessionOptionsSetLoadCancellationFlag(options, False)
    ort.session(ADD, options)


def test_the_optimized_model_is_written(ort, tmp_path):
    options, path = ort.options(), tmp_path / "optimized.onnx"
    ort.api.SetOptimizedModelFilePath(options, str(path).encode())
    ort.session(WEIGHTED, options)
    assert ort.run(ort.session(path.read_bytes()), {"x": X}, "z")[0].tolist() == (X + W).tolist()
