"""Shapes, orders of axes, parts, and tensors that are joined or created."""

from drawn import ALL, FLOATS, NUMERIC


def reshape(d):
    rank = d.tensor("x", ALL)
    sizes = d.specs["x"].sizes
    if rank and d.flag() == "True":
        cut = d.integer(0, rank - 1)
        named = [str(size) if isinstance(size, int) else f"x.size({i})" for i, size in enumerate(sizes)]
        return f"x.{d.choice(('reshape', 'view'))}({', '.join(named[:cut] + ['-1'])})"
    a, b = sorted((d.axis(rank) % max(rank, 1), d.axis(rank) % max(rank, 1)))
    return d.choice(
        [
            f"torch.flatten(x, {a}, {b})",
            "x.flatten()",
            f"x.flatten({a})",
            "x.ravel()",
            "x.view_as(x * 2)",
            f"torch.squeeze(x, {d.axis(rank)})",
            "x.squeeze()",
            f"x.unsqueeze({d.axis(rank + 1)})",
            f"x.unflatten({d.axis(rank)}, (1, -1))",
            "torch.atleast_1d(x)",
            "torch.atleast_2d(x)",
            "torch.atleast_3d(x)",
            "x.reshape(-1)",
            "x.reshape(x.shape)",
            "x.contiguous()",
            "x.numpy_T()",
            f"x.unsqueeze({d.axis(rank + 1)}).squeeze({d.axis(rank + 1)})",
        ]
    )


def permute(d):
    rank = d.tensor("x", ALL)
    order = d.random.sample(range(rank), rank)
    order = [axis - rank * d.integer(0, 1) for axis in order]
    a, b = d.axis(rank), d.axis(rank)
    return d.choice(
        [
            f"x.permute({order})",
            f"x.transpose({a}, {b})",
            f"x.swapaxes({a}, {b})",
            f"x.swapdims({a}, {b})",
            f"torch.movedim(x, {a}, {b})",
            "x.t()",
            "x.mT",
            "x.T",
            "x.mH",
            "x.adjoint()",
            "x.H",
            f"(x + 0).transpose_({a}, {b})",
            "(x + 0).t_()",
        ]
    )


def expand(d):
    rank = d.tensor("x", ALL, [d.choice((1, 3)) for _ in range(d.integer(0, 3))])
    more = d.integer(0, 1)
    sizes = [2] * more + [size if size != 1 else d.choice((1, 4)) for size in d.specs["x"].sizes]
    wanted = [size if isinstance(size, int) and d.flag() == "True" else -1 for size in sizes[more:]]
    repeats = [d.integer(0, 3) for _ in range(rank + more)]
    each = d.axis(rank)
    return d.choice(
        [
            f"x.expand({sizes[:more] + wanted})",
            f"torch.broadcast_to(x, {sizes[:more] + wanted})",
            f"x.repeat({repeats})",
            f"x.tile({repeats})",
            f"x.tile({repeats[:1]})",
            f"x.repeat_interleave({d.integer(0, 3)}, {each})",
            f"x.repeat_interleave({d.integer(0, 3)})",
            f"x.expand_as(torch.ones({[2] * more + [4 if s == 1 else s for s in sizes[more:]]}))",
            "x[None].expand([x.size(0), *[-1] * x.dim()])",
            f"torch.repeat_interleave(x, torch.tensor([2]), {each})",
        ]
    )


def slicing(d):
    rank = d.tensor("x", ALL, d.shape(1, 3, 5))
    axis = d.integer(0, rank - 1)
    begin, end = d.choice(("", -1, 1, 2, -2, 7)), d.choice(("", -1, 1, 3, -9, 7))
    own = ":, " * axis
    shift = [d.integer(-5, 5) for _ in range(rank)]
    return d.choice(
        [
            f"x[{own}{begin}:{end}:{d.choice(('', 2, 3))}]",
            f"x[{own}{d.choice((0, -1))}]",
            "x[..., None, :1]",
            f"torch.narrow(x, {d.axis(rank)}, {d.choice((0, -1, 1))}, 1)",
            f"x.flip({d.axes(rank)})",
            f"x.select({d.axis(rank)}, {d.choice((0, -1))})",
            f"x.roll({shift}, {list(range(rank))})",
            f"x.roll({d.integer(-3, 3)})",
            f"torch.rot90(x, {d.integer(-3, 5)}, [0, -1])",
            "torch.fliplr(x)",
            "torch.flipud(x)",
            f"x[{own}: x.size({axis}) // 2]",
            f"x[{own}x.size({axis}) - 1 :]",
            "x.flip([])",
            f"x.diff(n={d.integer(0, 2)}, dim={d.axis(rank)})",
        ]
    )


