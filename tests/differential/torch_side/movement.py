"""Operators that move elements."""

import math

import torch
from request import counterpart, need
from torch.nn import functional as F


@counterpart("Concat")
def concat(r):
    return torch.cat(r.inputs, r.get("axis", 1))


@counterpart("Expand")
def expand(r):
    return torch.broadcast_to(r.inputs[0], torch.broadcast_shapes(r.inputs[0].shape, tuple(r.ints(1))))


@counterpart("Gather")
def gather(r):
    x, indices, axis = r.inputs[0], r.inputs[1].long(), r.get("axis", 0)
    axis %= x.dim()
    wrapped = torch.where(indices < 0, indices + x.shape[axis], indices)
    found = torch.index_select(x, axis, wrapped.reshape(-1))
    return found.reshape((*x.shape[:axis], *indices.shape, *x.shape[axis + 1 :]))


@counterpart("GatherElements")
def gather_elements(r):
    x, indices, axis = r.inputs[0], r.inputs[1].long(), r.get("axis", 0)
    return torch.gather(x, axis, torch.where(indices < 0, indices + x.shape[axis], indices))


@counterpart("ScatterElements", "Scatter")
def scatter_elements(r):
    x, indices, updates, axis = r.inputs[0], r.inputs[1].long(), r.inputs[2], r.get("axis", 0)
    indices = torch.where(indices < 0, indices + x.shape[axis], indices)
    how = r.get("reduction", "none")
    if how == "none":
        return torch.scatter(x, axis, indices, updates)
    need(x.dtype != torch.bool, "reductions of bools")
    return torch.scatter_reduce(
        x, axis, indices, updates, {"add": "sum", "mul": "prod", "max": "amax", "min": "amin"}[how]
    )


@counterpart("ScatterND")
def scatter_nd(r):
    need(r.get("reduction", "none") in ("none", "add"), "other reductions")
    x, indices, updates = r.inputs[0].clone(), r.inputs[1].long(), r.inputs[2]
    at = tuple(indices.movedim(-1, 0))
    need(len(at) > 0, "no axes")
    return x.index_put(at, updates, accumulate=r.get("reduction", "none") == "add")


@counterpart("Pad")
def pad(r):
    x, mode = r.inputs[0], r.get("mode", "constant")
    pads = r.ints(1) if r.since >= 11 else r.get("pads", r.get("paddings"))
    axes = r.ints(3) if r.since >= 11 and r.input(3) is not None else list(range(x.dim()))
    begin, end = [0] * x.dim(), [0] * x.dim()
    for i, axis in enumerate(axes):
        begin[axis], end[axis] = pads[i], pads[i + len(axes)]
    value = r.input(2) if r.since >= 11 else r.get("value", 0.0)
    value = value.reshape(()).item() if isinstance(value, torch.Tensor) else value
    if mode == "constant":
        flat = [n for axis in reversed(range(x.dim())) for n in (begin[axis], end[axis])]
        return F.pad(x, flat, value=value or 0)
    # PyTorch pads only the last axes of a batch, so each axis in turn becomes the last of three.
    need(r.is_float(), "integers")
    names = {"reflect": "reflect", "edge": "replicate", "wrap": "circular"}
    for axis in range(x.dim()):
        moved = x.movedim(axis, -1)
        padded = F.pad(moved.reshape(1, -1, moved.shape[-1]), (begin[axis], end[axis]), mode=names[mode])
        x = padded.reshape(*moved.shape[:-1], padded.shape[-1]).movedim(-1, axis)
    return x


@counterpart("Tile")
def tile(r):
    need(r.since >= 6, "one axis")
    return r.inputs[0].repeat(r.ints(1))


@counterpart("Transpose")
def transpose(r):
    return r.inputs[0].permute(r.get("perm", list(reversed(range(r.inputs[0].dim())))))


