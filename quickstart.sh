#!/usr/bin/env bash
# Installs the packages that a build needs, builds a fresh checkout, and runs the example model.
set -euo pipefail
cd "$(dirname "$0")"
. scripts/common.sh

step "Installing the packages that a build needs"
install_packages $BUILD_PACKAGES

step "Building run_model into build/"
configure build
build build

step "Running examples/deform_block.onnx: Conv, Asinh, custom::deform_conv2d and custom::my_add"
build/bin/run_model examples/deform_block.onnx --test-data examples/deform_block/test_data_set_0 --atol 1e-5 --rtol 1e-5 ||
  fail "the example's outputs differ from those that PyTorch gave"

step "Done: build/bin/run_model --help lists what else it does; pip install . adds Python, from what is built here"
