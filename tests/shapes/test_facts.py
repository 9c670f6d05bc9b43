"""The dims and elements of small integer tensors that the engine knows before a run must be equal to the results of the
run."""

import drawn_integers
import drawn_networks
import numpy as np
import onnx
import pytest
import written_models
from compare_facts import compared, wrong
from locations import REAL_MODELS
from open_model import OpenModel

DRAWN, PARTS = {drawn_integers: 80, drawn_networks: 40}, 4


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("kind", DRAWN, ids=lambda kind: kind.__name__)
def test_facts_of_drawn_models(tmp_path, kind, part):
    found = {seed: wrong(kind.draw(seed), tmp_path / "model.onnx", seed % 3) for seed in range(part, DRAWN[kind], PARTS)}
    assert not any(found.values()), {seed: text for seed, text in found.items() if text}


@pytest.mark.parametrize("level", [0, 2])
@pytest.mark.parametrize("name", written_models.MODELS)
def test_facts_of_written_models(tmp_path, name, level):
    found, known = compared(written_models.MODELS[name](), tmp_path / "model.onnx", level)
    assert not found and known


def speech(batch, samples):
    numbers = np.random.default_rng([batch, samples])
    return {
        "input": numbers.standard_normal((batch, samples)).astype(np.float32),
        "state": numbers.standard_normal((2, batch, 128)).astype(np.float32),
        "sr": np.array(16000, np.int64),
    }


def pixels(batch, height=224):
    return {"input": np.ones((batch, 1, height, 224), np.float32)}


REAL = {
    "silero_vad/silero_vad_16k_op15.onnx": [speech(*x) for x in ((1, 512), (2, 576), (3, 320), (1, 577))],
    "super_resolution_10/model.onnx": [pixels(batch) for batch in (1, 2, 3)],
}


@pytest.mark.skipif(not REAL_MODELS.is_dir(), reason=f"no folder {REAL_MODELS} with real models")
@pytest.mark.parametrize("name", REAL)
def test_facts_of_real_models(tmp_path, name):
    model = OpenModel(onnx.load(REAL_MODELS / name), REAL[name], rtol=1e-3)
    found, known = compared(model, tmp_path / "model.onnx", 2)
    assert not found and known
