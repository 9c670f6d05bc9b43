"""export_model: orders along an axis, distinct elements, running sums and extremes."""

import pytest
import torch

torch.manual_seed(0)

X = torch.randn(3, 4, 5)
WHOLE = torch.randint(-3, 4, (4, 6))


def top_values(x):
    """Compares values, because PyTorch may return any position of equal elements."""
    return x.topk(2)[0], x.topk(3, 0, largest=False)[0], x.gather(1, x.topk(2, 1)[1]), x.topk(1, sorted=False)[0]


def middle_values(x):
    return x.kthvalue(2)[0], x.kthvalue(1, 0, keepdim=True)[0], x.median(), x.median(1)[0], x.median(0, True)[0]


SORTING = {
    "sort": (lambda x: x.sort() + x.sort(1, descending=True), X),
    "sort equal elements": (lambda x: x.sort(dim=0, stable=True) + x.sort(dim=1, stable=True, descending=True), WHOLE),
    "sort bools": (lambda x: torch.sort(x > 0, dim=1, stable=True), WHOLE),
    "argsort": (lambda x: x.argsort(0) + torch.argsort(x, descending=True, dim=0), X),
    "msort": (lambda x: x.msort(), X),
    "topk": (top_values, X),
    "middles": (middle_values, X),
    "middles of whole numbers": (middle_values, WHOLE),
    "scalar": (lambda x: x.sort() + x.topk(1) + x.cummax(0) + (x.cumsum(0), x.median()), torch.randn(())),
    "cumsum": (lambda x: x.cumsum(0) + x.cumsum(-1), X),
    "cumsum of whole numbers": (
        lambda x: (x.cumsum(1), x.int().cumsum(0), (x > 0).cumsum(1), x.cumsum(0, dtype=torch.float)), WHOLE),
    "cumprod": (lambda x: x.tanh().cumprod(0) + x.tanh().cumprod(-1), X),
    "cumprod of whole numbers": (lambda x: x.cumprod(1), WHOLE),
    "running extremes": (lambda x: x.cummax(1) + x.cummin(2), X),
    "running extremes of whole numbers": (lambda x: x.cummax(1) + x.cummin(0), WHOLE),
    "logcumsumexp": (lambda x: x.logcumsumexp(1), X),
    "extremes": (lambda x: x.max(1) + x.min(2, keepdim=True) + (x.amax((0, 1)), x.amin(2), x.argmax(1), x.argmin()), X),
    "both extremes": (lambda x: torch.aminmax(x) + torch.aminmax(x, dim=1, keepdim=True), X),
}  # fmt: skip


def test_sorting(exporter):
    exporter.export_all(SORTING)


class Unique(torch.nn.Module):
    def forward(self, x):
        values, inverse, counts = torch.unique(x, return_inverse=True, return_counts=True)
        return values, inverse, counts, torch.unique((x > 1).int(), dim=1), torch.unique(x, return_counts=True)[1].sum()


@pytest.mark.parametrize("scripted", [False, True], ids=["traced", "scripted"])
def test_unique(exporter, scripted):
    exporter.export(Unique(), {"x": WHOLE}, scripted=scripted)


class Dynamic(torch.nn.Module):
    def forward(self, x):
        return x.sort(1)[0], x.topk(2, 1)[0], x.cumsum(1), x.topk(x.size(1) - 1, 1, largest=False)[0]


def test_dynamic_axis(exporter):
    exporter.export(Dynamic(), {"x": torch.randn(3, 5)}, "--dynamic", "x:1=N", scripted=True)
