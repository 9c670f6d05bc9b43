"""The contents of a wheel of the Python package, arranged as in the wheel."""

import os
import shutil
import subprocess
import sys

import pytest
from installed import call
from locations import BUILD, ROOT

PROGRAM = """
import linnet, pathlib
maps = pathlib.Path("/proc/self/maps").read_text()
print(sorted({line.split()[-1] for line in maps.splitlines() if "linnet" in line.split()[-1]}))
print("icu" in maps)
"""


def test_the_package_runs_where_it_lies_and_is_typed(tmp_path):
    if not list(BUILD.glob("python/linnet/_linnet*.so")):
        pytest.skip(f"{BUILD} has no Python binding: build with LINNET_BUILD_PYTHON")
    folder = tmp_path / "linnet"
    shutil.copytree(ROOT / "bindings" / "python" / "linnet", folder, ignore=shutil.ignore_patterns("__pycache__"))
    call("cmake", "--install", BUILD, "--component", "python", "--prefix", tmp_path)
    assert (folder / "py.typed").exists() and "class Session:" in (folder / "_linnet.pyi").read_text()
    assert not [path for path in tmp_path.rglob("*") if path.is_symlink()]
    libraries, icu = call(sys.executable, "-c", PROGRAM, env=os.environ | {"PYTHONPATH": str(tmp_path)}).splitlines()
    assert sorted(map(str, folder.glob("*.so*"))) == eval(libraries)
    assert icu == "False"


def pip_install(folder, **environment):
    """Returns the Python of an environment in which pip has built the package, and pip's output."""
    call("/usr/bin/python3", "-m", "venv", folder)
    command = [folder / "bin" / "pip", "install", "-v", "--disable-pip-version-check", ROOT]
    done = subprocess.run(command, env=os.environ | environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if "No matching distribution found for scikit-build-core" in done.stdout:
        pytest.skip("pip cannot get scikit-build-core")
    assert done.returncode == 0, done.stdout[-8000:]
    return folder / "bin" / "python", done.stdout


def expect_binding_alone(python, printed):
    """Expects that only the sources of the extension module were compiled, and that it loads the library next to it."""
    compiled = [line for line in printed.splitlines() if "Building CXX object" in line]
    assert compiled
    assert not [line for line in compiled if "linnet_engine" in line or "linnet_ops" in line]
    libraries, _ = call(python, "-I", "-c", PROGRAM).splitlines()
    assert eval(libraries)
    assert all(str(python.parents[1]) in library for library in eval(libraries))


def test_pip_takes_the_library_of_a_build(tmp_path):
    python, printed = pip_install(tmp_path / "environment", LINNET_BUILD=str(BUILD))
    assert f"Linnet of {BUILD}" in printed
    expect_binding_alone(python, printed)


def test_pip_takes_an_installed_library(installed, tmp_path):
    nothing = tmp_path / "nothing"
    python, printed = pip_install(tmp_path / "environment", LINNET_BUILD=str(nothing), CMAKE_PREFIX_PATH=str(installed.path))
    assert f"Linnet of {installed.path}" in printed
    expect_binding_alone(python, printed)
