"""Writes the file of an export: the output of an exporter, completed."""

import contextlib
import os
import tempfile
from pathlib import Path

import onnx
from onnx import external_data_helper

from . import functions
from .request import Request
from .upgrade import upgrade


def write(request: Request, path: Path, exporter) -> None:
    """Writes the file. exporter: a module of choice.WAYS"""
    opset = exporter.opset_of(request)
    with _replacing(path) as file:
        exporter.export(request, str(file), opset)
        _finish(request, file, opset)


def _finish(request: Request, file: Path, opset: int) -> None:
    """Completes the output of PyTorch's exporters.

    Adds function bodies, raises the opset above the older exporter's newest, and removes inputs without readers, which
    the newer exporter leaves.
    """
    model = onnx.load(str(file), load_external_data=False)
    scripted = (function for function in request.translations.values() if hasattr(function, "to_function_proto"))
    bodies = [function.to_function_proto() for function in scripted] + request.bodies
    opset = max([opset, *(entry.version for entry in model.opset_import if entry.domain == "")])
    attached = functions.attach(model, request.forms["my_add"], bodies, opset)
    if any([attached, upgrade(model, opset), _drop_unread_inputs(model.graph)]):
        onnx.save(model, str(file))
    _join_weights(model, file)


def _join_weights(model: onnx.ModelProto, file: Path) -> None:
    """Joins weights into one file next to the model. Beyond 2 GiB, the older exporter writes each to a separate
    file."""
    outside = [tensor for tensor in model.graph.initializer if external_data_helper.uses_external_data(tensor)]
    locations = {entry.value for tensor in outside for entry in tensor.external_data if entry.key == "location"}
    if len(locations) < 2:
        return
    external_data_helper.load_external_data_for_model(model, str(file.parent))
    for location in locations:
        (file.parent / location).unlink()
    onnx.save(model, str(file), save_as_external_data=True, location=f"{file.name}.data")


def _drop_unread_inputs(graph: onnx.GraphProto) -> bool:
    read = {name for node in functions.nodes(graph) for name in node.input} | {value.name for value in graph.output}
    unread = [value for value in graph.input if value.name not in read]
    for value in unread:
        graph.input.remove(value)
    return bool(unread)


@contextlib.contextmanager
def _replacing(path: Path):
    """Yields a path next to `path` to write to. The file replaces `path` on success and is removed otherwise."""
    with tempfile.TemporaryDirectory(dir=path.resolve().parent, prefix=f".{path.name}.") as folder:
        file = Path(folder) / path.name
        yield file
        for written in Path(folder).iterdir():
            os.replace(written, path.parent / written.name)
