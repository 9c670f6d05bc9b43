"""Input names are the parameter names of forward; output names are "output" or "output_0", "output_1", ..."""

import linnet_torch
import onnx
import pytest
import torch
from exported import assert_close


class Weighted(torch.nn.Module):
    """Its parameter has the name of a forward argument."""

    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.rand(3))

    def forward(self, x, weight, *, scale=None):
        y = x * self.weight + weight
        return y if scale is None else y * scale


class Nested(torch.nn.Module):
    def forward(self, pair, table, unused, last, factor=2.0):
        return {"sum": pair[0] + pair[1], "rest": (table["k"] * factor, [pair[0] - last])}


class Table(torch.nn.Module):
    def forward(self, table):
        return table["k"] * 2


class Swap(torch.nn.Module):
    def forward(self, output, x):
        return x - output


@pytest.fixture
def names_in(torch_exporter):
    def names_in(module, args, path, **options):
        """Returns the names of the inputs and of the outputs in the file of an export."""
        linnet_torch.export(module, args, path, check=False, **({"exporter": torch_exporter} | options))
        graph = onnx.load(str(path)).graph
        return [value.name for value in graph.input], [value.name for value in graph.output]

    return names_in


def test_parameter_names_win_over_weights(tmp_path, run_model, names_in):
    module, x, w = Weighted(), torch.rand(2, 3), torch.rand(3)
    assert names_in(module, (x, w), tmp_path / "m.onnx") == (["x", "weight"], ["output"])
    got = run_model.outputs(tmp_path / "m.onnx", {"x": x.numpy(), "weight": w.numpy()})["output"]
    assert_close(got, (x.double() * module.weight.double() + w.double()).detach().numpy())


def test_keywords(tmp_path, names_in):
    x = torch.rand(2, 3)
    assert names_in(Weighted(), (x, {"scale": x, "weight": x}), tmp_path / "m.onnx")[0] == ["x", "weight", "scale"]


def test_nested_arguments_are_numbered_and_unused_ones_vanish(tmp_path, run_model, names_in):
    x = torch.rand(3)
    file = tmp_path / "m.onnx"
    inputs, outputs = names_in(Nested(), ((x, x + 1), {"k": x + 2}, x + 3, x + 4), file)
    assert inputs == ["pair_0", "pair_1", "table_0", "last"]
    assert outputs == ["output_0", "output_1", "output_2"]
    given = {"pair_0": x.numpy(), "pair_1": x.numpy(), "table_0": x.numpy(), "last": 3 * x.numpy()}
    got = run_model.outputs(file, given)
    for value, factor in zip((got[name] for name in outputs), (2, 2, -2), strict=True):
        assert_close(value, factor * x.double().numpy())


def test_numbers_are_constants(tmp_path, run_model, names_in):
    x = torch.rand(3)
    module = Nested()
    file = tmp_path / "m.onnx"
    inputs, outputs = names_in(module, ((x, x + 1), {"k": x + 2}, x + 3, {"last": x, "factor": 5}), file)
    assert inputs == ["pair_0", "pair_1", "table_0", "last"]
    assert "forward" not in vars(module)
    got = run_model.outputs(file, {"pair_0": x.numpy(), "pair_1": x.numpy(), "table_0": x.numpy(), "last": x.numpy()})
    assert_close(got["output_1"], 5 * x.double().numpy())


def test_only_a_dict(tmp_path, names_in):
    assert names_in(Table(), ({"k": torch.rand(3)}, {}), tmp_path / "m.onnx") == (["table_0"], ["output"])


def test_output_name_taken_by_an_input(tmp_path, names_in):
    x = torch.rand(3)
    assert names_in(Swap(), (x, x), tmp_path / "m.onnx") == (["output", "x"], ["output_"])


def test_given_names(tmp_path, names_in):
    x = torch.rand(3)
    options = {"input_names": ["p", "q"], "output_names": ["r"]}
    assert names_in(Swap(), (x, x), tmp_path / "m.onnx", **options) == (["p", "q"], ["r"])


def test_scripted_module(tmp_path, names_in):
    x = torch.rand(3)
    scripted = torch.jit.script(Swap())
    assert names_in(scripted, (x, x), tmp_path / "m.onnx", exporter="auto") == (["output", "x"], ["output_"])


def test_arguments_that_do_not_fit(tmp_path, names_in):
    with pytest.raises(
        linnet_torch.ExportError, match="args do not fit Swap.forward: missing a required argument: 'x'"
    ):
        names_in(Swap(), torch.rand(3), tmp_path / "m.onnx")


@pytest.mark.parametrize(
    "args, kwargs, message",
    [
        ((), {"outputs": 1, "x": 2}, "'outputs' is not a parameter; did you mean 'output'[?]"),
        ((1,), {"X": 2}, "'X' is not a parameter; did you mean 'x'[?]"),
        ((), {"output": 1, "outputs": 2}, "missing a required argument: 'x'$"),
        ((1, 2), {"outputs": 3}, "got an unexpected keyword argument 'outputs'$"),
    ],
)
def test_keywords_that_are_not_parameters(tmp_path, args, kwargs, message):
    with pytest.raises(linnet_torch.ExportError, match="args do not fit Swap.forward: " + message):
        linnet_torch.export(Swap(), args, tmp_path / "m.onnx", kwargs=kwargs, check=False)
