"""run_model run: inputs, outputs, comparisons, exit codes."""

import json
import struct
import zipfile
import zlib

import numpy as np
import pytest
from onnx import TensorProto, helper
from onnx_files import identity, save_model, save_tensor


def test_result_is_that_of_numpy(run_model, linear, tmp_path):
    model, function = linear
    x = np.random.default_rng(0).standard_normal((4, 3)).astype(np.float32)
    np.save(tmp_path / "x.npy", x)
    y = run_model.outputs(model, {}, "-i", f"x={tmp_path}/x.npy")["y"]
    np.testing.assert_allclose(y, function(x), rtol=1e-5, atol=1e-6)


def test_run_is_the_default_verb_and_prints_each_output(run_model, linear):
    text = run_model(linear[0], "--dim", "N=2").stdout
    line = next(line for line in text.splitlines() if line.startswith("y  "))
    assert line.startswith("y  float32[2,2]  ")
    assert len(line.split()) == 2 + 4


def test_json_holds_what_the_text_holds(run_model, linear, tmp_path):
    result = run_model("run", linear[0], "--fill", "ones", "--json", "-")
    document = json.loads(result.stdout)
    output = document["outputs"][0]
    assert (output["name"], output["dtype"], output["shape"]) == ("y", "float32", [1, 2])
    np.testing.assert_allclose(output["values"], linear[1](np.ones((1, 3), np.float32))[0], rtol=1e-5)
    assert document["run_ms"] > 0


DTYPES = {
    "float32": TensorProto.FLOAT, "float64": TensorProto.DOUBLE, "float16": TensorProto.FLOAT16, "bool": TensorProto.BOOL,
    "int8": TensorProto.INT8, "int16": TensorProto.INT16, "int32": TensorProto.INT32, "int64": TensorProto.INT64,
    "uint8": TensorProto.UINT8, "uint16": TensorProto.UINT16, "uint32": TensorProto.UINT32, "uint64": TensorProto.UINT64,
}  # fmt: skip


@pytest.mark.parametrize("dtype", DTYPES)
def test_npy_survives_the_round_trip(run_model, tmp_path, dtype):
    x = np.random.default_rng(1).integers(0, 2 if dtype == "bool" else 100, (2, 3)).astype(dtype)
    model = identity(tmp_path / "m.onnx", DTYPES[dtype], [2, 3])
    np.save(tmp_path / "x.npy", np.asfortranarray(x))
    y = run_model.outputs(model, {}, "-i", f"x={tmp_path}/x.npy")["y"]
    assert y.dtype == x.dtype
    np.testing.assert_array_equal(y, x)


@pytest.mark.parametrize("order", "CF")
def test_bytes_of_npy_that_are_no_bools_are_true(run_model, tmp_path, order):
    x = np.array([[0, 1, 2], [255, 0, 7]], np.uint8, order=order)
    model = identity(tmp_path / "m.onnx", TensorProto.BOOL, [2, 3])
    np.save(tmp_path / "x.npy", x.view(bool))
    y = run_model.outputs(model, {}, "-i", f"x={tmp_path}/x.npy")["y"]
    np.testing.assert_array_equal(y.view(np.uint8), x != 0)


def test_text_survives_the_round_trip(run_model, tmp_path):
    x = np.array([["", "plain"], ["größer", "数\U0001f600"]])
    model = identity(tmp_path / "m.onnx", TensorProto.STRING, [2, 2])
    np.save(tmp_path / "x.npy", x)
    np.testing.assert_array_equal(run_model.outputs(model, {}, "-i", f"x={tmp_path}/x.npy")["y"], x)


@pytest.mark.parametrize("size", ["-1", "-9223372036854775808", "99999999999999999999", "", "5x"])
@pytest.mark.parametrize("kind", ["<U", "|S"])
def test_text_of_an_impossible_size_is_an_error(run_model, tmp_path, kind, size):
    model = identity(tmp_path / "m.onnx", TensorProto.STRING, [1])
    header = f"{{'descr': '{kind}{size}', 'fortran_order': False, 'shape': (1,), }}\n".encode()
    (tmp_path / "x.npy").write_bytes(b"\x93NUMPY\x01\0" + len(header).to_bytes(2, "little") + header + bytes(64))
    line = error_line(run_model("run", model, "-i", f"x={tmp_path}/x.npy", code=3))
    assert f"malformed .npy: an unreadable dtype '{kind}{size}'" in line


