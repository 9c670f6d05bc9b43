"""Random operators of torch.export programs: shapes, dtypes and distributions, and other numbers in each run.

Also tests operators whose sizes depend on the contents of tensors.
"""

import numpy as np
import pytest
import torch
from exported import assert_close
from installation import HAS_DYNAMO
from torch import nn
from torch.nn import functional as F

if not HAS_DYNAMO:
    pytest.skip("this PyTorch writes .pt2 files of an older layout", allow_module_level=True)


class Function(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *x):
        return self.function(*x)


def save(path, module, args, is_open=False, decomposed=False):
    """Returns the names of the inputs. `is_open`: whether the first axis of the single input is open."""
    sizes = (({0: torch.export.Dim.DYNAMIC},),) if is_open else None
    program = torch.export.export(module, args, dynamic_shapes=sizes)
    if decomposed:
        program = program.run_decompositions()
    torch.export.save(program, path)
    return program.graph_signature.user_inputs


def run(run_model, path, names, args, seed=0):
    inputs = dict(zip(names, (arg.numpy() for arg in args)))
    return list(run_model.outputs(path, inputs, "--seed", seed).values())


def rows(count):
    torch.manual_seed(count)
    return torch.rand(count, 300)


# By name: a function, and the least number, the greatest number, the mean and the deviation of its results.
INFINITY = float("inf")
DRAWN = {
    "rand": (lambda x: torch.rand(x.shape[0], 300), 0, 1, 0.5, 12**-0.5),
    "rand of fixed sizes": (lambda x: torch.rand(40, 300), 0, 1, 0.5, 12**-0.5),
    "rand_like": (torch.rand_like, 0, 1, 0.5, 12**-0.5),
    "rand of float16": (lambda x: torch.rand(x.shape[0], 300, dtype=torch.float16), 0, 1 - 2**-11, 0.5, 12**-0.5),
    "rand of float64": (lambda x: torch.rand(x.shape[0], 300, dtype=torch.float64), 0, 1, 0.5, 12**-0.5),
    "uniform_": (lambda x: torch.empty_like(x).uniform_(-1, 3), -1, 3, 1, 4 * 12**-0.5),
    "randn": (lambda x: torch.randn(x.shape[0], 300), -INFINITY, INFINITY, 0, 1),
    "randn_like": (torch.randn_like, -INFINITY, INFINITY, 0, 1),
    "normal of sizes": (lambda x: torch.normal(1.0, 2.0, (x.shape[0], 300)), -INFINITY, INFINITY, 1, 2),
    "normal around": (lambda x: torch.normal(x, 2.0) - x, -INFINITY, INFINITY, 0, 2),
    "normal by": (lambda x: (torch.normal(1.0, x + 1) - 1) / (x + 1), -INFINITY, INFINITY, 0, 1),
    "normal of tensors": (lambda x: (torch.normal(x, x + 1) - x) / (x + 1), -INFINITY, INFINITY, 0, 1),
    "normal_": (lambda x: torch.empty_like(x).normal_(1, 2), -INFINITY, INFINITY, 1, 2),
    "exponential_": (lambda x: torch.empty_like(x).exponential_(2), 0, INFINITY, 0.5, 0.5),
    "randint": (lambda x: torch.randint(2, 9, (x.shape[0], 300)), 2, 8, 5, 2),
    "randint from 0": (lambda x: torch.randint(7, (x.shape[0], 300)), 0, 6, 3, 2),
    "randint_like": (lambda x: torch.randint_like(x, 2, 9), 2, 8, 5, 2),
    "bernoulli": (lambda x: torch.bernoulli(x * 0 + 0.3), 0, 1, 0.3, 0.21**0.5),
    "bernoulli of a number": (lambda x: torch.bernoulli(x, 0.3), 0, 1, 0.3, 0.21**0.5),
    "bernoulli_": (lambda x: torch.empty_like(x).bernoulli_(0.3), 0, 1, 0.3, 0.21**0.5),
    "multinomial": (lambda x: torch.multinomial(torch.tensor([0.3, 0, 0.7]).expand(x.shape[0], 3), 300, True), 0, 2, 1.4, 0.84**0.5),
    "dropout": (lambda x: F.dropout(x * 0 + 1, 0.25, True), 0, 4 / 3, 1, 3**-0.5),
}  # fmt: skip


