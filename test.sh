#!/usr/bin/env bash
# test.sh [quick | SUITE...]: installs what the tests need, builds and runs all suites, those of `quick`, or the given
# ones. The last line is the total. LINNET_TEST_MINUTES=N skips the suites that would begin after N minutes.
set -euo pipefail
cd "$(dirname "$0")"
. scripts/common.sh

# In the order in which they run.
SUITES="format words unit run_model docs package c onnxruntime_abi python applications scale_out serving onnx_backend hostile differential
  torch torch_on_pypi models static_analysis unit_sanitized hostile_sanitized onnx_backend_sanitized aarch64"
# These take at most four minutes after the build.
QUICK="format words unit run_model c python onnx_backend hostile"
case $* in
  "") wanted=($SUITES) ;;
  quick) wanted=($QUICK) ;;
  *) wanted=("$@") ;;
esac
known=($SUITES)
for name in "${wanted[@]}"; do
  [[ " ${known[*]} " == *" $name "* ]] || fail "there is no suite $name; name some of ${known[*]}, or quick alone"
done
# wants NAME...: whether one of these suites is selected.
wants() {
  local name
  for name; do
    [[ " ${wanted[*]} " != *" $name "* ]] || return 0
  done
  return 1
}

BUILD=build-test
AARCH64=build-aarch64
SANITIZED=build-asan
PYTHON=.venv/bin/python
TORCH_PYTHON=$PWD/.venv-torch/bin/python
TORCH_VERSION=2.13.0
# Without another BLAS, PyTorch would install the reference BLAS, which is slower.
TEST_PACKAGES="libgtest-dev libgmock-dev libbenchmark-dev libtorch-dev python3-torch python3-torchvision python3-onnx
  libopenblas0-pthread python3-pytest python3-pytest-xdist python3-setuptools python3-dev python3-venv clang-format
  clang-tidy clang libclang-dev libclang-rt-dev llvm llvm-dev libomp-dev g++-aarch64-linux-gnu qemu-user fish groff lintian zsh
  chromium doxygen"

step "Installing the packages that build and tests need"
install_packages $BUILD_PACKAGES $TEST_PACKAGES

step "Preparing a Python environment with the packages of tests/requirements.txt in .venv"
[ -x "$PYTHON" ] || /usr/bin/python3 -m venv .venv
"$PYTHON" -m pip install -q --disable-pip-version-check -r tests/requirements.txt ||
  fail "pip could not install the packages of tests/requirements.txt"

# pip installs only the build without CUDA for a version that ends in +cpu.
install_torch() {
  [ -x "$TORCH_PYTHON" ] || /usr/bin/python3 -m venv .venv-torch
  local pip=("$TORCH_PYTHON" -m pip install -q --disable-pip-version-check --retries 1)
  "${pip[@]}" "torch==$TORCH_VERSION+cpu" 2>/dev/null ||
    "${pip[@]}" --extra-index-url https://download.pytorch.org/whl/cpu "torch==$TORCH_VERSION+cpu" 2>/dev/null || return 1
  "${pip[@]}" -r tests/torch/requirements.txt
}

if wants torch torch_on_pypi; then
  step "Preparing a Python environment with PyTorch $TORCH_VERSION in .venv-torch during the build, if pip can get it"
  install_torch &
  torch_installation=$!
fi

if [ "${wanted[*]}" != format ]; then
  step "Building everything into $BUILD/"
  # An index out of bounds ends the test.
  configure $BUILD -DLINNET_BUILD_TESTS=ON -DLINNET_BUILD_BENCHMARKS=ON -DLINNET_BUILD_TORCH=ON -DLINNET_WERROR=ON \
    -DLINNET_BUILD_PYTHON=ON "-DPython_EXECUTABLE=$PWD/$PYTHON" -DLINNET_WITH_TOKENIZER=ON \
    -DCMAKE_CXX_FLAGS=-D_GLIBCXX_ASSERTIONS
  build $BUILD
fi

if wants torch torch_on_pypi; then
  wait $torch_installation || TORCH_PYTHON=
