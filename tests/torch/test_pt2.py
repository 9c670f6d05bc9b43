"""Programs of torch.export, run by Linnet without PyTorch: results equal PyTorch's, also at other sizes."""

import re

import numpy as np
import pytest
import torch
from exported import assert_close
from installation import HAS_DYNAMO

if not HAS_DYNAMO:
    pytest.skip("this PyTorch writes .pt2 files of an older layout", allow_module_level=True)

from programs import PROGRAMS  # noqa: E402
from torch.export import Dim  # noqa: E402


def numpy_of(tensors):
    return [tensor.detach().numpy() for tensor in tensors]


def leaves(result):
    return torch.utils._pytree.tree_leaves(result)


def save(path, module, example, dynamic=None, decomposed=False):
    program = torch.export.export(module, example, dynamic_shapes=dynamic)
    if decomposed:
        program = program.run_decompositions()
    torch.export.save(program, path)
    return [spec.arg.name for spec in program.graph_signature.input_specs if spec.kind.name == "USER_INPUT"]


def check(run_model, file, names, module, args):
    got = run_model.outputs(file, dict(zip(names, numpy_of(args))))
    want = numpy_of(leaves(module(*args)))
    assert len(got) == len(want)
    for one, other in zip(got.values(), want):
        assert_close(one, other.astype("float64") if other.dtype.kind == "f" else other)


@pytest.mark.parametrize("decomposed", [False, True], ids=["training", "aten"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_agrees_with_pytorch(tmp_path, run_model, name, decomposed):
    program = PROGRAMS[name]
    torch.manual_seed(0)
    module = program.module().eval()
    file = tmp_path / "m.pt2"
    names = save(file, module, program.example(2, 5), program.dynamic, decomposed)
    for sizes in [(2, 5), (3, 7), (1, 4)] if program.dynamic else [(2, 5)]:
        check(run_model, file, names, module, program.example(*sizes))


class Counter(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("total", torch.zeros(3))

    def forward(self, x):
        self.total.add_(x)
        return self.total * 2


@pytest.mark.parametrize("decomposed", [False, True], ids=["training", "aten"])
def test_buffers_that_a_program_changes_are_states(tmp_path, run_model, decomposed):
    x = torch.tensor([1.0, 2.0, 3.0])
    file = tmp_path / "counter.pt2"
    save(file, Counter(), (x,), decomposed=decomposed)
    first = run_model.outputs(file, {"x": x.numpy()})
    np.testing.assert_array_equal(first["output"], [2, 4, 6])
    second = run_model.outputs(file, {"x": x.numpy(), "total": first["total.next"]})
    np.testing.assert_array_equal(second["output"], [4, 8, 12])


class Last(torch.nn.Module):
    """Overwrites its buffer without reading it."""

    def __init__(self):
        super().__init__()
        self.register_buffer("last", torch.ones(3))

    def forward(self, x):
        self.last.copy_(x)
        return self.last + 1


class InList(torch.nn.Module):
    """torch.export makes a constant of its tensor, which has no registered name."""

    def __init__(self):
        super().__init__()
        self.box = [torch.zeros(3)]

    def forward(self, x):
        self.box[0].add_(x)
        return self.box[0] * 1


@pytest.mark.parametrize("make", [Last, InList])
def test_states_follow_pytorchs_calls(tmp_path, run_model, make):
    program = torch.export.export(make(), (torch.ones(3),), strict=False)
    torch.export.save(program, tmp_path / "m.pt2")
    module, state = program.module(), {}
    for i in range(3):
        x = torch.full((3,), float(i + 1))
        want = module(x).numpy()
        got = run_model.outputs(tmp_path / "m.pt2", {"x": x.numpy(), **state})
        np.testing.assert_array_equal(got.pop("output"), want)
        state = {name.removesuffix(".next"): value for name, value in got.items()}
        assert len(state) == 1


class Relative(torch.nn.Module):
    """The slice's offset is only used in a check, by an operator without a rule."""

    def __init__(self):
        super().__init__()
        self.positions = torch.nn.Parameter(torch.randn(32, 4))

    def forward(self, x):
        span = torch.tensor(min(x.shape[1], 16))
        return self.positions[16 - span : 16 + span, :].unsqueeze(0).sum() + x


def test_numbers_that_only_checks_read(tmp_path, run_model):
    torch.manual_seed(0)
    module, file = Relative(), tmp_path / "m.pt2"
    names = save(file, module, (torch.randn(2, 5, 4),), ({1: Dim.DYNAMIC},))
    check(run_model, file, names, module, (torch.randn(2, 7, 4),))


def test_dims_have_the_names_of_symbols(tmp_path, run_model):
    """In the file, PyTorch names Dim("batch") s0, s77 or similar."""
    file = tmp_path / "m.pt2"
    save(file, torch.nn.Linear(3, 2), (torch.rand(4, 3),), {"input": {0: Dim("batch")}})
    text = run_model("inspect", file).stdout
    symbols = re.findall(r"float32\[(s\d+),[32]\]", text)
    assert len(symbols) == 2 and symbols[0] == symbols[1], text