@counterpart("Trilu")
def trilu(r):
    k = 0 if r.input(1) is None else int(r.inputs[1].reshape(()))
    return (torch.triu if r.get("upper", 1) else torch.tril)(r.inputs[0], k)


@counterpart("Split")
def split(r):
    axis, x = r.get("axis", 0), r.inputs[0]
    sizes = r.ints(1) if r.since >= 13 and r.input(1) is not None else r.get("split")
    if sizes is None:
        need(r.since >= 18, "equal parts of some versions")
        return torch.split(x, max(1, -(-x.shape[axis] // r.get("num_outputs"))), axis)
    return torch.split(x, sizes, axis)


@counterpart("Slice")
def slices(r):
    need(r.since >= 10, "attributes")
    x, starts, ends = r.inputs[0], r.ints(1), r.ints(2)
    axes = r.ints(3) if r.input(3) is not None else list(range(len(starts)))
    steps = r.ints(4) if r.input(4) is not None else [1] * len(starts)
    need(all(step > 0 for step in steps), "negative steps")
    at = [slice(None)] * x.dim()
    for axis, start, end, step in zip(axes, starts, ends, steps):
        at[axis] = slice(start, end, step)
    return x[tuple(at)]


@counterpart("SpaceToDepth")
def space_to_depth(r):
    """PyTorch orders the positions in a block within a channel, ONNX the channels within a position."""
    x, n = r.inputs[0], r.get("blocksize")
    need(x.numel() > 0, "no elements")
    y = F.pixel_unshuffle(x, n)
    if r.get("mode", "DCR") == "CRD":
        return y
    return y.reshape(x.shape[0], x.shape[1], n * n, *y.shape[2:]).transpose(1, 2).reshape(y.shape)


@counterpart("Range")
def arange(r):
    start, end, step = (x.reshape(()).item() for x in r.inputs)
    return torch.arange(start, end, step, dtype=torch.float64 if r.is_float() else torch.int64)


@counterpart("Flatten")
def flatten(r):
    x, axis = r.inputs[0], r.get("axis", 1)
    axis = axis + x.dim() if axis < 0 else axis
    return x.reshape(math.prod(x.shape[:axis]), math.prod(x.shape[axis:]))


@counterpart("OneHot")
def one_hot(r):
    depth, values = int(r.inputs[1].reshape(())), r.inputs[2]
    need(r.inputs[0].numel() > 0 and bool((r.inputs[0] >= 0).all()), "negative indices")
    need(bool((r.inputs[0] < depth).all()) and not r.kinds[0].startswith("bool"), "indices beyond")
    one = F.one_hot(r.inputs[0].long(), depth).movedim(-1, r.get("axis", -1))
    return torch.where(one.bool(), values[1], values[0])


@counterpart("DepthToSpace")
def depth_to_space(r):
    need(r.get("mode", "DCR") == "CRD", "the order of channels that pixel_shuffle does not have")
    return F.pixel_shuffle(r.inputs[0], r.get("blocksize"))


@counterpart("Compress")
def compress(r):
    x, condition, axis = r.inputs[0], r.inputs[1], r.get("axis")
    x, axis = (x.reshape(-1), 0) if axis is None else (x, axis)
    return torch.index_select(x, axis, torch.nonzero(condition[: x.shape[axis]]).reshape(-1))


@counterpart("Col2Im")
def col2im(r):
    image, block = r.ints(1), r.ints(2)
    need(len(image) == 2, "two axes")
    pads = r.get("pads", [0, 0, 0, 0])
    need(pads[:2] == pads[2:], "uneven pads")
    return F.fold(r.inputs[0], image, block, r.get("dilations", [1, 1]), pads[:2], r.get("strides", [1, 1]))


@counterpart("EyeLike")
def eye_like(r):
    rows, columns = r.inputs[0].shape
    return torch.diag_embed(torch.ones(max(rows, columns))).new_zeros(rows, columns) + torch.triu(
        torch.tril(torch.ones(rows, columns), r.get("k", 0)), r.get("k", 0)
    )
