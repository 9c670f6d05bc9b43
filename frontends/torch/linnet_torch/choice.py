"""Which of PyTorch's two exporters writes a file: the TorchScript exporter or, since PyTorch 2.9, the dynamo one."""

import contextlib
import warnings
from typing import Optional

import torch

from .errors import ExportError

# The first PyTorch whose dynamo exporter takes named axes and a table of translations, and the one that prefers it.
_FIRST, _PREFERRED = (2, 7), (2, 9)


def choose(exporter: str, module: torch.nn.Module, functions: list) -> str:
    """`exporter`; instead of "auto", what this PyTorch prefers and the module allows: "torchscript" or "dynamo".

    functions: the autograd.Functions with a `symbolic` that the module calls.
    """
    parts = module.named_modules()
    scripted = next((name or "the module" for name, part in parts if isinstance(part, torch.jit.ScriptModule)), None)
    if exporter == "auto":
        return "dynamo" if torch.__version__ >= _PREFERRED and not scripted and not functions else "torchscript"
    if exporter == "dynamo":
        _check_dynamo(scripted, functions)
    return exporter


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
            "say in custom_translation_table what it becomes; or return torch.onnx.ops.symbolic('domain::Name', ...) "
            "from the module's forward where torch.onnx.is_in_onnx_export()",
            stacklevel=4,
        )


def functions_called(call) -> tuple:
    """The result of call(), and the autograd.Functions with a `symbolic` whose forward ran in it."""
    called = {}
    with contextlib.ExitStack() as stack:
        for function in _subclasses(torch.autograd.Function):
            if hasattr(function, "symbolic"):
                stack.enter_context(_watched(function, called))
        result = call()
    return result, list(called)


@contextlib.contextmanager
def _watched(function, called: dict):
    own, forward = vars(function).get("forward"), function.forward

    def watched_forward(*args, **kwargs):
        called[function] = None
        return forward(*args, **kwargs)

    function.forward = staticmethod(watched_forward)
    try:
        yield
    finally:
        if own is None:
            del function.forward
        else:
            function.forward = own


def _subclasses(cls) -> list:
    return [found for child in cls.__subclasses__() for found in (child, *_subclasses(child))]
