"""An export does not change PyTorch, the module or the file system, apart from its file."""

import linnet_torch
import numpy as np
import onnx
import pytest
import torch
from exported import nodes_of
from linnet_torch import writer
from models import Asinh
from onnx import TensorProto, helper, numpy_helper
from torch.onnx import errors

OLD = {"dynamo": False} if torch.__version__ >= (2, 5) else {}


def plain_export(path, module=None):
    """Returns the nodes that PyTorch's TorchScript exporter writes by itself."""
    torch.onnx.export(module or Asinh(), torch.rand(2), str(path), opset_version=17, **OLD)
    return nodes_of(path)


def export(module, args, path, **options):
    linnet_torch.export(module, args, path, exporter="torchscript", check=False, **options)


def test_rules_end_with_the_export(tmp_path):
    export(Asinh(), torch.rand(2), tmp_path / "a.onnx")
    with pytest.raises(errors.UnsupportedOperatorError):
        plain_export(tmp_path / "b.onnx")


@pytest.mark.parametrize("opset", [9, 17])
def test_users_rules_come_back(tmp_path, opset):
    torch.onnx.register_custom_op_symbolic("aten::asinh", lambda g, x: g.op("user::Asinh", x), opset)
    try:
        export(Asinh(), torch.rand(2), tmp_path / "a.onnx")
        assert nodes_of(tmp_path / "a.onnx") == [("", "Asinh")]
        assert plain_export(tmp_path / "b.onnx") == [("user", "Asinh")]
    finally:
        torch.onnx.unregister_custom_op_symbolic("aten::asinh", opset)


def test_built_in_rules_come_back(tmp_path):
    export(torch.nn.SELU(), torch.rand(2), tmp_path / "a.onnx")
    assert plain_export(tmp_path / "b.onnx", torch.nn.SELU()) == [("", "Selu")]


def test_built_in_rules_that_the_first_export_registers_stay(run_python, tmp_path):
    """PyTorch 2 registers some of its rules, such as that of einsum, at its first export."""
    run_python("""
class Product(torch.nn.Module):
    def forward(self, x):
        return torch.einsum("ij,ik->jk", x, x)
for name in ("a.onnx", "b.onnx"):
    linnet_torch.export(Product(), torch.rand(2, 3), f"{sys.argv[1]}/{name}", exporter="torchscript", check=False)
""", tmp_path)


def test_autograd_function_exports_as_custom_without_the_plugin(tmp_path):
    class Add(torch.nn.Module):
        def forward(self, a, b):
            return linnet_torch.MyAddFunction.apply(a, b)

    args = (torch.rand(2), torch.rand(2))
    export(Add(), args, tmp_path / "a.onnx", my_add="decompose")
    torch.onnx.export(Add(), args, str(tmp_path / "b.onnx"), **OLD)
    assert nodes_of(tmp_path / "b.onnx") == [("custom", "my_add")]


def test_training_modes_stay(tmp_path, torch_exporter):
    model = torch.nn.Sequential(torch.nn.Dropout(), torch.nn.BatchNorm1d(3).eval(), torch.nn.Linear(3, 2))
    before = [part.training for part in model.modules()]
    statistics = model[1].running_mean.clone()
    linnet_torch.export(model, torch.rand(4, 3), tmp_path / "a.onnx", exporter=torch_exporter, check=False)
    assert [part.training for part in model.modules()] == before
    assert torch.equal(model[1].running_mean, statistics)


def test_inputs_stay(tmp_path, torch_exporter):
    class InPlace(torch.nn.Module):
        def forward(self, x):
            return x.add_(1) * 2

    x = torch.zeros(3)
    linnet_torch.export(InPlace(), x, tmp_path / "a.onnx", exporter=torch_exporter, check=False)
    assert torch.equal(x, torch.zeros(3))


def test_failed_export_leaves_the_old_file_and_nothing_else(tmp_path, torch_exporter):
    class Unknown(torch.nn.Module):
        def forward(self, x):
            return torch.special.bessel_j0(x)

    (tmp_path / "a.onnx").write_bytes(b"old")
    with pytest.raises((errors.UnsupportedOperatorError, linnet_torch.ExportError)):
        linnet_torch.export(Unknown(), torch.rand(2), tmp_path / "a.onnx", exporter=torch_exporter, check=False)
    assert [(file.name, file.read_bytes()) for file in tmp_path.iterdir()] == [("a.onnx", b"old")]


@pytest.mark.parametrize(
    "options, message",
    [
        ({"exporter": "torchscript", "opset_version": 20}, "opset_version must be 9 to 19, got 20"),
        ({"exporter": "onnx"}, "exporter must be one of auto, dynamo, torchscript, linnet, got 'onnx'$"),
        ({"exporter": "TorchScript"}, "got 'TorchScript'; did you mean 'torchscript'[?]"),
        ({"deform_conv": "DeformConv"}, "deform_conv must be one of custom, standard, got 'DeformConv'"),
        ({"my_add": "standard"}, "my_add must be one of custom, decompose, function, got 'standard'$"),
        ({"my_add": "fuction"}, "got 'fuction'; did you mean 'function'[?]"),
    ],
)
def test_choices_that_do_not_exist(tmp_path, options, message):
    with pytest.raises(linnet_torch.ExportError, match=message):
        linnet_torch.export(Asinh(), torch.rand(2), tmp_path / "a.onnx", check=False, **options)


def test_weights_of_several_files_go_to_one(tmp_path):
    """Uses several files, as PyTorch's older exporter writes for more than 2 GiB."""
    weights = {name: np.full(300, i, np.float32) for i, name in enumerate(("a", "b", "c"))}
    node = helper.make_node("Sum", list(weights), ["y"])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, [300])
    graph = helper.make_graph([node], "g", [], [y], [numpy_helper.from_array(w, n) for n, w in weights.items()])
    file = tmp_path / "m.onnx"
    onnx.save(helper.make_model(graph), str(file), save_as_external_data=True, all_tensors_to_one_file=False)
    assert len(list(tmp_path.iterdir())) == 4
    writer._join_weights(onnx.load(str(file), load_external_data=False), file)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["m.onnx", "m.onnx.data"]
    for tensor in onnx.load(str(file)).graph.initializer:
        assert (numpy_helper.to_array(tensor) == weights[tensor.name]).all()
