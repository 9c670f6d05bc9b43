"""export_model: products, norms, distances, reductions."""

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)

INF = float("inf")
A, B, C = torch.randn(2, 3, 4), torch.randn(2, 4, 5), torch.randn(3, 4)
U, V = torch.randn(3), torch.randn(4)
WHOLE = torch.randint(-3, 4, (3, 4))
FLAGS = torch.rand(3, 4) > 0.4

PRODUCTS = {
    "einsum": (lambda a, b: (torch.einsum("bij, bjk -> bik", a, b), torch.einsum("bij,bjk", a, b)), A, B),
    "einsum with an ellipsis": (lambda a, c: torch.einsum("...ij,ij->...i", a, c), A, C),
    "einsum of one and three": (
        lambda a, u, v: (torch.einsum("bij->jb", a), torch.einsum("bij,i,j->b", a, u, v)), A, U, V),
    "einsum with a diagonal": (lambda s: (torch.einsum("ii->i", s), torch.einsum("ii", s)), torch.randn(3, 3)),
    "baddbmm": (lambda a, b, y: torch.baddbmm(y, a, b, beta=0.5, alpha=2), A, B, torch.randn(3, 5)),
    "addbmm": (lambda a, b, y: torch.addbmm(y, a, b, beta=2, alpha=0.5), A, B, torch.randn(3, 5)),
    "addmv, addr": (lambda c, u, v: (torch.addmv(u, c, v, alpha=2), torch.addr(c, u, v, beta=3)), C, U, V),
    "vectors": (lambda c, u, v: (c.mv(v), u.outer(v), v.dot(v), torch.vdot(u, u), torch.ger(v, u), u @ c), C, U, V),
    "whole numbers": (lambda x: (x @ x.t(), x[0].dot(x[1]), x.float() @ x.t().float()), WHOLE),
    "chain": (lambda c, v: (torch.chain_matmul(c, c.t(), c), torch.linalg.multi_dot((c, c.t(), c, v))), C, V),
    "tensordot": (lambda a, b: (torch.tensordot(a, b, ([2, 0], [1, 0])), torch.tensordot(a, b[0], 1)), A, B),
    "inner": (lambda a, c, v: (torch.inner(a, c), torch.inner(c, v), torch.linalg.vecdot(a, c)), A, C, V),
    "cross": (lambda c, u: (torch.cross(c, c.flip(1), dim=0), torch.linalg.cross(c.t(), u[None])), C, U),
    "kron": (lambda c, u: (torch.kron(c, c), torch.kron(c, u)), C, U),
    "matrix_power": (lambda s: (s.matrix_power(3), torch.linalg.matrix_power(s, 1)), torch.randn(2, 3, 3)),
    "det": (
        lambda s: (s.det(), torch.linalg.det(s), (s @ s.transpose(1, 2) + torch.eye(3)).logdet()),
        torch.randn(2, 3, 3)),
    "bilinear": (lambda a, b: F.bilinear(a, b, torch.ones(6, 4, 5) / 7, torch.ones(6)), A, torch.randn(2, 3, 5)),
}  # fmt: skip
DISTANCES = {
    "cdist": (lambda a, b: (torch.cdist(a, b), torch.cdist(a, b, 1), torch.cdist(a, b, INF)), A, torch.randn(2, 6, 4)),
    "pdist": (lambda c: F.pdist(c, 1), C),
    "pairwise": (
        lambda c, d: (F.pairwise_distance(c, d), F.pairwise_distance(c, d, 1, keepdim=True), torch.dist(c, d, 3)),
        C, torch.randn(3, 4)),
    "cosine": (lambda a, c: (F.cosine_similarity(a, c, 2), F.cosine_similarity(a, c, -2)), A, C),
    "norms": (
        lambda a: (a.norm(), a.norm(1, 2), a.norm(INF, (0, 1)), a.norm(0, 1), a.norm(3, 2, True), a.norm(-INF)), A),
    "norm with a dtype": (lambda a: (a.norm(2, dtype=torch.double), a.norm(1, 1, dtype=torch.double)), A),
    "vector norms": (
        lambda a: (torch.linalg.vector_norm(a, 2, 1), torch.linalg.norm(a), torch.linalg.norm(a, 1, 2)), A),
    "matrix norms": (lambda a: (*(torch.linalg.norm(a, p, (1, 2)) for p in (1, -1, INF, -INF, "fro")),
                                torch.linalg.matrix_norm(a), torch.linalg.matrix_norm(a, INF, keepdim=True)), A),
}  # fmt: skip
REDUCTIONS = {
    "logsumexp": (lambda a: (a.logsumexp(1), torch.logsumexp(a, (0, 2), True)), A),
    "prod": (lambda a: (a.tanh().prod(), a.prod(1), a.prod(2, True)), A),
    "whole numbers": (lambda x: (x.sum(), x.prod(1), x.int().sum(0), x.float().mean(1), x.amax(0)), WHOLE),
    "all, any": (lambda m: (m.all(), m.any(), m.all(1), m.any(0, keepdim=True)), FLAGS),
    "sum of bools": (lambda m: (m.sum(), m.sum(0), m.float().mean()), FLAGS),
    "var": (lambda a: (a.var(), a.var((0, 2), unbiased=False), a.std(1), torch.std(a, (1, 2), correction=0)), A),
    "var_mean": (lambda a: (*torch.var_mean(a), *torch.std_mean(a, 1), *torch.std_mean(a, (0, 2), correction=0)), A),
    "count_nonzero": (lambda x: (x.count_nonzero(), x.count_nonzero(1), x.count_nonzero((0, 1))), WHOLE),
    "without nan": (lambda a: ((a / a.relu()).nansum(1), (a.sqrt()).nanmean(2), a.sqrt().nansum()), A),
    "mean with a dtype": (lambda x: (x.mean(1, dtype=torch.float), x.sum(dtype=torch.double)), WHOLE),
}  # fmt: skip


def test_products(exporter):
    exporter.export_all(PRODUCTS)


def test_distances_and_norms(exporter):
    exporter.export_all(DISTANCES)


def test_reductions(exporter):
    exporter.export_all(REDUCTIONS)


class Scripted(nn.Module):
    def __init__(self):
        super().__init__()
        self.bilinear = nn.Bilinear(4, 4, 2)
        self.near = nn.PairwiseDistance(2.0)
        self.similar = nn.CosineSimilarity(dim=-1)

    def forward(self, a, c):
        s = torch.std_mean(a, dim=1, unbiased=False)
        near = self.near(a, c), self.similar(a, c)
        return torch.einsum("bij,ij->bi", a, c), self.bilinear(a, a), near, s, a.norm(2, 1)


def test_scripted(exporter):
    exporter.export(Scripted(), {"a": A, "c": C}, scripted=True)


class Dynamic(nn.Module):
    def forward(self, a, b):
        return a @ b, torch.einsum("bij,bjk->bik", a, b), a.var(1), torch.tensordot(a, b[0], dims=1), a.std((1, 2))


def test_dynamic_axes(exporter):
    exporter.export(Dynamic(), {"a": A, "b": B}, "--dynamic", "a:0=N", "--dynamic", "b:0=N", "--dynamic", "a:1=I")


def test_singular_values_are_refused(exporter):
    class Spectral(nn.Module):
        def forward(self, x):
            return torch.linalg.matrix_norm(x, 2)

    assert "singular values" in exporter.refusal(Spectral(), {"x": C})
