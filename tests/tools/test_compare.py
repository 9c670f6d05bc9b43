"""benchmarks/compare: its output, what it refuses to time, its statistics. These tests do not depend on the duration of
a run."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from locations import ROOT
from onnx import TensorProto, helper, numpy_helper, save
from onnx_files import identity

COMMAND = ROOT / "benchmarks/compare"
sys.path.append(str(COMMAND))

import canary  # noqa: E402
import measure  # noqa: E402
import summary  # noqa: E402

QUICK = ["--threads", "1", "--rounds", "2", "--seconds", "0.01", "--repeats", "0"]


@pytest.fixture
def compare(run_model, tmp_path):
    """Calls the command. Returns the completed process and the rows of its JSON."""
    pytest.importorskip("onnxruntime")

    def call(*arguments, engines="onnxruntime", program=None, code=0):
        report = tmp_path / "result.json"
        command = [sys.executable, COMMAND, *QUICK, "--engines", engines, "--json", report, *arguments]
        environment = {**os.environ, "LINNET_RUN_MODEL": str(program or run_model.binary)}
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=120, env=environment)
        assert done.returncode == code, done.stderr
        return done, json.loads(report.read_text())

    return call


def test_results_and_tables(compare, linear, tmp_path):
    done, result = compare(linear[0])
    (row,) = result["rows"]
    assert (row["model"], row["threads"], row["batch"], row["isa"]) == ("linear", 1, 1, "auto")
    assert set(row["layers_ms"]) and row["thrown_out"] == 0
    assert set(row["engines"]) == {"linnet", "onnxruntime"}
    for engine in row["engines"].values():
        assert len(engine["blocks_ms"]) == 2
        assert {"median_ms", "load_ms", "first_run_ms", "peak_rss_mib"} < set(engine)
    peer = row["engines"]["onnxruntime"]
    assert peer["interval"][0] <= peer["ratio"] <= peer["interval"][1]
    assert peer["level"] in ("all", "extended") and peer["verdict"] in ("win", "tie", "loss")
    assert "| linear | 1 | 1 | auto |" in done.stdout and "| geometric mean |" in done.stdout
    assert {"processor", "cores", "versions"} < set(result["machine"])


def test_report_replaces_its_own_part_only(compare, linear, tmp_path):
    path = tmp_path / "performance.md"
    path.write_text("# Title\n\nBefore.\n\n<!-- benchmarks/compare: begin -->\nstale\n<!-- benchmarks/compare: end -->\n\nAfter.\n")
    done, _ = compare(linear[0], "--report", path, engines="none")
    assert ("no plots" in done.stderr) != (tmp_path / "performance_layers.png").exists()
    text = path.read_text()
    assert text.startswith("# Title\n\nBefore.\n") and text.endswith("\n\nAfter.\n")
    assert "Processor: " in text and "| linear | 1 |" in text and "stale" not in text
    compare("--report", path, engines="none")
    assert path.read_text() == text


def test_a_batch_for_models_whose_first_dim_is_free(compare, linear, tmp_path):
    fixed = tmp_path / "fixed.onnx"
    identity(fixed, TensorProto.FLOAT, [2, 3])
    done, result = compare(linear[0], fixed, "--batch", 8, engines="none")
    assert "engines" in result["rows"][0] and result["rows"][0]["batch"] == 8
    assert result["rows"][1]["problem"] == "the batch is fixed"


def test_rows_of_earlier_calls_stay(compare, linear):
    compare(linear[0], engines="none")
    _, result = compare(linear[0], "--isa", "baseline", engines="none")
    assert [row["isa"] for row in result["rows"]] == ["auto", "baseline"]


def wrong_program(run_model, folder, change):
    """Returns a run_model whose outputs are changed by `change`, an expression of `value`, and a file of the verbs that
    were called."""
    wrong, log = folder / "wrong", folder / "log"
    wrong.write_text(f"""#!{sys.executable}
import subprocess, sys
import numpy as np
open("{log}", "a").write(" ".join(sys.argv[1:2]) + "\\n")
code = subprocess.call(["{run_model.binary}", *sys.argv[1:]])
if "--save-outputs" in sys.argv:
    path = sys.argv[sys.argv.index("--save-outputs") + 1]
    np.savez(path, **{{name: {change} for name, value in np.load(path).items()}})
