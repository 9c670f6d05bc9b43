"""run_model quantize: images and arrays as samples."""

import struct
import zlib

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnx_files import save_model


@pytest.fixture
def convolution(tmp_path):
    """y = Conv(x), x float32[1,3,H,W]."""
    weight = np.random.default_rng(3).standard_normal((4, 3, 3, 3)).astype(np.float32)
    return save_model(
        tmp_path / "conv.onnx", [helper.make_node("Conv", ["x", "w"], ["y"], "conv")],
        [("x", TensorProto.FLOAT, [1, 3, "H", "W"])], [("y", TensorProto.FLOAT, None)], [numpy_helper.from_array(weight, "w")],
    )  # fmt: skip


def write_png(path, value):
    """Writes a PNG of 8x8 pixels of one grey value, without a library."""
    rows = b"".join(b"\0" + bytes([value] * 24) for _ in range(8))
    chunks = [(b"IHDR", struct.pack(">IIBBBBB", 8, 8, 8, 2, 0, 0, 0)), (b"IDAT", zlib.compress(rows)), (b"IEND", b"")]
    data = b"".join(struct.pack(">I", len(d)) + t + d + struct.pack(">I", zlib.crc32(t + d)) for t, d in chunks)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + data)


def largest_of_input(run_model, model, tmp_path, samples, *flags):
    """Returns the largest value of x that the quantised file can represent."""
    run_model("quantize", model, "-o", tmp_path / "q.onnx", "--mode", "static", "--calibration", samples, *flags)
    graph = onnx.load(tmp_path / "q.onnx").graph
    name = next(node for node in graph.node if node.op_type == "QuantizeLinear").input[1]
    return 255 * float(numpy_helper.to_array(next(tensor for tensor in graph.initializer if tensor.name == name)))


def test_each_image_and_array_of_a_folder_is_a_sample(run_model, convolution, tmp_path):
    folder = tmp_path / "samples"
    folder.mkdir()
    write_png(folder / "a.png", 102)
    assert largest_of_input(run_model, convolution, tmp_path, folder) == pytest.approx(0.4)
    write_png(folder / "b.PNG", 204)
    assert largest_of_input(run_model, convolution, tmp_path, folder) == pytest.approx(0.8)
    np.save(folder / "c.npy", np.full((1, 3, 9, 9), 3, np.float32))
    assert largest_of_input(run_model, convolution, tmp_path, folder) == pytest.approx(3)


@pytest.mark.parametrize("name", ["one.png", "one.npy", "one.npz"])
def test_one_file_is_one_sample(run_model, convolution, tmp_path, name):
    write_png(tmp_path / "one.png", 51)
    np.save(tmp_path / "one.npy", np.full((1, 3, 8, 8), 0.2, np.float32))
    np.savez(tmp_path / "one.npz", x=np.full((1, 3, 8, 8), 0.2, np.float32))
    assert largest_of_input(run_model, convolution, tmp_path, tmp_path / name) == pytest.approx(0.2)


def test_flags_give_the_size_of_images(run_model, convolution, tmp_path):
    write_png(tmp_path / "one.png", 51)
    result = largest_of_input(run_model, convolution, tmp_path, tmp_path / "one.png", "--shape", "x:1x3x16x16")
    assert result == pytest.approx(0.2)
    error = run_model(
        "quantize", convolution, "-o", tmp_path / "q.onnx", "--mode", "static", "--calibration", tmp_path / "one.png",
        "--shape", "x:1x3x2x2", code=3,
    ).stderr  # fmt: skip
    assert "one.png" in error or "conv" in error


def test_one_array_does_not_do_for_two_inputs(run_model, tmp_path):
    values = [(name, TensorProto.FLOAT, [3]) for name in "ab"]
    node = helper.make_node("Add", ["a", "b"], ["y"])
    model = save_model(tmp_path / "m.onnx", [node], values, [("y", TensorProto.FLOAT, [3])])
    np.save(tmp_path / "one.npy", np.ones(3, np.float32))
    error = run_model(
        "quantize", model, "-o", tmp_path / "q.onnx", "--mode", "static", "--calibration", tmp_path / "one.npy", code=1
    ).stderr
    assert "one.npy is one array, but the inputs are a (float32[3]), b (float32[3])" in error
