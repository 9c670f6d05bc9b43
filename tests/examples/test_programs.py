"""Runs the programs of examples/cpp and examples/python on small models of the kinds that they support."""

import os
import subprocess
import sys
import wave

import numpy as np
import onnx
import pytest
from locations import BUILD, ROOT
from onnx import TensorProto, helper, numpy_helper
from onnx_files import save_model


def cpp_command(name):
    program = BUILD / "bin" / f"example_{name}"
    if not program.exists():
        pytest.skip(f"{program} is not there: build with LINNET_BUILD_EXAMPLES")
    return [program]


def python_command(name):
    if not list(BUILD.glob("python/linnet/_linnet*.so")):
        pytest.skip(f"{BUILD} has no Python binding: build with LINNET_BUILD_PYTHON")
    return [sys.executable, ROOT / "examples" / "python" / f"{name}.py"]


def runner(command):
    """Returns a function that runs a program by its name and returns its output."""

    def run(name, *arguments, code=0):
        variables = os.environ | {"PYTHONPATH": str(BUILD / "python"), "PYTHONDONTWRITEBYTECODE": "1"}
        result = subprocess.run([*command(name), *map(str, arguments)], env=variables, capture_output=True, text=True,
                                timeout=60)  # fmt: skip
        assert result.returncode == code, result.stderr
        return result.stdout if code == 0 else result.stderr

    return run


@pytest.fixture(params=[cpp_command, python_command], ids=["cpp", "python"])
def example(request):
    return runner(request.param)


@pytest.fixture
def image(tmp_path):
    """Returns a PPM file and its pixels, uint8 [8,8,3]."""
    rgb = np.random.default_rng(3).integers(0, 256, (8, 8, 3), dtype=np.uint8)
    path = tmp_path / "x.ppm"
    path.write_bytes(b"P6 8 8 255\n" + rgb.tobytes())
    return path, rgb


def constant(name, values, dtype=np.float32):
    return numpy_helper.from_array(np.array(values, dtype), name)


def test_classify_shows_the_likeliest_classes(example, image, tmp_path):
    path, rgb = image
    weights = np.random.default_rng(5).standard_normal((3 * 64, 7)).astype(np.float32)
    model = save_model(
        tmp_path / "m.onnx",
        [helper.make_node("Flatten", ["x"], ["f"]), helper.make_node("MatMul", ["f", "w"], ["y"])],
        [("x", TensorProto.FLOAT, [1, 3, 8, 8])],
        [("y", TensorProto.FLOAT, [1, 7])],
        [numpy_helper.from_array(weights, "w")],
    )
    labels = tmp_path / "labels.txt"
    labels.write_text("".join(f"label {i}\n" for i in range(7)))
    x = (rgb / 255.0 - [0.485, 0.456, 0.406]) / [0.229, 0.224, 0.225]
    scores = x.transpose(2, 0, 1).reshape(-1) @ weights.astype(np.float64)
    expected = np.exp(scores - scores.max())
    expected /= expected.sum()
    lines = [line.split(" ", 2) for line in example("classify", model, path, labels).splitlines()]
    assert [int(line[0]) for line in lines] == list(np.argsort(-scores)[:5])
    np.testing.assert_allclose([float(line[1]) for line in lines], np.sort(expected)[::-1][:5], rtol=1e-3, atol=1e-6)
    assert [line[2] for line in lines] == [f"label {line[0]}" for line in lines]
    assert "usage: classify" in example("classify", model, code=1)
    assert "absent.png" in example("classify", model, tmp_path / "absent.png", code=1)


def test_classify_samples_images_of_other_sizes(tmp_path):
    """The Python version takes the nearest pixels."""
    model = save_model(
        tmp_path / "m.onnx",
        [helper.make_node("ReduceMean", ["x", "axes"], ["m"], keepdims=0),
         helper.make_node("Mul", ["m", "large"], ["y"])],
        [("x", TensorProto.FLOAT, [1, 3, 4, 4])],
        [("y", TensorProto.FLOAT, [1, 3])],
        [constant("axes", [2, 3], np.int64), constant("large", 1000)],
        opset=18,
    )  # fmt: skip
    rgb = np.zeros((8, 12, 3), np.uint8)
    rgb[::2, ::3, 1] = 255  # only the sampled pixels are green
    (tmp_path / "x.ppm").write_bytes(b"P6 12 8 255\n" + rgb.tobytes())
    printed = runner(python_command)("classify", model, tmp_path / "x.ppm")
    assert printed.splitlines()[0].split() == ["1", "1"]
    (tmp_path / "x.ppm").write_bytes(b"GIF89a")
    assert "not a PPM file" in runner(python_command)("classify", model, tmp_path / "x.ppm", code=1)


def test_detect_draws_boxes(example, image, tmp_path):
    path, rgb = image
    boxes = [[2, 2, 6, 8, 0.9, 1], [-100, 4, 1000, 4, 0.8, 2], [0, 0, 15, 15, 0.1, 3]]
    model = save_model(
        tmp_path / "m.onnx",
        [helper.make_node("ReduceSum", ["x"], ["s"], keepdims=0), helper.make_node("Mul", ["s", "zero"], ["z"]),
         helper.make_node("Add", ["boxes", "z"], ["y"])],
        [("x", TensorProto.FLOAT, [1, 3, 16, 16])],
        [("y", TensorProto.FLOAT, [3, 6])],
        [constant("boxes", boxes), constant("zero", 0)],
    )  # fmt: skip
    printed = example("detect", model, path, tmp_path / "y.ppm")
    assert printed.splitlines()[0] == "class 1, score 0.9: 1 1 3 4" and len(printed.splitlines()) == 2
    expected = rgb.copy()
    for y, x in [(1, 1), (1, 2), (1, 3), (4, 1), (4, 2), (4, 3), (2, 1), (3, 1), (2, 3), (3, 3)]:
        expected[y, x] = 255, 0, 0
    expected[2, :] = 255, 0, 0
    header, pixels = b"P6\n8 8\n255\n", (tmp_path / "y.ppm").read_bytes()
    assert pixels.startswith(header)
    np.testing.assert_array_equal(np.frombuffer(pixels[len(header) :], np.uint8).reshape(8, 8, 3), expected)


