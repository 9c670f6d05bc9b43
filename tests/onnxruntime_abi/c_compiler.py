"""C programs and libraries that tests compile."""

import shutil
import subprocess
from pathlib import Path

import pytest
from table import TABLES

HERE = Path(__file__).resolve().parent
COMPILER = shutil.which("cc") or shutil.which("gcc")


def write_slots(folder):
    """Writes slots.h: the numbers of all functions of the table, by name."""
    lines = [f"#define SLOT_{slot.name} {slot.number}" for slot in TABLES["OrtApi"].values()]
    (folder / "slots.h").write_text("\n".join(lines) + "\n")


def compiled(source, target, *flags):
    """Compiles a source of this folder with slots.h next to it. Returns the path of the result."""
    if COMPILER is None:
        pytest.skip("there is no C compiler")
    target.parent.mkdir(parents=True, exist_ok=True)
    write_slots(target.parent)
    command = [
        COMPILER,
        "-O1",
        "-Wall",
        "-Wextra",
        "-Werror",
        f"-I{target.parent}",
        HERE / source,
        "-o",
        target,
        *flags,
    ]
    subprocess.run(command, check=True)
    return target
