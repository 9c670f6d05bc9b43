"""A library with only what a model needs (LINNET_OPERATORS) must return the same bits, and refuse other models."""

import platform
import subprocess

import numpy as np
import pytest
from installed import call
from locations import ROOT, RUN_MODEL
from networks import image_network
from onnx import TensorProto, helper
from onnx_files import save_model

ISA = "avx2" if platform.machine() == "x86_64" else "neon"
# Optimised for a fast build. The same parts are built.
OPTIONS = ["-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=", "-DLINNET_SIMD_OPTIMIZATION=-O1",
           "-DLINNET_BUILD_EXAMPLES=OFF", "-DLINNET_INSTALL=OFF"]  # fmt: skip


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "image.onnx"
    network, output = image_network()
    network.save(path, output)
    return path


@pytest.fixture(scope="module")
def reduced(model, tmp_path_factory):
    """Returns the build folder."""
    folder = tmp_path_factory.mktemp("reduced")
    needed = folder / "needed.txt"
    needed.write_text(call(RUN_MODEL, "ops", "--needed", model))
    isas = [f"-DLINNET_SIMD_ISAS={ISA}"] if ISA == "avx2" else []
    call("cmake", "-S", ROOT, "-B", folder, f"-DLINNET_OPERATORS={needed}", *isas, *OPTIONS)
    call("cmake", "--build", folder, "--target", "run_model", "-j2")
    return folder


def run(folder, *arguments):
    return subprocess.run([folder / "bin" / "run_model", *arguments], capture_output=True, text=True)


def test_it_computes_the_same_bits(model, reduced, tmp_path):
    outputs = []
    for program in (RUN_MODEL, reduced / "bin" / "run_model"):
        file = tmp_path / f"{len(outputs)}.npz"
        call(program, model, "--isa", ISA, "--save-outputs", file)
        outputs.append(np.load(file))
    assert outputs[0].files == outputs[1].files
    for name in outputs[0].files:
        assert outputs[0][name].tobytes() == outputs[1][name].tobytes()


def test_the_linker_leaves_out_what_the_model_does_not_need(reduced):
    symbols = call("nm", "-C", reduced / "lib" / "liblinnet.so")
    for name in ("linnet::register_conv(", f"{ISA}::fill(linnet::DepthwiseKernels&)"):
        assert name in symbols
    for name in ("linnet::register_softmax(", f"{ISA}::fill(linnet::SoftmaxKernels&)", "linnet::GemmF64"):
        assert name not in symbols


@pytest.mark.parametrize("op_type, dtype, named", [
    ("Softmax", TensorProto.FLOAT, "operators that this build does not have: Softmax"),
    ("Gemm", TensorProto.DOUBLE, "no kernels 'gemm_f64'"),
])  # fmt: skip
def test_another_model_is_refused_by_name(reduced, tmp_path, op_type, dtype, named):
    inputs = [("x", dtype, [2, 2])] if op_type == "Softmax" else [("x", dtype, [2, 2]), ("w", dtype, [2, 2])]
    node = helper.make_node(op_type, [name for name, *_ in inputs], ["y"])
    path = save_model(tmp_path / "other.onnx", [node], inputs, [("y", dtype, [2, 2])])
    result = run(reduced, path)
    assert result.returncode != 0
    assert named in result.stderr and "LINNET_OPERATORS=needed.txt" in result.stderr
    assert run(RUN_MODEL.parents[1], path).returncode == 0


def test_a_list_that_does_not_fit_is_refused(tmp_path):
    needed = tmp_path / "needed.txt"
    for text, message in [("operator of_another_version ai.onnx Add 1 float32\n", "of_another_version"),
                          ("Add\n", "not a line of `run_model ops --needed`: Add"), (None, "there is no file")]:  # fmt: skip
        if text:
            needed.write_text(text)
        else:
            needed.unlink()
        command = ["cmake", "-S", ROOT, "-B", tmp_path / "build", f"-DLINNET_OPERATORS={needed}"]
        result = subprocess.run(command, capture_output=True, text=True)
        assert result.returncode != 0 and message in " ".join(result.stderr.split())