def test_voice_activity_finds_where_sound_begins_and_ends(example, tmp_path):
    """A model that detects loudness and stores it: the state is the last loudness."""
    model = save_model(
        tmp_path / "m.onnx",
        [helper.make_node("ReduceMax", ["input"], ["loud"], axes=[1], keepdims=1),
         helper.make_node("ReduceMax", ["state"], ["before"], keepdims=0),
         helper.make_node("Max", ["loud", "before"], ["output"]),
         helper.make_node("Expand", ["loud", "shape"], ["stateN"])],
        [("input", TensorProto.FLOAT, [1, 576]), ("state", TensorProto.FLOAT, [2, 1, 128]),
         ("sr", TensorProto.INT64, [])],
        [("output", TensorProto.FLOAT, [1, 1]), ("stateN", TensorProto.FLOAT, None)],
        [constant("shape", [2, 1, 128], np.int64)],
        opset=17,
    )  # fmt: skip
    samples = np.zeros(512 * 10, np.int16)
    samples[512 * 3 + 100 : 512 * 5] = 30000
    path, slow = tmp_path / "x.wav", tmp_path / "slow.wav"
    for name, rate in (path, 16000), (slow, 8000):
        with wave.open(str(name), "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(2)
            file.setframerate(rate)
            file.writeframes(samples.tobytes())
    # The block after the sound still has 64 samples of it. The next block has its loudness as state.
    assert example("voice_activity", model, path) == f"{3 * 512 / 16000:g} s: speech begins\n0.224 s: speech ends\n"
    assert "slow.wav: not a WAV file of 16 kHz" in example("voice_activity", model, slow, code=1)


@pytest.fixture
def scaled(tmp_path):
    """y = x w + b of float32 [4]."""
    return save_model(
        tmp_path / "m.onnx",
        [helper.make_node("Mul", ["x", "w"], ["xw"]), helper.make_node("Add", ["xw", "b"], ["y"])],
        [("x", TensorProto.FLOAT, [4])],
        [("y", TensorProto.FLOAT, [4])],
        [constant("w", [1, 2, 3, 4]), constant("b", [1, 1, 1, 1])],
    )


def test_own_thread_pool_runs_a_model(scaled):
    assert runner(cpp_command)("own_thread_pool", scaled) == "float32[4]\n"


def test_custom_operator_runs_a_library(tmp_path):
    model = save_model(
        tmp_path / "m.onnx",
        [helper.make_node("my_add", ["a", "b"], ["y"], domain="custom")],
        [("a", TensorProto.FLOAT, [2]), ("b", TensorProto.FLOAT, [1])],
        [("y", TensorProto.FLOAT, [2])],
        domains={"custom": 1},
    )
    library = BUILD / "lib" / "libmy_ops.so"
    if not library.exists():
        pytest.skip(f"{library} is not there: build with LINNET_BUILD_EXAMPLES")
    assert runner(python_command)("custom_operator", model, library) == "y: [3.0, 3.0]\n"
    assert "absent.so" in runner(python_command)("custom_operator", model, tmp_path / "absent.so", code=1)


def test_many_threads_give_the_same_bits(example, scaled):
    assert example("many_threads", scaled) == "100 of 100 runs are equal\n"


def test_encrypted_model_is_decrypted_while_it_is_read(example, scaled, tmp_path):
    large = np.arange(1 << 17, dtype=np.float32) % 1000  # read in several parts
    nodes = [helper.make_node("ReduceSum", ["large"], ["s"], keepdims=0), helper.make_node("Mul", ["x", "w"], ["xw"]),
             helper.make_node("Add", ["xw", "s"], ["y"])]  # fmt: skip
    initializers = [constant("large", large), constant("w", [1, 2, 3, 4])]
    path = save_model(tmp_path / "open.onnx", nodes, [("x", TensorProto.FLOAT, [4])], [("y", TensorProto.FLOAT, [4])], initializers)
    onnx.save(onnx.load(path), path, save_as_external_data=True, size_threshold=1000, location="weights")
    for name in ("open.onnx", "weights"):
        contents = (tmp_path / name).read_bytes()
        (tmp_path / name).write_bytes(bytes(byte ^ b"secret!"[i % 7] for i, byte in enumerate(contents)))
    total = int(large.sum(dtype=np.float64))
    want = " ".join(f"{np.float32(total + i):g}" for i in range(1, 5))
    assert example("encrypted_model", path, "secret!") == f"y: {want}\n"
    assert "not an ONNX model" in example("encrypted_model", path, "Secret!", code=1)
    assert "absent.onnx" in example("encrypted_model", tmp_path / "absent.onnx", "secret!", code=1)
    assert "usage: encrypted_model" in example("encrypted_model", path, code=1)


def test_replace_weights_leaves_no_request_between(example, scaled):
    assert example("replace_weights", scaled, "w", 5, 6, 7, 8) == "2, then 6; 0 other answers\n"
    assert "no initializer 'v'" in example("replace_weights", scaled, "v", 1, code=1)
