"""Runs the programs of docs/pytorch_operators.md as they are, and their files in run_model."""

from pathlib import Path

import numpy as np
import pytest
import torch
from documentation import blocks
from exported import assert_close
from installation import HAS_DYNAMO, HAS_TORCHVISION

PROGRAMS = blocks("docs/pytorch_operators.md", "python")
RANDOM = np.random.default_rng(0)


def floats(*shape):
    return RANDOM.random(shape, np.float32)


INPUTS = {
    "asinh": {"x": floats(2, 3)},
    "deform_conv2d": {"x": floats(4, 3, 10, 10), "offset": floats(4, 18, 8, 8), "weight": floats(5, 3, 3, 3)},
    "my_add": {"a": floats(2, 3), "b": floats(2, 3)},
}


def deform_conv2d(x, offset, weight):
    """Computes a 3x3 kernel with stride 1 in double precision: bilinear samples, zero outside."""
    n, c, height, width = x.shape
    rows, columns = np.meshgrid(np.arange(height - 2), np.arange(width - 2), indexing="ij")
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    y = np.zeros((n, weight.shape[0], height - 2, width - 2))
    for k in range(9):
        h = np.clip(rows + k // 3 + offset[:, 2 * k], -1, height)
        w = np.clip(columns + k % 3 + offset[:, 2 * k + 1], -1, width)
        top, left = np.floor(h).astype(int), np.floor(w).astype(int)
        for i, j in ((0, 0), (0, 1), (1, 0), (1, 1)):
            share = (1 - abs(h - top - i)) * (1 - abs(w - left - j))
            at = (np.minimum(top + i + 1, height + 1), np.minimum(left + j + 1, width + 1))
            sample = padded[np.arange(n)[:, None, None], :, at[0], at[1]].transpose(0, 3, 1, 2)
            y += np.einsum("nchw,oc->nohw", sample * share[:, None], weight[:, :, k // 3, k % 3])
    return y


EXPECTED = {"asinh": np.arcsinh, "deform_conv2d": deform_conv2d, "my_add": lambda a, b: 2 * a + b}


@pytest.mark.parametrize("block", PROGRAMS, ids=lambda block: f"{block.number}")
def test_program_and_its_files(request, run_python, run_model, tmp_path, monkeypatch, block):
    version = block.text.splitlines()[0]
    assert version in ("# PyTorch 1.13", "# PyTorch 2.9 and newer")
    if HAS_DYNAMO != (version == "# PyTorch 2.9 and newer"):
        pytest.skip(f"this is PyTorch {torch.__version__}")
    if "import torchvision" in block.text and not HAS_TORCHVISION:
        pytest.skip("torchvision is not installed")
    if "linnet_torch" in block.text:
        request.getfixturevalue("torch_ops")
    monkeypatch.chdir(tmp_path)
    Path("program.py").write_text(block.text)
    run_python(tmp_path / "program.py")
    files = sorted([*tmp_path.glob("*.onnx"), *tmp_path.glob("*.pt2")])
    assert files
    for file in files:
        name = file.stem.removesuffix("_custom")
        inputs = INPUTS[name]
        expected = EXPECTED[name](*(value.astype(np.float64) for value in inputs.values()))
        (got,) = run_model.outputs(file, inputs).values()
        assert_close(got, expected)
