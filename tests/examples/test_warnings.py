"""The C++ examples, and options of which a caller sets only some, compile without warnings in projects that enable
many."""

import shutil
import subprocess

import pytest
from locations import ROOT

HEADERS = [f"-I{ROOT / folder}" for folder in ("engine/include", "ops/include", "frontends/onnx/include")]
COMPILERS = ["g++", "clang++"]
NAMED = """
#include <linnet/onnx.h>
#include <linnet/quantize.h>

int main() {
  [[maybe_unused]] const linnet::RunOptions run[]{{.cancellation = nullptr}, {.outputs = {}}, {.observer = nullptr}};
  [[maybe_unused]] const linnet::ContextOptions context[]{{.executor = nullptr}, {.limits = {.depth = 8}}, {.seed = 3}};
  [[maybe_unused]] const linnet::ModelOptions model[]{{.optimization = 1}, {.executor = nullptr}, {.cache_dir = "."}};
  [[maybe_unused]] const linnet::QuantizeOptions quantize[]{{.mode = linnet::QuantizeMode::kStatic}, {.per_channel = true}};
}
"""


def compile_only(compiler, source):
    if not shutil.which(compiler):
        pytest.skip(f"there is no {compiler}")
    command = [compiler, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", *HEADERS, source]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("example", [path.name for path in sorted((ROOT / "examples/cpp").glob("*.cc"))])
def test_examples(compiler, example):
    compile_only(compiler, ROOT / "examples/cpp" / example)


@pytest.mark.parametrize("compiler", COMPILERS)
def test_options_of_which_some_are_named(tmp_path, compiler):
    (tmp_path / "named.cc").write_text(NAMED)
    compile_only(compiler, tmp_path / "named.cc")
