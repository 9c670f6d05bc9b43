"""The flags of CMakePresets.json must detect bugs: a program with deliberate bugs, built with them, ends with a
report."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from installed import call
from locations import ROOT

SOURCE = Path(__file__).parent / "planted" / "bugs.cc"
CONFIGURED = json.loads((ROOT / "CMakePresets.json").read_text())["configurePresets"]
PRESETS = {preset["name"]: preset for preset in CONFIGURED}


def variables(name):
    """Returns the variables of a preset, including inherited ones."""
    preset = PRESETS[name]
    inherited = variables(preset["inherits"]) if "inherits" in preset else {}
    return inherited | preset["cacheVariables"]


@pytest.fixture(scope="module", params=[name for name, preset in PRESETS.items() if not preset.get("hidden")])
def build(request, tmp_path_factory):
    """Returns the preset's name and the program."""
    values = variables(request.param)
    compiler = values.get("CMAKE_CXX_COMPILER", "g++")
    if not shutil.which(compiler):
        pytest.skip(f"{compiler} is not there")
    program = tmp_path_factory.mktemp(request.param) / "bugs"
    flags = ["CMAKE_CXX_FLAGS_RELEASE", "CMAKE_CXX_FLAGS", "CMAKE_EXE_LINKER_FLAGS"]
    words = " ".join(values.get(name, "") for name in flags).split()
    call(compiler, "-O2", "-std=c++20", "-fPIC", "-fopenmp", "-w", SOURCE, "-o", program, *words)
    return request.param, program


def run(build, *arguments):
    # For an OpenMP runtime that was built without the sanitizers.
    options = {"TSAN_OPTIONS": "ignore_noninstrumented_modules=1"}
    return subprocess.run(
        [build[1], *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        cwd=build[1].parent,
        env=os.environ | options,
    )


SEEN = {
    "asan-ubsan": {
        "read_after_free": "heap-use-after-free",
        "write_beside": "heap-buffer-overflow",
        "index_beside": "Assertion",
        "copy_beside": "stack-buffer-overflow",
        "smash_stack": "stack-buffer-overflow",
        "leak": "detected memory leaks",
        "overflow": "signed integer overflow",
        "shift_too_far": "shift exponent 32 is too large",
        "convert_too_large": "outside the range of representable values",
    },
    "tsan": {"race": "data race", "race_of_loop": "data race"},
    "coverage": {},
    "hardened": {
        "index_beside": "Assertion",
        "copy_beside": "buffer overflow detected",
        "smash_stack": "stack smashing detected",
    },
}


def test_a_program_without_a_bug_ends_well(build):
    result = run(build, "sum_of_loop")
    assert (result.returncode, result.stdout, result.stderr) == (0, "999000\n", "")


def test_planted_bugs_end_the_process(build):
    for bug, report in SEEN[build[0]].items():
        result = run(build, bug, "8")
        assert result.returncode != 0 and report in result.stderr, f"{bug}: {result}"


def test_lines_that_were_not_run_are_seen(build):
    if build[0] != "coverage":
        pytest.skip("only of the build for coverage")
    if not shutil.which("llvm-cov"):
        pytest.skip("llvm-cov is not there")
    assert run(build, "overflow", "1").returncode == 0
    profile = build[1].with_name("merged")
    call("llvm-profdata", "merge", build[1].with_name("default.profraw"), "-o", profile)
    report = call("llvm-cov", "report", build[1], f"-instr-profile={profile}", "-show-functions", SOURCE)
    lines = [line.split() for line in report.splitlines() if "bugs.cc:" in line]
    missed = {words[0].rpartition(":")[2]: int(words[5]) for words in lines}
    assert [name for name in missed if "overflow" in name and missed[name] == 0]
    assert [name for name in missed if "never_run" in name and missed[name] > 0]


def test_a_hardened_program_is_loaded_anywhere_and_its_tables_are_read_only(build):
    if build[0] != "hardened":
        pytest.skip("only of the hardened release")
    headers = call("readelf", "-hldW", build[1])
    assert "DYN (" in headers and "GNU_RELRO" in headers and "BIND_NOW" in headers
    (stack,) = [line for line in headers.splitlines() if "GNU_STACK" in line]
    assert " RWE " not in stack
