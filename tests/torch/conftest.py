"""Shared by the exporter plugin's tests; run with `python3 -m pytest tests/torch` on a Python that has PyTorch.

They test the linnet_torch that is installed, else the one in the source tree.
"""

import functools
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest
import torch

ROOT = Path(__file__).resolve().parents[2]
if importlib.util.find_spec("linnet_torch") is None:
    sys.path.insert(0, str(ROOT / "frontends" / "torch"))
    if build := os.environ.get("LINNET_BUILD"):
        os.environ.setdefault("LINNET_TORCH_OPS", f"{build}/lib/liblinnet_torch_ops.so")

import exported  # noqa: E402
import linnet_torch  # noqa: E402
from linnet_torch import check, library  # noqa: E402

HAS_DYNAMO = torch.__version__ >= (2, 9) and importlib.util.find_spec("onnxscript") is not None
HAS_TORCHVISION = importlib.util.find_spec("torchvision") is not None
EXPORTERS = ["torchscript", "dynamo"] if HAS_DYNAMO else ["torchscript"]
needs_dynamo = pytest.mark.skipif(not HAS_DYNAMO, reason="this PyTorch has no dynamo exporter")
needs_torchvision = pytest.mark.skipif(not HAS_TORCHVISION, reason="torchvision is not installed")

if HAS_DYNAMO:
    # Most of the time of a small export goes into listing the operators that PyTorch can translate, each time anew.
    from torch.onnx._internal.exporter import _registration

    apis = _registration.onnxscript_apis
    apis.get_torchlib_ops = functools.lru_cache(apis.get_torchlib_ops)


@pytest.fixture(params=EXPORTERS)
def torch_exporter(request):
    """The name of each of PyTorch's exporters."""
    return request.param


@pytest.fixture
def run_model():
    """The run_model command."""
    try:
        return check.find_run_model()
    except linnet_torch.ExportError as error:
        pytest.skip(str(error))


@pytest.fixture
def run_python():
    """Runs a program, which gets the arguments, in a process of its own, and fails where it does."""

    def run(program, *arguments):
        package = Path(linnet_torch.__file__).resolve().parents[1]
        paths = os.pathsep.join([str(package), os.environ.get("PYTHONPATH", "")])
        command = [sys.executable, "-c", "import sys, torch, linnet_torch\n" + program, *map(str, arguments)]
        environment = os.environ | {"PYTHONPATH": paths}
        result = subprocess.run(command, capture_output=True, text=True, env=environment)
        assert result.returncode == 0, result.stderr

    return run


@pytest.fixture
def torch_ops():
    """The path of liblinnet_torch_ops, which is loaded."""
    try:
        library.require()
        return str(library.find())
    except linnet_torch.ExportError as error:
        pytest.skip(str(error))


@pytest.fixture
def outputs_of(run_model, tmp_path):
    """outputs_of(file, name=array...) runs the file with run_model and returns its outputs by name."""

    def run(file, **inputs):
        command = [run_model, str(file), "--save-outputs", str(tmp_path / "got.npz")]
        for name, value in inputs.items():
            np.save(tmp_path / f"{name}.npy", value)
            command += ["-i", f"{name}={tmp_path / name}.npy"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        return dict(np.load(tmp_path / "got.npz"))

    return run


def nodes_of(file):
    """(domain, operator) of the file's nodes in order, constants left out."""
    return [(node.domain, node.op_type) for node in onnx.load(str(file)).graph.node if node.op_type != "Constant"]


def opsets_of(file):
    return {entry.domain: entry.version for entry in onnx.load(str(file)).opset_import}


def attributes_of(node):
    return {attribute.name: onnx.helper.get_attribute_value(attribute) for attribute in node.attribute}


def assert_close(got, expected, bound=1e-5):
    """max |difference| <= bound * max(1, |value|), the exporter's promise."""
    assert got.shape == expected.shape
    difference = np.abs(got.astype(np.float64) - expected)
    assert (difference <= bound * np.maximum(1, np.abs(expected))).all(), difference.max()


@pytest.fixture
def exporter(tmp_path):
    """Runs export_model in a folder of its own, where it was built (`cmake -DLINNET_BUILD_TORCH=ON`) for this PyTorch:
    an older one does not read all that a newer one saves.
    """
    build = os.environ.get("LINNET_BUILD", str(ROOT / "build"))
    command = Path(build) / "bin" / "export_model"
    if not command.exists():
        pytest.skip("export_model is not built: cmake -DLINNET_BUILD_TORCH=ON")
    version = subprocess.run([str(command), "--version"], check=True, stdout=subprocess.PIPE, text=True).stdout
    if version.split()[-1].split(".")[:2] != torch.__version__.split(".")[:2]:
        pytest.skip(f"another PyTorch than this one's: {version.strip()}")
    return exported.Exporter(str(command), tmp_path)
