"""Runs the programs of examples/cpp and examples/python on small models of the kinds that they support."""

import os
import re
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
    assert "x.ppm" in runner(python_command)("classify", model, tmp_path / "x.ppm", code=1)


def hex_of(name):
    """An image of tests/ops/image/image_files.h."""
    text = (ROOT / "tests" / "ops" / "image" / "image_files.h").read_text()
    digits = re.search(rf"{name} =\s*((?:\s*\"[0-9a-f]*\")+);", text)[1]
    return bytes.fromhex("".join(re.findall(r"[0-9a-f]+", digits)))


def mean_model(path, shape):
    """Scores of classes: the means of the channels, in an input of that shape."""
    nodes = [helper.make_node("ReduceMean", ["x", "axes"], ["y"], keepdims=0)]
    return save_model(path, nodes, [("x", TensorProto.FLOAT, shape)], [("y", TensorProto.FLOAT, None)],
                      [constant("axes", [2, 3], np.int64)], opset=18)  # fmt: skip


@pytest.mark.parametrize("file", ["kPng", "kJpeg", "kAlphaPng", "kGray16Png", "kPalettePng", "kWebp"])
@pytest.mark.parametrize("shape", [["N", 3, 8, 8], ["N", 3, "H", "W"], [None, 3, None, None]])
def test_classify_takes_images_of_every_kind(example, tmp_path, file, shape):
    (tmp_path / "image").write_bytes(hex_of(file))
    lines = example("classify", mean_model(tmp_path / "m.onnx", shape), tmp_path / "image").splitlines()
    assert sorted(int(line.split()[0]) for line in lines) == [0, 1, 2]


def test_classify_leaves_open_sizes_to_what_models_are_trained_on(example, image, tmp_path):
    """A model that counts pixels: the most probable class is their number."""
    nodes = [helper.make_node("Shape", ["x"], ["shape"], start=2), helper.make_node("Cast", ["shape"], ["sides"], to=1),
             helper.make_node("Div", ["sides", "side"], ["ratio"]), helper.make_node("Unsqueeze", ["ratio", "zero"], ["y"])]  # fmt: skip
    model = save_model(tmp_path / "m.onnx", nodes, [("x", TensorProto.FLOAT, ["N", 3, "H", "W"])],
                       [("y", TensorProto.FLOAT, None)], [constant("side", 448), constant("zero", [0], np.int64)])  # fmt: skip
    # 0.5 and 0.5 sum up to 1: they are probabilities already.
    assert [line.split()[1] for line in example("classify", model, image[0]).splitlines()] == ["0.5", "0.5"]


def test_classify_gives_a_grey_model_a_grey_image(example, image, tmp_path):
    nodes = [helper.make_node("Flatten", ["x"], ["f"]), helper.make_node("MatMul", ["f", "w"], ["y"])]
    weights = np.random.default_rng(5).standard_normal((64, 4)).astype(np.float32)
    model = save_model(tmp_path / "m.onnx", nodes, [("x", TensorProto.FLOAT, [1, 1, 8, 8])], [("y", TensorProto.FLOAT, [1, 4])],
                       [numpy_helper.from_array(weights, "w")])  # fmt: skip
    grey = image[1] @ np.array([0.299, 0.587, 0.114]) / 255
    scores = ((grey - 0.485) / 0.229).reshape(-1) @ weights.astype(np.float64)
    lines = [line.split() for line in example("classify", model, image[0]).splitlines()]
    assert [int(line[0]) for line in lines] == list(np.argsort(-scores))


def test_classify_says_what_does_not_fit(example, image, tmp_path):
    labels = tmp_path / "labels.txt"
    labels.write_text("only one\n")
    model = mean_model(tmp_path / "m.onnx", [1, 3, 8, 8])
    assert "0 " in example("classify", model, image[0], labels)  # classes without a label
    for shape in [1, 8, 8, 3], [4, 3, 8, 8], [1, 3]:
        save_model(model, [helper.make_node("Relu", ["x"], ["y"])], [("x", TensorProto.FLOAT, shape)], [("y", TensorProto.FLOAT, shape)])
        assert "expected one image, float32[N,3,H,W]" in example("classify", model, image[0], code=1)
    shape = [1, 3, 8, 8]
    save_model(model, [helper.make_node("Relu", ["x"], ["y"])], [("x", TensorProto.FLOAT, shape)], [("y", TensorProto.FLOAT, shape)])
    assert "expected a score of each class, float32[1,classes]" in example("classify", model, image[0], code=1)


def boxes_model(path, boxes, shape=(1, 3, 16, 16), form=None):
    """A detector that finds the same whatever it sees."""
    nodes = [helper.make_node("ReduceMax", ["x"], ["s"], keepdims=0), helper.make_node("Mul", ["s", "zero"], ["z"]),
             helper.make_node("Add", ["boxes", "z"], ["y"])]  # fmt: skip
    return save_model(path, nodes, [("x", TensorProto.FLOAT, shape)], [("y", TensorProto.FLOAT, form)],
                      [constant("boxes", boxes), constant("zero", 0)])  # fmt: skip


