"""What the object files of the build define: nothing may leak from SIMD units or out of the shared library."""

import subprocess

import pytest
from locations import BUILD

SIMD_UNITS = sorted(BUILD.glob("ops/CMakeFiles/linnet_ops_*.dir/kernels/*.simd.cc.o"))


def defined_symbols(path, *flags):
    """(type, demangled name) of each symbol that the linker sees."""
    lines = subprocess.run(["nm", "-C", "--defined-only", "--extern-only", *flags, path], check=True,
                           capture_output=True, text=True).stdout.splitlines()
    return [tuple(line.split(maxsplit=2)[1:]) for line in lines if len(line.split(maxsplit=2)) == 3]


@pytest.mark.parametrize("unit", SIMD_UNITS, ids=lambda path: f"{path.parent.parent.stem}-{path.stem}")
def test_simd_units_define_symbols_of_their_instruction_set_only(unit):
    isa = unit.parent.parent.name.removeprefix("linnet_ops_").removesuffix(".dir")
    strangers = [name for _, name in defined_symbols(unit) if f"linnet::{isa}::" not in name and "DW.ref" not in name]
    assert strangers == []


def test_there_are_simd_units():
    assert SIMD_UNITS, f"no SIMD objects under {BUILD}"


def test_the_shared_library_exports_the_api_only():
    library = BUILD / "lib" / "liblinnet.so"
    strangers = [name for _, name in defined_symbols(library, "-D") if "linnet::" not in name]
    assert strangers == []
    assert not [name for _, name in defined_symbols(library, "-D") if "linnet_onnx" in name]
