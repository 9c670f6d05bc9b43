"""export_model on programs of torch.export: in Linnet and in ONNX Runtime, the ONNX file's results equal PyTorch's."""

import json
import subprocess

import linnet_torch
import numpy as np
import pytest
import torch
from exported import assert_close
from installation import HAS_DYNAMO
from linnet_torch import pt2
from locations import BUILD

if not HAS_DYNAMO:
    pytest.skip("this PyTorch writes .pt2 files of an older layout", allow_module_level=True)

from onnx_runtime import OnnxRuntime  # noqa: E402
from programs import PROGRAMS  # noqa: E402
from torch.export import export  # noqa: E402

COMMAND = BUILD / "bin" / "export_model"
pytestmark = pytest.mark.skipif(not COMMAND.exists(), reason="export_model is not built")
# The names of PROGRAMS whose operators need at most opset 17.
NAMES = ["mlp", "convolutions", "causal attention", "transformer", "lstm", "writes in place", "branches", "loop", "norms",
         "grouped queries"]


def export_model(path, *flags):
    output = path.with_suffix(".onnx")
    return output, subprocess.run([COMMAND, path, "-o", output, *flags], capture_output=True, text=True)


@pytest.mark.parametrize("name", NAMES)
def test_file_gives_what_pytorch_gives(tmp_path, name):
    torch.manual_seed(0)
    program = PROGRAMS[name]
    module, path = program.module().eval(), tmp_path / "m.pt2"
    exported = export(module, program.example(2, 5), dynamic_shapes=program.dynamic)
    linnet_torch.save_pt2(exported, path)
    output, result = export_model(path, "--check")
    assert result.returncode == 0 and "1 samples agree" in result.stdout, result
    args = program.example(*((3, 7) if program.dynamic else (2, 5)))
    want = torch.utils._pytree.tree_leaves(module(*args))
    session = OnnxRuntime(output)
    feeds = dict(zip(exported.graph_signature.user_inputs, (arg.numpy() for arg in args)))
    for got, expected in zip(session.outputs(feeds).values(), want, strict=True):
        assert_close(got, expected.detach().numpy())


def test_saved_program_is_read_by_pytorch_and_unchanged(tmp_path):
    class Counter(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("total", torch.zeros(3))

        def forward(self, x):
            self.total.add_(x)
            return self.total * 2

    x = torch.tensor([1.0, 2.0, 3.0])
    exported = export(Counter(), (x,))
    linnet_torch.save_pt2(exported, tmp_path / "m.pt2")
    assert exported.state_dict["total"].tolist() == [0, 0, 0]
    np.testing.assert_array_equal(torch.export.load(tmp_path / "m.pt2").module()(x), [2, 4, 6])
    _, result = export_model(tmp_path / "m.pt2", "--check")
    assert result.returncode == 0, result


def test_check_finds_other_outputs(tmp_path):
    """Uses a sample of a module with another bias."""
    path, x = tmp_path / "m.pt2", torch.rand(4, 3)
    program = export(torch.nn.Linear(3, 2), (x,))
    wrong = [{"inputs": {"input": pt2._described(x)}, "outputs": [pt2._described(program.module()(x) + 1)]}]
    torch.export.save(program, path, extra_files={pt2.SAMPLES: json.dumps(wrong)})
    _, result = export_model(path, "--check")
    assert result.returncode == 4 and "sample 0, output 'output': 8 of 8 elements differ" in result.stderr, result


@pytest.mark.parametrize("flag", [("--input", "x:2x3"), ("--dynamic", "x:0=N"), ("--load-library", "ops.so")])
def test_flags_of_torchscript_are_refused(tmp_path, flag):
    path = tmp_path / "m.pt2"
    torch.export.save(export(torch.nn.ReLU(), (torch.rand(2),)), path)
    _, result = export_model(path, *flag)
    assert result.returncode == 1 and "is for TorchScript files" in result.stderr


def test_check_needs_samples(tmp_path):
    path = tmp_path / "m.pt2"
    torch.export.save(export(torch.nn.ReLU(), (torch.rand(2),)), path)
    _, result = export_model(path, "--check")
    assert result.returncode == 1 and "linnet_torch.save_pt2" in result.stderr


def test_operators_without_a_rule_are_named_with_their_line(tmp_path):
    class Module(torch.nn.Module):
        def forward(self, x):
            return torch.linalg.svdvals(x)

    path = tmp_path / "m.pt2"
    torch.export.save(export(Module(), (torch.rand(3, 3),)), path)
    _, result = export_model(path)
    assert result.returncode == 3 and "aten::" in result.stderr and "test_export_pt2.py:" in result.stderr, result
