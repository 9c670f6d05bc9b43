"""Runs the blocks of code in the pages that need PyTorch; tests/docs runs the others."""

import pt2_archive
import pytest
import torch
from documentation import PAGES, blocks, commands
from installation import HAS_DYNAMO
from locations import BUILD
from test_export_rules import RULES

# test_pytorch_operators runs those of docs/pytorch_operators.md.
PAGES_HERE = [page for page in PAGES if page != "docs/pytorch_operators.md"]
BLOCKS = [block for page in PAGES_HERE for block in blocks(page) if block.needs_pytorch]
PROGRAMS = [block for block in BLOCKS if block.language == "python"]
COMMANDS = [line for block in BLOCKS if block.language == "sh" for line in commands(block)]


class Convolution(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.convolution = torch.nn.Conv2d(3, 2, 3)

    def forward(self, x):
        return self.convolution(x)


def test_no_block_is_left_out():
    assert [block.text for block in BLOCKS if block.language not in ("python", "sh")] == [RULES]


@pytest.mark.parametrize("block", PROGRAMS, ids=lambda block: f"{block.page}-{block.number}")
def test_python_block_runs(run_python, run_model, torch_ops, tmp_path, monkeypatch, block):
    if ("onnxscript" in block.text or "torch.export" in block.text) and not HAS_DYNAMO:
        pytest.skip("this PyTorch has no torch.export, or onnxscript is not installed")
    monkeypatch.chdir(tmp_path)
    program = tmp_path / "program.py"
    program.write_text(block.text)
    run_python(program)


@pytest.mark.parametrize("line", sorted(set(COMMANDS)))
def test_command_line_runs(exporter, tmp_path, line):
    command, *words = line.split()
    assert (BUILD.parent / command).name == "export_model"
    if "model.pt2" in words:
        path = tmp_path / "model.pt2"
        path.write_bytes(pt2_archive.zip_bytes(pt2_archive.members()))
    else:
        path = exporter.save(Convolution(), {"x": torch.rand(1, 3, 224, 224)})
    flags = [word for word in words if word not in ("model.pt", "model.pt2", "-o", "model.onnx")]
    result = exporter.run(path, *flags)
    assert result.returncode == 0, result.stderr
