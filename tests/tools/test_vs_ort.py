"""run_model bench --vs-ort: where the command was built with ONNX Runtime's header, against the Python package's library."""

import json
import pathlib

import pytest
from onnx import TensorProto, helper
from onnx_files import save_model


@pytest.fixture(scope="module")
def library(run_model, tmp_path_factory):
    package = pytest.importorskip("onnxruntime")
    found = sorted(pathlib.Path(package.__file__).parent.glob("capi/libonnxruntime.so.*"))
    if not found:
        pytest.skip("the package onnxruntime has no library of its own")
    return found[0]


@pytest.fixture
def built(run_model, linear, library):
    """Skips where run_model knows no ONNX Runtime, after a look at what it then says."""
    try:
        run_model("bench", linear[0], "-r", 1, f"--vs-ort={library}")
    except AssertionError:
        error = run_model("bench", linear[0], f"--vs-ort={library}", code=1).stderr
        assert "benchmarks/compare" in error and error.count("\n") == 1
        pytest.skip("run_model was built without ONNX Runtime's header")


def test_both_medians_their_ratio_and_the_difference(run_model, linear, library, built):
    result = json.loads(run_model("bench", linear[0], "-r", 10, "--vs-ort", library, "--json", "-").stdout)
    assert result["iterations"] >= 10
    assert result["ratio"] == pytest.approx(result["ort_median_ms"] / result["median_ms"])
    assert 0 <= result["max_difference"] < 1e-5


def test_table_names_both_engines(run_model, linear, library, built):
    lines = run_model("bench", "--vs-ort", library, linear[0], "-r", 4, "-x", 1).stdout.splitlines()
    header = next(i for i, line in enumerate(lines) if line.startswith("engine"))
    assert lines[header + 1].startswith("Linnet ") and lines[header + 2].startswith("ONNX Runtime ")


def test_outputs_that_differ_are_not_timed(run_model, tmp_path, library, built):
    node = helper.make_node("Tanh", ["x"], ["y"])
    model = save_model(tmp_path / "m.onnx", [node], [("x", TensorProto.FLOAT, [999])], [("y", TensorProto.FLOAT, [999])])
    result = run_model("bench", model, "-r", 2, "--vs-ort", library, "--atol", 0, "--rtol", 0, code=4)
    assert "output 'y'" in result.stderr and result.stdout == ""


def test_compare_takes_onnxruntime_as_reference(run_model, linear, library, built):
    result = json.loads(run_model("compare", linear[0], "--vs-ort", library, "--atol", 1e-5, "--json", "-").stdout)
    assert [(o["output"], o["reference"].split()[0], o["agrees"]) for o in result["outputs"]] == [("y", "ONNX", True)]


def test_library_that_is_none_is_a_usage_error(run_model, linear, built):
    assert "none.so" in run_model("bench", linear[0], "--vs-ort", "none.so", code=1).stderr
    assert "libonnxruntime.so" in run_model("bench", "--vs-ort", linear[0], "-c", 1, env={"LD_LIBRARY_PATH": ""}, code=1).stderr


def test_one_context_at_a_time(run_model, linear):
    assert "--concurrency" in run_model("bench", linear[0], "--vs-ort", "-c", 2, code=1).stderr
