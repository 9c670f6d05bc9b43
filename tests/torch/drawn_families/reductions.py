"""Reductions, norms, orders and running results."""

from drawn import ALL, FLOATS, FROBENIUS, INFINITY, NUMERIC

REDUCTIONS = "sum mean prod amax amin max min logsumexp argmax argmin var std all any nansum nanmean".split()


def reduction(d):
    rank = d.tensor("x", ALL)
    name, keep = d.choice(REDUCTIONS), f", keepdim={d.flag()}"
    form = d.choice(("all", "one", "some", "some"))
    if form == "all" or (rank == 0 and d.rare()):
        return f"torch.{name}(x)"
    dim = (
        d.axis(rank)
        if form == "one" or name in ("prod", "max", "min", "argmax", "argmin", "all", "any")
        else d.axes(rank)
    )
    if name in ("argmax", "argmin"):
        d.specs["x"].kind = "distinct"
        if d.rare():
            return f"torch.{name}(x{keep})"
    dtype = f", dtype=torch.{d.choice(NUMERIC)}" if name in ("sum", "mean", "prod", "nansum") and d.rare() else ""
    body = f"torch.{name}(x, {dim}{keep}{dtype})"
    if name in ("max", "min"):
        d.specs["x"].kind = "distinct"
    return body


def moment(d):
    rank = d.tensor("x", FLOATS)
    name = d.choice(("var", "std", "var_mean", "std_mean"))
    if name.endswith("mean"):
        d.specs["x"].kind = "plain"  # whether a mean is infinite or NaN depends on the position of the infinity
    if d.rare():
        return f"torch.{name}(x, unbiased={d.flag()})"
    scale = d.choice(("x", "x", "x * 100 + 1000"))
    dim = d.choice((d.axis(rank), d.axes(rank)))
    return f"torch.{name}({scale}, {dim}, unbiased={d.flag()}, keepdim={d.flag()})"


def norm(d):
    rank = d.tensor("x", FLOATS)
    p = d.choice(("2", "1", "3", "0", "float('inf')", "-float('inf')", "0.5", "2.5"))
    dim = d.choice((d.axis(rank), d.axes(rank)))
    scale = d.choice(("x", "x", "x * 50"))
    return d.choice(
        [
            f"torch.norm({scale}, {p}, {dim}, {d.flag()})",
            f"torch.norm({scale})",
            f"torch.norm({scale}, {p})",
            f"torch.linalg.vector_norm({scale}, {p}, {dim}, {d.flag()})",
            f"torch.linalg.norm({scale})",
            f"torch.linalg.norm({scale}, {p}, {d.axis(rank)})",
            f"F.normalize({scale}, {p}, {d.axis(rank)})",
            f"torch.linalg.matrix_norm({scale}, {d.choice((1, -1, INFINITY, FROBENIUS))})",
        ]
    )


def counting(d):
    rank = d.tensor("x", ALL)
    return d.choice(
        [
            f"torch.count_nonzero(x, {d.axis(rank)})",
            "torch.count_nonzero(x)",
            f"torch.aminmax(x, dim={d.axis(rank)}, keepdim={d.flag()})",
            "torch.aminmax(x)",
            "x.numel() + x",
            "torch.max(x, -x)",
            "torch.min(x, x * 0)",
            "x.sum().item() * x",
            "float(x.sum()) * x + 1",
        ]
    )


def ordering(d):
    rank = d.tensor("x", NUMERIC, d.shape(0, 3), kind=d.choice(("distinct", "any")))
    axis = d.axis(rank)
    values = d.specs["x"].kind == "any"
    more = f", {axis}, {d.flag()}"
    body = d.choice(
        [
            f"torch.sort(x{more})",
            f"torch.topk(x, {d.integer(0, 2)}{more})",
            f"torch.kthvalue(x, 1{more})",
            f"torch.median(x{more})",
            f"torch.cummax(x, {axis})",
            f"torch.cummin(x, {axis})",
            f"torch.nanmedian(x{more})",
            f"torch.mode(x{more})",
        ]
    )
    single = [
        f"torch.argsort(x{more})",
        "torch.msort(x)",
        "torch.median(x)",
        f"torch.argsort(x, descending={d.flag()})",
    ]
    if d.rare():
        return d.choice(single[1:3] if values else single)
    return body + "[0]" if values else body


def boundaries(d):
    d.tensor("x", NUMERIC)
    d.tensor("b", NUMERIC, [d.integer(0, 5)], kind="sorted", opened=False)
    if not d.specs["b"].dtype.startswith("float"):
        d.specs["b"].dtype = "float32"
    return d.choice(
        [
            f"torch.bucketize(x, b, right={d.flag()})",
            f"torch.searchsorted(b, x, right={d.flag()})",
            f"torch.bucketize(x, b, out_int32={d.flag()})",
        ]
    )


def scanning(d):
    rank = d.tensor("x", NUMERIC)
    axis = d.axis(rank)
    return d.choice(
        [
            f"torch.cumsum(x, {axis})",
            f"torch.cumprod(x, {axis})",
            f"torch.logcumsumexp(x, {axis})",
            f"torch.cumsum(x, {axis}, dtype=torch.float32)",
            f"torch.diff(x, dim={axis})",
            f"torch.diff(x, dim={axis}, prepend=x)",
        ]
    )