sys.exit(code)
""")
    wrong.chmod(0o755)
    return wrong, log


def test_outputs_that_differ_are_not_timed(run_model, compare, linear, tmp_path):
    wrong, log = wrong_program(run_model, tmp_path, "value + 1")
    done, result = compare(linear[0], program=wrong, code=1)
    assert result["rows"][0]["problem"] == "output y differs by 1" and "engines" not in result["rows"][0]
    assert "output y differs by 1" in done.stdout
    assert log.read_text().split() == ["--version", "run"]


def test_outputs_of_models_of_bytes_may_differ_by_a_part_of_their_norm(run_model, compare, linear, tmp_path):
    near, _ = wrong_program(run_model, tmp_path, "value * 1.09")
    _, result = compare(linear[0], "--quantized", program=near)
    assert "engines" in result["rows"][0]
    far, _ = wrong_program(run_model, tmp_path, "value * 1.11")
    _, result = compare(linear[0], "--quantized", program=far, code=1)
    assert result["rows"][0]["problem"] == "output y differs by 0.11 of its norm"


def test_quantised_forms_of_a_model_are_timed(compare, tmp_path):
    w = numpy_helper.from_array(np.random.default_rng(0).standard_normal((8, 3, 3, 3)).astype(np.float32), "w")
    conv = helper.make_node("Conv", ["x", "w"], ["y"], name="conv")
    values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
              for name, shape in (("x", ["N", 3, 9, 9]), ("y", ["N", 8, 7, 7]))]  # fmt: skip
    graph = helper.make_graph([conv], "g", values[:1], values[1:], [w])
    save(helper.make_model(graph, ir_version=9, opset_imports=[helper.make_opsetid("", 17)]), tmp_path / "conv.onnx")
    command = [sys.executable, ROOT / "benchmarks/quantize_models.py", tmp_path / "conv.onnx", "--out", tmp_path / "q"]
    kinds = ["u8s8", "s8s8_qoperator", "dynamic"]
    subprocess.run([*map(str, command), "--kinds", ",".join(kinds)], check=True, timeout=120, capture_output=True)
    done, result = compare(*(tmp_path / f"q/conv.{kind}.onnx" for kind in kinds), "--quantized")
    assert [row["model"] for row in result["rows"]] == [f"conv.{kind}" for kind in kinds]
    assert all("ratio" in row["engines"]["onnxruntime"] for row in result["rows"]), done.stdout


def test_the_interval_holds_a_known_ratio():
    random = np.random.default_rng(1)
    trials = [1.2 * np.exp(random.normal(0, 0.05, 15)) for _ in range(200)]
    intervals = [summary.bootstrap_interval(values) for values in trials]
    assert sum(low <= 1.2 <= high for low, high in intervals) >= 180
    assert all(high - low < 0.2 for low, high in intervals)


def test_verdicts():
    assert summary.summarise([2, 3, 4], [1, 1.5, 2]) == {"ratio": 2, "interval": [2, 2], "verdict": "win"}
    assert summary.verdict([0.9, 0.99]) == "loss" and summary.verdict([0.9, 1.1]) == "tie"
    assert summary.geometric_mean([0.5, 8]) == pytest.approx(2)


class ScriptedCanary:
    tolerance = 0.05

    def __init__(self, *deviations):
        self.deviations = iter(deviations)

    def measure(self):
        return next(self.deviations)

    def deviation(self, song):
        return song


def test_disturbed_blocks_are_repeated():
    watch = canary.Watch(ScriptedCanary(0.01, 0.3, 0.2, 0.01, 0.02, 0.04), repeats=3)
    assert watch.undisturbed(iter("abc").__next__) == "c"
    assert (watch.thrown_out, watch.kept_disturbed) == (2, 0)


def test_after_the_last_repetition_the_quietest_block_counts():
    watch = canary.Watch(ScriptedCanary(0.3, 0.01, 0.1, 0.01, 0.2, 0.01), repeats=2)
    assert watch.undisturbed(iter("abc").__next__) == "b"
    assert (watch.thrown_out, watch.kept_disturbed) == (2, 1)


def test_a_canary_compares_with_the_median_of_its_songs():
    bird = canary.Canary([min(os.sched_getaffinity(0))])
    bird.songs = [1.0, 1.0, 2.0, 1.0]
    assert bird.deviation(1.0) == 0 and bird.deviation(0.9) > bird.tolerance


def test_engines_take_turns_in_the_order_abba():
    class Engine:
        def __init__(self, name):
            self.name, self.median_ms = name, 1.0

    order = []
    measure.in_turns([Engine("a"), Engine("b")], 4, lambda engine: order.append(engine.name) or engine)
    assert "".join(order) == "abbaabba"


def test_the_time_of_bodies_is_counted_once():
    events = [
        {"name": "Mul", "ts": 10, "dur": 100},
        {"name": "If", "ts": 0, "dur": 1000},
        {"name": "linnet::Conv", "ts": 1000, "dur": 500},
        {"name": "If", "ts": 1600, "dur": 100},
    ]
    assert measure.time_by_type(events) == {"If": pytest.approx(1.1), "Conv": pytest.approx(0.5)}
