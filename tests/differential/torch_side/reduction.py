"""Reductions, and operators that order or normalise along an axis."""

import torch
from request import counterpart, need


def axes_of(r):
    given = r.get("axes") if "axes" in r.attributes else r.ints(1)
    if given:
        return given
    need(not r.get("noop_with_empty_axes", 0), "an empty set of axes")
    return list(range(r.inputs[0].dim()))


def log_sum_exp(x, axes, keep):
    return torch.logsumexp(x, axes, keep)


REDUCTIONS = {
    "ReduceSum": torch.sum,
    "ReduceMean": torch.mean,
    "ReduceL1": lambda x, axes, keep: x.abs().sum(axes, keep),
    "ReduceL2": lambda x, axes, keep: torch.linalg.vector_norm(x, 2, axes, keep),
    "ReduceSumSquare": lambda x, axes, keep: (x * x).sum(axes, keep),
    "ReduceLogSum": lambda x, axes, keep: x.sum(axes, keep).log(),
    "ReduceLogSumExp": log_sum_exp,
    "ReduceMax": torch.amax,
    "ReduceMin": torch.amin,
}


@counterpart(*REDUCTIONS)
def reduce(r):
    x, exact = r.inputs[0], r.name in ("ReduceSum", "ReduceMax", "ReduceMin", "ReduceL1", "ReduceSumSquare")
    need(r.is_float() or exact, "integers")
    need(x.dim() > 0, "rank 0")
    if r.name in ("ReduceL1", "ReduceSumSquare") and not r.is_float():
        x = x.long()
    axes = [axis % x.dim() for axis in axes_of(r)]
    return REDUCTIONS[r.name](x, axes, bool(r.get("keepdims", 1)))


@counterpart("ReduceProd")
def product(r):
    x, keep = r.inputs[0], bool(r.get("keepdims", 1))
    need(x.dim() > 0, "rank 0")
    for axis in sorted((axis % x.dim() for axis in axes_of(r)), reverse=True):
        x = torch.prod(x, axis, keep)
    return x


@counterpart("ArgMax", "ArgMin")
def arg_extreme(r):
    need(not r.get("select_last_index", 0), "the last of equal elements")
    function = torch.argmax if r.name == "ArgMax" else torch.argmin
    return function(r.inputs[0], r.get("axis", 0), bool(r.get("keepdims", 1)))


@counterpart("Softmax", "LogSoftmax")
def softmax(r):
    need(r.since >= 13, "several axes at once")
    return (torch.softmax if r.name == "Softmax" else torch.log_softmax)(r.inputs[0], r.get("axis", -1))


@counterpart("Hardmax")
def hardmax(r):
    need(r.since >= 13, "several axes at once")
    x, axis = r.inputs[0], r.get("axis", -1)
    need(x.numel() > 0, "no elements")
    best = x.argmax(axis, keepdim=True)
    need(bool((x == x.amax(axis, keepdim=True)).sum(axis).eq(1).all()), "ties")
    return torch.zeros_like(x).scatter(axis, best, 1)


@counterpart("LpNormalization")
def lp_normalization(r):
    x, axis = r.inputs[0], r.get("axis", -1)
    return torch.nn.functional.normalize(
        x, r.get("p", 2), axis, eps=0 if bool((x.abs().sum(axis) > 0).all()) else 1e-300
    )


@counterpart("TopK")
def top_k(r):
    k = r.get("k") if r.since < 10 else r.ints(1)[0]
    need(r.is_float() or r.kinds[0] in ("int32", "int64"), "a type that topk does not take")
    x, axis = r.inputs[0], r.get("axis", -1)
    # The order of equal elements is unspecified in PyTorch.
    need(all(row.unique().numel() == row.numel() for row in x.transpose(axis, -1).reshape(-1, x.shape[axis])), "ties")
    return torch.topk(x, k, axis, bool(r.get("largest", 1)), True)


@counterpart("NonZero")
def non_zero(r):
    return torch.nonzero(r.inputs[0]).T


@counterpart("Unique")
def unique(r):
    need(r.get("sorted", 1) and len(r.output_kinds) == 1, "another order, or positions")
    axis = r.get("axis")
    return torch.unique(r.inputs[0], dim=axis)


@counterpart("NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss")
def loss(r):
    x, labels, weight = r.inputs[0], r.inputs[1].long(), r.input(2)
    options = {"weight": weight, "reduction": r.get("reduction", "mean"), "ignore_index": r.get("ignore_index", -100)}
    if r.name == "NegativeLogLikelihoodLoss":
        return torch.nn.functional.nll_loss(x, labels, **options)
    return torch.nn.functional.cross_entropy(x, labels, **options), torch.log_softmax(x, 1)
