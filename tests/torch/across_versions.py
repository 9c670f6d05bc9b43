"""Exports models that must compute the same with every version of PyTorch.

python across_versions.py FOLDER      writes FOLDER/NAME.onnx for each, with the PyTorch of that Python
"""

import sys
from pathlib import Path

import installation  # noqa: F401: finds linnet_torch
import linnet_torch
import numpy as np
import torch
from models import Asinh, Attend, Branch, Deform, MyAddAutograd, MyAddOperator, Perceive

VALUES = np.linspace(-3, 3, 24, dtype=np.float32).reshape(2, 12)
IMAGE = np.random.RandomState(1).uniform(-1, 1, (2, 6, 9, 11)).astype(np.float32)
PICTURE = IMAGE[:, :3, :8, :8].copy()
TOKENS = np.arange(14).reshape(2, 7) % 11

# The module, inputs by name, and options of the export, by name.
MODELS = {
    "asinh": (Asinh, {"x": VALUES}, {}),
    "selu": (torch.nn.SELU, {"input": VALUES}, {}),
    "my_add": (MyAddOperator, {"a": VALUES, "b": VALUES[0]}, {}),
    "my_add_function": (MyAddAutograd, {"a": VALUES, "b": VALUES[0]}, {"my_add": "function"}),
    "deform": (lambda: Deform(mask=True, groups=2, offset_groups=3), {"x": IMAGE}, {}),
    "deform_standard": (lambda: Deform(mask=True, stride=2, padding=1), {"x": IMAGE}, {"deform_conv": "standard"}),
    "perceive": (Perceive, {"x": PICTURE}, {"dynamic_shapes": {"x": {0: "N"}}}),
    "attend": (Attend, {"tokens": TOKENS}, {"dynamic_shapes": {"tokens": {1: "T"}}}),
    "scripted": (lambda: torch.jit.script(Branch()), {"x": PICTURE}, {}),
}


def module_of(name):
    """Returns the module in evaluation mode, with weights that do not depend on PyTorch's random number generator."""
    numbers, module = np.random.RandomState(7), MODELS[name][0]().eval()
    for key, tensor in module.state_dict().items():
        if tensor.is_floating_point():
            low, high = (0.5, 1.5) if key.endswith("running_var") else (-0.3, 0.3)
            tensor.copy_(torch.from_numpy(np.asarray(numbers.uniform(low, high, tuple(tensor.shape)))))
    return module


def write(folder):
    for name, (_, inputs, options) in MODELS.items():
        args = tuple(map(torch.from_numpy, inputs.values()))
        linnet_torch.export(module_of(name), args, Path(folder) / f"{name}.onnx", check=False, **options)


if __name__ == "__main__":
    write(sys.argv[1])
