"""export_model: tensors and masks as indices, gathering and scattering, triangles and diagonals, windows, grids."""

from typing import List, Optional

import pytest
import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)

X = torch.randn(3, 4, 5)
I = torch.tensor([2, -1, 0])  # noqa: E741
J = torch.tensor([[1, -3], [3, 0], [2, 2]])
M = torch.rand(3, 4) > 0.5
AT = torch.tensor([[0, 2, 1, 2, 0], [1, 1, 0, 2, 2]])
SRC = torch.randn(2, 5)
SELF = torch.randn(3, 5)


def put(x, where, values, **options):
    return x.clone().index_put(where, values, **options)


def put_apart(x, v):
    x = x.clone()
    x[[0, 2], :, [1, 4]] = v
    return x


def put_behind(x, v):
    x = x.clone()
    x[:, [0, 3]] = v
    return x


def assign(x, y):
    x = x.clone()
    x[:, 1] = y
    x[x > 1] = 0
    return x


INDEXING = {
    "one index": (lambda x, i: x[i], X, I),
    "one index, second axis": (lambda x, j: x[:, j], X, J),
    "two indices": (lambda x, i, j: x[i[:, None], j], X, I, J),
    "two indices behind an axis": (lambda x, i, j: x[:, i[:, None], j], X, I, J),
    "two indices apart": (lambda x, i, j: x[i[:, None], :, j], X, I, J),
    "three indices": (lambda x, i, j: x[i[:, None], j, j], X, I, J),
    "index and number": (lambda x, i: x[i, 1, i], X, I),
    "index and new axis": (lambda x, i: x[None, i], X, I),
    "constant index": (lambda x: x[:, [0, 3, 1]] + x[[1, 1, 2], [0, 1, 2]][0, 0], X),
    "put": (lambda x, i, j, v: put(x, (i[:, None], j), v), X, torch.tensor([2, 1, 0]), J % 4, torch.randn(5)),
    "put apart": (put_apart, X, torch.randn(2, 4)),
    "put behind": (put_behind, X, torch.randn(2, 5)),
    "accumulate": (lambda x, i, v: put(x, (i,), v, accumulate=True), X, I, torch.randn(4, 5)),
    "mask by number": (lambda x, m: put(x, (m,), torch.tensor(7.0)), X, M),
    "mask adds a number": (lambda x, m: put(x, (m,), torch.tensor(7.0), accumulate=True), X, M),
    "mask by row": (lambda x, m, v: put(x, (m,), v), X, M, torch.randn(5)),
    "assignments": (assign, X, torch.randn(3, 5)),
    "index_select": (lambda x, i: x.index_select(1, i.abs()) + x.index_select(-2, torch.tensor(1)), X, I),
    "index_add": (lambda x, i, v: x.index_add(1, i.abs(), v, alpha=2), X, I, torch.randn(3, 3, 5)),
    "index_copy": (lambda x, v: x.index_copy(0, torch.tensor([2, 0]), v), X, torch.randn(2, 4, 5)),
    "index_fill": (lambda x, i: x.index_fill(2, i.abs(), 3) + x.index_fill(0, i.abs(), x.sum()), X, I),
    "slice_scatter": (lambda x, v: torch.slice_scatter(x, v, 1, 1, None, 2), X, torch.randn(3, 2, 5)),
    "slice_scatter of a part": (lambda x, v: torch.ops.aten.slice_scatter(x, v, 2, -3, -1, 1), X, torch.randn(3, 4, 2)),
    "select_scatter": (lambda x, v: torch.select_scatter(x, v, 1, -1), X, torch.randn(3, 5)),
    "masked_scatter": (lambda x, m, s: x.masked_scatter(m[..., None], s), X, M, torch.randn(70)),
    "take": (lambda x, j: x.take(j), X, J),
    "take_along_dim": (lambda x, j: torch.take_along_dim(x, j[:, None].abs(), 2), X, J),
    "take_along_dim, flat": (lambda x, j: torch.take_along_dim(x, j.abs()), X, J),
    "gather": (lambda x, i: x.gather(0, i) + x.gather(-1, i[:, :3]).sum(), SELF, AT),
    "scatter": (lambda x, i, s: x.scatter(1, i[:, :2], s[:, 1:3]), SELF, AT, SRC),
    "scatter value": (lambda x, i: x.scatter(0, i, 9) + x.scatter(0, i, 2, reduce="multiply"), SELF, AT),
    "scatter reduce": (lambda x, i, s: x.scatter(0, i, s, reduce="add"), SELF, AT, SRC),
    "scatter add": (lambda x, i, s: x.scatter_add(0, i, s), SELF, AT, torch.randn(3, 5)),
    "scatter sum, prod, mean": (
        lambda x, i, s: tuple(x.scatter_reduce(0, i, s, r) for r in ("sum", "prod", "mean")), SELF, AT, SRC),
    "scatter without self": (
        lambda x, i, s: tuple(x.scatter_reduce(0, i, s, r, include_self=False) for r in ("sum", "prod", "mean")),
        SELF, AT, SRC),
    "one_hot": (lambda i: F.one_hot(i, 4), AT),
    "bucketize": (
        lambda x: tuple(torch.bucketize(x, torch.tensor([-1.0, 0, 0, 0.5]), right=r) for r in (False, True)), X),
    "bucketize int": (lambda j: torch.bucketize(j, torch.tensor([-1.5, 0, 2]), out_int32=True), J),
    "searchsorted": (
        lambda x, v: (torch.searchsorted(x.sort(-1)[0], v), torch.searchsorted(x.sort(-1)[0], v, side="right")),
        SELF, torch.randn(3, 2)),
}  # fmt: skip
SHAPES = {
    "triangles": (lambda x: x.tril(1) + x.triu(-1), X),
    "triangle of bools": (lambda x: (x > 0).triu(1), X),
    "diagonals": (lambda x: (x.diagonal(), x.diagonal(1, -1, 0), torch.diagonal(x, -2, 1, 2)), X),
    "diag": (lambda x, y: (x.diag(), y.diag(), y.diag(-2), x.diag(1)), SELF, torch.randn(4)),
    "diag_embed": (lambda x: (torch.diag_embed(x), x.diag_embed(1, 0, 2), x.diag_embed(-2)), SELF),
    "diagflat": (lambda x: torch.diagflat(x, 1), SELF),
    "trace": (lambda x: x.trace(), SELF),
    "eye": (lambda x: x @ torch.eye(5) + torch.eye(3, 5), SELF),
    "windows": (lambda x: x.unfold(1, 2, 1) + x.unfold(-2, 2, 1), X),
    "blocks": (lambda x: F.unfold(x, (2, 3), dilation=(2, 1), padding=1, stride=2), torch.randn(2, 3, 7, 6)),
    "folded": (lambda x: F.fold(x, (7, 6), (2, 3), dilation=(2, 1), padding=1, stride=2), torch.randn(2, 18, 12)),
    "folded without batch": (lambda x: F.fold(x, (4, 5), 2), torch.randn(8, 12)),
    "rot90": (lambda x: tuple(x.rot90(k, (1, 2)) for k in (-1, 0, 1, 2, 3)), X),
    "flips": (lambda x: x.fliplr() + x.flipud(), X),
    "meshgrid": (lambda x, y: torch.meshgrid(x, y, indexing="ij") + torch.meshgrid(x, y, indexing="xy"),
                 torch.randn(3), torch.randn(2)),
    "cartesian_prod": (lambda x, y: torch.cartesian_prod(x, y, x), torch.randn(3), torch.randn(2)),
    "repeat_interleave": (lambda x: (x.repeat_interleave(torch.tensor([1, 0, 2]), 0), x.repeat_interleave(2, 1)), SELF),
    "stacks of vectors": (lambda x: (torch.hstack((x, x)), torch.vstack((x, x)), torch.dstack((x, x)),
                                     torch.column_stack((x, x))), torch.randn(3)),
    "stacks of matrices": (lambda x: (torch.hstack((x, x)), torch.vstack((x, x)), torch.dstack((x, x)),
                                      torch.column_stack((x, x[:, 0]))), SELF),
    "splits": (lambda x: x.tensor_split((1, 3), 2) + x.hsplit(2) + x.vsplit((1, 2)) + x.dsplit((2,)), X),
    "chunks": (lambda x: x.tensor_split(2, 1) + x.chunk(3, 2) + x.unbind(1) + x.split((1, 2), 0), X),
    "diff": (lambda x, y: (x.diff(), x.diff(2, 0), torch.diff(x, append=y), (x > 0).diff()), SELF, torch.randn(3, 1)),
    "moved": (lambda x: (x.movedim(0, 2), x.movedim((0, 1), (2, 0)), x.swapaxes(0, 1)), X),
    "narrow": (lambda x: x.narrow(1, 1, 2) + x[:, -2:], X),
    "like others": (lambda x, y: y.expand_as(x) + y.broadcast_to(3, 4, 5) + x.reshape(-1).view_as(x), X, X[:1]),
    "rolled": (lambda x: x.roll(1, 0) + x.roll((-2, 1), (1, 2)), X),
}  # fmt: skip


