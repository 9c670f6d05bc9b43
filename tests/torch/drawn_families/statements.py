"""Bodies of several statements: Python numbers, writes in place, branches and loops."""

from drawn import FLOATS, Spec


def python_numbers(d):
    d.tensor("x", ("float32", "int64"), d.shape(1, 3))
    d.specs["s"] = Spec(d.choice(("int64", "int64", "float32")), [], low=1, high=4)
    number = "int(s)" if d.specs["s"].dtype == "int64" else "float(s)"
    size = f"x.size({d.axis(len(d.specs['x'].sizes))})"
    other = d.choice(("3", "0.7", "2", size))
    body = d.choice(
        (
            f"{number} {d.choice(('+', '-', '*', '/', '%', '//'))} {other}",
            f"-{number}",
            f"min({number}, 3)",
            f"max({number}, 2)",
            f"abs({number})",
            f"{size} {d.choice(('+', '-', '*', '//', '%'))} 2",
            f"{number} ** 2",
            f"float({size}) / 3",
        )
    )
    return d.choice((f"x * ({body})", f"x + ({body})", f"torch.tensor({body}) + x.sum()", f"x / ({body})"))


STATEMENTS = (
    ("y = x * 2", "y[:1] = 0", "y"),
    ("y = x.clone()", "y[..., -1] += 1", "y"),
    ("y = torch.zeros_like(x)", "y[:1] = x[-1:]", "y"),
    ("y = x + 0", "z = y[:2]", "z.mul_(3)", "y - 1"),
    ("y = x.clone()", "y[x > 0] = 5", "y"),
    ("y = x + 0", "y.t_()", "y"),
    ("y = x.clone()", "y[..., 0].fill_(2)", "y"),
    ("y = x + 0", "v = y.view(-1)", "v.add_(1)", "y"),
    ("y = x + 0", "y.flatten()[:1].zero_()", "y"),
    ("y = x + 0", "F.relu(y, inplace=True)", "y.sigmoid_()", "y"),
    ("y = x.clone()", "y.unsqueeze(0).copy_(x * 3)", "y"),
    ("y = x.clone()", "y[torch.tensor([0])] = 3", "y"),
    ("y = x + 0", "y.index_fill_(0, torch.tensor([0]), 2)", "y"),
)


def writing(d):
    d.tensor("x", FLOATS, d.shape(1, 3))
    *d.setup, last = d.choice(STATEMENTS)
    return last


BRANCHES = (
    ("if bool(x.sum() > 0):", "    y = x * 2", "else:", "    y = x - 1", "y"),
    ("y = x", "if bool(x.sum() > 0):", "    y = x[1:]", "y / y.size(0)"),
    ("y = x", "if x.size(0) > 2:", "    y = x[:2]", "y * y.size(0)"),
    ("y = x", "for i in range(int(x.abs().max())):", "    y = y * 2 + i", "y"),
    ("y = x", "while bool(y.abs().sum() > 9):", "    y = y / 2", "y"),
    ("y = x", "for i in range(x.size(0)):", "    y = y + x[i]", "y"),
    ("y = x", "for i in range(int((x > 0).sum())):", "    y = torch.cat([y, x])", "y / y.size(0)"),
    ("y = x", "if bool(x.mean() > 0):", "    y = torch.cat([x, x])", "if y.size(0) > 4:", "    y = y + 10", "y"),
    ("y = x", "for i in range(int(x.abs().max())):", "    if y.size(0) > 2:", "        y = y[1:]", "y / y.size(0)"),
    ("if bool(x.sum() > 0):", "    y, z = x + 1, x * 2", "else:", "    y, z = x - 1, x[:1]", "y - z.sum() * z.size(0)"),
    ("y = x", "if bool(x.sum() > 0):", "    y = x.clone()", "    y.add_(2)", "y"),
    ("n = int((x > 0).sum())", "torch.ones(n) * n"),
    ("n = int((x > 0).sum())", "x.flatten()[:n] / (n + 1)"),
    ("n = int((x > 0).sum())", "x.new_zeros(2, n).sum(1) + n"),
    ("y = x[x > 0]", "y.view(1, -1) / y.numel()"),
    ("y = x[x > 0]", "y[1:]"),
    ("y = x[x > 0]", "torch.stack([y, y * 2]).mean(1)"),
)


def control(d):
    d.tensor("x", ("float32",), d.shape(1, 2, 5), kind="plain")
    *d.setup, last = d.choice(BRANCHES)
    return last
