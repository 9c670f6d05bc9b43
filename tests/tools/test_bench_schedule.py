"""run_model bench: batches, runs at a given rate, the contents of --csv. These tests do not depend on the duration of a
run."""

import csv
import json

import numpy as np
import pytest
from onnx import TensorProto, helper
from onnx_files import identity, save_model


def bench(run_model, *arguments):
    return json.loads(run_model("bench", *arguments, "--json", "-").stdout)


@pytest.fixture
def rows(tmp_path):
    """Returns a function that returns the rows of the CSV, with numbers converted."""

    def read():
        with open(tmp_path / "runs.csv", newline="") as file:
            return [{name: float(value) for name, value in row.items()} for row in csv.DictReader(file)]

    return read


def test_runs_are_due_at_the_rate(run_model, linear, tmp_path, rows):
    result = bench(run_model, linear[0], "--rate", 500, "-r", 20, "-c", 2, "--csv", tmp_path / "runs.csv")
    runs = sorted(rows(), key=lambda row: row["run"])
    assert [row["run"] for row in runs] == list(range(20))
    assert {row["context"] for row in runs} <= {0, 1}
    np.testing.assert_allclose([row["due_ms"] for row in runs], np.arange(20) * 2)
    assert all(row["begin_ms"] >= row["due_ms"] for row in runs)
    assert all(row["latency_ms"] >= row["begin_ms"] - row["due_ms"] for row in runs)
    assert (result["rate_per_s"], result["iterations"]) == (500, 20)


def test_seconds_at_a_rate_are_a_number_of_runs(run_model, linear):
    """This does not depend on the duration of the runs."""
    assert bench(run_model, linear[0], "--rate", 100, "-t", 0.1)["iterations"] == 10


def test_waiting_counts(run_model, tmp_path, rows):
    """All runs are due at once, so each waits for the previous ones."""
    model = identity(tmp_path / "m.onnx", TensorProto.FLOAT, [1])
    bench(run_model, model, "--rate", 1e9, "-r", 50, "--csv", tmp_path / "runs.csv")
    runs = rows()
    ends = [row["due_ms"] + row["latency_ms"] for row in runs]
    assert ends == sorted(ends)
    assert all(later["begin_ms"] >= end - 1e-5 for later, end in zip(runs[1:], ends))


def test_histogram_counts_every_run_once(run_model, linear):
    flags = ["--rate", 1000, "-r", 30]
    buckets = bench(run_model, linear[0], *flags)["histogram"]
    assert sum(bucket["count"] for bucket in buckets) == 30
    assert buckets[0]["count"] > 0 and buckets[-1]["count"] > 0
    assert all(one["to_ms"] == two["from_ms"] for one, two in zip(buckets, buckets[1:]))
    assert all(bucket["to_ms"] / bucket["from_ms"] in (pytest.approx(2), pytest.approx(2.5)) for bucket in buckets)
    lines = [line for line in run_model("bench", linear[0], *flags).stdout.splitlines() if "#" in line]
    assert sum(int(line.split()[5]) for line in lines) == 30


def test_without_a_rate_runs_are_due_when_they_begin(run_model, linear, tmp_path, rows):
    result = bench(run_model, linear[0], "-r", 5, "--csv", tmp_path / "runs.csv")
    assert "histogram" not in result and [row["run"] for row in rows()] == list(range(5))


@pytest.mark.parametrize("shape", [["N", 3], [None, 3]])
def test_batch_is_the_first_axis(run_model, tmp_path, shape):
    values = [[(name, TensorProto.FLOAT, shape)] for name in "xy"]
    model = save_model(tmp_path / "m.onnx", [helper.make_node("Tanh", ["x"], ["y"])], *values)
    trace = tmp_path / "trace.json"
    run_model("bench", model, "-r", 1, "--batch", 4, "--profile", trace)
    assert "float32[4,3]" in trace.read_text()


def test_batch_is_that_of_all_inputs(run_model, tmp_path):
    node = helper.make_node("Add", ["a", "b"], ["y"])
    values = [("a", TensorProto.FLOAT, ["N", 3]), ("b", TensorProto.FLOAT, ["N", 3])]
    model = save_model(tmp_path / "m.onnx", [node], values, [("y", TensorProto.FLOAT, ["N", 3])])
    np.save(tmp_path / "a.npy", np.ones((4, 3), np.float32))
    given = ["-i", f"a={tmp_path}/a.npy", "--fill", "ones"]
    run_model("bench", model, "-r", 1, "--batch", 4, *given)
    error = run_model("bench", model, "-r", 1, "--batch", 5, *given, code=1).stderr
    assert "--batch 5: the input 'a' that is given is float32[4,3]" in error


def test_batch_that_the_model_fixes_is_an_error(run_model, tmp_path):
    model = identity(tmp_path / "m.onnx", TensorProto.FLOAT, [2, 3])
    error = run_model("bench", model, "--batch", 8, code=1).stderr
    assert "--batch 8: the model fixes the first axis of input 'x' (float32[2,3])" in error
    run_model("bench", model, "--batch", 2, "-r", 1)


@pytest.mark.parametrize("flag", [["--rate", 10], ["--csv", "runs.csv"]])
def test_turns_with_another_engine_have_no_schedule(run_model, linear, flag):
    assert flag[0] in run_model("bench", linear[0], "--vs-ort", *flag, code=1).stderr
