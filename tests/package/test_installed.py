"""Programs outside of Linnet's tree, built with an installation that was moved: by CMake and by pkg-config, with the
shared and the static library, by GCC and by Clang.
"""

import ctypes
import os
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from installed import call, compiler
from locations import BUILD, ROOT

CONSUMER = Path(__file__).parent / "consumer"
C_CONSUMER = Path(__file__).parent / "c_consumer"
COMPILERS = ["g++", "clang++"]
C_COMPILERS = ["gcc", "clang"]
C99 = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror"]


def needed(program):
    """Returns the shared libraries that a program names."""
    return re.findall(r"NEEDED.*\[(.*)\]", call("readelf", "-d", program))


def outputs(installed, *command):
    return [float(line) for line in call(*command, env=installed.environment()).split()]


def expect_outputs(installed, program, linear):
    model, function = linear
    np.testing.assert_allclose(outputs(installed, program, model), function(np.array([1, 2, 3], np.float32)), rtol=1e-5)


@pytest.fixture(scope="module", params=[(c, library) for c in COMPILERS for library in ("shared", "static")],
                ids=lambda pair: "-".join(pair))  # fmt: skip
def consumer(request, installed, tmp_path_factory):
    """Returns the build folder of the consumer, and the library that it requests from CMake."""
    name, library = request.param
    folder = tmp_path_factory.mktemp("consumer")
    result = installed.configure(CONSUMER, folder, compiler(name), LIBRARY=library)
    assert result.returncode == 0, result.stderr
    call("cmake", "--build", folder)
    return folder, library


def test_cmake_finds_the_library_that_is_asked_for(consumer, installed, linear):
    folder, library = consumer
    expect_outputs(installed, folder / "app", linear)
    assert ("liblinnet.so.0.2" in needed(folder / "app")) == (library == "shared")


def test_a_plugin_is_loaded_closed_and_loaded_twice(consumer, installed, linear, tmp_path):
    folder, _ = consumer
    model, function = linear
    second = shutil.copy(folder / "libplugin.so", tmp_path / "libsecond.so")
    expected = function(np.array([1, 2, 3], np.float32))[0]
    found = outputs(installed, folder / "host", model, folder / "libplugin.so", second)
    np.testing.assert_allclose(found, [expected] * 5, rtol=1e-5)


@pytest.mark.parametrize("name", COMPILERS)
def test_pkg_config_gives_the_flags_of_the_shared_library(name, installed, linear, tmp_path):
    flags = installed.pkg_config("--cflags", "--libs")
    call(compiler(name), "-std=c++20", CONSUMER / "app.cc", *flags, "-o", tmp_path / "app")
    expect_outputs(installed, tmp_path / "app", linear)
    assert "liblinnet.so.0.2" in needed(tmp_path / "app")


@pytest.mark.parametrize("name", COMPILERS)
def test_earlier_standards_of_cpp_get_one_clear_error_first(name, installed, tmp_path):
    flags = installed.pkg_config("--cflags")
    command = [compiler(name), "-std=c++17", "-fsyntax-only", str(CONSUMER / "app.cc"), *flags]
    errors = [line for line in subprocess.run(command, capture_output=True, text=True).stderr.splitlines() if "error:" in line]
    assert "Linnet's headers need C++20" in errors[0]


@pytest.mark.parametrize("name", ["libonnxruntime.so", "libonnxruntime.so.1.17.0", "libonnxruntime.so.1.21"])
def test_the_library_of_onnxruntime_has_the_names_that_clients_ask_for(installed, name):
    """The names contain the full release until 1.18, or MINOR for a distribution's build."""
    folder = installed.libraries / "linnet-onnxruntime"
    if not folder.exists():
        pytest.skip("built without LINNET_BUILD_ONNXRUNTIME")
    assert (folder / name).resolve() == (folder / "libonnxruntime.so.1").resolve()
    ctypes.CDLL(str(folder / name)).OrtGetApiBase