fi
if wants torch torch_on_pypi && [ -n "$TORCH_PYTHON" ]; then
  step "Installing the exporter plugin for PyTorch $TORCH_VERSION in .venv-torch"
  LINNET_BUILD=$PWD/$BUILD "$TORCH_PYTHON" -m pip install -q --disable-pip-version-check --no-deps --force-reinstall \
    frontends/torch || fail "pip could not install frontends/torch"
fi

export LINNET_RUN_MODEL=$PWD/$BUILD/bin/run_model
export LINNET_BUILD=$PWD/$BUILD
passed=0 failed=0 skipped=0 failures= unbuilt=

# A suite that exceeds the limit fails, and the others still run.
LIMIT="timeout --foreground --kill-after 10 1800"

# count NAME REPORT: adds the totals and the failures of a JUnit file.
count() {
  local totals names
  { read -r totals && names=$(cat); } < <(/usr/bin/python3 scripts/junit_totals.py "$2" 2>/dev/null) ||
    totals="0 1 0" names="no report"
  [ -z "$names" ] || failures+=$(printf '\n%s' "$(sed "s/^/$1: /" <<<"$names")")
  set -- $totals
  passed=$((passed + $1)) failed=$((failed + $2)) skipped=$((skipped + $3))
}

# has_time MINUTES: whether at least MINUTES are left before the last suite may begin.
has_time() { [ -z "${LINNET_TEST_MINUTES:-}" ] || [ $SECONDS -lt $(((LINNET_TEST_MINUTES - $1) * 60)) ]; }

# runs NAME: whether the suite is selected, was built, and there is time for it.
runs() {
  wants "$1" || return 1
  [[ " $unbuilt " != *" $1 "* ]] && has_time 0 && return
  step "Skipping: $1, for which $LINNET_TEST_MINUTES minutes leave no time"
  skipped=$((skipped + 1))
  return 1
}

# builds MINUTES SUITE...: whether one of the suites is selected and there is time for their build, which takes MINUTES.
builds() {
  local minutes=$1
  shift
  wants "$@" || return 1
  has_time "$minutes" && return
  unbuilt+=" $*"
  return 1
}

# run NAME COMMAND...: runs a suite that writes the JUnit file @REPORT@.
run() {
  runs "$1" || return 0
  local name=$1 report=$PWD/$BUILD/$1.xml started=$SECONDS
  shift
  step "Testing: $name"
  rm -f "$report"
  $LIMIT "${@//@REPORT@/$report}" || true
  count "$name" "$report"
  echo "$name: $((SECONDS - started)) s"
}

# run_unit NAME PROGRAM...: runs a share of GoogleTest's tests in each of as many processes as there are processors.
run_unit() {
  runs "$1" || return 0
  local name=$1 report=$PWD/$BUILD/$1 shards started=$SECONDS shard
  shards=$(nproc)
  shift
  step "Testing: $name"
  rm -f "$report".*.xml
  for ((shard = 0; shard < shards; ++shard)); do
    GTEST_TOTAL_SHARDS=$shards GTEST_SHARD_INDEX=$shard $LIMIT "$@" --gtest_brief=1 "--gtest_output=xml:$report.$shard.xml" &
  done
  wait
  for ((shard = 0; shard < shards; ++shard)); do count "$name" "$report.$shard.xml"; done
  echo "$name: $((SECONDS - started)) s"
}

# check NAME COMMAND...: a suite that passes if the command succeeds.
check() {
  runs "$1" || return 0
  local name=$1 started=$SECONDS
  shift
  step "Checking: $name"
  if "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)) failures+=$'\n'"$name"; fi
  echo "$name: $((SECONDS - started)) s"
}

