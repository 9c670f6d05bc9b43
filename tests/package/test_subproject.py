"""Linnet as a part of another project, and the messages of a build with missing dependencies."""

import re
import subprocess
from pathlib import Path

import pytest
from installed import call
from locations import ROOT

SUBPROJECT = Path(__file__).parent / "subproject"


@pytest.fixture(scope="module", params=["ON", "OFF"], ids=["FetchContent", "add_subdirectory"])
def subproject(request, tmp_path_factory):
    """Returns the configured project's folder, and its output."""
    folder = tmp_path_factory.mktemp("subproject")
    return folder, call("cmake", "-S", SUBPROJECT, "-B", folder, f"-DLINNET={ROOT}", f"-DFETCH={request.param}")


def test_linnet_sets_nothing_for_the_whole_project(subproject):
    settings = {when: re.findall(rf"{when}: (.*)", subproject[1]) for when in ("before", "after")}
    assert "CMAKE_CXX_FLAGS_RELEASE=-O3 -DNDEBUG" in settings["before"]
    assert settings["after"] == settings["before"]


def test_linnet_installs_nothing_of_its_own(subproject, tmp_path):
    call("cmake", "--install", subproject[0], "--prefix", tmp_path)
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["CMakeLists.txt"]


def test_linnet_builds_no_programs_of_its_own(subproject):
    targets = call("cmake", "--build", subproject[0], "--target", "help")
    assert "app_static" in targets and "linnet_static" in targets
    assert not re.search(r"run_model|linnet_tests|my_ops", targets)


def test_linnet_compiles_there(subproject):
    call("cmake", "--build", subproject[0], "--target", "linnet_version", "linnet_engine_tensor")


@pytest.mark.parametrize("package, advice", [
    ("Protobuf", "apt install libprotobuf-dev"),
    ("xsimd", "apt install libxsimd-dev"),
    ("RE2", "-DLINNET_WITH_TEXT=OFF"),
    ("CLI11", "-DLINNET_BUILD_TOOLS=OFF"),
    ("GTest", "-DLINNET_BUILD_TESTS=OFF"),
])  # fmt: skip
def test_a_build_says_what_is_missing(tmp_path, package, advice):
    result = subprocess.run(["cmake", "-S", ROOT, "-B", tmp_path, f"-DCMAKE_DISABLE_FIND_PACKAGE_{package}=ON",
                             "-DLINNET_BUILD_TESTS=ON"], capture_output=True, text=True)  # fmt: skip
    assert result.returncode != 0
    assert advice in " ".join(result.stderr.split())
