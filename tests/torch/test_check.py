"""Tests the comparison with run_model at the end of each export."""

import linnet_torch
import numpy as np
import onnx
import pytest
import torch
from linnet_torch import check, comparison, engine, request, symbolics
from models import Asinh

NAN, INF = float("nan"), float("inf")


class Three(torch.nn.Module):
    def forward(self, x):
        return x + 1, torch.asinh(x), torch.asinh(2 * x)


def compare(got, expected, atol=1e-5, rtol=1e-5):
    comparison.compare({"y": np.asarray(got)}, {"y": np.asarray(expected)}, atol, rtol)


def test_wrong_rule_is_caught_and_the_file_kept(tmp_path, run_model, monkeypatch):
    monkeypatch.setattr(symbolics, "asinh", lambda g, x: g.op("Sinh", x))
    x = torch.tensor([0.0, 0.5, 1.0])
    with pytest.raises(linnet_torch.MismatchError) as caught:
        linnet_torch.export(Three(), x, tmp_path / "three.onnx", exporter="torchscript")
    message = str(caught.value)
    assert "output 'output_1' differs from PyTorch in 2 of 3 elements" in message
    assert "largest |difference| 0.293828 at [2]" in message
    assert "three.onnx" in message
    assert [node.op_type for node in onnx.load(str(tmp_path / "three.onnx")).graph.node].count("Sinh") == 2


def test_outputs_of_all_types_are_compared(tmp_path, run_model, torch_exporter):
    class Types(torch.nn.Module):
        def forward(self, x, unused):
            return x > 0, x.long(), x.double(), x / x

    args = (torch.tensor([-1.5, 0.0, 2.5]), torch.rand(2))
    linnet_torch.export(Types(), args, tmp_path / "types.onnx", exporter=torch_exporter)


def test_all_exporters_files_are_compared_with_the_same_results(tmp_path, run_model, monkeypatch):
    def failing_run(*_):
        raise linnet_torch.ExportError("no outputs")

    runs = []
    own = request.results
    monkeypatch.setattr(request, "results", lambda *arguments: runs.append(arguments) or own(*arguments))
    monkeypatch.setattr(check, "run", failing_run)
    with pytest.raises(linnet_torch.ExportError, match="All that was tried:\n- .*\n- "):
        linnet_torch.export(Asinh(), torch.rand(3), tmp_path / "asinh.onnx")
    assert len(runs) == 3  # the example, random inputs, negative inputs


def test_run_model_from_argument_environment_and_path(tmp_path, monkeypatch):
    program = tmp_path / "bin" / "run_model"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\nexit 0\n")
    program.chmod(0o755)
    monkeypatch.delenv("LINNET_RUN_MODEL", raising=False)
    assert engine.find_run_model(program) == str(program)
    monkeypatch.setenv("PATH", str(program.parent))
    assert engine.find_run_model() == str(program)
    monkeypatch.setenv("LINNET_RUN_MODEL", "/nowhere/run_model")
    with pytest.raises(linnet_torch.ExportError, match="/nowhere/run_model is not a program"):
        engine.find_run_model()


def test_missing_run_model_says_what_to_do_before_anything_is_written(tmp_path, monkeypatch):
    monkeypatch.delenv("LINNET_RUN_MODEL", raising=False)
    monkeypatch.setattr(engine.shutil, "which", lambda name: None)
    with pytest.raises(linnet_torch.ExportError, match="cmake --build build --target run_model.*check=False"):
        linnet_torch.export(Asinh(), torch.rand(2), tmp_path / "a.onnx")
    assert not list(tmp_path.iterdir())


def test_failing_run_model_shows_its_message(tmp_path):
    program = tmp_path / "run_model"
    program.write_text("#!/bin/sh\necho 'unknown operator custom::x' >&2\nexit 2\n")
    program.chmod(0o755)
    with pytest.raises(linnet_torch.ExportError, match=r"exit code 2\): unknown operator custom::x"):
        linnet_torch.export(Asinh(), torch.rand(2), tmp_path / "a.onnx", run_model=program)
    assert (tmp_path / "a.onnx").exists()


@pytest.mark.parametrize(
    "got, expected",
    [
        ([1.0, 2.0], [1.000009, 2.0]),
        ([1e6 + 9], [1e6]),
        ([0.0], [-9e-6]),
        ([NAN, INF, -INF], [NAN, INF, -INF]),
        (np.zeros((0, 3)), np.zeros((0, 3))),
        (np.array([True, False]), np.array([True, False])),
        (np.array(2**62 + 1), np.array(2**62 + 1)),
    ],
)
def test_close_values_pass(got, expected):
    compare(got, expected)


@pytest.mark.parametrize(
    "got, expected, message",
    [
        ([1.0, 2.5, 2.0], [1.0, 2.0, 3.0], r"2 of 3 elements; largest \|difference\| 1 at \[2\]: got 2.0, PyTorch 3.0"),
        ([1.00002], [1.0], r"largest \|difference\| 2e-05"),
        ([NAN], [1.0], "got nan, PyTorch 1.0"),
        ([1.0], [NAN], "got 1.0, PyTorch nan"),
        ([INF], [-INF], "got inf, PyTorch -inf"),
        ([[1.0]], [1.0], r"is float64 \[1, 1\], in PyTorch float64 \[1\]"),
        (np.float32([1]), np.float64([1]), "is float32"),
        (np.array([True]), np.array([False]), "got True, PyTorch False"),
    ],
)
def test_other_values_fail(got, expected, message):
    with pytest.raises(linnet_torch.MismatchError, match=message):
        compare(got, expected)


def test_missing_output():
    with pytest.raises(linnet_torch.MismatchError, match="output 'y' is missing; the file has a, b"):
        comparison.compare({"a": np.zeros(1), "b": np.zeros(1)}, {"y": np.zeros(1)}, 0, 0)


class Baked(torch.nn.Module):
    """Its trace contains the length of x as a number."""

    def forward(self, x):
        return x / len(x.tolist())


def test_dynamic_axes_are_checked_at_a_second_size(tmp_path, run_model):
    x, options = torch.rand(3), {"exporter": "torchscript", "dynamic_shapes": {"x": {0: "N"}}}
    with pytest.raises(linnet_torch.MismatchError, match="with dynamic axes twice as long: .*output 'output' differs"):
        linnet_torch.export(Baked(), x, tmp_path / "baked.onnx", **options)
    linnet_torch.export(Baked(), x, tmp_path / "baked.onnx", exporter="torchscript")


def test_second_size_is_left_out_where_the_module_refuses_it(tmp_path, run_model):
    class Five(torch.nn.Module):
        def forward(self, x):
            return x + torch.ones(5)

    options = {"exporter": "torchscript", "dynamic_shapes": {"x": {0: "N"}}}
    linnet_torch.export(Five(), torch.rand(5), tmp_path / "m.onnx", **options)
