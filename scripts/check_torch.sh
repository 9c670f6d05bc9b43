#!/usr/bin/env bash
# check_torch.sh VERSION [BUILD]: installs this version of PyTorch from PyPI and the exporter plugin for it in
# build-torch-VERSION/, and runs tests/torch there. BUILD: a build of Linnet with export_model, build-test by default.
# Versions other than test.sh's include CUDA, which takes several gigabytes.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/common.sh

[ $# -ge 1 ] || fail "name a version: scripts/check_torch.sh 2.9.1"
VERSION=$1
BUILD=$(realpath "${2:-build-test}")
FOLDER=$PWD/build-torch-$VERSION
[ -x "$BUILD/bin/export_model" ] || fail "$BUILD has no bin/export_model: name a build of Linnet"

step "Installing PyTorch $VERSION into $FOLDER/"
[ -x "$FOLDER/bin/python" ] || python3 -m venv "$FOLDER"
pip=("$FOLDER/bin/python" -m pip install -q --disable-pip-version-check)
"${pip[@]}" "torch==$VERSION" || fail "pip could not install torch==$VERSION"
"${pip[@]}" -r tests/torch/requirements.txt || fail "pip could not install tests/torch/requirements.txt"

step "Building the exporter plugin for it"
LINNET_BUILD=$BUILD "${pip[@]}" --no-deps --force-reinstall frontends/torch || fail "pip could not install frontends/torch"

step "Testing"
export ORT_DISABLE_TELEMETRY=1 LINNET_BUILD=$BUILD LINNET_RUN_MODEL=$BUILD/bin/run_model
exec "$FOLDER/bin/python" -m pytest -q -n "$(nproc)" tests/torch
