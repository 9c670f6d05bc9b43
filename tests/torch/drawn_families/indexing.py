"""Elements and rows by position, masks and tables."""

from drawn import ALL, NUMERIC, WIDE, Spec


def indexing(d):
    rank = d.tensor("x", ALL, d.shape(1, 3))
    low, high = d.choice(((0, 0), (-1, 0)))
    d.tensor("i", ("int64", "int32", "int64"), d.shape(0, 2, 3), low=low, high=high)
    d.broadcastable("j", "i", ("int64",), low=low, high=high)
    along = d.integer(0, rank - 1)
    own = ":, " * along
    return d.choice(
        [
            f"x[{own}i.long()]",
            "x[i.long()]",
            "x[..., i.long()]",
            f"x.index_select({d.axis(rank)}, i.flatten().abs())",
            "x[i.long(), j]" if rank > 1 else "x[j]",
            "x[i.long(), :, j]" if rank > 2 else "x[i.long()]",
            "x[:, i.long(), j]" if rank > 2 else "x[j]",
            "torch.take(x, i.long().abs())",
            "x[i.long()[None]]",
        ]
    )


def masking(d):
    d.tensor("x", ALL)
    d.like("m", "x", ("bool",))
    return d.choice(
        [
            "x[m]",
            "torch.masked_select(x, m)",
            "torch.nonzero(x)",
            "torch.where(m)",
            "torch.argwhere(x)",
            "torch.unique(x)",
            "x[m].sum()",
            "x.masked_fill(m, 2)",
            "x.masked_scatter(m, x * 2)",
            "torch.unique(x, return_inverse=True, return_counts=True)",
            "x[m] / x[m].size(0)",
            "torch.nonzero(m).size(0) + x",
            "x.clone().masked_fill_(m, 1)",
            "torch.unique(x, dim=0)",
            "torch.index_put(x, [m], torch.ones(1, dtype=x.dtype))",
            "torch.ones(int(m.sum())) * 2",
            "torch.arange(int(m.sum()))",
        ]
    )


def along_axis(d):
    rank = d.tensor("x", NUMERIC, d.shape(0, 3))
    d.like("i", "x", ("int64",), low=0, high=0)
    d.like("s", "x")
    axis, reduce = d.axis(rank), d.choice(("sum", "prod", "mean", "amax", "amin"))
    return d.choice(
        [
            f"torch.gather(x, {axis}, i)",
            f"x.scatter({axis}, i, s)",
            f"x.scatter({axis}, i, 1)",
            f"x.scatter_add({axis}, i, s)",
            f"x.scatter_reduce({axis}, i, s, '{reduce}', include_self={d.flag()})",
            f"x.scatter({axis}, i, s, reduce='{d.choice(('add', 'multiply'))}')",
            f"torch.take_along_dim(x, i, {axis})",
            f"x.clone().scatter_({axis}, i, s)",
            f"x.index_add({axis}, i.flatten()[:1], s[:1])" if rank == 1 else "x",
            f"x.index_fill({axis}, i.flatten()[:1], 3)",
            f"x.index_copy({axis}, torch.arange(x.size({axis})), s)",
            f"torch.select_scatter(x, x.select({axis}, 0) * 2, {axis}, -1)",
            f"torch.slice_scatter(x, x.narrow({axis}, 0, 1) * 2, {axis}, 0, 1)",
        ]
    )


def embedding(d):
    rows = d.integer(4, 7)
    d.tensor("i", ("int64", "int32"), d.shape(1, 2), low=0, high=rows - 1)
    d.specs["w"] = Spec(d.choice(WIDE), [rows, d.integer(1, 4)])
    pad = d.choice(("None", "0", "-1", "3"))
    if d.flag() == "True":
        return f"F.embedding(i, w, padding_idx={pad})"
    d.tensor("i", ("int64", "int32"), [d.integer(1, 6)], low=0, high=rows - 1)
    mode = d.choice(("sum", "mean", "max"))
    if mode == "max":
        d.specs["w"].kind = "plain"  # whether NaN is the maximum of a bag depends on its position
    if d.rare():
        d.tensor("i", "int64", [d.integer(1, 3), d.integer(1, 4)], low=0, high=rows - 1)
        return f"F.embedding_bag(i, w, mode='{mode}', padding_idx={pad})"
    return f"F.embedding_bag(i, w, torch.zeros(1, dtype=i.dtype), mode='{mode}', padding_idx={pad})"
