"""Determines where the fault may be if a file's outputs differ from PyTorch's."""

import os
from pathlib import Path

from .engine import run
from .errors import ExportError


def suspect(run_model: str, path: Path, inputs: dict, is_example: bool, agrees) -> str:
    """Returns a sentence.

    is_example: whether the inputs are those that the module was exported with
    agrees(outputs): whether the outputs equal PyTorch's
    """
    try:
        if agrees(run(run_model, path, inputs, "--opt", "0")):
            return "With run_model --opt 0 it agrees: suspect the engine's rewrites, and please report it."
    except ExportError:  # the sentences below still apply
        pass
    theirs = _outputs_of_onnxruntime(path, inputs)
    if theirs is not None and agrees(theirs):
        return "ONNX Runtime computes PyTorch's outputs from the file: suspect the engine, and please report it."
    if not is_example:
        return (
            "The example's own outputs agree: suspect the module, which depends on the example by a branch or a number "
            "of Python, or the exporter, which made a constant of a size."
        )
    if theirs is None:
        return "Suspect the exporter (exporter= names another one) or the engine (--opt 0 does not help)."
    return "ONNX Runtime's outputs differ, too: suspect the exporter; exporter= names another one."


def _outputs_of_onnxruntime(path: Path, inputs: dict):
    """Returns None if ONNX Runtime is not installed or does not run the file."""
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    try:
        import onnxruntime

        session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
        return dict(zip([output.name for output in session.get_outputs()], session.run(None, inputs)))
    except Exception:  # onnxruntime has a separate class for every kind
        return None
