"""PyTorch's newer exporter, which captures a module with torch.export and translates operator by operator."""

import contextlib
import logging

import torch

from . import branches
from .errors import ExportError, cause_of
from .request import Request

_OLDEST_OPSET, _DEFAULT_OPSET, _NEWEST_OPSET, _DEFORM_CONV_OPSET = 18, 20, 23, 19


def opset_of(request: Request) -> int:
    """Returns the opset of the file: 20 unless another is requested; DeformConv needs 19."""
    opset = _DEFAULT_OPSET if request.opset_version is None else request.opset_version
    if not _OLDEST_OPSET <= opset <= _NEWEST_OPSET:
        raise ExportError(
            f"opset_version must be {_OLDEST_OPSET} to {_NEWEST_OPSET} with the dynamo exporter, got {opset}; "
            "exporter='torchscript' writes older ones"
        )
    return max(opset, _DEFORM_CONV_OPSET) if request.forms["deform_conv"] == "standard" else opset


def export(request: Request, file: str, opset: int) -> None:
    try:
        from .translations import as_call, translations
    except ImportError as error:
        raise ExportError(
            f"PyTorch's dynamo exporter needs onnxscript ({error}): pip install onnxscript, or use "
            "exporter='torchscript'"
        ) from None
    table = translations(**request.forms) | {
        overload: as_call(function) for overload, function in request.translations.items()
    }
    with request.arguments.tensors_alone(request.module) as tensors, branches.left_out(), _quiet():
        try:
            program = torch.onnx.export(
                request.module,
                tensors,
                opset_version=opset,
                input_names=request.input_names,
                output_names=request.output_names,
                dynamo=True,
                dynamic_shapes=(tuple(request.axes),) if any(request.axes) else None,
                custom_translation_table=table,
                verbose=False,
            )
        except torch.onnx.OnnxExporterError as error:
            raise ExportError(cause_of(error)) from error
    _rename_weights(program, request.input_names)
    program.save(file)


def _rename_weights(program, input_names: list) -> None:
    """Renames weights with the names of inputs, because PyTorch renames inputs without regard to weights."""
    for weight in list(program.model.graph.initializers.values()):
        while weight.name in input_names:
            weight.name += "_"


@contextlib.contextmanager
def _quiet():
    """Suppresses messages of PyTorch that do not concern the module, e.g. that torchvision is not installed."""
    logger = logging.getLogger("torch.onnx")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)
