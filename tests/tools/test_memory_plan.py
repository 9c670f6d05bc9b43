"""The picture of `run_model inspect --save-memory-plan`."""

import json
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnx_files import save_model

SVG = "{http://www.w3.org/2000/svg}"


class Value:
    """A rectangle of the picture, and the contents of its tooltip."""

    def __init__(self, group):
        rect = group.find(f"{SVG}rect")
        self.x, self.y, self.width, self.height = (float(rect.get(name)) for name in ("x", "y", "width", "height"))
        lines = group.find(f"{SVG}title").text.strip().splitlines()
        self.apart = "apart" in group.get("class")
        self.name, self.type = lines[0], lines[1].split(", ")[0]
        self.bytes = int(re.search(r", (\d+) bytes", lines[1])[1])
        self.written = int(re.match(r"written by node (\d+):", lines[2])[1])
        self.read = int(lines[3].split()[4].rstrip(":")) if lines[3].startswith("read last") else lines[3]


class Picture:
    def __init__(self, run_model, model, folder, *flags):
        path = folder / "plan.svg"
        self.memory = json.loads(
            run_model("inspect", model, "--show", "memory", "--save-memory-plan", path, "--json", "-", *flags).stdout
        )["memory"]
        root = ET.parse(path).getroot()
        groups = root.findall(f"{SVG}g")
        self.values = {v.name: v for v in (Value(g) for g in groups if g.get("class").startswith("value"))}
        self.nodes = [g.find(f"{SVG}title").text.strip() for g in groups if g.get("class") == "node"]
        self.texts = [text.text for text in root.iter(f"{SVG}text")]
        self.tags = {element.tag.removeprefix(SVG) for element in root.iter()}


def chain(path, names=("a", "b", "c", "y"), rows="N"):
    """y = Concat(Exp(x) + MatMul(Exp(x), w), MatMul), whose values have known lifetimes. names: of these values."""
    a, b, c, y = names
    nodes = [
        helper.make_node("Exp", ["x"], [a], "first"),
        helper.make_node("MatMul", [a, "w"], [b], "second"),
        helper.make_node("Concat", [a, b], [c], "third", axis=1),
        helper.make_node("Concat", [c, b], [y], "last", axis=1),
    ]
    weights = numpy_helper.from_array(np.ones((64, 64), np.float32), "w")
    return save_model(
        path / "chain.onnx", nodes, [("x", TensorProto.FLOAT, [rows, 64])], [(y, TensorProto.FLOAT, None)], [weights]
    )


def overlap(a, b):
    """Whether two values share memory at the same time, beyond the rounding of the picture."""
    width = min(a.x + a.width, b.x + b.width) - max(a.x, b.x)
    height = min(a.y + a.height, b.y + b.height) - max(a.y, b.y)
    return width > 0.3 and height > 0.1


def test_values_lie_there_from_their_writer_to_their_last_reader(run_model, tmp_path):
    picture = Picture(run_model, chain(tmp_path), tmp_path, "--dim", "N=32", "--opt", 0)
    assert picture.nodes == ["node 0: Exp 'first'", "node 1: MatMul 'second'", "node 2: Concat 'third'", "node 3: Concat 'last'"]
    lives = {name: (v.type, v.bytes, v.written, v.read, v.apart) for name, v in picture.values.items()}
    assert lives == {
        "a": ("float32[32,64]", 8192, 0, 2, False), "b": ("float32[32,64]", 8192, 1, 3, False),
        "c": ("float32[32,128]", 16384, 2, 3, False), "y": ("float32[32,192]", 24576, 3, "kept to the end", True),
    }  # fmt: skip
    width = picture.values["a"].width / 3
    assert [round(v.width / width) for v in picture.values.values()] == [3, 3, 2, 1]


def test_heights_are_bytes_and_the_whole_is_what_the_run_takes(run_model, tmp_path):
    picture = Picture(run_model, chain(tmp_path), tmp_path, "--dim", "N=32", "--opt", 0)
    values = picture.values.values()
    top, bottom = min(v.y for v in values), max(v.y + v.height for v in values)
    pixels = (bottom - top) / picture.memory["arena_bytes"]
    for value in values:
        assert value.height == pytest.approx(value.bytes * pixels, abs=0.1)
    # a, b and c exist at the same time; y is separate.
    assert any("arena 32.0 KiB, of which values take at most 32.0 KiB at a time" in text for text in picture.texts)
    assert any(text.startswith("peak 32.0 KiB, node 2: Concat 'third'") for text in picture.texts)
    assert {"0 B", "8 KiB", "16 KiB"} <= set(picture.texts)
    assert any("weights 16.0 KiB + packed" in text and "scratch" in text for text in picture.texts)


