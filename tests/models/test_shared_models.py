"""Real models with trained weights, in a folder outside of the project. The tests are skipped if they are missing."""

import functools

import numpy as np
import onnx
import pytest
from comparison import (
    assert_bitwise_equal_for_any_thread_count,
    assert_close,
    assert_close_under_each_isa,
    assert_equal_in_guarded_memory,
)
from locations import REAL_MODELS
from onnx_files import identity
from onnx_runtime import OnnxRuntime

pytestmark = pytest.mark.skipif(not REAL_MODELS.is_dir(), reason=f"no folder {REAL_MODELS} with real models")

MNIST = REAL_MODELS / "mnist_8" / "model.onnx"
SUPER_RESOLUTION = REAL_MODELS / "super_resolution_10" / "model.onnx"
SILERO = REAL_MODELS / "silero_vad" / "silero_vad_16k_op15.onnx"
FASTEST_DET = REAL_MODELS / "fastest_det" / "FastestDet.onnx"


def speech(batch, samples, seed):
    """Returns harmonics of a gliding pitch in noise, at 16 kHz: float32[batch, samples]."""
    rng = np.random.default_rng(seed)
    t = np.arange(samples) / 16000
    pitch = rng.uniform(90, 250, (batch, 1)) * (1 + t)
    voice = sum(np.sin(2 * np.pi * k * pitch * t) / k for k in range(1, 9))
    loudness = rng.uniform(0, 0.4, (batch, 1))
    return (loudness * voice + rng.normal(0, 0.01, (batch, samples))).astype(np.float32)


def silero_feeds(batch, samples, seed=0, state=None):
    if state is None:
        state = np.random.default_rng(seed).normal(0, 0.3, (2, batch, 128)).astype(np.float32)
    return {"input": speech(batch, samples, seed), "state": state, "sr": np.array(16000, np.int64)}


def random_feeds(name, *shape, seed=0):
    return {name: np.random.default_rng(seed).uniform(0, 1, shape).astype(np.float32)}


# Inputs for each model, for tests that do not depend on the values.
EXAMPLES = {
    MNIST: random_feeds("Input3", 1, 1, 28, 28),
    SUPER_RESOLUTION: random_feeds("input", 3, 1, 224, 224),
    SILERO: silero_feeds(2, 576),
    FASTEST_DET: random_feeds("input", 1, 3, 352, 352),
}


@pytest.fixture(scope="module")
def onnx_runtime():
    """Returns onnx_runtime(model), which returns the model's session and caches it."""
    return functools.cache(OnnxRuntime)


@pytest.mark.parametrize(
    "data",
    [path for model in (MNIST, SUPER_RESOLUTION) for path in sorted(model.parent.glob("test_data_set_*"))],
    ids=lambda path: f"{path.parent.name}-{path.name}",
)
def test_reproduces_the_test_data_set(run_model, data):
    """rtol is the official 1e-3. The official atol, 1e-7, is about one unit in the last place of 1. The terms of an
    output near 0 cancel, and the remainder depends on the order of summation, which 1e-6 permits."""
    run_model("run", data.parent / "model.onnx", "--test-data", data, "--rtol", 1e-3, "--atol", 1e-6)


@pytest.mark.parametrize("batch", [1, 3])
def test_super_resolution_agrees(run_model, onnx_runtime, batch):
    feeds = random_feeds("input", batch, 1, 224, 224, seed=batch)
    assert_close(run_model.outputs(SUPER_RESOLUTION, feeds), onnx_runtime(SUPER_RESOLUTION).outputs(feeds))


@pytest.mark.parametrize("batch", [1, 2, 5])
@pytest.mark.parametrize("samples", [192, 320, 512, 576, 577, 640])
def test_silero_agrees(run_model, onnx_runtime, batch, samples):
    feeds = silero_feeds(batch, samples, seed=samples + batch)
    assert_close(run_model.outputs(SILERO, feeds), onnx_runtime(SILERO).outputs(feeds))


@pytest.mark.parametrize("batch", [1, 2])
def test_silero_agrees_when_each_feeds_its_own_state_back(run_model, onnx_runtime, batch):
    ours = theirs = np.zeros((2, batch, 128), np.float32)
    for step in range(8):
        got = run_model.outputs(SILERO, silero_feeds(batch, 576, step, ours))
        expected = onnx_runtime(SILERO).outputs(silero_feeds(batch, 576, step, theirs))
        assert_close(got, expected)
        ours, theirs = got["stateN"], expected["stateN"]


@pytest.mark.parametrize("seed", range(3))
def test_fastest_det_agrees(run_model, onnx_runtime, seed):
    feeds = random_feeds("input", 1, 3, 352, 352, seed=seed)
    assert_close(run_model.outputs(FASTEST_DET, feeds), onnx_runtime(FASTEST_DET).outputs(feeds))


def test_fastest_det_agrees_on_a_photograph(run_model, onnx_runtime, tmp_path):
    """run_model decodes and scales the file. An Identity model returns the same array for ONNX Runtime."""
    photograph = FASTEST_DET.parent / "wolves.jpg"
    same = identity(tmp_path / "same.onnx", onnx.TensorProto.FLOAT, [1, 3, 352, 352])
    pixels = run_model.outputs(same, {}, "-i", f"x={photograph}")["y"]
    assert pixels.min() >= 0 and 0.5 < pixels.max() <= 1
    got = run_model.outputs(FASTEST_DET, {}, "-i", f"input={photograph}")
    assert_close(got, onnx_runtime(FASTEST_DET).outputs({"input": pixels}))


@pytest.mark.parametrize("model", EXAMPLES, ids=lambda model: model.parent.name)
def test_is_bitwise_equal_for_any_thread_count(run_model, model):
    assert_bitwise_equal_for_any_thread_count(run_model, model, EXAMPLES[model])


@pytest.mark.parametrize("model", EXAMPLES, ids=lambda model: model.parent.name)
def test_is_the_same_in_guarded_memory(run_model, model):
    assert_equal_in_guarded_memory(run_model, model, EXAMPLES[model])


@pytest.mark.parametrize("model", EXAMPLES, ids=lambda model: model.parent.name)
def test_agrees_under_each_isa(run_model, onnx_runtime, model):
    feeds = EXAMPLES[model]
    assert_close_under_each_isa(run_model, model, feeds, onnx_runtime(model).outputs(feeds))
