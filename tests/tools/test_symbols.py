"""The symbols that the object files of the build define. SIMD units and the shared library must not leak any."""

import os
import pathlib
import re
import subprocess

import pytest
from locations import BUILD

SIMD_UNITS = sorted(BUILD.glob("*/CMakeFiles/linnet_*_*.dir/**/*.simd.cc.o"))


def defined_symbols(path, *flags):
    """Returns (type, demangled name) of each symbol that is visible to the linker."""
    lines = subprocess.run(["nm", "-C", "--defined-only", "--extern-only", *flags, path], check=True,
                           capture_output=True, text=True).stdout.splitlines()
    return [tuple(line.split(maxsplit=2)[1:]) for line in lines if len(line.split(maxsplit=2)) == 3]


def library_of(unit):
    """Returns the target and the instruction set of its units, for example linnet_ops_avx512 or
    linnet_tests_avx512_vnni."""
    return next(folder.stem for folder in unit.parents if folder.suffix == ".dir")


@pytest.mark.parametrize("unit", SIMD_UNITS, ids=lambda path: f"{library_of(path)}-{path.stem}")
def test_simd_units_define_symbols_of_their_instruction_set_only(unit):
    isa = library_of(unit).split("_", 2)[2]
    # Small units of the baseline share functions of xsimd, which name the instruction set that they are compiled for.
    own = (f"linnet::{isa}::", "DW.ref") + (("xsimd::sse2",) if isa == "baseline" else ())
    assert [name for _, name in defined_symbols(unit) if not any(part in name for part in own)] == []


def test_there_are_simd_units():
    assert SIMD_UNITS, f"no SIMD objects under {BUILD}"


# The classes and functions of the installed headers.
API = set("""
    Attributes CancellationToken CompileInput Context Dim Error Executor Fact Half BFloat16 Kernel KernelContext KernelState
    Map Model ModelFiles NodeSpec NodeValues Observer Op Optional Prefix Printable Registry Sequence Shape Tensor
    ceil_div certainly_at_least certainly_different certainly_equal checked_add checked_mul compatible concatenated
    copy_elements decode_image describe did_you_mean dtype_bits dtype_bytes dtype_from_name dtype_name dtype_of
    elements_of exact_quotient fits floor_div generalize identical image_tensor is_floating is_followed is_integer
    learn_at_least learn_equal load load_bytes load_fd load_onnx load_onnx_bytes load_onnx_fd load_pt2 load_pt2_bytes
    load_value_proto max min operator* operator+ operator- remainder
    make_openmp_executor make_serial_executor make_thread_executor normalize_axis operator<< overlap overlap_in_part quantize read_image save_onnx save_onnx_bytes standard_registry throw_attribute_type
    throw_missing_attribute version without_shape
""".split())
# Additional symbols that run_model uses.
INTERNAL = set("""
    Graph MemoryAccount NewFile NodeOrder Roofline allocate_counted attention_obstacle available_memory chosen_kernels count_held declared_graph fixed_number free_counted given_output has_other_bools human_bytes human_time
    isa_from_name isa_name isa_support latest_plans make_model measure_roofline model_graph node_cost normalize_bools normalized_bools printable require_rewrite resolve_isa used_kernels
""".split())


def owner(symbol):
    """Returns the class, or the function outside of classes, to which a demangled symbol belongs."""
    name = re.sub(r"^(vtable|typeinfo|typeinfo name|VTT|guard variable) for ", "", symbol)
    name = re.sub(r"\[abi:\w+\]", "", name.split("(")[0])
    name = re.match(r"(?:.*[ *&])?linnet::(operator\S*|\w+)", re.sub(r"<(?!<).*>", "", name))
    return name.group(1) if name else symbol


def test_the_shared_library_exports_the_api_only():
    names = [name for _, name in defined_symbols(BUILD / "lib" / "liblinnet.so", "-D")]
    symbols, versions = zip(*(name.split("@@") for name in names if "@@" in name))
    assert {"Context", "Registry", "load_onnx"} <= {owner(symbol) for symbol in symbols}
    assert set(versions) | {name for name in names if "@@" not in name} == {"LINNET_1", "LINNET_CXX"}
    in_cpp = [symbol for symbol, version in zip(symbols, versions) if version == "LINNET_CXX"]
    assert [symbol for symbol in in_cpp if owner(symbol) not in API | INTERNAL] == []
