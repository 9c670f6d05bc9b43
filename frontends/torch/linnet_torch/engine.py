"""Finds the commands run_model and export_model, and runs models with run_model."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from .errors import ExportError


def find_run_model(named=None) -> str:
    """Finds the run_model command: `named`, else $LINNET_RUN_MODEL, else on PATH, else in the source tree's build."""
    return _find("run_model", named, "the exported file cannot be checked", "or run_model=, or export with check=False")


def find_export_model() -> str:
    """Finds the export_model command: $LINNET_EXPORT_MODEL, else next to $LINNET_RUN_MODEL, on PATH, or as
    run_model."""
    return _find("export_model", None, "programs of torch.export go without Linnet's exporter", "")


def _find(name: str, named, what: str, otherwise: str) -> str:
    variable = f"LINNET_{name.upper()}"
    if named := str(named or os.environ.get(variable, "")):
        if found := shutil.which(named):
            return found
        raise ExportError(f"{name}: {named} is not a program that can be run")
    beside = os.path.join(os.path.dirname(os.environ.get("LINNET_RUN_MODEL", "")), name)
    built = Path(__file__).resolve().parents[3] / "build" / "bin" / name
    if found := shutil.which(beside) or shutil.which(name) or shutil.which(str(built)):
        return found
    hint = f"Build it (`cmake -B build && cmake --build build --target {name}`) and name it in {variable}"
    raise ExportError(f"{name} was not found, so {what}. {hint}{otherwise and ' ' + otherwise}.")


def run(command: str, model: Path, inputs: dict[str, np.ndarray], *flags: str) -> dict[str, np.ndarray]:
    """Returns the outputs of `model` by name, computed by run_model."""
    with tempfile.TemporaryDirectory() as folder:
        arguments = [command, "run", str(model), "--save-outputs", f"{folder}/outputs.npz", *flags]
        for i, (name, value) in enumerate(inputs.items()):
            np.save(f"{folder}/{i}.npy", value)
            arguments += ["-i", f"{name}={folder}/{i}.npy"]
        result = subprocess.run(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if result.returncode != 0:
            raise ExportError(f"run_model cannot run {model} (exit code {result.returncode}): {result.stderr.strip()}")
        with np.load(f"{folder}/outputs.npz") as outputs:
            return dict(outputs)
