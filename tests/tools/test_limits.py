"""The resources that run_model permits a model, by default and with the flags that change them."""

import os
import re

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnx_files import save_model

BYTES = 2**47


@pytest.fixture
def demanding(tmp_path):
    """A model of about a hundred bytes whose run needs 128 TiB."""
    nodes = [
        helper.make_node("ReduceMax", ["x"], ["most"], keepdims=0),
        helper.make_node("Expand", ["most", "shape"], ["large"]),
        helper.make_node("ReduceSum", ["large"], ["y"]),
    ]
    shape = numpy_helper.from_array(np.array([BYTES // 4], np.int64), "shape")
    values = [("x", TensorProto.FLOAT, ["N", 3])], [("y", TensorProto.FLOAT, None)]
    return save_model(tmp_path / "demanding.onnx", nodes, *values, [shape])


def limits_of(run_model, model, *flags):
    told = run_model("run", "-v", model, *flags).stderr
    return re.search("^limits (.*), loading (.*), a run (.*)$", told, re.MULTILINE).groups()


@pytest.mark.parametrize("verb", [["run"], ["bench"], ["compare", "--verify-opt"], ["inspect", "--show=plan"]])
def test_a_model_gets_less_than_the_machines_memory_by_default(run_model, demanding, verb):
    error = run_model(verb[0], demanding, *verb[1:], code=5).stderr
    least = re.search(rf"needs {BYTES} bytes, more than the limit of (\d+); --max-memory or --trusted allows more", error)
    assert 0 < int(least[1]) <= os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") * 3 / 4


def test_cases_are_checked_within_the_same_limits(run_model, cases, demanding):
    demanding.rename(cases / "other" / "model.onnx")
    for flags, told in ([], True), (["--trusted"], False):
        line = next(line for line in run_model("check", cases, *flags, code=4).stdout.splitlines() if "FAIL" in line)
        assert ("--trusted allows more" in line) == told


def test_loading_ends_by_default_and_runs_may_take_any_time(run_model, linear):
    assert limits_of(run_model, linear[0])[1:] == ("300 s", "any time")


@pytest.mark.parametrize(
    "flags, limits",
    [
        (["--trusted"], ("any memory", "any time", "any time")),
        (["--trusted", "--max-memory", "64M"], ("64.0 MiB", "any time", "any time")),
        (["--untrusted"], ("2.0 GiB", "60 s", "60 s")),
        (["--untrusted", "--deadline", 5000], ("2.0 GiB", "5,000 ms", "5,000 ms")),
        (["--max-memory", "64M"], ("64.0 MiB", "300 s", "any time")),
        (["--deadline", 5000, "--max-memory", "64M"], ("64.0 MiB", "5,000 ms", "5,000 ms")),
    ],
)
def test_flags_replace_the_limits(run_model, linear, flags, limits):
    assert limits_of(run_model, linear[0], *flags) == limits


def test_a_trusted_model_is_refused_by_the_system_only(run_model, demanding):
    assert "limit of" not in run_model(demanding, "--trusted", code=5).stderr


def test_a_model_is_trusted_or_not(run_model, linear):
    assert "leave one out" in run_model(linear[0], "--trusted", "--untrusted", code=1).stderr


def test_no_memory_is_no_limit(run_model, linear):
    assert "--max-memory: Value 0 is not positive" in run_model(linear[0], "--max-memory", 0, code=1).stderr


def test_strings_count_with_what_they_hold(run_model, tmp_path):
    text = helper.make_tensor("text", TensorProto.STRING, [1], [b"a" * 1000])
    values = [("shape", TensorProto.INT64, [1])], [("y", TensorProto.STRING, None)]
    node = helper.make_node("Expand", ["text", "shape"], ["y"])
    model = save_model(tmp_path / "strings.onnx", [node], *values, [text])
    np.save(tmp_path / "shape.npy", np.array([200_000], np.int64))
    arguments = [model, "-i", f"shape={tmp_path}/shape.npy"]
    assert "more than the limit of" in run_model(*arguments, "--max-memory", "64M", code=5).stderr
    run_model(*arguments, "--max-memory", "1G")