def joining(d):
    rank = d.tensor("x", ALL)
    d.like("y", "x", ALL)
    axis = d.axis(rank)
    return d.choice(
        [
            f"torch.cat([x, y, x], {axis})",
            f"torch.stack([x, y], {d.axis(rank + 1)})",
            "torch.hstack([x, y])",
            "torch.vstack([x, y])",
            "torch.dstack([x, y])",
            "torch.column_stack([x, y])",
            f"torch.cat([torch.empty(0), x], {axis})",
            f"torch.concat([x, y], {axis})",
            f"torch.cat([x, y], {axis}) / x.size({axis})",
        ]
    )


def splitting(d):
    rank = d.tensor("x", ALL, d.shape(0, 3, 5))
    axis = d.axis(rank)
    return d.choice(
        [
            f"x.split({d.integer(1, 3)}, {axis})",
            f"x.chunk({d.integer(1, 3)}, {axis})",
            f"x.unbind({axis})",
            f"torch.tensor_split(x, {d.integer(1, 4)}, {axis})",
            f"torch.tensor_split(x, [1, 3], {axis})",
            "torch.hsplit(x, [1])",
            "torch.vsplit(x, [1, 2])",
            f"x.chunk(2, {axis})[0]",
            f"x.split([1, x.size({axis}) - 1], {axis})",
            "torch.dsplit(x, [1])",
        ]
    )


def creation(d):
    rank = d.tensor("x", ALL, d.shape(1, 3))
    n = f"x.size({d.axis(rank)})"
    start, end, step = d.integer(-3, 3), d.integer(-3, 8), d.choice((1, 2, 0.5, -1))
    return d.choice(
        [
            f"torch.arange({n})",
            f"torch.arange({start}, {end}) + x.sum()",
            f"torch.arange({start}, {end}, {step}) + x.sum()",
            f"torch.arange({n}, dtype=torch.float32)",
            f"torch.zeros({n}, 2) + x.sum()",
            f"torch.ones({n}, dtype=x.dtype)",
            f"torch.full(({n},), 2.5)",
            f"torch.eye({n})",
            f"torch.linspace(0, 1, {n})",
            f"torch.arange(0, {n}, 2)",
            f"torch.eye({n}, 2)",
            "torch.zeros_like(x, dtype=torch.int64)",
            f"torch.ones(2, {n} + 1)",
            "x.new_ones(x.shape)",
            "torch.full_like(x, 2.5, dtype=torch.float32)",
            "torch.empty_like(x).zero_()",
            f"torch.zeros({n} // 2)",
            f"torch.zeros({n}).index_fill(0, torch.tensor([0]), 1.0)",
            "x.new_empty(3).fill_(2)",
            f"x.new_zeros({n})",
            f"torch.tensor([{n}, 2]) + x.sum()",
            f"torch.tensor({n}) * x",
        ]
    )


def diagonals(d):
    rank = d.tensor("x", NUMERIC, d.shape(1, 3))
    offset = d.integer(-2, 2)
    pair = d.choice(("0, 1", "-2, -1", "-1, 0"))
    return d.choice(
        [
            f"torch.tril(x, {offset})",
            f"torch.triu(x, {offset})",
            f"torch.diagonal(x, {offset}, {pair})",
            f"torch.diag_embed(x, {offset})",
            f"torch.diagflat(x, {offset})",
            f"torch.diag(x, {offset})",
            f"torch.diag_embed(x, {offset}, {pair})",
            f"x.clone().tril_({offset})",
            f"torch.linalg.diagonal(x, offset={offset})",
        ]
    )


def grids(d):
    d.tensor("x", FLOATS, d.shape(1, 1))
    d.tensor("y", "float32", d.shape(1, 1))
    return d.choice(
        [
            "torch.meshgrid(x, y, indexing='ij')",
            "torch.meshgrid(x, y, indexing='xy')",
            "torch.cartesian_prod(x, x)",
            "torch.broadcast_tensors(x[:, None], y)",
            "torch.cartesian_prod(x)",
        ]
    )