check format scripts/check_format.sh
check words scripts/check_words.py
run_unit unit $BUILD/bin/linnet_tests
pytest="pytest -q -n $(nproc)"
run run_model "$PYTHON" -m $pytest tests/tools tests/examples --junitxml=@REPORT@
run docs "$PYTHON" -m $pytest --dist loadfile tests/docs --junitxml=@REPORT@
run package "$PYTHON" -m $pytest --dist loadfile tests/package --junitxml=@REPORT@
run c "$PYTHON" -m $pytest tests/c --junitxml=@REPORT@
run onnxruntime_abi "$PYTHON" -m $pytest --dist loadfile tests/onnxruntime_abi --junitxml=@REPORT@
run python env PYTHONPATH="$PWD/$BUILD/python" "$PYTHON" -m $pytest tests/python tests/shapes --junitxml=@REPORT@
# Only the applications whose packages are small, in one process because they share ONNX Runtime's folder.
run applications "$PYTHON" -m pytest -q tests/applications -k "magika or skl2onnx" --junitxml=@REPORT@
# Only the framework whose packages are small.
run scale_out env PYTHONPATH="$PWD/$BUILD/python" "$PYTHON" -m pytest -q tests/scale_out -k dask --junitxml=@REPORT@
# Only the server whose packages are the smallest.
run serving env PYTHONPATH="$PWD/$BUILD/python" "$PYTHON" -m pytest -q tests/serving -k "litserve or observed or rows" --junitxml=@REPORT@
run onnx_backend "$PYTHON" -m $pytest --dist loadfile tests/onnx_backend --junitxml=@REPORT@
run hostile "$PYTHON" -m $pytest tests/hostile tests/faults tests/soak tests/states --junitxml=@REPORT@
run differential "$PYTHON" -m $pytest tests/differential --junitxml=@REPORT@
run torch env LINNET_OTHER_TORCH_PYTHON="$TORCH_PYTHON" /usr/bin/python3 -m $pytest tests/torch --junitxml=@REPORT@
if [ -n "$TORCH_PYTHON" ]; then
  run torch_on_pypi "$TORCH_PYTHON" -m $pytest tests/torch --junitxml=@REPORT@
elif wants torch_on_pypi; then
  step "Skipping the exporter's tests on PyTorch $TORCH_VERSION: pip cannot get its build for the CPU"
  skipped=$((skipped + 1))
fi
# The tests of a file share the models that they export.
run models "$PYTHON" -m $pytest --dist loadfile tests/models --junitxml=@REPORT@
check static_analysis scripts/check_tidy.py $BUILD

if builds 15 unit_sanitized hostile_sanitized onnx_backend_sanitized; then
  step "Building run_model, unit tests and fuzz targets under AddressSanitizer and UndefinedBehaviorSanitizer into $SANITIZED/"
  configure $SANITIZED --preset asan-ubsan
  build $SANITIZED --target linnet_tests run_model vary_operators fuzz_{api,arrays,graph,image,model,operator,rules,value}
fi
sanitized="env LINNET_RUN_MODEL=$PWD/$SANITIZED/bin/run_model LINNET_BUILD=$PWD/$SANITIZED"
run_unit unit_sanitized $SANITIZED/bin/linnet_tests
run hostile_sanitized $sanitized "$PYTHON" -m $pytest tests/hostile --junitxml=@REPORT@
run onnx_backend_sanitized $sanitized "$PYTHON" -m $pytest --dist loadfile tests/onnx_backend --junitxml=@REPORT@

if builds 8 aarch64; then
  # -O1 builds fast (the kernels have their own flags), but GCC 12 then wrongly warns about uninitialised variables.
  step "Building engine, operators and tests of the kernels for 64-bit ARM into $AARCH64/"
  configure $AARCH64 --toolchain cmake/aarch64.cmake -DLINNET_BUILD_ONNX=OFF -DLINNET_WITH_TEXT=OFF -DLINNET_WERROR=ON \
    -DLINNET_BUILD_TESTS=ON "-DLINNET_TESTS=engine/environment;ops/functions;ops/kernels;ops/elementwise;ops/products;ops/fourier;ops/gemm;ops/conv;ops/attention;ops/pool;ops/normalization" \
    "-DCMAKE_CXX_FLAGS_RELEASE=-O1 -Wno-maybe-uninitialized -Wno-psabi"
  build $AARCH64
fi
run_unit aarch64 qemu-aarch64 -L /usr/aarch64-linux-gnu $AARCH64/bin/linnet_tests

[ -z "$failures" ] || printf '\nFailed:%s\n' "$failures"
printf '\n%d passed, %d failed, %d skipped\n' $passed $failed $skipped
[ $failed -eq 0 ]
