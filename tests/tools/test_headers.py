"""The installed headers: each compiles alone, and uses no type that none of them defines."""

import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess

import pytest

ROOT = pathlib.Path(__file__).parents[2]
BUILD = pathlib.Path(os.environ.get("LINNET_BUILD", "build")).resolve()
FOLDERS = [ROOT / "engine" / "include", ROOT / "ops" / "include", ROOT / "frontends" / "onnx" / "include"]
HEADERS = {f"linnet/{path.name}": path for folder in FOLDERS for path in sorted((folder / "linnet").glob("*.h"))}
C_HEADER = ROOT / "bindings" / "c" / "include" / "linnet.h"
# Types of the engine that the headers only pass through: a body as an attribute of a node.
OPAQUE = {"Graph", "Polynomial"}


def compiler():
    """Returns the build's C++ compiler."""
    commands = json.loads((BUILD / "compile_commands.json").read_text())
    command = next(entry["command"] for entry in commands if entry["file"].endswith((".cc", ".cxx")))
    return next(word for word in shlex.split(command) if "ccache" not in word)


def check(text, *flags):
    """Compiles a text with only the headers' folders. Returns the completed process."""
    folders = [flag for folder in FOLDERS for flag in ("-I", folder)]
    return subprocess.run([compiler(), "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Wno-missing-field-initializers",
                           "-Werror", *folders, *flags, "-x", "c++", "-"], input=text, capture_output=True, text=True)


def includes(header):
    """Returns the project's headers that a header includes, and the header itself."""
    found = {header}
    for name in re.findall(r'#include "(linnet/\w+\.h)"', HEADERS[header].read_text()):
        found |= includes(name)
    return found


@pytest.fixture(scope="module", autouse=True)
def build():
    if not (BUILD / "compile_commands.json").exists():
        pytest.skip(f"LINNET_BUILD does not name a build: {BUILD}")


@pytest.mark.parametrize("header", HEADERS)
def test_each_header_compiles_alone(header):
    assert check(f"#include <{header}>\n").stderr == ""


@pytest.mark.parametrize("language, standard", [("c", "c99"), ("c", "c2x"), ("c++", "c++11"), ("c++", "c++20")])
def test_the_header_of_c_compiles_alone(language, standard):
    command = ["cc", f"-std={standard}", "-fsyntax-only", "-Wall", "-Wextra", "-pedantic", "-Werror", "-x", language, "-"]
    folders = ["-I", C_HEADER.parent, "-I", FOLDERS[0]]
    text = "#include <linnet.h>\nlinnet_status (*load)(const char*, const linnet_options*, linnet_model**) = linnet_model_load;\n"
    assert subprocess.run([*command, *folders], input=text, capture_output=True, text=True).stderr == ""


def test_the_headers_name_no_type_that_they_do_not_define():
    text = "\n".join(path.read_text() for path in HEADERS.values())
    declared = set(re.findall(r"^(?:class|struct) (?:LINNET_API )?(\w+);", text, re.MULTILINE))
    defined = set(re.findall(r"^(?:class|struct) (?:LINNET_API )?(\w+)(?: final)?(?: :[^:].*)? \{", text, re.MULTILINE))
    assert {"Tensor", "Kernel", "Model", "Attributes"} <= defined
    assert declared - defined == OPAQUE


def test_the_headers_of_operators_need_none_of_the_applications():
    assert includes("linnet/registry.h").isdisjoint({"linnet/model.h", "linnet/onnx.h"})
    assert {"linnet/op.h", "linnet/containers.h", "linnet/executor.h"} <= includes("linnet/registry.h")


def test_the_header_of_applications_is_enough_for_them():
    text = """
#include <linnet/onnx.h>
int main() {
  linnet::ModelOptions options;
  options.executor = linnet::make_serial_executor();
  const linnet::Model model = linnet::load_onnx("m.onnx", options);
  linnet::Context context(model);
  const auto token = std::make_shared<linnet::CancellationToken>();
  const linnet::Tensor x = linnet::Tensor::of<float>({1, 2, 3});
  return int(context.run({{model.inputs()[0].name, x}}, {.cancellation = token})[0].size());
}
"""
    assert check(text).stderr == ""


def test_just_these_headers_are_installed(tmp_path):
    subprocess.run(["cmake", "--install", BUILD, "--component", "development", "--prefix", tmp_path], check=True,
                   capture_output=True)
    assert {str(path.relative_to(tmp_path / "include")) for path in (tmp_path / "include").rglob("*.h")} == {*HEADERS, "linnet.h"}


def operator_interface():
    """Returns a hash of the declarations in the headers for operators, without comments and spaces."""
    text = "\n".join(HEADERS[name].read_text() for name in sorted(includes("linnet/registry.h")))
    return hashlib.sha256(re.sub(r"//[^\n]*|\s", "", text).encode()).hexdigest()


def test_the_operator_version_changes_with_the_headers():
    version = re.search(r"#define LINNET_OPERATOR_VERSION (\d+)", HEADERS["linnet/registry.h"].read_text()).group(1)
    known = (pathlib.Path(__file__).parent / "operator_version.txt").read_text().split()
    assert [version, operator_interface()] == known, (
        "the headers of operators changed: raise LINNET_OPERATOR_VERSION if the one in operator_version.txt was released, "
        f"and write there: {version} {operator_interface()}")