def test_detect_takes_open_sizes_and_no_boxes(example, image, tmp_path):
    # Sizes that are open become 32 x 32, of which the image's 8 x 8 pixels are a quarter.
    model = boxes_model(tmp_path / "m.onnx", [[[4, 8, 16, 20, 0.9, 1]]], ["N", 3, "H", "W"])
    assert example("detect", model, image[0], tmp_path / "y.ppm") == "class 1, score 0.9: 1 2 4 5\n"
    model = boxes_model(tmp_path / "m.onnx", np.zeros((1, 0, 6)))
    assert example("detect", model, image[0], tmp_path / "y.ppm") == ""


def test_detect_takes_boxes_far_away(example, image, tmp_path):
    model = boxes_model(tmp_path / "m.onnx", [[-1e30, -1e30, 1e30, 1e30, 0.9, 1], [-9, -9, -5, -5, 0.9, 1]])
    assert len(example("detect", model, image[0], tmp_path / "y.ppm").splitlines()) == 2


@pytest.mark.parametrize("boxes, reason", [
    (np.zeros((1, 84, 20)), "expected boxes, float32[N,6] or [1,N,6]"),
    (np.zeros((2, 3, 6)), "expected boxes, float32[N,6] or [1,N,6]"),
    ([[0, 0, 4, 4, 8.5, 1]], "scores that are not from 0 to 1"),
    ([[0, 0, np.nan, 4, 0.5, 1]], "scores that are not from 0 to 1"),
])  # fmt: skip
def test_detect_says_what_does_not_fit(example, image, tmp_path, boxes, reason):
    assert reason in example("detect", boxes_model(tmp_path / "m.onnx", boxes), image[0], tmp_path / "y.ppm", code=1)


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
    samples = np.zeros(512 * 10)
    samples[512 * 3 + 100 : 512 * 5] = 0.9
    # The block after the sound still has 64 samples of it, the next one its loudness as state.
    heard = f"{3 * 512 / 16000:g} s: speech begins\n0.224 s: speech ends\n"
    path = tmp_path / "x.wav"
    for width in 1, 2, 3, 4:
        write_wav(path, samples, width=width)
        assert example("voice_activity", model, path) == heard
    write_wav(path, samples, channels=2)
    assert example("voice_activity", model, path) == heard
    write_wav(path, samples[::2], rate=8000)
    assert example("voice_activity", model, path) == heard
    write_wav(path, samples.repeat(3), rate=48000)
    assert example("voice_activity", model, path) == heard
    write_wav(path, samples[:100])
    assert example("voice_activity", model, path) == ""
    path.write_bytes(b"ID3\4")
    assert "x.wav: not a WAV file of integers (PCM)" in example("voice_activity", model, path, code=1)


def write_wav(path, samples, rate=16000, width=2, channels=1):
    """Samples in -1..1, the same in each channel."""
    whole = np.int32(samples.repeat(channels) * (2**31 - 1)).reshape(-1, 1).view(np.uint8)[:, 4 - width :]
    with wave.open(str(path), "wb") as file:
        file.setnchannels(channels)
        file.setsampwidth(width)
        file.setframerate(rate)
        file.writeframes((whole ^ (128 if width == 1 else 0)).tobytes())


def test_voice_activity_says_what_does_not_fit(example, tmp_path):
    write_wav(tmp_path / "x.wav", np.zeros(2000))
    model = save_model(tmp_path / "m.onnx", [helper.make_node("Relu", ["x"], ["y"])], [("x", TensorProto.FLOAT, [1, 576])],
                       [("y", TensorProto.FLOAT, [1, 576])])  # fmt: skip
    assert "expected silero-vad version 5" in example("voice_activity", model, tmp_path / "x.wav", code=1)


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


@pytest.fixture
def open_dims(tmp_path):
    """y of x float32 [N,2] and n int64 [N,1]: (x + n) w."""
    nodes = [helper.make_node("Cast", ["n"], ["f"], to=1), helper.make_node("Add", ["x", "f"], ["s"]),
             helper.make_node("Mul", ["s", "w"], ["y"])]  # fmt: skip
    inputs = [("x", TensorProto.FLOAT, ["N", 2]), ("n", TensorProto.INT64, ["N", 1])]
    return save_model(tmp_path / "open.onnx", nodes, inputs, [("y", TensorProto.FLOAT, ["N", 2])], [constant("w", [1, 2])])


def test_programs_for_any_model_take_open_dims_and_integers(example, open_dims, tmp_path):
    assert example("many_threads", open_dims) == "100 of 100 runs are equal\n"
    assert example("replace_weights", open_dims, "w", 5, 6) == "2, then 10; 0 other answers\n"
    encrypted = tmp_path / "encrypted.onnx"
    encrypted.write_bytes(bytes(byte ^ b"secret!"[i % 7] for i, byte in enumerate(open_dims.read_bytes())))
    assert example("encrypted_model", encrypted, "secret!") == "y: 2 4\n"


def test_own_thread_pool_takes_open_dims(open_dims):
    assert runner(cpp_command)("own_thread_pool", open_dims) == "float32[1,2]\n"


def test_programs_for_any_model_refuse_texts_by_a_sentence(example, tmp_path):
    model = save_model(tmp_path / "m.onnx", [helper.make_node("Identity", ["x"], ["y"])], [("x", TensorProto.STRING, [2])],
                       [("y", TensorProto.STRING, [2])])  # fmt: skip
    error = example("many_threads", model, code=1)
    assert len(error.splitlines()) == 1 and ("not a tensor of numbers" in error or "makes no inputs of" in error)


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