def test_pkg_config_needs_no_module_but_linnet(installed):
    """The folder of the system's modules is not searched."""
    folder = str(installed.libraries / "pkgconfig")
    alone = os.environ | {"PKG_CONFIG_LIBDIR": folder, "PKG_CONFIG_PATH": ""}
    flags = call("pkg-config", "--cflags", "--libs", "linnet", env=alone).split()
    folders = [os.path.normpath(flag[2:]) for flag in flags[:2]]
    assert folders == [str(installed.path / "include"), str(installed.libraries)]
    assert flags[2:] == ["-llinnet"]


@pytest.mark.parametrize("name", COMPILERS)
def test_pkg_config_static_names_all_that_a_static_program_needs(name, installed, linear, tmp_path):
    flags = installed.pkg_config("--static", "--cflags", "--libs")
    call(compiler(name), "-std=c++20", "-static", CONSUMER / "app.cc", *flags, "-o", tmp_path / "app")
    expect_outputs(installed, tmp_path / "app", linear)
    assert needed(tmp_path / "app") == []


@pytest.mark.parametrize("library", ["shared", "static"])
def test_cmake_finds_the_library_for_c(library, installed, linear, tmp_path):
    result = installed.configure(C_CONSUMER, tmp_path, compiler("g++"), LIBRARY=library, CMAKE_C_FLAGS=" ".join(C99))
    assert result.returncode == 0, result.stderr
    call("cmake", "--build", tmp_path)
    expect_outputs(installed, tmp_path / "app", linear)
    assert ("liblinnet.so.0.2" in needed(tmp_path / "app")) == (library == "shared")


@pytest.mark.parametrize("name", C_COMPILERS)
def test_pkg_config_gives_what_c_needs(name, installed, linear, tmp_path):
    flags = installed.pkg_config("--cflags", "--libs")
    call(compiler(name), *C99, C_CONSUMER / "app.c", *flags, "-o", tmp_path / "app")
    expect_outputs(installed, tmp_path / "app", linear)
    assert {library for library in needed(tmp_path / "app") if "libc.so" not in library} == {"liblinnet.so.0.2"}


@pytest.mark.parametrize("name, linker", [*zip(C_COMPILERS, COMPILERS)])
def test_a_static_program_in_c_is_linked_by_the_compiler_of_cpp(name, linker, installed, linear, tmp_path):
    call(compiler(name), *C99, "-c", C_CONSUMER / "app.c", *installed.pkg_config("--cflags"), "-o", tmp_path / "app.o")
    libraries = installed.pkg_config("--static", "--libs")
    call(compiler(linker), "-static", tmp_path / "app.o", *libraries, "-o", tmp_path / "app")
    expect_outputs(installed, tmp_path / "app", linear)
    assert needed(tmp_path / "app") == []


@pytest.mark.parametrize("variables, message", [
    ({"LIBRARY": "light"}, "There is no component light"),
    ({"LIBRARY": "static", "CMAKE_DISABLE_FIND_PACKAGE_RE2": "ON"}, "RE2"),
])  # fmt: skip
def test_cmake_says_what_is_missing(installed, tmp_path, variables, message):
    result = installed.configure(CONSUMER, tmp_path, "c++", **variables)
    assert result.returncode != 0
    assert message in " ".join(result.stderr.split())


def test_a_shared_library_asks_for_no_dependency(installed, tmp_path):
    result = installed.configure(CONSUMER, tmp_path, "c++", LIBRARY="shared", CMAKE_DISABLE_FIND_PACKAGE_Protobuf="ON")
    assert result.returncode == 0, result.stderr


def test_what_is_installed_names_no_folder_of_the_build(installed):
    texts = [path for path in installed.path.rglob("*") if path.suffix in (".cmake", ".pc", ".h")]
    assert {"linnetConfig.cmake", "linnet-static.cmake", "linnet.pc"} <= {path.name for path in texts}
    folders = str(BUILD), str(ROOT), str(installed.path.parent)
    assert [path for path in texts if any(folder in path.read_text() for folder in folders)] == []


def test_run_model_finds_its_library_where_the_prefix_was_moved_to(installed, linear):
    assert "y" in call(installed.path / "bin" / "run_model", linear[0])