@pytest.mark.parametrize("shape", [[], [0, 3], [1]])
def test_unusual_shapes_survive_the_round_trip(run_model, tmp_path, shape):
    x = np.ones(shape, np.float32)
    np.save(tmp_path / "x.npy", x)
    model = identity(tmp_path / "m.onnx", TensorProto.FLOAT, shape)
    y = run_model.outputs(model, {}, "-i", f"x={tmp_path}/x.npy")["y"]
    assert y.shape == x.shape


def test_every_file_kind_gives_the_same_input(run_model, tmp_path):
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    model = identity(tmp_path / "m.onnx", TensorProto.FLOAT, ["A", "B"])
    np.save(tmp_path / "x.npy", x)
    np.savez_compressed(tmp_path / "x.npz", x=x, other=x + 1)
    np.savez(tmp_path / "all.npz", x=x)
    save_tensor(tmp_path / "x.pb", x)
    (tmp_path / "x.bin").write_bytes(x.tobytes())
    for arguments in (
        ["-i", f"x={tmp_path}/x.npy"],
        ["-i", f"x={tmp_path}/x.npz:x"],
        ["-i", f"x={tmp_path}/x.npz"],
        [f"--input=x={tmp_path}/x.pb"],
        ["-i", f"x:float32:2x3={tmp_path}/x.bin"],
        ["--input-npz", f"{tmp_path}/all.npz"],
        ["--fill", "ramp", "--shape", "x:2x3"],
        ["--fill", "ramp", "--dim", "A=2", "-f", "B=3"],
    ):
        np.testing.assert_array_equal(run_model.outputs(model, {}, *arguments)["y"], x)


def test_equal_outputs_are_equal_files(run_model, tmp_path):
    """The time of writing does not change the files."""
    model = identity(tmp_path / "m.onnx", TensorProto.FLOAT, [2, 3])
    run_model(model, "--fill", "ramp", "--save-outputs", tmp_path / "y.npz")
    with zipfile.ZipFile(tmp_path / "y.npz") as archive:
        assert {member.date_time for member in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}


def png(path, rgb):
    """Returns a PNG file, made without a library: 8 bits, RGB, no filter."""
    height, width, _ = rgb.shape
    rows = b"".join(b"\0" + row.tobytes() for row in rgb)
    chunks = [
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)),
        (b"IDAT", zlib.compress(rows)),
        (b"IEND", b""),
    ]
    data = b"".join(struct.pack(">I", len(d)) + t + d + struct.pack(">I", zlib.crc32(t + d)) for t, d in chunks)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + data)


def ppm(path, rgb):
    path.write_bytes(b"P6 %d %d 255\n" % (rgb.shape[1], rgb.shape[0]) + rgb.tobytes())


@pytest.mark.parametrize("write, name", [(png, "x.png"), (ppm, "x.ppm")])
def test_images_become_planes_between_0_and_1(run_model, tmp_path, write, name):
    rgb = np.random.default_rng(2).integers(0, 256, (4, 6, 3), dtype=np.uint8)
    write(tmp_path / name, rgb)
    model = identity(tmp_path / "m.onnx", TensorProto.FLOAT, [1, 3, "H", "W"])
    y = run_model.outputs(model, {}, "-i", f"x={tmp_path}/{name}")["y"]
    np.testing.assert_allclose(y, rgb.transpose(2, 0, 1)[None] / 255.0, atol=1e-6)


def test_images_are_scaled_to_a_fixed_input(run_model, tmp_path):
    rgb = np.random.default_rng(3).integers(0, 256, (4, 4, 3), dtype=np.uint8)
    ppm(tmp_path / "x.ppm", rgb)
    model = identity(tmp_path / "m.onnx", TensorProto.FLOAT, [1, 3, 2, 2])
    y = run_model.outputs(model, {}, "-i", f"x={tmp_path}/x.ppm")["y"]
    means = rgb.reshape(2, 2, 2, 2, 3).mean(axis=(1, 3))
    np.testing.assert_allclose(y, means.transpose(2, 0, 1)[None] / 255.0, atol=1e-6)


def test_same_seed_same_inputs(run_model, tmp_path):
    model = identity(tmp_path / "m.onnx", TensorProto.FLOAT, [1000])
    first, again, other = (run_model.outputs(model, {}, "--seed", seed)["y"] for seed in (5, 5, 6))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)
    assert abs(first.mean()) < 0.2 and abs(first.std() - 1) < 0.1


