"""Runs the command run_model, with command-line arguments or with arrays."""

import os
import re
import subprocess
import tempfile

import numpy as np


def is_comparison(reason):
    """Whether a case of `check` ran with a different result, instead of failing."""
    return re.match(r"test_data_set_\d+: output '", reason) is not None


class RunModel:
    def __init__(self, binary):
        self.binary = str(binary)

    def __call__(self, *arguments, code=0, timeout=600, env=None, cwd=None):
        """Returns the completed process. `code`: the expected exit code, or None for any. `env` is added to the
        environment."""
        result = subprocess.run(
            [self.binary, *map(str, arguments)],
            capture_output=True, text=True, errors="replace", timeout=timeout, cwd=cwd, env=os.environ | (env or {}),
        )  # fmt: skip
        assert code in (None, result.returncode), f"exit code {result.returncode}\n{result.stdout}\n{result.stderr}"
        return result

    def outputs(self, model, inputs=None, *flags, env=None):
        """Returns the model's outputs by name. inputs: by name."""
        with tempfile.TemporaryDirectory() as folder:
            if inputs:
                np.savez(f"{folder}/inputs.npz", **inputs)
                flags = ("--input-npz", f"{folder}/inputs.npz", *flags)
            self("run", model, "--print", 0, "--save-outputs", f"{folder}/outputs.npz", *flags, env=env)
            with np.load(f"{folder}/outputs.npz") as outputs:
                return dict(outputs)
