"""export_model: forms of custom operators, rules from libraries, refusals, the check, arguments that are not
tensors."""

import subprocess
from pathlib import Path
from typing import Dict, List, Optional, Tuple

import numpy as np
import onnx
import pytest
import torch
from documentation import blocks
from exported import assert_close, nodes_of, opsets_of, tensor_flag
from locations import ROOT
from torch import nn

torch.manual_seed(0)

RULES = blocks("docs/exporter.md", "cpp")[0].text
WRONG_RULE = RULES.replace("aten::hypot", "aten::mul.Tensor").replace('"Sqrt"', '"Exp"')


def build_rules(folder, source):
    """Builds the library of a rules file as in docs/exporter.md."""
    (folder / "rules.cc").write_text(source)
    includes = [f"-I{ROOT}/{folder}/include" for folder in ("frontends/torch", "engine")]
    command = ["c++", "-std=c++20", "-shared", "-fPIC", *includes]
    library = folder / "rules.so"
    subprocess.run([*command, str(folder / "rules.cc"), "-o", str(library)], check=True)
    return str(library)


class Hypot(nn.Module):
    def forward(self, x, y):
        return torch.hypot(x, y) + 1


PAIR = {"x": torch.randn(3), "y": torch.randn(3)}


def test_rule_from_a_library(exporter, tmp_path):
    assert "aten::hypot" in exporter.refusal(Hypot(), PAIR)
    exporter.export(Hypot(), PAIR, "--lowering", build_rules(tmp_path, RULES))


class Wrong(nn.Module):
    def forward(self, x, y):
        z = x + y
        return z * y - 3


def test_check_names_the_first_node_of_a_wrong_rule(exporter, tmp_path):
    path = exporter.save(Wrong(), PAIR)
    flags = [word for name, tensor in PAIR.items() for word in ("--input", tensor_flag(name, tensor))]
    result = exporter.run(path, *flags, "--check", "--lowering", build_rules(tmp_path, WRONG_RULE))
    assert result.returncode == 4
    assert "the first to differ is aten::mul" in result.stderr
    report = exporter.report()
    assert not report["agrees"]
    assert report["samples"][-1]["first_difference"]["operator"] == "aten::mul.Tensor"


class EqualElements(nn.Module):
    """Returns positions of equal elements. Operators may return any of them, and PyTorch's choice is not the first."""

    def forward(self, x):
        y = (x * 2).round()
        return y.topk(40)[1], y.sort(descending=True)[1], y.kthvalue(3, 1)[1], y.argmax()


def test_check_passes_other_positions_of_equal_elements(exporter):
    exporter.export(EqualElements(), {"x": torch.randn(3, 64)})


OFF_BY_ONE = RULES.replace("aten::hypot", "aten::neg").replace(
    RULES[RULES.index("  const auto square") : RULES.index("}\n\nextern")],
    """  const std::string y = call.emit("Neg", {call.value()});
  call.set(call.emit("Add", {y, call.scalar(1, call.dtype())}));
""",
)


class Negated(nn.Module):
    def forward(self, x):
        return -x


def test_check_compares_integers_exactly(exporter, tmp_path):
    path = exporter.save(Negated(), {"x": torch.arange(3)})
    flags = ["--input", "x:3:int64:5000000..9000000", "--lowering", build_rules(tmp_path, OFF_BY_ONE)]
    result = exporter.run(path, *flags, "--check")
    assert result.returncode == 4 and "3 of 3 elements differ" in result.stderr


def test_report_of_a_check_that_passes(exporter):
    exporter.export(nn.ReLU(), {"input": torch.randn(3)})
    report = exporter.report()
    assert report["agrees"] and report["largest_difference"] == 0
    assert {sample["inputs"] for sample in report["samples"]} >= {"random 0", "zeros", "negative", "large"}


class Random(nn.Module):
    def forward(self, x):
        return x + torch.rand_like(x)


class Unknown(nn.Module):
    def forward(self, x):
        return torch.special.bessel_j0(x)


class ChangesItself(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros(1))

    def forward(self, x):
        self.count += 1
        return x + self.count


class Raises(nn.Module):
    def forward(self, x):
        if x.size(0) != 5:
            raise ValueError("five rows, please")
        return x


