"""Compares torchvision's models with random weights with ONNX Runtime and with PyTorch in float64."""

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
from comparison import (
    assert_bitwise_equal_for_any_thread_count,
    assert_close,
    assert_close_under_each_isa,
    assert_equal_in_guarded_memory,
)
from export_zoo import BATCHES, NAMES
from locations import ROOT
from onnx_runtime import OnnxRuntime

TESTS = Path(__file__).resolve().parent
ZOO = Path(os.environ.get("LINNET_ZOO", ROOT / "build-test" / "zoo"))
# The tests' Python has no PyTorch, but the distribution's has.
TORCH_PYTHON = "/usr/bin/python3"


@pytest.fixture(scope="session")
def torchvision():
    if subprocess.run([TORCH_PYTHON, "-c", "import torchvision"], capture_output=True).returncode:
        pytest.skip(f"{TORCH_PYTHON} has no torchvision to export the models with")


@pytest.fixture(scope="module", params=NAMES)
def name(request):
    return request.param


@pytest.fixture(scope="module")
def model(name, torchvision):
    """Returns the path of the exported model."""
    subprocess.run([TORCH_PYTHON, "-W", "ignore", TESTS / "export_zoo.py", ZOO, name], check=True)
    return ZOO / f"{name}.onnx"


@pytest.fixture(scope="module")
def onnx_runtime(model):
    return OnnxRuntime(model)


class Case:
    """A model, one batch of inputs, and the outputs of run_model, ONNX Runtime and PyTorch in float64."""

    def __init__(self, model, batch, run_model, onnx_runtime):
        arrays = np.load(model.with_suffix(".npz"))
        self.model, self.feeds, self.exact = model, {"x": arrays[f"x{batch}"]}, arrays[f"y{batch}"]
        self.got = run_model.outputs(model, self.feeds)
        self.expected = onnx_runtime.outputs(self.feeds)

    def error(self, outputs):
        """Returns the largest difference from float64."""
        return np.abs(outputs["y"] - self.exact).max()


@pytest.fixture(scope="module", params=BATCHES, ids=lambda batch: f"batch{batch}")
def case(request, model, run_model, onnx_runtime):
    return Case(model, request.param, run_model, onnx_runtime)


def test_outputs_depend_on_the_input(case):
    """Guards the other tests: outputs that are all equal, or of tiny scale, would agree with anything."""
    assert 0.1 < case.exact.std() < 10
    assert case.exact.shape[0] == 1 or np.abs(case.exact[0] - case.exact[1]).max() > 0.01


def test_agrees_with_onnx_runtime(case):
    assert_close(case.got, case.expected)


def test_is_about_as_exact_as_onnx_runtime(case):
    """The floor is one unit in the last place of the largest output, the least error that a float32 result can
    guarantee."""
    floor = np.spacing(np.float32(np.abs(case.exact).max()))
    ours, theirs = case.error(case.got), case.error(case.expected)
    assert ours <= 4 * theirs + floor


def test_is_bitwise_equal_for_any_thread_count(case, run_model):
    assert_bitwise_equal_for_any_thread_count(run_model, case.model, case.feeds)


def test_is_the_same_in_guarded_memory(case, run_model):
    assert_equal_in_guarded_memory(run_model, case.model, case.feeds)


def test_agrees_under_each_isa(case, run_model):
    assert_close_under_each_isa(run_model, case.model, case.feeds, case.expected)
