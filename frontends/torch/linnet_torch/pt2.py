"""Files of torch.export.save with samples for export_model --check."""

import base64
import copy
import json

import torch

from . import program as programs
from .errors import ExportError

SAMPLES = "linnet/samples.json"  # relative to extra/


def save_pt2(program, path, args=None, kwargs=None) -> None:
    """Saves a program as torch.export.save does, with a sample: inputs, and the outputs that PyTorch computes for them.

    Without args, the sample's inputs are those that the program was made with. The program is not changed.

    Raises ExportError if PyTorch's version writes an older layout (before 2.9).
    """
    if not programs.is_loaded(program):
        raise ExportError("save_pt2 takes a program of torch.export: torch.export.export(module, args)")
    if not hasattr(torch.export, "pt2_archive"):
        raise ExportError(f"PyTorch {torch.__version__} writes .pt2 files of an older layout; Linnet reads those of 2.9 on")
    given = program.example_inputs if args is None else (args, kwargs or {})
    if given is None:
        raise ExportError("the program has no example inputs: give args")
    sample = {"inputs": _named_inputs(program, *given), "outputs": _outputs(program, *given)}
    torch.export.save(program, path, extra_files={SAMPLES: json.dumps([sample])})


def _named_inputs(program, args, kwargs) -> dict:
    kinds = torch.export.graph_signature.InputKind
    specs = [spec for spec in program.graph_signature.input_specs if spec.kind == kinds.USER_INPUT]
    leaves = torch.utils._pytree.tree_leaves((args, kwargs))
    named = zip(specs, leaves)
    return {spec.arg.name: _described(leaf) for spec, leaf in named if isinstance(leaf, torch.Tensor)}


def _outputs(program, args, kwargs) -> list:
    """Runs a copy of the program, because a run may change buffers."""
    module = copy.deepcopy(program).module()
    args, kwargs = copy.deepcopy((args, kwargs))
    with torch.no_grad():
        leaves = torch.utils._pytree.tree_leaves(module(*args, **kwargs))
    return [_described(torch.as_tensor(leaf)) for leaf in leaves if leaf is not None]


def _described(tensor) -> dict:
    """Returns a tensor in the form of frontends/pt2/samples.h."""
    dense = tensor.detach().cpu().resolve_conj().contiguous()
    contents = dense.reshape(-1).view(torch.uint8).numpy().tobytes()
    return {
        "dtype": str(tensor.dtype).removeprefix("torch."),
        "shape": list(tensor.shape),
        "base64": base64.b64encode(contents).decode(),
    }