def test_range_bounds_generated_values(run_model, tmp_path):
    model = identity(tmp_path / "m.onnx", TensorProto.INT64, [500])
    y = run_model.outputs(model, {}, "--range", "-2,3")["y"]
    assert set(y) == {-2, -1, 0, 1, 2}


@pytest.mark.parametrize("dtype", ["INT8", "UINT16", "INT32", "INT64", "UINT64", "BOOL", "FLOAT16"])
def test_generated_values_beyond_a_dtype_are_those_of_cast(run_model, tmp_path, dtype):
    cast = helper.make_node("Cast", ["x"], ["y"], to=TensorProto.DOUBLE)
    for fill in ["--range", "1e30,2e30"], ["--range", "-1e300,-1e299"], ["--fill", "ramp"]:
        model = save_model(
            tmp_path / "m.onnx", [cast], [("x", getattr(TensorProto, dtype), [300])], [("y", TensorProto.DOUBLE, [300])]
        )
        got = run_model.outputs(model, {}, *fill)["y"]
        wide = save_model(
            tmp_path / "wide.onnx",
            [helper.make_node("Cast", ["x"], ["t"], to=getattr(TensorProto, dtype)), helper.make_node("Cast", ["t"], ["y"], to=11)],
            [("x", TensorProto.DOUBLE, [300])], [("y", TensorProto.DOUBLE, [300])],
        )  # fmt: skip
        np.testing.assert_array_equal(got, run_model.outputs(wide, {}, *fill)["y"])


def test_top_names_the_largest(run_model, tmp_path):
    np.save(tmp_path / "x.npy", np.array([[0.1, 0.7, 0.2], [0.5, 0.3, np.nan]], np.float32))
    (tmp_path / "labels.txt").write_text("cat\ndog\nowl\n")
    model = identity(tmp_path / "m.onnx", TensorProto.FLOAT, [2, 3])
    text = run_model("run", model, "-i", f"x={tmp_path}/x.npy", "--top", 1, "--labels", tmp_path / "labels.txt").stdout
    assert [line.split() for line in text.splitlines() if line.startswith("    ")] == [["0.7", "1", "dog"], ["0.5", "0", "cat"]]


def test_data_set_is_compared(run_model, linear, tmp_path):
    model, function = linear
    x = np.ones((2, 3), np.float32)
    save_tensor(tmp_path / "set" / "input_0.pb", x, "x")
    save_tensor(tmp_path / "set" / "output_0.pb", function(x), "y")
    assert "agrees with the reference" in run_model("run", model, "--test-data", tmp_path / "set").stdout

    save_tensor(tmp_path / "set" / "output_0.pb", function(x) + 0.5, "y")
    result = run_model("run", model, "--test-data", tmp_path / "set", code=4)
    assert "4 of 4 elements differ" in result.stdout
    run_model("run", model, "--test-data", tmp_path / "set", "--atol", "y:0.6")
    run_model("run", model, "--test-data", tmp_path / "set", "--atol", "other:0.6", code=4)


def test_profile_lists_every_node(run_model, linear, tmp_path):
    text = run_model("run", linear[0], "-p", tmp_path / "trace.json", "--profile-table", "--opt", 0).stdout
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    assert [event["name"] for event in events] == ["MatMul", "Add"]
    assert all(event["ph"] == "X" and event["dur"] >= 0 for event in events)
    assert "MatMul 'product'" in text and "Add 'sum'" in text


def error_line(result):
    lines = result.stderr.splitlines()
    assert len(lines) == 1 and lines[0].startswith("run_model: "), result.stderr
    return lines[0]


def test_misnamed_input_names_the_real_ones(run_model, linear, tmp_path):
    np.save(tmp_path / "x.npy", np.ones((1, 3), np.float32))
    line = error_line(run_model("run", linear[0], "-i", f"z={tmp_path}/x.npy", code=3))
    assert "'z'" in line and "x (float32[N,3])" in line


@pytest.mark.parametrize(
    "array, expected, got",
    [
        (np.ones((1, 3), np.float64), "float32", "float64"),
        (np.ones(3, np.float32), "[N,3]", "[3]"),
        (np.ones((1, 4), np.float32), "[N,3]", "[1,4]"),
    ],
)
def test_input_that_does_not_fit_names_expected_and_got(run_model, linear, tmp_path, array, expected, got):
    np.save(tmp_path / "x.npy", array)
    line = error_line(run_model("run", linear[0], "-i", f"x={tmp_path}/x.npy", code=3))
    assert "'x'" in line and expected in line and got in line