def test_values_of_a_larger_model_share_no_memory_at_a_time(run_model, tmp_path):
    rng = np.random.default_rng(3)
    names, nodes = ["x"], []
    for i in range(60):
        op_type = rng.choice(["Relu", "Add", "Concat", "Reshape", "Slice"])
        inputs = [str(n) for n in rng.choice(names[-6:], 2)]
        if op_type == "Concat":
            nodes.append(helper.make_node("Concat", inputs, [f"long{i}"], axis=0))
            inputs, op_type = [f"long{i}"], "Slice"
        if op_type == "Slice":
            nodes.append(helper.make_node("Slice", [inputs[0], "begin", "end"], [f"v{i}"]))
        elif op_type == "Reshape":
            nodes.append(helper.make_node("Reshape", [inputs[0], "shape"], [f"v{i}"]))
        else:
            nodes.append(helper.make_node(op_type, inputs[: 1 + (op_type == "Add")], [f"v{i}"]))
        names.append(f"v{i}")
    integers = [numpy_helper.from_array(np.array(v, np.int64), n)
                for n, v in {"begin": [0], "end": [16], "shape": [16, 8]}.items()]  # fmt: skip
    model = save_model(tmp_path / "m.onnx", nodes, [("x", TensorProto.FLOAT, [16, 8])],
                       [(n, TensorProto.FLOAT, None) for n in names[-3:]], integers)  # fmt: skip
    for level in (0, 2):
        values = list(Picture(run_model, model, tmp_path, "--opt", level).values.values())
        assert len(values) > 10
        for i, a in enumerate(values):
            assert not any(overlap(a, b) for b in values[:i]), a.name


def test_a_value_ends_where_another_is_written_over_it(run_model, tmp_path):
    nodes = [helper.make_node("Exp", ["x"], ["a"]), helper.make_node("Relu", ["a"], ["b"]),
             helper.make_node("Concat", ["b", "b"], ["y"], axis=0)]  # fmt: skip
    model = save_model(tmp_path / "m.onnx", nodes, [("x", TensorProto.FLOAT, [4, 8])], [("y", TensorProto.FLOAT, None)])
    values = Picture(run_model, model, tmp_path, "--opt", 0).values
    a, b = values["a"], values["b"]
    assert (a.y, a.height) == (b.y, b.height) and a.x + a.width == pytest.approx(b.x) and a.read == b.written == 1


def test_nodes_behind_shapes_that_depend_on_data_are_drawn_too(run_model, tmp_path):
    nodes = [helper.make_node("NonZero", ["x"], ["where"]), helper.make_node("Cast", ["where"], ["f"], to=TensorProto.FLOAT),
             helper.make_node("Exp", ["f"], ["g"]), helper.make_node("Concat", ["g", "f"], ["y"], axis=0)]  # fmt: skip
    model = save_model(tmp_path / "m.onnx", nodes, [("x", TensorProto.FLOAT, [4, 8])], [("y", TensorProto.FLOAT, None)])
    picture = Picture(run_model, model, tmp_path, "--opt", 0, "--fill", "ones")
    assert len(picture.nodes) == 4
    assert picture.values["g"].type == "float32[2,32]" and picture.values["g"].written == 2


def test_names_may_hold_anything(run_model, tmp_path):
    names = ('<script>"a"</script>', "b&amp;\x01\x1b[31m", "ü漢😀", "y")
    picture = Picture(run_model, chain(tmp_path, names, 32), tmp_path, "--opt", 0)
    assert list(picture.values) == ['<script>"a"</script>', "b&amp;\ufffd\ufffd[31m", "ü漢😀", "y"]
    assert "script" not in picture.tags


def test_open_shapes_must_be_given(run_model, tmp_path):
    model = chain(tmp_path)
    error = run_model("inspect", model, "--save-memory-plan", tmp_path / "plan.svg", code=1).stderr
    assert "input 'x' (float32[N,64]); give --dim N=N or --shape x:" in error
    assert not (tmp_path / "plan.svg").exists()
    assert "a" in Picture(run_model, model, tmp_path, "--shape", "x:5x64", "--opt", 0).values


def test_a_file_that_cannot_be_written_is_named(run_model, tmp_path):
    model = chain(tmp_path, rows=2)
    assert "none/plan.svg" in run_model("inspect", model, "--save-memory-plan", tmp_path / "none/plan.svg", code=3).stderr
