#!/usr/bin/env bash
# clang_sources.sh BUILD_DIRECTORY: prints the sources of the library and the tools that clang can parse, and writes the
# commands for that to BUILD_DIRECTORY/tidy/compile_commands.json.
set -euo pipefail
cd "$(dirname "$0")/.."
# The commands are GCC's: clang can neither read its precompiled headers nor knows all its warnings.
mkdir -p "$1/tidy"
sed 's/ -W[^ ]*//g; s/-include [^ ]*cmake_pch.hxx//' "$1/compile_commands.json" >"$1/tidy/compile_commands.json"
# executor.cc includes GCC's omp.h, which clang cannot parse.
find engine ops frontends/onnx bindings/c tools -name '*.cc' -not -name '*.simd.cc' -not -name executor.cc | sort
