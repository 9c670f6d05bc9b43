"""run_model with a model from a pipe."""

import json
import subprocess

import pytest


@pytest.mark.parametrize("path", ["-", "/dev/stdin"])
@pytest.mark.parametrize("verb", [[], ["run"], ["bench", "-r", 1], ["inspect"], ["compare", "--verify-opt"]], ids=lambda v: str(v[:1]))
def test_standard_input(run_model, linear, verb, path):
    command = " ".join(["cat", '"$0"', "|", '"$@"'])
    words = ["sh", "-c", command, linear[0], run_model.binary, *verb, path]
    result = subprocess.run(list(map(str, words)), capture_output=True, text=True)
    assert (result.returncode, result.stderr) == (0, "")


def test_process_substitution_gives_what_the_file_gives(run_model, linear):
    words = ["bash", "-c", '"$0" run <(cat "$1") --json - --fill ramp', run_model.binary, linear[0]]
    result = json.loads(subprocess.run(list(map(str, words)), capture_output=True, check=True).stdout)
    wanted = json.loads(run_model(linear[0], "--json", "-", "--fill", "ramp").stdout)
    assert result["outputs"] == wanted["outputs"]


def test_both_models_of_a_comparison(run_model, linear):
    words = ["bash", "-c", '"$0" compare <(cat "$1") --against <(cat "$1") --per-node', run_model.binary, linear[0]]
    assert "2 values compared, 0 differ" in subprocess.run(list(map(str, words)), capture_output=True, text=True, check=True).stdout


def test_limits_bound_what_is_read(run_model):
    result = run_model("/dev/zero", "--max-memory", "16M", code=5)
    assert result.stderr.startswith("run_model: /dev/zero: the model has more than the limit of 16777216 bytes")


def test_errors_name_the_pipe(run_model, tmp_path):
    (tmp_path / "m.onnx").write_bytes(b"\xff" * 100)
    words = ["sh", "-c", 'cat "$0" | "$1" -', tmp_path / "m.onnx", run_model.binary]
    result = subprocess.run(list(map(str, words)), capture_output=True, text=True)
    assert result.returncode == 2 and result.stderr.startswith("run_model: -: ")
    closed = subprocess.run(["sh", "-c", 'exec "$0" - <&-', run_model.binary], capture_output=True, text=True)
    assert closed.returncode == 2 and closed.stderr.startswith("run_model: ")