REFUSALS = {
    "random": (Random(), "aten::rand_like", "random"),
    "unknown": (Unknown(), "aten::special_bessel_j0", "--lowering"),
    "own tensor": (ChangesItself(), "aten::add_.Scalar", "clone it first"),
    "exception": (Raises(), "prim::RaiseException", "five rows, please"),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_refusal_names_operator_reason_and_line(exporter, name):
    module, operator, reason = REFUSALS[name]
    message = exporter.refusal(module, {"x": torch.randn(3)}, scripted=True)
    assert operator in message and reason in message and "test_export_rules.py:" in message


def test_training_mode_is_refused(exporter):
    message = exporter.refusal(nn.Dropout(), {"input": torch.randn(3)}, eval_mode=False)
    assert "aten::dropout" in message and "evaluation mode" in message


class Arguments(nn.Module):
    def forward(self, xs: List[torch.Tensor], pair: Tuple[torch.Tensor, torch.Tensor], scale: float, axes: List[int],
                flag: bool = True, extra: Optional[torch.Tensor] = None) -> Dict[str, torch.Tensor]:  # fmt: skip
        y = torch.cat(xs, 0) * scale
        if flag:
            y = y + pair[0] - pair[1]
        if extra is not None:
            y = y * extra
        return {"sum": y.sum(axes), "all": y}


def test_lists_tuples_numbers_and_dicts(exporter, run_model):
    path = exporter.folder / "model.pt"
    torch.jit.script(Arguments()).save(str(path))
    given = ["xs.0:2x3", "xs.1:1x3", "pair.0:3x3", "pair.1:3", "scale=2", "axes=0"]
    result = exporter.run(path, *[word for text in given for word in ("-i", text)], "--check")
    assert result.returncode == 0, result.stderr
    x = [torch.randn(2, 3), torch.randn(1, 3), torch.randn(3, 3), torch.randn(3)]
    expected = Arguments()(x[:2], (x[2], x[3]), 2.0, [0])
    arrays = dict(zip(("xs_0", "xs_1", "pair_0", "pair_1"), (tensor.numpy() for tensor in x)))
    got = run_model.outputs(exporter.folder / "model.onnx", arrays)
    assert_close(got["sum"], expected["sum"].numpy())
    assert_close(got["all"], expected["all"].numpy())


USAGE = {
    "missing input": ([], "forward(x: Tensor, y: Tensor)"),
    "unknown input": (["--input", "z:3"], "no argument 'z'"),
    "bad size": (["--input", "x:3xa"], "not a whole number"),
    "bad dtype": (["--input", "x:3:float33"], "float32"),
    "bad opset": (["--opset", "9"], "--opset"),
    "bad axis": (["--input", "x:3", "--input", "y:3", "--dynamic", "x:1=N"], "no such axis"),
    "old opset for DeformConv": (["--deform-conv", "standard", "--opset", "17"], "--opset 19"),
}


@pytest.mark.parametrize("name", USAGE)
def test_usage_errors(exporter, name):
    flags, expected = USAGE[name]
    result = exporter.run(exporter.save(Wrong(), PAIR), *flags)
    assert result.returncode == 1
    assert expected in result.stderr


def test_file_that_is_no_model(exporter, tmp_path):
    (tmp_path / "model.pt").write_text("nothing")
    assert exporter.run(tmp_path / "model.pt").returncode == 2
    assert exporter.run(tmp_path / "missing.pt").returncode == 2


class Deformed(nn.Module):
    def __init__(self, mask):
        super().__init__()
        torchvision = pytest.importorskip("torchvision")
        self.deform = torchvision.ops.DeformConv2d(4, 6, 3, padding=1, stride=2, groups=2)
        self.offset = nn.Conv2d(4, 18, 3, padding=1, stride=2)
        self.mask = nn.Conv2d(4, 9, 3, padding=1, stride=2) if mask else None

    def forward(self, x):
        if self.mask is not None:
            return self.deform(x, self.offset(x), torch.sigmoid(self.mask(x)))
        return self.deform(x, self.offset(x))


@pytest.mark.parametrize("scripted", [False, True], ids=["traced", "scripted"])
@pytest.mark.parametrize("mask", [False, True], ids=["plain", "masked"])
@pytest.mark.parametrize("form", ["custom", "standard"])
def test_deform_conv(exporter, form, mask, scripted):
    x = {"x": torch.randn(1, 4, 7, 6)}
    file = exporter.export(Deformed(mask), x, "--deform-conv", form, scripted=scripted)
    wanted = ("", "DeformConv") if form == "standard" else ("custom", "deform_conv2d")
    node = next(n for n in onnx.load(str(file)).graph.node if (n.domain, n.op_type) == wanted)
    assert len(node.input) == (5 if mask else 4)
    assert opsets_of(file)[""] == (19 if form == "standard" else 17)


def test_torchvisions_library(exporter):
    torchvision = pytest.importorskip("torchvision")
    library = next(Path(torchvision.__file__).parent.glob("_C*.so"))
    exporter.export(Deformed(True), {"x": torch.randn(1, 4, 7, 6)}, "--load-library", str(library))


@pytest.mark.parametrize("form, nodes", [
    ("custom", [("custom", "my_add")]),
    ("decompose", [("", "Mul"), ("", "Add")]),
    ("function", [("custom", "my_add")]),
])  # fmt: skip
def test_my_add(exporter, torch_ops, form, nodes):
    torch.ops.load_library(torch_ops)

    class MyAdd(nn.Module):
        def forward(self, x, y):
            return torch.ops.linnet.my_add(x, y)

    file = exporter.export(MyAdd(), PAIR, "--my-add", form)
    assert nodes_of(file) == nodes
    assert len(onnx.load(str(file)).functions) == (form == "function")


def test_list_of_operators(exporter):
    result = subprocess.run([exporter.command, "--list-operators"], capture_output=True, text=True, check=True)
    names = result.stdout.split()
    assert "aten::conv2d" in names and len(names) == len(set(names)) >= 250
    schemas = torch._C._jit_get_all_schemas()
    known = {f"{schema.name}.{schema.overload_name}".rstrip(".") for schema in schemas}
    assert len(known & set(names)) >= 250, sorted(set(names) - known)
