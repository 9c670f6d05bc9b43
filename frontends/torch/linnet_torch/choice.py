"""Selects the exporters that may write a file, in order of trust."""

import warnings
from typing import Optional

import torch

from . import dynamo, library, linnet_program, linnet_torchscript, torchscript
from .errors import ExportError

# The first PyTorch whose dynamo exporter takes named axes and a table of translations, and the first in which it is
# preferred and which writes the .pt2 files that Linnet reads.
_FIRST, _PREFERRED = (2, 7), (2, 9)

WAYS = {
    "dynamo": [dynamo],
    "torchscript": [torchscript],
    "linnet": [linnet_program, linnet_torchscript],
}
TITLES = {
    dynamo: "PyTorch's dynamo exporter",
    torchscript: "PyTorch's torchscript exporter",
    linnet_program: "Linnet's exporter on torch.export",
    linnet_torchscript: "Linnet's exporter on TorchScript",
}
# These see what one run of the module computes, so branches that are not taken are missing.
_TRACING = [torchscript, linnet_torchscript]


def name_of(way) -> str:
    return next(name for name, ways in WAYS.items() if way in ways)


def ways(exporter: str, module: torch.nn.Module, functions: list, is_quantised: bool) -> list:
    """Returns the modules that implement `exporter`, "auto" or a name of WAYS, the most trusted first.

    functions: the autograd.Functions with a `symbolic` that the module calls
    is_quantised: whether the module is made from a quantised one
    """
    if is_quantised:
        return [linnet_program]
    parts = module.named_modules()
    scripted = next((name or "the module" for name, part in parts if isinstance(part, torch.jit.ScriptModule)), None)
    if exporter == "dynamo":
        _check_dynamo(scripted, functions)
    if exporter != "auto":
        found = WAYS[exporter]
    elif functions:
        found = [torchscript, dynamo, *WAYS["linnet"]]
    else:
        found = [dynamo, torchscript, *WAYS["linnet"]]
    captures = torch.__version__ >= _PREFERRED and not scripted
    may = {
        dynamo: captures or exporter == "dynamo",
        linnet_program: captures,
        linnet_torchscript: exporter == "linnet" or library.has_exporter(),
    }
    return [way for way in found if may.get(way, True)]


def check_quantised(exporter: str) -> None:
    """Raises ExportError unless the exporter that supports quantised modules is allowed."""
    if exporter not in ("auto", "linnet") or torch.__version__ < _PREFERRED:
        raise ExportError(
            "modules that torch.ao.quantization has quantised need exporter='linnet' or 'auto', and PyTorch 2.9 or "
            f"newer; got exporter={exporter!r} and PyTorch {torch.__version__}"
        )


def left_after(error: Exception, left: list) -> list:
    """Returns the exporters to try next. A tracer does not see dependencies on the values of tensors."""
    return [way for way in left if way not in _TRACING] if is_guard_on_data(error) else left


def is_guard_on_data(error: Optional[BaseException]) -> bool:
    """Whether torch.export reports that the module needs the value of a tensor in Python, for example for a branch."""
    while error is not None:
        name, text = type(error).__name__, str(error)
        if name == "GuardOnDataDependentSymNode" or "data-dependent" in text.lower():
            return True
        error = error.__cause__ or error.__context__
    return False


def _check_dynamo(scripted: Optional[str], functions: list) -> None:
    if torch.__version__ < _FIRST:
        raise ExportError(f"exporter='dynamo' needs PyTorch 2.7 or newer, this is {torch.__version__}")
    if scripted:
        raise ExportError(
            f"the dynamo exporter takes no TorchScript, which {scripted} is; export the module before scripting, or "
            "use exporter='torchscript'"
        )
    for function in functions:
        warnings.warn(
            f"the dynamo exporter ignores {function.__qualname__}.symbolic and writes what its forward is made of. To "
            "keep it one node, use exporter='torchscript'; or make it an operator with torch.library.custom_op and "
            "give its translation in custom_translation_table; or return torch.onnx.ops.symbolic('domain::Name', ...) "
            "from the module's forward where torch.onnx.is_in_onnx_export()",
            stacklevel=4,
        )
