"""Runs an exported file with run_model and compares its outputs with PyTorch's."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import onnx

from .errors import ExportError, MismatchError
from .nested import flatten
from .request import Request


def find_run_model(named=None) -> str:
    """The run_model command: `named`, else $LINNET_RUN_MODEL, else on PATH, else in the source tree's build."""
    if named := str(named or os.environ.get("LINNET_RUN_MODEL", "")):
        if found := shutil.which(named):
            return found
        raise ExportError(f"run_model: {named} is no program that can be run")
    built = Path(__file__).resolve().parents[3] / "build" / "bin" / "run_model"
    if found := shutil.which("run_model") or shutil.which(str(built)):
        return found
    raise ExportError(
        "run_model was not found, so the exported file cannot be checked. Build it (`cmake -B build && cmake --build "
        "build --target run_model`) and name it in LINNET_RUN_MODEL or run_model=, or export with check=False."
    )


def check(command: str, path: Path, request: Request, result, bounds: dict) -> None:
    """Raises MismatchError where the file's outputs for the example inputs are not `result`, the module's.

    Where axes are dynamic, both run with twice their lengths too, unless the module refuses those.
    """
    _check_case(command, path, request, request.arguments, result, bounds)
    if not any(request.axes):
        return
    larger = request.arguments.doubled(request.axes)
    try:
        result = larger.call(request.module)
    except Exception:  # whatever a module raises on sizes that it does not take
        return
    try:
        _check_case(command, path, request, larger, result, bounds)
    except ExportError as error:
        raise type(error)(f"with dynamic axes twice as long: {error}") from None


def _check_case(command: str, path: Path, request: Request, arguments, result, bounds: dict) -> None:
    read = {value.name for value in onnx.load(str(path), load_external_data=False).graph.input}
    inputs = dict(zip(request.input_names, map(_array, arguments.tensors())))
    got = run(command, path, {name: array for name, array in inputs.items() if name in read})
    try:
        compare(got, dict(zip(request.output_names, map(_array, flatten(result)))), **bounds)
    except MismatchError as error:
        raise MismatchError(f"{path}: {error}") from None


def _array(tensor) -> np.ndarray:
    return tensor.detach().cpu().numpy()


def run(command: str, model: Path, inputs: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The outputs of `model` by name, computed by run_model."""
    with tempfile.TemporaryDirectory() as folder:
        arguments = [command, "run", str(model), "--save-outputs", f"{folder}/outputs.npz"]
        for i, (name, value) in enumerate(inputs.items()):
            np.save(f"{folder}/{i}.npy", value)
            arguments += ["-i", f"{name}={folder}/{i}.npy"]
        result = subprocess.run(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if result.returncode != 0:
            raise ExportError(f"run_model cannot run {model} (exit code {result.returncode}): {result.stderr.strip()}")
        with np.load(f"{folder}/outputs.npz") as outputs:
            return dict(outputs)


def compare(got: dict, expected: dict, atol: float, rtol: float) -> None:
    """Raises MismatchError on the first output with |got - expected| > max(atol, rtol * |expected|) anywhere.

    NaN equals NaN, an infinity only itself; dtypes and shapes must be the same.
    """
    for name, value in expected.items():
        if name not in got:
            raise MismatchError(f"output '{name}' is missing; the file has {', '.join(got)}")
        if got[name].dtype != value.dtype or got[name].shape != value.shape:
            raise MismatchError(f"output '{name}' is {_describe(got[name])}, in PyTorch {_describe(value)}")
        _compare_values(name, got[name], value, atol, rtol)


def _compare_values(name: str, got: np.ndarray, expected: np.ndarray, atol: float, rtol: float) -> None:
    with np.errstate(invalid="ignore", over="ignore"):
        same = (got == expected) | (np.isnan(got) & np.isnan(expected))
        reference = expected.astype(np.float64)
        difference = np.where(same, 0, np.abs(got.astype(np.float64) - reference))
        close = (difference <= np.maximum(atol, rtol * np.abs(reference))) & np.isfinite(reference)
    bad = ~(same | close)
    if not bad.any():
        return
    worst = np.unravel_index(np.argmax(np.where(bad, np.nan_to_num(difference, nan=np.inf), -1)), got.shape)
    raise MismatchError(
        f"output '{name}' differs from PyTorch in {bad.sum()} of {bad.size} elements; largest |difference| "
        f"{difference[worst]:.6g} at [{', '.join(map(str, worst))}]: got {got[worst]}, PyTorch {expected[worst]} "
        f"(atol {atol:g}, rtol {rtol:g})"
    )


def _describe(array: np.ndarray) -> str:
    return f"{array.dtype} {list(array.shape)}"
