"""Helpers for tests of the exporter: write TorchScript, run export_model, read files, compare."""

import json
import subprocess
from typing import List

import numpy as np
import onnx
import torch


def nodes_of(file):
    """Returns (domain, operator) of the file's nodes in order, without constants."""
    return [(node.domain, node.op_type) for node in onnx.load(str(file)).graph.node if node.op_type != "Constant"]


def opsets_of(file):
    return {entry.domain: entry.version for entry in onnx.load(str(file)).opset_import}


def attributes_of(node):
    return {attribute.name: onnx.helper.get_attribute_value(attribute) for attribute in node.attribute}


def assert_close(got, expected, bound=1e-5):
    """Checks max |difference| <= bound * max(1, |value|), which the exporter guarantees."""
    assert got.shape == expected.shape
    difference = np.abs(got.astype(np.float64) - expected)
    assert (difference <= bound * np.maximum(1, np.abs(expected))).all(), difference.max()


def tensor_flag(name, tensor):
    """Returns the --input flag that describes a tensor."""
    sizes = "x".join(map(str, tensor.shape)) or "scalar"
    dtype = str(tensor.dtype).removeprefix("torch.")
    if tensor.is_floating_point() or tensor.dtype == torch.bool:
        return f"{name}:{sizes}:{dtype}"
    return f"{name}:{sizes}:{dtype}:{int(tensor.min())}..{int(tensor.max())}"


class Layers(torch.nn.Module):
    """Applies layer i to tensor i."""

    def __init__(self, layers):
        super().__init__()
        self.layers = torch.nn.ModuleList(layers)

    def forward(self, xs: List[torch.Tensor]):
        outputs: List[torch.Tensor] = []
        for i, layer in enumerate(self.layers):
            outputs.append(layer(xs[i]))
        return outputs


class Functions(torch.nn.Module):
    """Applies each function to as many of the tensors as it takes; for tracing only."""

    def __init__(self, functions, counts):
        super().__init__()
        self.functions, self.counts = functions, counts

    def forward(self, xs: List[torch.Tensor]):
        outputs, used = [], 0
        for function, count in zip(self.functions, self.counts):
            outputs.append(function(*xs[used : used + count]))
            used += count
        return tuple(outputs)


class Exporter:
    """Runs export_model on modules; files go to `folder`."""

    def __init__(self, command, folder):
        self.command, self.folder = command, folder

    def save(self, module, inputs, scripted=False, eval_mode=True):
        """Saves the module as a TorchScript file, traced with the inputs or scripted."""
        module.train(not eval_mode)
        with torch.no_grad():
            arguments = tuple(inputs.values())
            graph = torch.jit.script(module) if scripted else torch.jit.trace(module, arguments, strict=False)
        path = self.folder / "model.pt"
        graph.save(str(path))
        return path

    def run(self, path, *flags):
        """Returns the finished process of export_model. The ONNX file is model.onnx in the folder."""
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
        """Returns the message with which export_model refuses the module."""
        path = self.save(module, inputs, scripted, eval_mode)
        described = [word for name, tensor in inputs.items() for word in ("--input", tensor_flag(name, tensor))]
        result = self.run(path, *described, *flags)
        assert result.returncode == 3, (result.returncode, result.stderr)
        return result.stderr

    def export_all(self, cases, *flags, scripted=False):
        """Exports one module that calls every case, a function or layer with its tensors, and checks its outputs."""
        tensors = [tensor for case in cases.values() for tensor in case[1:]]
        layers = [case[0] for case in cases.values()]
        counts = [len(case) - 1 for case in cases.values()]
        modules = all(isinstance(layer, torch.nn.Module) for layer in layers)
        module = Layers(layers) if modules else Functions(layers, counts)
        path = self.folder / "model.pt"
        with torch.no_grad():
            module.eval()
            graph = torch.jit.script(module) if scripted else torch.jit.trace(module, (tensors,), strict=False)
        graph.save(str(path))
        described = [word for i, t in enumerate(tensors) for word in ("--input", tensor_flag(f"xs.{i}", t))]
        result = self.run(path, *described, "--check", *flags)
        assert result.returncode == 0, result.stderr
        return self.folder / "model.onnx"

    def report(self):
        return json.loads((self.folder / "model.onnx.check.json").read_text())
