"""The verbs of run_model on a program of PyTorch."""

import json

import numpy as np
import onnx
import pt2_archive
import pytest

X = np.random.default_rng(0).standard_normal((3, 3)).astype(np.float32)


@pytest.fixture
def saved(tmp_path):
    def saved(program):
        path = tmp_path / "m.pt2"
        path.write_bytes(pt2_archive.zip_bytes(pt2_archive.members(model=program)))
        return path

    return saved


def close(got, want):
    return np.testing.assert_allclose(got, want, 1e-5, 1e-5)


def test_run_without_a_verb_and_with_generated_inputs(run_model, saved):
    assert "y" in run_model(saved(pt2_archive.program())).stdout
    assert "[5,2]" in run_model("run", saved(pt2_archive.program()), "--dim", "s0=5").stdout


@pytest.mark.parametrize("flags", [(), ("--opt", 0), ("--threads", 2), ("--untrusted",)], ids=str)
def test_outputs(run_model, saved, flags):
    close(run_model.outputs(saved(pt2_archive.program()), {"x": X}, *flags)["y"], pt2_archive.expected(X)[0])


def test_states_are_inputs_and_outputs(run_model, saved):
    path, state = saved(pt2_archive.counter()), {}
    for times in (1, 2, 3):
        got = run_model.outputs(path, {"x": X, **state})
        close(got["y"], pt2_archive.expected(X, times)[1])
        state = {"scale": got["scale.next"]}
    assert run_model("bench", path, "--state", "*.next=*", "--steps", 4, "--iters", 5).returncode == 0


def test_saved_as_onnx(run_model, saved, tmp_path):
    run_model("run", saved(pt2_archive.program()), "--save-optimized", tmp_path / "m.onnx")
    onnx.checker.check_model(str(tmp_path / "m.onnx"))
    close(run_model.outputs(tmp_path / "m.onnx", {"x": X})["y"], pt2_archive.expected(X)[0])


def test_inspect_bench_and_ops(run_model, saved):
    path = saved(pt2_archive.program())
    assert "float32[s0,3]" in run_model("inspect", path).stdout
    report = json.loads(run_model("bench", path, "--iters", 3, "--json", "-").stdout)
    assert report["iterations"] == 3 and report["load_ms"] > 0
    assert "Sin" in run_model("ops", "--needed", path).stdout


def test_cache(run_model, saved, tmp_path):
    folder = tmp_path / "cache"
    folder.mkdir()
    path = saved(pt2_archive.program())
    first = run_model.outputs(path, {"x": X}, "--pack-cache", folder)["y"]
    assert list(folder.iterdir())
    assert (run_model.outputs(path, {"x": X}, "--pack-cache", folder)["y"] == first).all()
    # Another program of that name has a separate cache.
    close(run_model.outputs(saved(pt2_archive.counter()), {"x": X}, "--pack-cache", folder)["y"],
          pt2_archive.expected(X)[1])
