"""dynamic_shapes in torch.export's form means the same in both exporters."""

import linnet_torch
import onnx
import pytest
import torch
from exported import assert_close
from installation import EXPORTERS, needs_dynamo


class Mixed(torch.nn.Module):
    def forward(self, x, pair, table=None):
        return x.reshape(x.shape[0], -1) + pair[0], pair[1] * 2 + table["k"]


ARGS = (torch.rand(2, 3, 4), (torch.rand(12), torch.rand(5, 6)), {"k": torch.rand(6)})
NESTED = {"x": {0: "N", -1: None}, "pair": (None, ["A", "B"]), "table": {"k": {0: "B"}}}


def sizes_in(file):
    return {
        value.name: [dim.dim_param or dim.dim_value for dim in value.type.tensor_type.shape.dim]
        for value in onnx.load(str(file)).graph.input
    }


@pytest.mark.parametrize("shapes", [NESTED, (NESTED["x"], NESTED["pair"], NESTED["table"])], ids=["dict", "tuple"])
def test_nested_names(tmp_path, run_model, torch_exporter, shapes):
    file = tmp_path / "m.onnx"
    x, pair, table = ARGS
    linnet_torch.export(Mixed(), (x, pair, {"table": table}), file, exporter=torch_exporter, dynamic_shapes=shapes)
    assert sizes_in(file) == {"x": ["N", 3, 4], "pair_0": [12], "pair_1": ["A", "B"], "table_0": ["B"]}
    bigger = {"x": torch.rand(7, 3, 4), "pair_0": pair[0], "pair_1": torch.rand(3, 9), "table_0": torch.rand(9)}
    got = run_model.outputs(file, {name: tensor.numpy() for name, tensor in bigger.items()})
    assert_close(got["output_0"], (bigger["x"].reshape(7, 12).double() + pair[0]).numpy())
    assert_close(got["output_1"], (bigger["pair_1"].double() * 2 + bigger["table_0"]).numpy())


@needs_dynamo
@pytest.mark.parametrize("torch_exporter", EXPORTERS)
def test_dim_objects(tmp_path, torch_exporter):
    dim = torch.export.Dim
    shapes = {"input": {0: dim("N"), 1: dim.STATIC, 2: dim("H", min=4, max=64)}}
    module, file = torch.nn.Conv2d(3, 2, 3), tmp_path / "m.onnx"
    linnet_torch.export(
        module, torch.rand(2, 3, 8, 8), file, exporter=torch_exporter, dynamic_shapes=shapes, check=False
    )
    assert sizes_in(file) == {"input": ["N", 3, "H", 8]}
    shapes = {"input": {0: dim.AUTO}}
    linnet_torch.export(
        module, torch.rand(2, 3, 8, 8), file, exporter=torch_exporter, dynamic_shapes=shapes, check=False
    )
    batch, *rest = sizes_in(file)["input"]
    assert isinstance(batch, str) and rest == [3, 8, 8]


def test_batch_of_one_stays_dynamic(tmp_path, run_model, torch_exporter):
    file, model = tmp_path / "m.onnx", torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(6, 2))
    shapes = {"input": {0: "N"}}
    linnet_torch.export(model, torch.rand(1, 2, 3), file, exporter=torch_exporter, dynamic_shapes=shapes)
    x = torch.rand(4, 2, 3)
    with torch.no_grad():
        expected = model.double()(x.double()).numpy()
    assert_close(run_model.outputs(file, {"input": x.numpy()})["output"], expected)


@pytest.mark.parametrize(
    "shapes, message",
    [
        ({"y": {0: "N"}}, "dynamic_shapes: 'y' is not a parameter; there are x, pair, table"),
        ({"pairs": ({0: "N"}, None)}, "'pairs' is not a parameter; there are x, pair, table; did you mean 'pair'[?]"),
        ({"x": {3: "N"}}, r"dynamic_shapes\['x'\]: axis 3 of a tensor with 3 dims"),
        ({"x": "N"}, r"dynamic_shapes\['x'\] must be None, a dict \{axis: dim\} or one dim per axis, got 'N'"),
        ({"pair": ({0: "N"},)}, r"dynamic_shapes\['pair'\] has not the structure of the argument, a tuple"),
        ({"table": ({0: "N"},)}, r"dynamic_shapes\['table'\] has not the structure of the argument, a dict"),
        ({"table": {"j": {0: "N"}}}, r"dynamic_shapes\['table'\]: 'j' is not a key of the argument; there are k$"),
        ({"table": {"K": {0: "N"}}}, "'K' is not a key of the argument; there are k; did you mean 'k'[?]"),
        ((None,) * 4, "dynamic_shapes has 4 entries for 3 parameters"),
    ],
)
def test_shapes_that_do_not_fit(tmp_path, shapes, message):
    x, pair, table = ARGS
    with pytest.raises(linnet_torch.ExportError, match=message):
        args = (x, pair, {"table": table})
        linnet_torch.export(Mixed(), args, tmp_path / "m.onnx", dynamic_shapes=shapes, check=False)
