"""Checks many configurations with few runs of `run_model check`."""

import json
import os
import tempfile
from pathlib import Path

import numpy as np
from configuration import write_case
from references import Answer
from run_model import is_comparison
from tolerances import tolerance

# The number of cases in files at a time.
BATCH = 300


def temporary_folder():
    """The folder is in memory if the system supports it, because a survey writes many small files."""
    memory = Path("/dev/shm")
    return tempfile.TemporaryDirectory(dir=memory if os.access(memory, os.W_OK) else None)


def failures(run_model, cases):
    """cases: [(configuration, Answer)]. Returns by index the reasons for those that run_model does not reproduce, or
    not with the same bits in guarded memory."""
    found = {}
    for first in range(0, len(cases), BATCH):
        batch = failures_of_batch(run_model, cases[first : first + BATCH])
        found.update({first + i: reason for i, reason in batch.items()})
    return found


def failures_of_batch(run_model, cases):
    with temporary_folder() as name:
        folder = Path(name)
        for i, (configuration, answer) in enumerate(cases):
            write_case(folder / f"{i:06}", configuration, answer.outputs, tolerance(configuration, answer))
        result = run_model("check", "--guard-memory", "--json", "-", name, code=None, timeout=None)
        if result.returncode not in (0, 4):
            raise RuntimeError(f"run_model check: exit code {result.returncode}\n{result.stderr}")
        return {int(Path(f["case"]).name): f["reason"] for f in json.loads(result.stdout)["failures"]}


def refusals(run_model, configurations):
    """Returns by index the reasons for the configurations that run_model refuses: it does not load, plan or run
    them."""
    # No result equals this output, so a case that runs ends in a comparison.
    unequal = Answer("", "double", [np.zeros((1,) * 8, np.float32)])
    found = failures(run_model, [(configuration, unequal) for configuration in configurations])
    return {i: reason for i, reason in found.items() if not is_comparison(reason)}
