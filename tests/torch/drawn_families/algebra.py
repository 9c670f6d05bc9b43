"""Products of matrices and vectors, and distances."""

from drawn import FLOATS, INTS, WIDE, Spec


def products(d):
    a, b, c, n = (d.integer(1, 4) for _ in range(4))
    batch = [n] * d.integer(0, 1)
    dtypes = FLOATS + INTS
    dtype = d.choice(dtypes)
    form = d.choice(("matmul", "matmul", "vector", "addmm", "einsum", "tensordot", "batch", "other"))
    d.specs["x"] = Spec(dtype, d.open(batch + [a, b]))
    rows = d.specs["x"].sizes[:-1]
    inner = d.specs["x"].sizes[-1]
    d.specs["y"] = Spec(dtype, [inner, c])
    if form == "matmul":
        return d.choice(("x @ y", "torch.matmul(x, y)", "F.linear(x, y.t())", "F.linear(x, y.t(), y.sum(0))"))
    if form == "vector":
        d.specs["y"] = Spec(dtype, [inner])
        return d.choice(
            (
                "x @ y",
                "x.matmul(y)",
                "torch.inner(x, y)",
                "torch.outer(y, y)",
                "torch.dot(y, y)",
                "torch.vdot(y, y)",
                "F.linear(x, y)",
                "torch.kron(y, x)",
                "y @ x.mT" if not batch else "torch.linalg.vecdot(x, x)",
            )
        )
    if form == "addmm":
        d.specs["x"] = Spec(dtype, rows[-1:] + [inner])
        d.specs["z"] = Spec(dtype, d.choice(([c], rows[-1:] + [c], [1])))
        beta, alpha = d.choice((("1", "1"), ("2", "3"), ("0", "1")))
        return d.choice(
            (
                f"torch.addmm(z, x, y, beta={beta}, alpha={alpha})",
                "torch.mm(x, y)",
                "torch.addmm(z, x, y)",
                "torch.chain_matmul(x, y)",
                "torch.linalg.multi_dot([x, y])",
                "torch.addmv(z, y.t(), x[0])",
                "torch.addr(z.sum(), y[0], x[0])",
            )
        )
    if form == "einsum":
        return d.choice(
            (
                "torch.einsum('...ij,jk->...ik', x, y)",
                "torch.einsum('...ij,jk->...k', [x, y])",
                "torch.einsum('ij->ji', y)",
                "torch.einsum('ij,ij->i', y, y)",
                "torch.einsum('...ij->...', x)",
                "torch.einsum('ij,kj', y.t(), y.t())",
            )
        )
    if form == "tensordot":
        return d.choice(
            (
                "torch.tensordot(x, y, 1)",
                "torch.tensordot(x, y, ([-1], [0]))",
                "torch.kron(x, y)",
                "torch.inner(x, y.t())",
            )
        )
    if form == "batch":
        d.specs["x"] = Spec(dtype, [2, 3, inner])
        d.specs["z"] = Spec(dtype, [2, inner, c])
        return d.choice(
            ("torch.bmm(x, z)", "torch.baddbmm(x @ z, x, z, beta=2, alpha=3)", "torch.addbmm(y[:1, :1], x, z)", "x @ z")
        )
    d.specs["x"] = Spec(dtype, batch + [3, 3])
    if d.integer(0, 7) < 3:
        return determinant(d)
    return d.choice(
        (
            f"torch.matrix_power(x, {d.integer(0, 3)})",
            "torch.trace(x)",
            f"torch.cross(x, x * 2 + 1, dim={d.choice((-1, -2))})",
            "torch.linalg.cross(x, x + 1)",
        )
    )


def determinant(d):
    """Uses finite numbers only: for infinities, the result depends on the order of the elimination steps."""
    d.specs["x"].kind = "plain"
    return d.choice(("torch.det(x)", "torch.linalg.det(x)", "torch.logdet(x)"))


def distances(d):
    batch = [d.integer(1, 3)] if d.rare() else []
    d.tensor("x", WIDE, [*batch, d.integer(1, 4), d.integer(1, 5)], kind="plain")
    sizes = d.specs["x"].sizes
    d.specs["y"] = Spec(d.specs["x"].dtype, [*sizes[:-2], d.integer(1, 4), sizes[-1]], kind="plain")
    p = d.choice(("1", "2", "3.5", "0.5", "float('inf')", "0"))
    return d.choice(
        (
            f"torch.cdist(x, y, p={p}.0)" if p in "012" else f"torch.cdist(x, y, p={p})",
            "torch.pdist(x)",
            f"torch.dist(x, x * 2, {p})",
            f"F.pairwise_distance(x, x * 2 + 1, keepdim={d.flag()})",
            f"F.cosine_similarity(x, x + 1, dim={d.axis(len(sizes))})",
        )
    )
