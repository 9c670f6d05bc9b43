"""Answers the requests of a folder with PyTorch, in double for floats.

usage: answer.py FOLDER   with a Python that has PyTorch; reads requests.json and inputs.npz, writes answers.json and
outputs.npz
"""

import json
import sys
from pathlib import Path

import numpy as np
import torch

import elementwise  # noqa: F401
import layers  # noqa: F401
import movement  # noqa: F401
import products  # noqa: F401
import quantization  # noqa: F401
import recurrent  # noqa: F401
import reduction  # noqa: F401
import sampling  # noqa: F401
from request import COUNTERPARTS, FLOATS, INTEGERS, NoCounterpart, Request, need


def tensor(kind, x):
    """Returns a tensor. bfloat16 is passed as float32."""
    if kind in FLOATS:
        return torch.from_numpy(x.astype(np.float64))
    need(kind in INTEGERS, f"type {kind}")
    return torch.from_numpy(np.ascontiguousarray(x.astype(str(INTEGERS[kind]).removeprefix("torch.")))).reshape(x.shape)


def request_of(entry, arrays):
    inputs = [None if at is None else tensor(kind, arrays[at]) for kind, at in zip(entry["kinds"], entry["inputs"])]
    return Request(entry["name"], entry["since"], entry["attributes"], inputs, entry["kinds"], entry["output_kinds"])


def answer(entry, arrays):
    """Returns NumPy arrays. Floats are float64."""
    need(entry["name"] in COUNTERPARTS, "no such operator")
    made = COUNTERPARTS[entry["name"]](request_of(entry, arrays))
    made = list(made) if isinstance(made, (list, tuple)) else [made]
    need(len(made) >= len(entry["output_kinds"]), "fewer outputs")
    return [(y.double() if y.is_floating_point() else y).resolve_conj().contiguous().numpy() for y in made]


def main(folder):
    torch.set_num_threads(1)
    entries = json.loads((folder / "requests.json").read_text())
    arrays, outputs, reasons = np.load(folder / "inputs.npz"), {}, []
    for i, entry in enumerate(entries):
        try:
            made = answer(entry, arrays)
            outputs.update({f"{i}_{k}": y for k, y in enumerate(made[: len(entry["output_kinds"])])})
            reasons.append("")
        except NoCounterpart as reason:
            reasons.append(f"no counterpart: {reason}")
        except Exception as error:  # PyTorch raises several types of exceptions for refusals.
            reasons.append(f"{type(error).__name__}: {str(error)[:200]}")
    np.savez(folder / "outputs.npz", **outputs)
    (folder / "answers.json").write_text(
        json.dumps({"torch": torch.__version__, "names": sorted(COUNTERPARTS), "reasons": reasons})
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