@pytest.mark.parametrize("cases", [INDEXING, SHAPES], ids=["indexing", "shapes"])
def test_indexing(exporter, cases):
    exporter.export_all(cases)


def test_extremes_of_scattered_elements(exporter):
    def extremes(x, i, s):
        return tuple(x.scatter_reduce(0, i, s, r, include_self=b) for r in ("amax", "amin") for b in (True, False))

    exporter.export_all({"float": (extremes, SELF, AT, SRC), "int": (extremes, AT, AT % 2, AT)}, "--opset", "18")


SELECTIONS = {
    "mask": lambda x, m: x[m],
    "mask of the first axis": lambda x, m: x[m[:, 0]],
    "mask behind an axis": lambda x, m: x.transpose(0, 2)[:, m.t()] * 2,
    "mask and index": lambda x, m: x[m[:, 1], 2],
    "masked_select": lambda x, m: x.masked_select(m[..., None]).view(-1, 5),
    "nonzero": lambda x, m: m.nonzero(),
    "where": lambda x, m: torch.stack(torch.where(x > 0)).float(),
    "indices": lambda x, m: sum(m.nonzero(as_tuple=True)),
    "rows": lambda x, m: F.relu(x[m]).sum(1, keepdim=True).expand(-1, 3).reshape(-1),
    "unique": lambda x, m: torch.unique(x.round()),
}


