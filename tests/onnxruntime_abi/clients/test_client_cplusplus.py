"""A C++ program with ONNX Runtime's header, which a system package provides."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from abi_models import ADD

PLACES = [
    os.environ.get("LINNET_ONNXRUNTIME_INCLUDE", ""),
    "/usr/include/onnxruntime",
    "/usr/local/include/onnxruntime",
]
HERE = Path(__file__).resolve().parent
EXPECTED = ["1", "x 1 -1 3", "y 1 -1 3", "graph 0", "6 21 Cpu", "z 6", "bb 3", "failed", "3"]


@pytest.fixture
def include():
    """Returns the folder of the header."""
    for place in PLACES:
        if place and (Path(place) / "onnxruntime_cxx_api.h").exists():
            return place
    pytest.skip(
        "there is no onnxruntime_cxx_api.h: install libonnxruntime-dev, or name its folder in LINNET_ONNXRUNTIME_INCLUDE"
    )


@pytest.fixture
def compiler():
    return shutil.which("c++") or pytest.skip("there is no C++ compiler")


def test_a_program_in_cplusplus(library, include, compiler, tmp_path):
    program = tmp_path / "program"
    real = Path(os.path.realpath(library.path))
    (tmp_path / "libonnxruntime.so.1").symlink_to(real)
    subprocess.run([compiler, "-std=c++17", "-O1", f"-I{include}", HERE / "program.cc", "-o", program,
                    tmp_path / "libonnxruntime.so.1", f"-Wl,-rpath,{tmp_path}", f"-Wl,-rpath-link,{real.parents[1]}"], check=True)  # fmt: skip
    (tmp_path / "add.onnx").write_bytes(ADD)
    done = subprocess.run([program, tmp_path / "add.onnx"], capture_output=True, text=True,
                          env={**os.environ, "LD_LIBRARY_PATH": str(real.parents[1])})  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines() == EXPECTED
