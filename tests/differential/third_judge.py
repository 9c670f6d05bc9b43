"""The answers of PyTorch, from another Python, because the Python of these tests does not have PyTorch."""

import contextlib
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from by_operator import title
from containers import conform
from references import Answer
from values import FLOATS, type_name

ROOT = Path(__file__).resolve().parents[2]
SIDE = Path(__file__).resolve().parent / "torch_side"
# The first one with PyTorch is used: the newest that the tests install, or Debian's.
PYTHONS = (os.environ.get("LINNET_TORCH_PYTHON"), ROOT / ".venv-torch/bin/python", sys.executable, "/usr/bin/python3")


def third_judge():
    """Returns None if no Python has PyTorch."""
    for python in filter(None, PYTHONS):
        with contextlib.suppress(OSError, subprocess.SubprocessError):
            return ThirdJudge(str(python))
    return None


def plain(value):
    """Returns an attribute as JSON, or None if PyTorch cannot read it."""
    values = value if isinstance(value, (list, tuple)) else [value]
    if not all(isinstance(v, (int, float, str, np.floating)) for v in values):
        return None
    # ONNX's floats are float32.
    made = [float(np.float32(v)) if isinstance(v, (float, np.floating)) else v for v in values]
    return made if values is value else made[0]


def request(configuration, arrays):
    """Returns the request that torch_side reads, and adds its inputs to arrays. Returns None for values that are not
    numbers."""
    attributes = {name: plain(value) for name, value in configuration.attributes.items()}
    tensors = all(x is None or isinstance(x, np.ndarray) for x in configuration.inputs)
    if not tensors or any(value is None for value in attributes.values()):
        return None
    kinds = ["" if x is None else type_name(x) for x in configuration.inputs]
    if "string" in kinds or any(kind.startswith(("float8", "float4", "float6")) for kind in kinds):
        return None
    places = []
    for kind, x in zip(kinds, configuration.inputs):
        places.append(None if x is None else f"x{len(arrays)}")
        if x is not None:
            arrays[places[-1]] = x.astype(np.float64) if kind in FLOATS else x
    return {
        "name": title(configuration.schema), "since": configuration.schema.since_version, "attributes": attributes,
        "inputs": places, "kinds": kinds,
        "output_kinds": [configuration.output_type(i) for i in range(configuration.outputs)],
    }  # fmt: skip


class ThirdJudge:
    """Asks PyTorch. `torch` is its version, `names` are the operators with a counterpart, and `reasons` explain why
    configurations of the last call have no answer."""

    def __init__(self, python):
        self.python = python
        self.ask([])

    def ask(self, configurations):
        """Returns an Answer for each configuration, or None. Answers are computed in double and rounded to the types of
        the outputs."""
        arrays = {}
        requests = [request(configuration, arrays) for configuration in configurations]
        asked = [i for i, made in enumerate(requests) if made]
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "requests.json").write_text(json.dumps([requests[i] for i in asked]))
            np.savez(folder / "inputs.npz", **arrays)
            subprocess.run([self.python, SIDE / "answer.py", folder], check=True, capture_output=True, timeout=600)
            said = json.loads((folder / "answers.json").read_text())
            outputs = dict(np.load(folder / "outputs.npz"))
        self.torch, self.names = said["torch"], said["names"]
        self.reasons = ["values that are no numbers"] * len(configurations)
        answers = [None] * len(configurations)
        for at, (i, reason) in enumerate(zip(asked, said["reasons"])):
            self.reasons[i] = reason
            if not reason:
                answers[i] = self.answer(configurations[i], outputs, at)
        return answers

    def answer(self, configuration, outputs, at):
        count = configuration.outputs
        return Answer(
            f"PyTorch {self.torch}",
            "double",
            [conform(configuration.output_type(k), outputs[f"{at}_{k}"]) for k in range(count)],
        )
