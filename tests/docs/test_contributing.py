"""Follows docs/contributing.md literally in a fresh checkout: writes its files and runs its commands.

It does not build everything: it compiles only what the page adds or changes, and takes the rest from the build under
test.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from documentation import blocks, commands
from installed import call
from locations import BUILD, ROOT

PAGE = "docs/contributing.md"
OBJECTS = BUILD / "tests" / "CMakeFiles" / "linnet_tests.dir"
ADDED = [block.file for block in blocks(PAGE) if block.file]
LINES = [line for block in blocks(PAGE, "sh") for line in commands(block)]
CONFIGURE, BUILD_ALL, RUN = (next(line for line in LINES if line.startswith(start))
                             for start in ("cmake -S", "cmake --build", "build/bin/linnet_tests"))  # fmt: skip
# The sources that include the lists to which the page adds lines.
READERS = {"operators": "ops/registry.cc", "kernels": "ops/kernels/kernels_for.cc"}


def copy_checkout(folder):
    names = call("git", "ls-files", "--cached", "--others", "--exclude-standard", cwd=ROOT).splitlines()
    for name in names:
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """Returns a fresh checkout with the page's additions, configured according to the page."""
    if not OBJECTS.is_dir():
        pytest.skip(f"{BUILD} has no tests: build with LINNET_BUILD_TESTS")
    if f"CMAKE_HOME_DIRECTORY:INTERNAL={ROOT}\n" not in (BUILD / "CMakeCache.txt").read_text():
        pytest.skip(f"{BUILD} is a build of another tree, which this one's files would not fit")
    folder = tmp_path_factory.mktemp("checkout")
    copy_checkout(folder)
    for block in blocks(PAGE):
        if block.file:
            assert not (folder / block.file).exists() and (folder / block.file).parent.is_dir()
            (folder / block.file).write_text(block.text)
        elif block.language == "sh":
            for line in [line for line in commands(block) if line.startswith("sed ")]:
                call("bash", "-c", line, cwd=folder)
    call("bash", "-c", CONFIGURE, cwd=folder)
    return folder


def compile(entry):
    """Runs a command of compile_commands.json. Returns the object file."""
    output = Path(entry["directory"], shlex.split(entry["command"].split(" -o ")[1])[0])
    output.parent.mkdir(parents=True, exist_ok=True)
    call(*shlex.split(entry["command"]), "-Werror", cwd=entry["directory"])
    return output


def passed(checkout, installed, kind):
    """Builds the page's additions of one kind into a test program. Returns the names of the tests that passed."""
    wanted = [name for name in ADDED if ("/kernels/" in name) == (kind == "kernels")] + [READERS[kind]]
    entries = json.loads((checkout / "build" / "compile_commands.json").read_text())
    entries = [entry for entry in entries if entry["file"].removeprefix(f"{checkout}/") in wanted]
    assert len(entries) >= sum(name.endswith(".cc") for name in wanted)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        objects = [*pool.map(compile, entries)]
    libraries = [flag for flag in installed.pkg_config("--static", "--libs") if flag != "-llinnet"]
    program = checkout / "build" / kind
    support = [*OBJECTS.glob("support/*.o"), *OBJECTS.glob("Unity/unity_support_*.o")]
    # The linker uses the first of two definitions: a batch of sources in the library contains the old version of a
    # changed source.
    call("c++", "-Wl,--allow-multiple-definition", *objects, *support, BUILD / "liblinnet.a", "-lgtest_main", "-lgmock",
         "-lgtest", *libraries, "-o", program)  # fmt: skip
    return re.findall(r"^\[ +OK \] (\S+)", call(program, *shlex.split(RUN)[1:]), re.MULTILINE)


def test_the_page_builds_the_tests_that_it_runs():
    assert shlex.split(BUILD_ALL)[-1] == Path(shlex.split(RUN)[0]).name


def test_the_operator_and_the_rewrite_pass_their_tests(checkout, installed):
    names = passed(checkout, installed, "operators")
    assert {name.split(".")[0] for name in names} == {"Square", "CancelNegations"}


# A separate program that runs nothing else, because its table of kernels differs from that of the rest of the library.
def test_the_kernel_passes_its_test(checkout, installed):
    names = passed(checkout, installed, "kernels")
    assert names and all("SquareKernel" in name for name in names)


def test_what_the_page_adds_is_formatted(checkout):
    if not shutil.which("clang-format"):
        pytest.skip("clang-format is not installed")
    call("clang-format", "--dry-run", "-Werror", *ADDED, cwd=checkout)
