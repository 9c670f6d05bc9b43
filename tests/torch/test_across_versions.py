"""Files of the same module agree with PyTorch, and with those of the PyTorch of $LINNET_OTHER_TORCH_PYTHON."""

import os
import subprocess
import sys
from pathlib import Path

import onnx
import pytest
import torch
from across_versions import MODELS, module_of, write
from exported import assert_close

pytestmark = pytest.mark.usefixtures("torch_ops")
names = pytest.mark.parametrize("name", MODELS)


@pytest.fixture(scope="module")
def ours(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ours")
    write(folder)
    return folder


@pytest.fixture(scope="module")
def theirs(tmp_path_factory):
    python = os.environ.get("LINNET_OTHER_TORCH_PYTHON")
    if not python:
        pytest.skip("LINNET_OTHER_TORCH_PYTHON names no Python with another PyTorch")
    folder = tmp_path_factory.mktemp("theirs")
    environment = {name: value for name, value in os.environ.items() if name != "LINNET_TORCH_OPS"}
    program = Path(__file__).with_name("across_versions.py")
    subprocess.run([python, str(program), str(folder)], check=True, env=environment, stdout=sys.stderr)
    return folder


def names_in(file):
    graph = onnx.load(str(file)).graph
    return [value.name for value in graph.input], [value.name for value in graph.output]


@names
def test_file_agrees_with_pytorch(name, ours, run_model):
    inputs = MODELS[name][1]
    module = module_of(name).double()
    wide = (
        torch.from_numpy(value.astype("float64") if value.dtype == "float32" else value) for value in inputs.values()
    )
    with torch.no_grad():
        expected = module(*wide)
    got = run_model.outputs(ours / f"{name}.onnx", inputs)
    for value, want in zip(got.values(), expected if isinstance(expected, tuple) else [expected], strict=True):
        assert_close(value, want.numpy())


@names
def test_files_of_both_versions_compute_the_same(name, ours, theirs, run_model):
    files = [folder / f"{name}.onnx" for folder in (ours, theirs)]
    assert names_in(files[0]) == names_in(files[1])
    got, other = (run_model.outputs(file, MODELS[name][1]) for file in files)
    for output, value in got.items():
        assert_close(value, other[output].astype("float64"), 2e-6)
