"""Helpers of the tests of export_model: writing TorchScript, running the command, comparing with PyTorch."""

import json
import subprocess
from pathlib import Path

import torch

ROOT = Path(__file__).resolve().parents[2]


def tensor_flag(name, tensor):
    """The --input flag that describes a tensor."""
    sizes = "x".join(map(str, tensor.shape)) or "scalar"
    dtype = str(tensor.dtype).removeprefix("torch.")
    if tensor.is_floating_point() or tensor.dtype == torch.bool:
        return f"{name}:{sizes}:{dtype}"
    return f"{name}:{sizes}:{dtype}:{int(tensor.min())}..{int(tensor.max())}"


class Exporter:
    """Runs export_model on modules; files go to `folder`."""

    def __init__(self, command, folder):
        self.command, self.folder = command, folder

    def save(self, module, inputs, scripted=False, eval_mode=True):
        """The module as a TorchScript file, traced with the inputs or scripted."""
        module.train(not eval_mode)
        with torch.no_grad():
            graph = torch.jit.script(module) if scripted else torch.jit.trace(module, tuple(inputs.values()), strict=False)
        path = self.folder / "model.pt"
        graph.save(str(path))
        return path

    def run(self, path, *flags):
        """The finished process of export_model; the ONNX file is model.onnx in the folder."""
        command = [self.command, str(path), "-o", str(self.folder / "model.onnx"), *flags]
        return subprocess.run(command, capture_output=True, text=True)

    def export(self, module, inputs, *flags, scripted=False, check=True):
        """Exports with --check and returns the path of the ONNX file."""
        path = self.save(module, inputs, scripted)
        described = [word for name, tensor in inputs.items() for word in ("--input", tensor_flag(name, tensor))]
        result = self.run(path, *described, *(["--check"] if check else []), *flags)
        assert result.returncode == 0, result.stderr
        return self.folder / "model.onnx"

    def refusal(self, module, inputs, *flags, scripted=False, eval_mode=True):
        """The message with which export_model refuses the module."""
        path = self.save(module, inputs, scripted, eval_mode)
        described = [word for name, tensor in inputs.items() for word in ("--input", tensor_flag(name, tensor))]
        result = self.run(path, *described, *flags)
        assert result.returncode == 3, (result.returncode, result.stderr)
        return result.stderr

    def report(self):
        return json.loads((self.folder / "model.onnx.check.json").read_text())
