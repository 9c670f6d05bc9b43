"""Models in ONNX Runtime's own file format, written by its library for these tests."""

import ctypes

import numpy as np
import pytest
from abi_models import ADD, FLOAT, INT64, OVERRIDABLE, TEXT, WEIGHTED, W, X, Y, model, node, value
from libraries import load
from onnx import TensorProto, helper
from session_support import FAIL, Ort, refused
from test_abi_model_info import described, names

INNER = helper.make_graph([node("Mul", "x two", "t")], "then", [], [value("t", shape=None)])
OTHER = helper.make_graph([node("Neg", "x", "e")], "else", [], [value("e", shape=None)])
MODELS = {
    "sum": ADD, "weights": WEIGHTED, "overridable": OVERRIDABLE,
    "branches": model([node("If", "condition", "z", then_branch=INNER, else_branch=OTHER)],
                      [value("x", shape=["N", 3]), value("condition", TensorProto.BOOL, [])], [value("z", shape=["N", 3])],
                      {"two": np.float32(2)}),
    "strings": model([node("Concat", "x more", "z", axis=0)], [value("x", TEXT, ["N"])], [value("z", TEXT, [None])],
                     {"more": np.array(["b", "\u00fc"], object)}),
    "attributes": model([node("LeakyRelu", "x", "y", alpha=0.5), node("Transpose", "y", "t", perm=[1, 0]),
                         node("Cast", "t", "z", to=INT64)], [value("x", FLOAT, [2, 3])], [value("z", INT64, [3, 2])]),
    "large": model([node("MatMul", "x w", "z")], [value("x", shape=["N", 64])], [value("z", shape=["N", 64])],
                   {"w": np.eye(64, dtype=np.float32) * 3}),
    "several": model([node("Conv", "x w b", "y", pads=[1, 1, 1, 1]), node("Relu", "y", "z")], [value("x", shape=["N", 1, 8, 8])],
                     [value("z", shape=["N", 2, 8, 8])],
                     {"w": np.arange(18, dtype=np.float32).reshape(2, 1, 3, 3), "b": np.ones(2, np.float32)}),
}  # fmt: skip
FEEDS = {
    "sum": {"x": X, "y": Y}, "weights": {"x": X}, "overridable": {"x": X, "w": Y}, "branches": {"x": X, "condition": np.array(True)},
    "strings": {"x": np.array(["a", "\u00e4b"], object)}, "attributes": {"x": X - 3}, "large": {"x": np.eye(64, dtype=np.float32)},
    "several": {"x": np.ones((1, 1, 8, 8), np.float32)},
}  # fmt: skip


@pytest.fixture(scope="session")
def files(tmp_path_factory):
    """Returns the models in ONNX Runtime's format, by optimisation level and name."""
    library, reason = load("onnxruntime")
    if library is None:
        pytest.skip(reason)
    api = library.api()
    ort, folder = Ort(api, api.CreateEnv(4, b"tests")), tmp_path_factory.mktemp("format")
    for level in (0, 1, 2):
        for name, contents in MODELS.items():
            options = ort.options(session__save_model_format="ORT")
            api.SetSessionGraphOptimizationLevel(options, level)
            api.SetOptimizedModelFilePath(options, str(folder / f"{level}.{name}.ort").encode())
            ort.session(contents, options)
    yield folder
    ort.close()
    api.ReleaseEnv(ort.env)


@pytest.mark.parametrize("level", [0, 1, 2])
@pytest.mark.parametrize("name", MODELS)
def test_models_compute_the_same(ort, files, level, name):
    path = files / f"{level}.{name}.ort"
    expected = ort.run(ort.session(MODELS[name]), FEEDS[name], "z")[0]
    from_file = ort.new("Session", ort.api.CreateSession(ort.env, str(path).encode(), ort.options()))
    for session in (from_file, ort.session(path.read_bytes())):
        found = ort.run(session, FEEDS[name], "z")[0]
        assert found.dtype == expected.dtype and found.tolist() == expected.tolist()


@pytest.mark.parametrize("name", ["sum", "overridable", "several"])
def test_models_describe_the_same(ort, files, name):
    sessions = [ort.session(MODELS[name]), ort.session((files / f"1.{name}.ort").read_bytes())]
    for side in ("Input", "Output", "OverridableInitializer"):
        expected, found = (names(ort, session, side) for session in sessions)
        assert found == expected
        for i in range(len(found)):
            assert described(ort, sessions[1], side, i) == described(ort, sessions[0], side, i)


ENTRIES = [{}, {"session__load_model_format": "ORT"}, {"session__load_model_format": "ORT", "session__use_ort_model_bytes_directly": "1"},
           {"session__load_model_format": "ORT", "session__use_ort_model_bytes_directly": "1",
            "session__use_ort_model_bytes_for_initializers": "1"}]  # fmt: skip


@pytest.mark.parametrize("entries", ENTRIES)
def test_entries_of_clients(ort, files, entries):
    contents = (files / "1.large.ort").read_bytes()
    memory = ctypes.create_string_buffer(contents, len(contents))
    session = ort.new("Session", ort.api.CreateSessionFromArray(ort.env, memory, len(contents), ort.options(**entries)))
    assert np.array_equal(ort.run(session, FEEDS["large"], "z")[0], np.eye(64) * 3)


def test_the_format_that_is_said_must_be_right(ort, files):
    contents = (files / "1.sum.ort").read_bytes()
    refused(7, "", ort.session, contents, ort.options(session__load_model_format="ONNX"))


@pytest.mark.parametrize("size", [8, 40, 200])
def test_files_that_are_cut_off(ort, files, size):
    contents = (files / "1.weights.ort").read_bytes()
    refused(FAIL, "", ort.session, contents[:size], ort.options(session__load_model_format="ORT"))


def test_weights_of_a_file_are_those_of_the_model(ort, files):
    session = ort.session((files / "0.weights.ort").read_bytes())
    assert ort.run(session, {"x": Y}, "z")[0].tolist() == (Y + W).tolist()
