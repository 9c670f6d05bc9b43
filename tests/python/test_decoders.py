"""Runs benchmarks/decoders on small decoders of benchmarks/microsoft_decoders, without checking times."""

import json
import os
import subprocess
import sys

import onnx
import pytest
from locations import ROOT, RUN_MODEL

BENCHMARKS = ROOT / "benchmarks"
sys.path += [str(BENCHMARKS), str(BENCHMARKS / "decoders")]
pytest.importorskip("onnxruntime")

import feeds  # noqa: E402
import microsoft_decoders as decoders  # noqa: E402

SMALL = decoders.Sizes(width=128, layers=2, heads=2, kv_heads=1, inner=96, vocabulary=80)
LAYERED = decoders.Sizes(width=128, layers=2, heads=2, kv_heads=2, inner=96, vocabulary=80)
MODELS = {
    "shared_heads": lambda: decoders.language(SMALL),
    "normalized_heads": lambda: decoders.language(SMALL, normalized_heads=True),
    "layered": lambda: decoders.layered(LAYERED, "FastGelu"),
    "crossed": lambda: decoders.layered(LAYERED, "BiasGelu", crosses=True),
}


@pytest.fixture(params=MODELS)
def model(request, tmp_path):
    path = tmp_path / f"{request.param}.onnx"
    onnx.save(MODELS[request.param](), path)
    return path


def measured(model, *flags):
    """Returns (output, rows)."""
    file = model.with_suffix(".json")
    command = [sys.executable, BENCHMARKS / "decoders", model, "--past", "4,64", "--json", file, *flags]
    environment = os.environ | {"LINNET_RUN_MODEL": str(RUN_MODEL)}
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, env=environment, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout, json.loads(file.read_text())["rows"]


def test_both_engines_agree_and_are_timed(model):
    printed, rows = measured(model, "--rounds", 2, "--steps", 2, "--soak", 20)
    assert [row["past"] for row in rows] == [4, 64]
    for row in rows:
        assert row["difference"] < 1 and row["linnet_ms"] > 0 and row["ort_ms"] > 0
    assert rows[-1]["allocations"] == 0
    assert printed.count(f"| {model.stem} |") == 2


def test_weights_are_those_of_products(model):
    kept = sum(w.dims[0] * w.dims[1] * 4 for w in onnx.load(model).graph.initializer if len(w.dims) == 2)
    tables = {"shared_heads": 80 * 128 + 2 * 4096 * 32, "normalized_heads": 80 * 128 + 2 * 4096 * 32}
    assert feeds.weight_bytes(model) == kept - 4 * tables.get(model.stem, 80 * 128 + 4096 * 128)


def test_states_are_the_pasts_that_come_back(model):
    made = feeds.make(model, 5)
    assert all(value.shape[2] == 5 for value in made.past.values()) and len(made.past) == len(made.states) == 4
    assert len(made.fixed) == (4 if model.stem == "crossed" else 0)
    assert "attention_mask" not in made.step(2) or made.step(2)["attention_mask"].shape == (1, 8)
