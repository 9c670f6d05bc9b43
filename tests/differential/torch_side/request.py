"""The request to PyTorch, one node with its inputs, and the table of functions that answer it."""

import dataclasses

import numpy as np
import torch

FLOATS = {"float16": torch.float16, "bfloat16": torch.bfloat16, "float": torch.float32, "double": torch.float64}
INTEGERS = {
    "int8": torch.int8, "int16": torch.int16, "int32": torch.int32, "int64": torch.int64, "uint8": torch.uint8,
    "bool": torch.bool,
    # PyTorch has few operators for these types. Results are truncated to their bits in the end.
    "uint16": torch.int32, "uint32": torch.int64,
}  # fmt: skip


class NoCounterpart(Exception):
    """PyTorch has no such computation. The text contains the reason."""


@dataclasses.dataclass
class Request:
    """inputs: tensors (floats as float64) or None. kinds: their ONNX types. The function that answers returns one
    tensor or several."""

    name: str
    since: int
    attributes: dict
    inputs: list
    kinds: list
    output_kinds: list

    def input(self, i):
        return self.inputs[i] if i < len(self.inputs) else None

    def get(self, name, default=None):
        """Returns the attribute. Floats, including defaults, are rounded to float32."""
        default = float(np.float32(default)) if isinstance(default, float) else default
        return self.attributes.get(name, default)

    def ints(self, i):
        return None if self.input(i) is None else [int(v) for v in self.inputs[i].reshape(-1).tolist()]

    def only(self, *names):
        """Refuses attributes that the counterpart does not support."""
        for name in self.attributes:
            if name not in names:
                raise NoCounterpart(f"attribute {name}")

    def is_float(self, i=0):
        return self.kinds[i] in FLOATS


# Request -> a tensor or a list of tensors.
COUNTERPARTS = {}


def counterpart(*names):
    """Registers a function for the operators that it names."""

    def decorate(function):
        COUNTERPARTS.update({name: function for name in names})
        return function

    return decorate


def need(condition, reason):
    if not condition:
        raise NoCounterpart(reason)