class Selection(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x, m):
        return self.function(x, m)


@pytest.mark.parametrize("name", SELECTIONS)
def test_size_that_contents_decide(exporter, name):
    exporter.export(Selection(SELECTIONS[name]), {"x": X, "m": M})


def test_size_that_is_always_the_same_is_refused(exporter):
    message = exporter.refusal(Selection(lambda x, m: x[m | ~m]), {"x": X, "m": M})
    assert "aten::index.Tensor" in message and "the same for all examples" in message


class Scripted(nn.Module):
    """Indexing as TorchScript compiles it."""

    def forward(self, x, i, m):
        rows: List[Optional[torch.Tensor]] = [None, i]
        y = x[i][:, :3] + torch.ops.aten.index(x, rows)
        z = x[:, 1:].clone()
        z[i, :, i] = 2.0
        x = x * 1
        x[m] = -1.0
        x.masked_fill_(x > 1, 0.5)
        return y, z, x, x[i, 1], x.gather(2, i[None, None].expand(3, 4, -1))


def test_scripted_indexing(exporter):
    exporter.export(Scripted(), {"x": torch.randn(3, 4, 4), "i": torch.tensor([0, 1, 2]), "m": M}, scripted=True)


class Dynamic(nn.Module):
    def forward(self, x, i):
        y = x[i, :, i] + x.index_select(0, i)[:, :, 0]
        rows = x.gather(0, i[:, None, None].expand(-1, 4, 4))
        return y, rows, x.tril(), x.index_put((i,), y[..., None]), x.sort(0)[0]


def test_dynamic_axes(exporter):
    inputs = {"x": torch.randn(3, 4, 4), "i": torch.tensor([0, 1, 2])}
    exporter.export(Dynamic(), inputs, "--dynamic", "x:0=N", "--dynamic", "i:0=K", scripted=True)


def test_classes_must_be_given(exporter):
    assert "number of classes" in exporter.refusal(Selection(lambda x, m: F.one_hot(m.long())), {"x": X, "m": M})
