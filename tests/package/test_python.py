"""What a wheel of the Python package is made of, laid together as it is there."""

import os
import shutil
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
