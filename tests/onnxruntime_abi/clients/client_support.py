"""Environments of clients, and scripts that run in them with either library."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from environments import CACHE, install, once
from libraries import load

HERE = Path(__file__).resolve().parent


class Client:
    """Packages, a script that reports a result, and the way in which the packages find the library."""

    def __init__(self, name, packages, script, way):
        self.folder, self.packages, self.script, self.way = CACHE / "onnxruntime_abi" / name, packages, script, way
        self.python = self.folder / "bin" / "python"

    def install(self):
        """Creates the environment, or skips the test."""
        try:
            once(self.folder, lambda: install(self.folder, *self.packages))
        except subprocess.CalledProcessError:
            pytest.skip(f"pip cannot install {' '.join(self.packages)}")

    def run(self, library, folder, *arguments):
        """Returns the output of the script with one of the libraries, in a folder for its files."""
        environment = {**os.environ, **self.environment(library, folder)}
        command = [self.python, HERE / self.script, *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, cwd=folder, env=environment, timeout=500)
        assert done.returncode == 0, f"{library}: {done.stdout[-2000:]}\n{done.stderr[-4000:]}"
        told = json.loads(done.stdout.splitlines()[-1])
        if library == "linnet":
            assert path_of(library) in told["libraries"]
        return told["result"]

    def environment(self, library, folder):
        """Returns the variables that make the packages use a library."""
        if self.way == "path":
            return {"LINNET_TEST_LIBRARY": path_of(library)}
        if library == "onnxruntime":
            return {}
        if self.way == "preload":
            return {"LD_PRELOAD": path_of(library)}
        beside = Path(path_of(library)).parents[1]  # the folder of a build's liblinnet, which a link does not refer to
        return {"PYTHONPATH": str(stand_in_package(folder, library)), "LD_LIBRARY_PATH": str(beside)}

    def both(self, folder, *arguments):
        """Returns the results with ONNX Runtime's library and with Linnet's."""
        path_of("linnet")
        return [self.run(library, folder, *arguments) for library in ("onnxruntime", "linnet")]


def path_of(library):
    """Returns the path of a library, or skips the test."""
    loaded, reason = load(library)
    if loaded is None:
        pytest.skip(reason)
    return os.path.realpath(loaded.path)


def stand_in_package(folder, library):
    """Returns a folder with a package onnxruntime that contains only the library."""
    root = folder / "packages"
    capi = root / "onnxruntime" / "capi"
    if not capi.exists():
        capi.mkdir(parents=True)
        (root / "onnxruntime" / "__init__.py").touch()
        (capi / "libonnxruntime.so.1.32.0").symlink_to(path_of(library))
    return root
