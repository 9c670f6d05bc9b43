"""Tests which models and requests examples/serving/rows.py accepts. No server runs."""

import importlib.util

import numpy as np
import pytest
from locations import ROOT
from networks import Network
from onnx import TensorProto
from served_models import save, save_lengths_model, save_pairs_model, save_rows_model

spec = importlib.util.spec_from_file_location("examples_rows", ROOT / "examples" / "serving" / "rows.py")
example = importlib.util.module_from_spec(spec)
spec.loader.exec_module(example)


def identity(path, kind, *shape):
    n = Network()
    n.op("Identity", n.input("x", kind, shape), out="y")
    return save(n, path, y=kind)


@pytest.fixture
def rows_of(tmp_path):
    return lambda kind, *shape: example.Rows(identity(tmp_path / "x.onnx", kind, *shape), 8)


@pytest.mark.parametrize(("save_model", "batch"), [(save_rows_model, 8), (save_pairs_model, 8), (save_lengths_model, 1)])
def test_a_batch_has_requests_of_one_shape(tmp_path, save_model, batch):
    assert example.Rows(save_model(tmp_path / "x.onnx"), 8).batch == batch


def test_a_batch_of_one_runs_requests_alone(rows_of, capsys):
    assert rows_of(TensorProto.FLOAT, 1, 3, 4, 4).batch == 1
    assert "each run takes one request" in capsys.readouterr().out


@pytest.mark.parametrize(("kind", "shape", "message"), [
    (TensorProto.FLOAT, (), r"'x' is float32 of shape \(\)"),
    (TensorProto.FLOAT, (8, 3), r"'x' is float32 of shape \(8, 3\); .*the batch, is open or 1"),
    (TensorProto.STRING, ("N", 3), "'x' is string .*expected numbers"),
])  # fmt: skip
def test_other_models_end_the_program_with_a_sentence(rows_of, kind, shape, message):
    with pytest.raises(SystemExit, match=message):
        rows_of(kind, *shape)


@pytest.mark.parametrize(("kind", "values", "expected"), [
    (TensorProto.FLOAT, [1, 2], np.float32([1, 2])),
    (TensorProto.FLOAT16, [1.5, 2], np.float16([1.5, 2])),
    (TensorProto.INT64, [1, 2**60], np.int64([1, 2**60])),
    (TensorProto.INT64, [1.0, 2.0], np.int64([1, 2])),
    (TensorProto.UINT8, [0, 255], np.uint8([0, 255])),
    (TensorProto.BOOL, [True, False], np.array([True, False])),
])  # fmt: skip
def test_values_become_the_dtype_of_the_input(rows_of, kind, values, expected):
    row = rows_of(kind, "N", 2).read({"x": values})["x"]
    assert row.dtype == expected.dtype
    np.testing.assert_array_equal(row, expected)


@pytest.mark.filterwarnings("ignore:invalid value encountered in cast")
@pytest.mark.parametrize(("kind", "values"), [
    (TensorProto.INT64, [1, 1.5]), (TensorProto.INT64, [1, 2**63]), (TensorProto.UINT8, [0, 256]),
    (TensorProto.UINT8, [-1, 0]), (TensorProto.BOOL, [0, 2]), (TensorProto.FLOAT, ["1", "2"]),
    (TensorProto.FLOAT, [None, 1]), (TensorProto.FLOAT, [1]), (TensorProto.FLOAT, 1), (TensorProto.FLOAT, [[1, 2]]),
    (TensorProto.FLOAT, [[1], 2]), (TensorProto.FLOAT, {"a": 1}), (TensorProto.INT64, [2**80, 1]),
])  # fmt: skip
def test_values_that_the_input_cannot_have_are_refused(rows_of, kind, values):
    with pytest.raises(ValueError):
        rows_of(kind, "N", 2).read({"x": values})


@pytest.mark.parametrize("request_", [{}, [], {"y": [1, 2]}, {"x": [1, 2], "y": [1, 2]}, "x"])
def test_a_request_has_a_row_of_each_input(rows_of, request_):
    with pytest.raises(ValueError, match="a row of each input: x"):
        rows_of(TensorProto.FLOAT, "N", 2).read(request_)


class Summed:
    def run(self, inputs):
        return {"y": inputs["x"].sum(axis=0)}


def test_outputs_without_rows_are_an_error():
    with pytest.raises(ValueError, match="'y' has shape .* expected 3 rows"):
        example.run(Summed(), [{"x": np.ones(2)}] * 3)