def test_input_that_is_missing_is_named(run_model, tmp_path):
    values = [(name, TensorProto.FLOAT, [2]) for name in ("a", "b", "y")]
    model = save_model(tmp_path / "m.onnx", [helper.make_node("Add", ["a", "b"], ["y"])], values[:2], values[2:])
    np.save(tmp_path / "a.npy", np.ones(2, np.float32))
    assert "'b'" in error_line(run_model("run", model, "-i", f"a={tmp_path}/a.npy", code=3))
    run_model("run", model, "-i", f"a={tmp_path}/a.npy", "--fill", "zeros")


@pytest.mark.parametrize(
    "content, word", [(None, ""), (b"", "empty"), (b"just text\n", "text"), (b"\x08\x08\x3a\xff\xff\x03\x01", "")]
)
def test_file_that_is_no_model(run_model, tmp_path, content, word):
    path = tmp_path / "bad.onnx"
    if content is not None:
        path.write_bytes(content)
    line = error_line(run_model("run", path, code=2))
    assert "bad.onnx" in line and word in line


def test_unknown_operator_is_named(run_model, tmp_path):
    node = helper.make_node("NoSuchOperator", ["x"], ["y"], "culprit")
    model = save_model(tmp_path / "m.onnx", [node], [("x", TensorProto.FLOAT, [1])], [("y", TensorProto.FLOAT, [1])])
    line = error_line(run_model("run", model, code=2))
    assert "m.onnx" in line and "NoSuchOperator" in line


def test_damaged_inputs_are_refused(run_model, linear, tmp_path):
    np.save(tmp_path / "x.npy", np.ones((1, 3), np.float32))
    whole = (tmp_path / "x.npy").read_bytes()
    for content in (b"", whole[:9], whole[:40], whole[:-1], b"x" * 200, whole.replace(b"<f4", b">f4"), whole.replace(b"(1, 3)", b"(1,-3)")):
        (tmp_path / "x.npy").write_bytes(content)
        assert "x.npy" in error_line(run_model("run", linear[0], "-i", f"x={tmp_path}/x.npy", code=3))
    for name in ("x.npz", "x.npz:x", "x.pb", "x.png", "x.jpg", "x.ppm", "none.npy"):
        (tmp_path / name.split(":")[0]).write_bytes(b"\xffgarbage") if not name.startswith("none") else None
        assert name.split(":")[0] in error_line(run_model("run", linear[0], "-i", f"x={tmp_path}/{name}", code=3))


@pytest.mark.parametrize(
    "arguments",
    [
        ["--no-such-flag"],
        ["-i", "x"],
        ["--dim", "N"],
        ["--shape", "x:1xa"],
        ["--isa", "mmx"],
        ["--isa", "auto+vnni"],
        ["--disable-rewrite", "nothing"],
        ["--opt", "7"],
        ["--labels", "f"],
        ["--range", "1"],
        ["--range", "nan,1"],
        ["--range", "0,inf"],
        ["--range", "-1e308,1e308"],
        ["--atol", "y:x"],
    ],
)
def test_usage_errors(run_model, linear, tmp_path, arguments):
    save_tensor(tmp_path / "set" / "input_0.pb", np.ones((1, 3), np.float32))
    save_tensor(tmp_path / "set" / "output_0.pb", np.ones((1, 2), np.float32))
    error_line(run_model("run", linear[0], "--test-data", tmp_path / "set", *arguments, code=1))


def test_unknown_isa_in_the_environment_is_a_usage_error(run_model, linear):
    assert "mmx" in error_line(run_model(linear[0], code=1, env={"LINNET_ISA": "mmx"}))


def test_unused_dim_is_only_a_note(run_model, linear):
    assert "'M'" in run_model("run", linear[0], "--dim", "M=3").stderr


def test_memory_limit_has_its_own_exit_code(run_model, linear):
    error_line(run_model("run", linear[0], "--dim", "N=100000", "--max-memory", "10K", code=5))
    run_model("run", linear[0], "--dim", "N=2", "--max-memory", "10M", "--deadline", "60000", "--untrusted")


def test_a_newer_opset_is_tried_only_when_asked_for(run_model, tmp_path):
    node = helper.make_node("Relu", ["x"], ["y"])
    value = ("x", TensorProto.FLOAT, [2])
    path = save_model(tmp_path / "new.onnx", [node], [value], [("y", *value[1:])], opset=99)
    assert "opset 99 of domain 'ai.onnx', supported are 1 to" in run_model(path, code=2).stderr
    assert "float32[2]" in run_model(path, "--allow-newer-opset").stdout
