"""run_model bench --vs-ort, with the library of the Python package."""

import json
import pathlib
import subprocess

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


def test_both_medians_their_ratio_and_the_difference(run_model, linear, library):
    result = json.loads(run_model("bench", linear[0], "-r", 10, "--vs-ort", library, "--json", "-").stdout)
    assert result["iterations"] >= 10
    assert result["ratio"] == pytest.approx(result["ort_median_ms"] / result["median_ms"])
    assert 0 <= result["max_difference"] < 1e-5


def test_table_names_both_engines(run_model, linear, library):
    lines = run_model("bench", "--vs-ort", library, linear[0], "-r", 4, "-x", 1).stdout.splitlines()
    header = next(i for i, line in enumerate(lines) if line.startswith("engine"))
    assert lines[header + 1].startswith("Linnet ") and lines[header + 2].startswith("ONNX Runtime ")


def test_outputs_that_differ_are_not_timed(run_model, tmp_path, library):
    node = helper.make_node("Tanh", ["x"], ["y"])
    model = save_model(tmp_path / "m.onnx", [node], [("x", TensorProto.FLOAT, [999])], [("y", TensorProto.FLOAT, [999])])
    result = run_model("bench", model, "-r", 2, "--vs-ort", library, "--atol", 0, "--rtol", 0, code=4)
    assert "output 'y'" in result.stderr and result.stdout == ""


def test_compare_takes_onnxruntime_as_reference(run_model, linear, library):
    result = json.loads(run_model("compare", linear[0], "--vs-ort", library, "--atol", 1e-5, "--json", "-").stdout)
    assert [(o["output"], o["reference"].split()[0], o["agrees"]) for o in result["outputs"]] == [("y", "ONNX", True)]


@pytest.mark.parametrize("verb", ["bench", "compare"])
def test_both_engines_read_one_pipe(run_model, linear, library, verb):
    words = ["bash", "-c", 'cat "$1" | "$0" "$2" - --vs-ort "$3" --atol 1e-5', run_model.binary, linear[0], verb, library]
    result = subprocess.run(list(map(str, words)), capture_output=True, text=True)
    assert (result.returncode, result.stderr) == (0, "") and "ONNX Runtime" in result.stdout


def test_library_that_is_none_is_a_usage_error(run_model, linear):
    assert "none.so" in run_model("bench", linear[0], "--vs-ort", "none.so", code=1).stderr
    assert "libonnxruntime.so" in run_model("bench", "--vs-ort", linear[0], "-c", 1, env={"LD_LIBRARY_PATH": ""}, code=1).stderr


def test_one_context_at_a_time(run_model, linear):
    assert "--concurrency" in run_model("bench", linear[0], "--vs-ort", "-c", 2, code=1).stderr


@pytest.mark.parametrize("folder", ["capi", "package"])
def test_library_is_found_in_the_python_package(run_model, linear, library, folder):
    path = library.parent if folder == "capi" else library.parent.parent
    text = run_model("bench", "--vs-ort", path, linear[0], "-r", 2).stdout
    assert "\nONNX Runtime " in text


def test_folder_without_a_library_is_named(run_model, linear, tmp_path):
    error = run_model("bench", linear[0], "--vs-ort", tmp_path, code=1).stderr
    assert f"{tmp_path} and its folder capi hold no libonnxruntime.so" in error


def test_telemetry_is_off(run_model, linear, tmp_path):
    """Telemetry is off even if the environment enables it. The test uses a library that reports what it finds when it
    is opened."""
    (tmp_path / "spy.c").write_text(
        "#include <stdio.h>\n#include <stdlib.h>\n"
        '__attribute__((constructor)) static void tell(void) { fprintf(stderr, "off: %s\\n", getenv("ORT_DISABLE_TELEMETRY")); }\n'
    )
    subprocess.run(["cc", "-shared", "-fPIC", tmp_path / "spy.c", "-o", tmp_path / "libonnxruntime.so.9"], check=True)
    result = run_model("bench", linear[0], "--vs-ort", tmp_path, env={"ORT_DISABLE_TELEMETRY": "0"}, code=1)
    assert result.stderr.startswith("off: 1\n") and "is not ONNX Runtime" in result.stderr
