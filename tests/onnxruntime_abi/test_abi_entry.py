"""The entry point, the versions, and the whole table."""

import ctypes
import re
import struct
import subprocess
import sys

import pytest
from alone import answer
from forked import forked
from libraries import VERSION
from session_support import refused
from table import SLOTS, TYPES

RELEASES = ["VERS_1.0.0", "VERS_1.19.2", "VERS_1.23.2", "VERS_1.24.2", "VERS_1.28.2", "VERS_1.32.0", "VERS_1.21"]
SYMBOLS = ["OrtGetApiBase", "OrtSessionOptionsAppendExecutionProvider_CPU"]


def test_each_version_gives_the_same_table(library):
    assert len({library.get_api(version) for version in range(1, VERSION + 1)}) == 1


def ask_versions(api, *versions):
    from libraries import Library

    library = Library(sys.argv[1])
    return [library.get_api(version) for version in versions]


def test_versions_that_do_not_exist_give_no_table(library):
    assert answer(library, ask_versions, 0, 1000, 2**32 - 1) == [None, None, None]


def test_the_version_is_a_release_of_the_table(library):
    assert re.fullmatch(rb"1\.\d+\.\d+", library.version_string())
    assert int(library.version_string().split(b".")[1]) >= VERSION


def test_no_slot_is_null(api):
    assert [slot.name for slot in SLOTS.values() if not api.pointers[slot.number]] == []
    assert sorted(slot.number for slot in SLOTS.values()) == list(range(429))


def nothing(letter):
    """Returns null or zero for a parameter."""
    return None if letter in "ps" else False if letter == "b" else 0


@pytest.mark.only("linnet")
@pytest.mark.parametrize("name", SLOTS)
def test_each_slot_stands_a_call_with_nothing(api, name):
    """A slot that is not implemented returns that with its name. All others refuse null pointers or do nothing."""
    slot = SLOTS[name]
    arguments = [nothing(letter) for letter in slot.inputs] + [None] * len(slot.outputs)
    code, text = forked(lambda: getattr(api, name)(*arguments))
    assert code != "crash", text
    if code == 9:
        assert name in text or name.startswith("Unknown"), text


@pytest.mark.only("linnet")
@pytest.mark.parametrize("symbol", SYMBOLS)
@pytest.mark.parametrize("release", RELEASES)
def test_both_symbols_have_the_version_of_each_release(library, symbol, release):
    dlvsym = ctypes.CDLL(None).dlvsym
    dlvsym.restype, dlvsym.argtypes = ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p]
    assert dlvsym(library.library._handle, symbol.encode(), release.encode())


def exported(path):
    """Returns the names of the dynamic symbols that a library defines."""
    lines = subprocess.run(
        ["nm", "-D", "--defined-only", path], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    return {re.split("@", line.split()[-1])[0] for line in lines if not line.split()[-1].startswith("VERS_")}


def test_nothing_else_is_exported(library):
    assert exported(library.path) == set(SYMBOLS)


def test_the_name_of_the_library_is_that_of_its_release(library):
    shown = subprocess.run(["objdump", "-p", library.path], capture_output=True, text=True, check=True).stdout
    assert re.search(r"SONAME\s+libonnxruntime\.so\.1\n", shown)


def test_the_exported_function_adds_the_provider_for_cpus(library, ort):
    function = library.library.OrtSessionOptionsAppendExecutionProvider_CPU
    function.restype, function.argtypes = TYPES["p"], [TYPES["p"], TYPES["i"]]
    for arena in (0, 1, 7):
        assert function(ort.options(), arena) is None


def test_information_on_the_build_is_text(api):
    assert api.GetBuildInfoString().isascii()


def test_tables_for_other_purposes_are_there_but_not_for_training(api):
    assert api.GetModelEditorApi() and api.GetCompileApi() and api.GetEpApi() and api.GetInteropApi()
    assert [api.GetTrainingApi(version) for version in (0, 1, VERSION)] == [None, None, None]
    assert api.GetExperimentalFunction(b"no function of this name") is None


def test_the_allocator_starts_with_the_version_of_the_table(api):
    allocator = api.GetAllocatorWithDefaultOptions()
    assert struct.unpack("I", ctypes.string_at(allocator, 4))[0] == VERSION


def test_the_last_slots(api, ort):
    """Three functions without a known name: the first requires session options, the second returns another table."""
    refused(2, "'options' parameter must not be NULL", api.Unknown426, None, None, None)
    api.Unknown427()
