"""export_model: sizes that contents determine, or that differ between branches or rounds, are not constants of the
file.

Each module runs on inputs with other sizes than the examples of the export.
"""

import pytest
import torch
from exported import assert_close
from torch import nn

torch.manual_seed(0)


class OnesOf(nn.Module):
    def forward(self, x, y):
        return torch.ones(int(x)) * y


class OnlyOnes(nn.Module):
    def forward(self, x):
        return torch.ones(int(x))


class RangeOfCount(nn.Module):
    def forward(self, x):
        return torch.arange(int((x > 0).sum())) + x.sum().long()


class SliceOfSelected(nn.Module):
    def forward(self, x):
        y = x[x > 0][:2]
        return y / y.size(0)


class SizeOfBranch(nn.Module):
    def forward(self, x):
        y = x
        if bool(x.sum() > 0):
            y = x[:, 1:]
        return y / y.size(1)


class ConditionOnSizeOfBranch(nn.Module):
    def forward(self, x):
        y = x
        if bool(x.sum() > 0):
            y = torch.cat([x, x])
        if y.size(0) > 4:
            y = y + 10
        return y


class TupleOfBranch(nn.Module):
    def forward(self, x):
        if bool(x.sum() > 0):
            y, z = x[:1], x + 1
        else:
            y, z = x, x - 1
        return y.sum(0), z, y.size(0)


class SizeOfRounds(nn.Module):
    def forward(self, x):
        y = x
        for i in range(int(x.abs().max())):
            if y.size(1) > 2:
                y = y[:, 1:]
        return y / y.size(1)


class GrowsInRounds(nn.Module):
    def forward(self, x, n):
        y = x[:1]
        for i in range(int(n)):
            y = torch.cat([y, x[: i + 1] * y.size(0)])
        return y / y.size(0)


class RowsOfRounds(nn.Module):
    def forward(self, x, n):
        y = torch.zeros(3)
        for i in range(int(n)):
            y = y * y.size(0) + x[i]
        return y


MATRICES = [torch.randn(3, 4) * scale + shift for scale in (1, 4) for shift in (-3, 0, 3)]
COUNTS = [torch.tensor(n) for n in (0, 1, 2, 4)]
FOLLOWED = {
    "ones": (OnesOf(), {"x": torch.tensor(3), "y": torch.tensor(2.0)}, [(n, torch.tensor(0.5)) for n in COUNTS]),
    "ones alone": (OnlyOnes(), {"x": torch.tensor(3)}, [(n,) for n in COUNTS]),
    "range": (RangeOfCount(), {"x": torch.randn(4)}, [(torch.tensor(x),) for x in ([1.0, 2, 3, 4], [-1.0, -1, 0, 1])]),
    "branch": (SizeOfBranch(), {"x": MATRICES[0]}, [(x,) for x in MATRICES]),
    "condition": (ConditionOnSizeOfBranch(), {"x": MATRICES[0]}, [(x,) for x in MATRICES]),
    "tuple": (TupleOfBranch(), {"x": MATRICES[0]}, [(x,) for x in MATRICES]),
    "rounds": (SizeOfRounds(), {"x": torch.randn(3, 6)}, [(torch.randn(3, 6) * scale,) for scale in (0.1, 1, 9)]),
    "growing": (GrowsInRounds(), {"x": torch.randn(4, 2), "n": COUNTS[2]}, [(torch.randn(4, 2), n) for n in COUNTS]),
    "rows": (RowsOfRounds(), {"x": torch.randn(4, 3), "n": COUNTS[2]}, [(torch.randn(4, 3), n) for n in COUNTS]),
}  # fmt: skip


@pytest.mark.parametrize("name", FOLLOWED)
def test_sizes_are_followed(exporter, run_model, name):
    module, example, others = FOLLOWED[name]
    file = exporter.export(module, example, scripted=True)
    for inputs in others:
        expected = module(*inputs)
        arrays = {key: tensor.numpy() for key, tensor in zip(example, inputs)}
        got = list(run_model.outputs(file, arrays).values())
        for value, wanted in zip(got, expected if isinstance(expected, tuple) else [expected]):
            assert_close(value, torch.as_tensor(wanted).numpy())


class SizesThatAgree(nn.Module):
    def forward(self, x):
        return torch.ones(int(x.abs().sum() > -1))


class BranchesOfOtherRank(nn.Module):
    def forward(self, x):
        y = x
        if bool(x.sum() > 0):
            y = x[0]
        return y


@pytest.mark.parametrize("module, reason", [
    (SliceOfSelected(), "aten::slice.Tensor: the contents of the inputs decide on the size"),
    (SizesThatAgree(), "aten::ones: a number that depends on the inputs decides on a size"),
    (BranchesOfOtherRank(), "prim::If: its branches give different ranks"),
])  # fmt: skip
def test_sizes_that_cannot_be_followed_are_refused(exporter, module, reason):
    message = exporter.refusal(module, {"x": torch.randn(64, 2)}, scripted=True)
    assert reason in message and "test_export_open_sizes.py:" in message


class WritesInBranch(nn.Module):
    def forward(self, x):
        y = x * 2
        if bool(x.sum() > 0):
            z = y + 1
            z.add_(3).mul_(y)
            torch.nn.functional.relu(z, inplace=True)
        else:
            z = y - 1
        return z


class WritesToOutside(nn.Module):
    def forward(self, x):
        y = torch.zeros(3)
        for i in range(int(x.abs().max())):
            y += 1
        return x + y


@pytest.mark.parametrize("shift", [-3, 3])
def test_writes_to_tensors_of_a_branch(exporter, run_model, shift):
    file = exporter.export(WritesInBranch(), {"x": torch.randn(3)}, scripted=True)
    x = torch.randn(3) + shift
    assert_close(run_model.outputs(file, {"x": x.numpy()})["output"], WritesInBranch()(x).numpy())


def test_writes_to_tensors_from_outside_of_a_loop_are_refused(exporter):
    message = exporter.refusal(WritesToOutside(), {"x": torch.randn(3)}, scripted=True)
    assert "aten::add_" in message and "from outside" in message


class SqueezesAll(nn.Module):
    def forward(self, x):
        return x.squeeze() + 1


def test_axis_that_is_dropped_where_its_size_is_1_is_no_dynamic_one(exporter):
    message = exporter.refusal(SqueezesAll(), {"x": torch.randn(4, 1, 3)}, "--dynamic", "x:0=N")
    assert "aten::squeeze" in message and "test_export_open_sizes.py:" in message
