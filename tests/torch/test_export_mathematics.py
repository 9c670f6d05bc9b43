"""export_model: elementwise functions, with type promotion as in PyTorch."""

import pytest
import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)

INF, NAN = float("inf"), float("nan")
X, Y = torch.randn(4, 6), torch.randn(4, 6)
N, K = torch.randint(-4, 5, (4, 6)), torch.randint(1, 5, (4, 6))
FLAGS = torch.rand(4, 6) > 0.5
# The model itself makes these, because the check only generates finite inputs.
EDGES = torch.tensor([[INF], [-INF], [NAN], [0.0]])

TWO = {
    "atan2": (lambda x, y: (torch.atan2(x, y), torch.arctan2(x.sign(), y.round()), torch.atan2(x, y * 0)), X, Y),
    "logaddexp": (
        lambda x, y: (torch.logaddexp(x, y), torch.logaddexp2(x, y), torch.logaddexp(x - INF, y - INF)), X, Y),
    "xlogy": (lambda x, y: (torch.xlogy(x.round(), y), torch.xlogy(x, 2), torch.special.xlogy(0, y)), X, Y),
    "xlog1py": (lambda x, y: torch.special.xlog1py(x.round(), y), X, Y),
    "copysign": (lambda x, y: (torch.copysign(x, y), torch.copysign(x, -2), torch.copysign(x, -(y * 0))), X, Y),
    "heaviside": (lambda x, y: torch.heaviside(x.round(), y), X, Y),
    "remainders": (lambda x, y: (x.remainder(y), x.fmod(y), x.remainder(0.7), x.fmod(-1.5)), X, Y + 3),
    "whole remainders": (lambda n, k: (n.remainder(k), n.fmod(k), n % -3, n.fmod(-3)), N, K),
    "divisions": (
        lambda x, y: (*(torch.div(x, y + 0.1, rounding_mode=r) for r in ("floor", "trunc", None)), x // 0.3), X, Y),
    "whole divisions": (
        lambda n, k: (n / k, n // k, n // -3, torch.true_divide(n, 2), torch.div(n, -k, rounding_mode="trunc")),
        N, K),
    "powers": (lambda x, n: (x.abs() ** 1.5, x**3, 2**x.tanh(), x.abs().pow(n / 2), n**2, x**-1.0), X, N),
    "float_power": (
        lambda x, k: (torch.float_power(x, 2), torch.float_power(k, x.tanh()), torch.float_power(3, k)), X, K),
    "lerp": (lambda x, y: (torch.lerp(x, y, 0.3), torch.lerp(x, y, y.sigmoid())), X, Y),
    "addcmul": (lambda x, y: (torch.addcmul(x, y, y, value=0.5), torch.addcdiv(x, x, y.abs() + 1, value=-2)), X, Y),
    "extremes": (lambda x, y: (torch.maximum(x, y), torch.minimum(x, y), x.max(y), torch.fmax(x / x.relu(), y),
                               torch.fmin(y, x.sqrt())), X, Y),
    "isclose": (lambda x, y: (torch.isclose(x, x + y / 1e5), torch.isclose(x.sqrt(), x.sqrt(), equal_nan=True)), X, Y),
    "comparisons": (
        lambda x, n: (x > n, x.greater_equal(0.5), n.less(2), n <= 1.5, n.eq(2), x.not_equal(n), n.ge(n.t().t())),
        X, N),
    "logic": (
        lambda m, n: (m & (n > 0), m | n.bool(), m ^ m, ~m, torch.logical_xor(m, n), torch.logical_or(m, n),
            n.logical_not(), m.logical_and(n), m + m, m * m, m * 2), FLAGS, N),
    "where": (lambda m, n, x: (torch.where(m, n, x), torch.where(m, x, 1), torch.where(m, 2, n)), FLAGS, N, X),
    "fills": (lambda x, m: (x.masked_fill(m, -INF), x.masked_fill(m, x.sum()), x.clone().fill_(2.0)), X, FLAGS),
    "ldexp": (lambda x, n: torch.ldexp(x, n), X, N),
    "rsub": (lambda n, x: (1.5 - n, 2 - n, torch.rsub(x, n, alpha=2)), N, X),
}  # fmt: skip
ONE = {
    "logarithms": (lambda x: (x.abs().log2(), x.abs().log10(), x.abs().log1p(), x.expm1(), x.exp2()), X),
    "roots": (lambda x: (x.abs().sqrt(), (x.abs() + 0.1).rsqrt(), x.square(), (x.abs() + 0.1).reciprocal()), X),
    "rounding": (
        lambda x: (x.round(), x.floor(), x.ceil(), x.trunc(), x.frac(), x.fix(), torch.round(x, decimals=2),
            torch.special.round(x, decimals=1)), X),
    "rounding whole numbers": (lambda n: (n.floor(), n.trunc(), n.round(), n.sign(), n.abs(), -n), N),
    "signs": (lambda x: (x.sign(), x.sgn(), x.signbit(), (-(x * 0)).signbit(), x.absolute()), X),
    "error functions": (lambda x: (x.erf(), x.erfc(), x.tanh().erfinv(), torch.special.erf(x)), X),
    "sinc": (lambda x: (torch.sinc(x), torch.special.sinc(x.round())), X),
    "entropy": (lambda x: torch.special.entr(x.clamp(-1)), X),
    "logit": (lambda x: (x.sigmoid().logit(1e-3), torch.special.logit(x.sigmoid(), 0.01), torch.special.expit(x)), X),
    "trigonometry": (lambda x: (x.sin(), x.cos(), x.tanh().arcsin(), x.tanh().arccos(), x.arctan(), x.arcsinh(),
                                (x.abs() + 1).arccosh(), (x.tanh() / 2).arctanh(), x.deg2rad(), x.rad2deg()), X),
    "hyperbolic": (lambda x: (x.clamp(-5, 5).sinh(), x.clamp(-5, 5).cosh(), x.tanh()), X),
    "nan and infinities": (
        lambda x: ((x + EDGES).isnan(), (x + EDGES).isinf(), (x + EDGES).isfinite(), (x + EDGES).isposinf(),
            (x + EDGES).isneginf(), x.isnan()), X),
    "nan_to_num": (lambda x: ((x + EDGES).nan_to_num(), (x + EDGES).nan_to_num(1, 2, -3)), X),
    "clamps": (
        lambda x: (x.clamp(-0.5, 0.5), x.clamp(min=0), x.clamp_max(0.3), x.clip(0.1), x.clamp(x.mean(), x.max())), X),
    "whole clamps": (lambda n: (n.clamp(-1, 2), n.clamp(min=0), n.clamp(max=1)), N),
    "units": (
        lambda x: (F.glu(x), F.selu(x), F.celu(x, 0.7), F.mish(x), F.softshrink(x, 0.2), F.hardshrink(x, 0.3),
            F.tanhshrink(x), F.threshold(x, 0.1, 3), F.rrelu(x), F.logsigmoid(x), F.softsign(x), F.hardswish(x)), X),
    "prelu": (lambda x: F.prelu(x, torch.tensor([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])), X),
    "conversions": (
        lambda x: (x.long(), x.int().double(), x.bool(), x.to(torch.half).float(), x.type_as(x.double())), X),
}  # fmt: skip


@pytest.mark.parametrize("cases", [ONE, TWO], ids=["one", "two"])
def test_functions(exporter, cases):
    exporter.export_all(cases)


def test_bitwise_operators_need_opset_18(exporter):
    def bits(n, k):
        return n & k, n | k, n ^ 5, ~n

    exporter.export_all({"bits": (bits, N, K)}, "--opset", "18")


class InPlace(nn.Module):
    """In-place forms as TorchScript compiles them."""

    def forward(self, x, n):
        y = x.clone()
        y.add_(n, alpha=2).mul_(0.5).clamp_(-1, 1)
        y.sub_(x).div_(3.0).relu_()
        y += x
        z = x * 2
        z.masked_fill_(n > 0, 1.0).neg_().exp_().sqrt_().tanh_()
        w = F.leaky_relu(F.hardtanh(x * 1, inplace=True), 0.1, inplace=True)
        v = torch.zeros_like(x)
        v.copy_(n)
        v.addcmul_(x, x, value=0.1).pow_(2).floor_()
        return y, z, w, v, n.clone().mul_(2).fill_(3)


@pytest.mark.parametrize("scripted", [False, True], ids=["traced", "scripted"])
def test_forms_in_place(exporter, scripted):
    exporter.export(InPlace(), {"x": X, "n": N}, scripted=scripted)
