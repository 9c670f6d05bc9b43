"""run_model -R: the operators of examples/custom_op, loaded from a library, compared with NumPy and the built-in
ones."""

import json
import os
import pathlib
import subprocess

import numpy as np
import pytest
from locations import BUILD
from onnx import TensorProto, helper
from onnx_files import save_model


@pytest.fixture(scope="module")
def library():
    """Returns the built examples/custom_op."""
    path = BUILD / "lib" / "libmy_ops.so"
    if not path.exists():
        pytest.skip(f"{path} does not exist")
    return path


def custom_model(path, op, shapes, dtype, output, **attributes):
    node = helper.make_node(op, list(shapes), ["y"], domain="custom", **attributes)
    inputs = [(name, dtype, shape) for name, shape in shapes.items()]
    return save_model(path, [node], inputs, [("y", dtype, output)], domains={"custom": 1})


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16, np.int8, np.int64, np.uint16])
def test_my_add_from_the_library(run_model, library, tmp_path, dtype):
    kind = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    model = custom_model(tmp_path / "m.onnx", "my_add", {"a": [2, 1, 3], "b": [4, 1]}, kind, [2, 4, 3])
    rng = np.random.default_rng(0)
    a, b = (rng.integers(0, 100, shape).astype(dtype) for shape in ((2, 1, 3), (4, 1)))
    with np.errstate(over="ignore"):
        expected = (2 * a.astype(np.float64) + b).astype(np.int64).astype(dtype)
    np.testing.assert_array_equal(run_model.outputs(model, {"a": a, "b": b}, "-R", library)["y"], expected)


@pytest.fixture
def deform(tmp_path):
    """Returns a model of deform_conv2d, and its inputs."""
    shapes = {
        "x": [2, 6, 7, 9],
        "w": [4, 3, 3, 2],
        "offset": [2, 36, 4, 9],
        "bias": [4],
        "mask": [2, 18, 4, 9],
    }
    model = custom_model(
        tmp_path / "m.onnx",
        "deform_conv2d",
        shapes,
        TensorProto.FLOAT,
        [2, 4, 4, 9],
        strides=[2, 1],
        pads=[1, 0, 1, 1],
        dilations=[1, 1],
        group=2,
        offset_group=3,
    )
    rng = np.random.default_rng(1)
    return model, {name: rng.standard_normal(shape).astype(np.float32) for name, shape in shapes.items()}


def test_deform_conv2d_from_the_library_agrees_with_the_built_in(run_model, library, deform):
    built_in = run_model.outputs(*deform)["y"]
    loaded = run_model.outputs(*deform, "-R", library)["y"]
    np.testing.assert_allclose(loaded, built_in, atol=1e-5)
    assert np.abs(loaded).max() > 1


@pytest.mark.parametrize("flags", [[], ["-R", "library"]])
def test_a_profile_has_the_multiply_adds_that_an_operator_counts(run_model, library, deform, tmp_path, flags):
    trace = tmp_path / "trace.json"
    run_model("run", deform[0], "-p", trace, *(library if flag == "library" else flag for flag in flags))
    counts = [event["args"]["multiply_adds"] for event in json.loads(trace.read_text())["traceEvents"]]
    assert sum(counts) == 2 * 4 * 4 * 9 * (3 * 3 * 2)


@pytest.mark.parametrize(
    "entry, message",
    [
        ("LINNET_OPERATOR_LIBRARY(registry) {}", None),
        (
            "#undef LINNET_OPERATOR_VERSION\n#define LINNET_OPERATOR_VERSION 0\nLINNET_OPERATOR_LIBRARY(registry) {}",
            "was built with headers of operator version 0",
        ),
        (
            'extern "C" LINNET_API void linnet_register(linnet::Registry&) {}',
            "does not use LINNET_OPERATOR_LIBRARY",
        ),
    ],
)
def test_a_library_of_other_headers_is_refused(run_model, tmp_path, entry, message):
    model = custom_model(tmp_path / "m.onnx", "my_add", {"a": [1], "b": [1]}, TensorProto.FLOAT, [1])
    source, library = tmp_path / "other.cc", tmp_path / "libother.so"
    source.write_text(f"#include <linnet/registry.h>\n{entry}\n")
    headers = pathlib.Path(__file__).parents[2] / "engine" / "include"
    subprocess.run(["c++", "-std=c++20", "-shared", "-fPIC", "-I", headers, source, "-o", library], check=True)
    result = run_model("run", model, "-R", library, code=0 if message is None else 2)
    assert message is None or (message in result.stderr and "libother.so" in result.stderr)


def test_a_missing_library_is_an_error_that_names_it(run_model, tmp_path):
    model = custom_model(tmp_path / "m.onnx", "my_add", {"a": [1], "b": [1]}, TensorProto.FLOAT, [1])
    assert "no_such_library.so" in run_model("run", model, "-R", "no_such_library.so", code=2).stderr
