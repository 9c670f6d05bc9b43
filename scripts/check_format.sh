#!/usr/bin/env bash
# Passes if clang-format would change nothing.
set -euo pipefail
cd "$(dirname "$0")/.."
find engine ops frontends bindings tools tests benchmarks examples scripts -name '*.cc' -o -name '*.c' -o -name '*.h' | sort |
  xargs clang-format --dry-run -Werror
