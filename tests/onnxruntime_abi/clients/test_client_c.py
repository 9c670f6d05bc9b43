"""Programs in C that are linked with one library and run with another."""

import os
import subprocess
from pathlib import Path

import pytest
from abi_models import ADD
from c_compiler import COMPILER, compiled

RELEASES = ["1.14.0", "1.19.2", "1.23.2", "1.28.2", "1.30.0", "1.32.0"]
EXPECTED = "11 22 33 44 55 66"


def stand_in(folder, release):
    """Returns a library with the two functions of a release, for linking."""
    folder.mkdir()
    (folder / "empty.c").write_text(
        "void OrtGetApiBase(void) {}\nvoid OrtSessionOptionsAppendExecutionProvider_CPU(void) {}\n"
    )
    (folder / "nodes").write_text(f"VERS_{release} {{ global: Ort*; local: *; }};\n")
    subprocess.run([COMPILER, "-shared", "-fPIC", folder / "empty.c", "-o", folder / "libonnxruntime.so",
                    "-Wl,-soname,libonnxruntime.so.1", f"-Wl,--version-script={folder / 'nodes'}"], check=True)  # fmt: skip
    return folder / "libonnxruntime.so"


def run(program, library, folder):
    """Returns the output of a program with a library that replaces the one that it was linked to."""
    folder.mkdir()
    real = Path(os.path.realpath(library.path))
    (folder / "libonnxruntime.so.1").symlink_to(real)
    (folder / "add.onnx").write_bytes(ADD)
    result = subprocess.run([program, folder / "add.onnx"], capture_output=True, text=True,
                            env={**os.environ, "LD_LIBRARY_PATH": f"{folder}:{real.parents[1]}"})  # fmt: skip
    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stderr == ""
    return result.stdout.strip()


@pytest.mark.parametrize("release", RELEASES)
def test_a_program_finds_the_table_before_it_starts(library, library_name, release, tmp_path):
    if library_name == "onnxruntime" and release not in library.path:
        pytest.skip("ONNX Runtime's library has the symbols of its own release only")
    if COMPILER is None:
        pytest.skip("there is no C compiler")
    program = compiled("clients/program.c", tmp_path / "program", stand_in(tmp_path / "stand_in", release))
    assert run(program, library, tmp_path / "run") == EXPECTED


def test_a_program_of_one_library_runs_with_the_other(library, tmp_path):
    program = compiled("clients/program.c", tmp_path / "program", library.path)
    assert run(program, library, tmp_path / "run") == EXPECTED
