"""The fixtures for tests of the exporter: a plugin of pytest for a Python with PyTorch."""

import os
import subprocess
import sys
from pathlib import Path

import exported
import installation
import linnet_torch
import pytest
from linnet_torch import library


@pytest.fixture(params=installation.EXPORTERS)
def torch_exporter(request):
    """Returns the name of each exporter that linnet_torch.export can use."""
    return request.param


@pytest.fixture
def run_python():
    """Runs a program, a text or a file, with arguments in a separate process. Fails if the program fails."""

    def run(program, *arguments):
        package = Path(linnet_torch.__file__).resolve().parents[1]
        paths = os.pathsep.join([str(package), os.environ.get("PYTHONPATH", "")])
        code = [program] if isinstance(program, Path) else ["-c", "import sys, torch, linnet_torch\n" + program]
        command = [sys.executable, *map(str, [*code, *arguments])]
        environment = os.environ | {"PYTHONPATH": paths}
        result = subprocess.run(command, capture_output=True, text=True, env=environment)
        assert result.returncode == 0, result.stderr

    return run


@pytest.fixture
def torch_ops():
    """Returns the path of liblinnet_torch_ops, which is loaded."""
    try:
        library.require()
        return str(library.find())
    except linnet_torch.ExportError as error:
        pytest.skip(str(error))


@pytest.fixture
def exporter(tmp_path):
    """Runs export_model in a separate folder, if it was built for this PyTorch."""
    command, problem = installation.export_model()
    if command is None:
        pytest.skip(problem)
    return exported.Exporter(command, tmp_path)