@pytest.mark.parametrize("decomposed", [False, True], ids=["training", "aten"])
def test_numbers_are_drawn(tmp_path, run_model, decomposed):
    """Checks that the mean of 12,000 numbers is within five deviations of that of the distribution."""
    path, x = tmp_path / "m.pt2", rows(40)
    module = Function(lambda x: [function(x) for function, *_ in DRAWN.values()])
    names = save(path, module, (rows(5),), True, decomposed)
    runs = [run(run_model, path, names, (x,), seed) for seed in range(2)]
    for name, first, second, want in zip(DRAWN, *runs, module(x), strict=True):
        _, least, greatest, mean, deviation = DRAWN[name]
        assert first.shape == want.shape and first.dtype == want.numpy().dtype, name
        assert least <= first.min() and first.max() <= greatest, name
        assert (first != second).any(), name
        numbers = first.astype(np.float64)
        assert abs(numbers.mean() - mean) < 5 * deviation / 12_000**0.5, (name, numbers.mean())
        assert abs(numbers.std() / deviation - 1) < 0.1, (name, numbers.std())


@pytest.mark.parametrize("decomposed", [False, True], ids=["training", "aten"])
def test_permutations_and_draws_without_replacement(tmp_path, run_model, decomposed):
    path, x = tmp_path / "m.pt2", rows(40)
    weights = lambda x: x * (x > 0.1)  # noqa: E731
    function = Function(lambda x: (torch.randperm(x.shape[0]), torch.multinomial(weights(x), 100)))
    names = save(path, function, (rows(5),), True, decomposed)
    permutation, classes = run(run_model, path, names, (x,))
    assert permutation.dtype == np.int64 and (np.sort(permutation) == np.arange(40)).all()
    assert (permutation != run(run_model, path, names, (x,), 1)[0]).any()
    assert classes.shape == (40, 100) and all(len(set(row)) == 100 for row in classes)
    assert (np.take_along_axis(weights(x).numpy(), classes, 1) > 0).all()


def kept(x):
    return torch.native_dropout(x, 0.5, False)


def repeated(x):
    counts = (x[:, 0] > 0.3).long() + (x[:, 1] > 0.6).long()
    return torch.repeat_interleave(counts), torch.repeat_interleave(x, counts, dim=0)


def repeated_alike(x):
    return torch.repeat_interleave(x[:, :3], (x[0, :1] > -1).long() + 1, dim=1, output_size=6)


def matrices(x):
    a = x[:, :36].unflatten(1, (6, 6)) + 3 * torch.eye(6)
    b = x[:, 36:54].unflatten(1, (6, 3))
    factor = torch.linalg.cholesky_ex(a @ a.mT)[0]
    triangles = torch.linalg.solve_triangular(a, b, upper=True), torch.cholesky_solve(b, factor)
    return torch.linalg.inv_ex(a)[0], torch.linalg.solve_ex(a, b)[0], factor, *triangles, *torch.linalg.slogdet(a)


def distances(x):
    return F.pdist(x[:4])


def bags(**options):
    bag = nn.EmbeddingBag(10, 4, **options)

    def function(x):
        return bag((x[:, 0] * 10).long(), torch.tensor([0, 2, 2, 3]))

    return function


OPEN = [
    kept,
    repeated,
    repeated_alike,
    distances,
    matrices,
    bags(mode="sum"),
    bags(mode="mean", padding_idx=3),
    bags(mode="max", padding_idx=-1),
]


@pytest.mark.parametrize("decomposed", [False, True], ids=["training", "aten"])
def test_agrees_with_pytorch(tmp_path, run_model, decomposed):
    path, module = tmp_path / "m.pt2", Function(lambda x: [function(x) for function in OPEN])
    names = save(path, module, (rows(5),), True, decomposed)
    for count in (5, 8):
        got, want = run(run_model, path, names, (rows(count),)), torch.utils._pytree.tree_leaves(module(rows(count)))
        for one, other in zip(got, want, strict=True):
            assert one.dtype == other.detach().numpy().dtype
            assert_close(one, other.detach().numpy().astype(np.float64))
