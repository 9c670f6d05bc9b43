"""Fixtures for the tests of run_model. The command is the one that LINNET_RUN_MODEL names."""

import os
import subprocess

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnx_files import save_model


@pytest.fixture(scope="session")
def run_model():
    """Calls run_model with arguments; returns the completed process. `code` is the exit code to expect."""
    binary = os.environ.get("LINNET_RUN_MODEL")
    if not binary:
        pytest.skip("LINNET_RUN_MODEL does not name the run_model command")

    def call(*arguments, code=0, env=None, cwd=None):
        result = subprocess.run(
            [binary, *map(str, arguments)], capture_output=True, text=True, timeout=120, cwd=cwd, env={**os.environ, **(env or {})}
        )
        assert result.returncode == code, f"exit code {result.returncode}\n{result.stdout}\n{result.stderr}"
        return result

    return call


@pytest.fixture
def linear(tmp_path):
    """y = x w + b: x float32[N,3], w and b constant, y float32[N,2]."""
    rng = np.random.default_rng(7)
    weights = rng.standard_normal((3, 2)).astype(np.float32), rng.standard_normal(2).astype(np.float32)
    path = save_model(
        tmp_path / "linear.onnx",
        [helper.make_node("MatMul", ["x", "w"], ["xw"], "product"), helper.make_node("Add", ["xw", "b"], ["y"], "sum")],
        [("x", TensorProto.FLOAT, ["N", 3])],
        [("y", TensorProto.FLOAT, ["N", 2])],
        [numpy_helper.from_array(weights[0], "w"), numpy_helper.from_array(weights[1], "b")],
    )
    return path, lambda x: x @ weights[0] + weights[1]
