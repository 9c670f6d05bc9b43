"""export_model: NaN, infinities, rounding, empty tensors, tensors of rank 0 and other edge cases of operators."""

import pytest
import torch
from drawn_modules import difference
from exported import Functions, tensor_flag
from torch.nn import functional as F

NAN, INF = float("nan"), float("inf")
MARKS = torch.tensor([NAN, INF, -INF, -0.0, 0.0, 0.3, -0.3, 1.0])
SMALL = torch.tensor([1e-8, -1e-7, 1e-4, 0.3, -0.4, 2.0, -3.0])
IMAGE = torch.arange(2 * 3 * 10 * 7).reshape(2, 3, 10, 7).sin()
SIGNAL = torch.arange(100.0).reshape(1, 2, 50)
ROWS = torch.tensor([[1.0, NAN, 3.0], [INF, 2.0, 0.0], [-1.0, 5.0, NAN]])
EMPTY = torch.zeros(0, 3)
INTS = torch.tensor([[3, -2, 7], [0, 5, -1]])

CASES = {
    "interpolation with aligned corners": (
        lambda x: F.interpolate(x, scale_factor=1.3, mode="bilinear", align_corners=True),
        IMAGE,
    ),
    "cubic interpolation with aligned corners": (
        lambda x: F.interpolate(x, scale_factor=0.7, mode="bicubic", align_corners=True),
        IMAGE,
    ),
    "smooth interpolation": (lambda x: F.interpolate(x, scale_factor=0.5, mode="bilinear", antialias=True), IMAGE),
    "smooth cubic interpolation": (
        lambda x: F.interpolate(x, size=(4, 9), mode="bicubic", antialias=True, align_corners=True),
        IMAGE,
    ),
    "nearest pixels": (lambda x: F.interpolate(x, scale_factor=0.3), SIGNAL),
    "exactly nearest pixels": (lambda x: F.interpolate(x, scale_factor=0.7, mode="nearest-exact"), SIGNAL),
    "interpolation that keeps a length": (
        lambda x: (
            F.interpolate(x, scale_factor=1.3, mode="bilinear"),
            F.interpolate(x[:, :, None, :3], scale_factor=1.3, mode="trilinear"),
            F.interpolate(x[:, :, 0, :2], scale_factor=1.3, mode="linear"),
            F.interpolate(x, scale_factor=1.3),
            F.interpolate(x[:, :1], scale_factor=1.3),
            F.interpolate(x.contiguous(memory_format=torch.channels_last), scale_factor=1.3),
            F.interpolate(x[:, :1], scale_factor=1.3, mode="nearest-exact"),
        ),
        IMAGE[:, :, :3],
    ),
    "negative padding index": (
        lambda i, w: F.embedding_bag(i, w, mode="sum", padding_idx=-1),
        torch.tensor([[0, 4], [4, 2]]),
        torch.randn(5, 3),
    ),
    "bag beside NaN": (lambda i, w: F.embedding_bag(i, w, mode="mean"), torch.tensor([[0, 0], [2, 0]]), ROWS),
    "threshold of softplus": (lambda x: F.softplus(x, 1.0, 0.5) + F.softplus(x * 90, 2.0), SMALL),
    "negative start": (lambda x: x.narrow(1, -1, 1), ROWS),
    "argmax that keeps axes": (lambda x: torch.argmax(x, keepdim=True), INTS),
    "any of nothing": (lambda x: torch.any(x), EMPTY),
    "any of bytes": (lambda x: (torch.any(x, 1), torch.all(x, 0)), torch.tensor([[3, 7], [0, 5]], dtype=torch.uint8)),
    "all of nothing": (lambda x: torch.all(x), EMPTY),
    "remainder": (lambda x: torch.remainder(x, 0.1), torch.arange(-2, 2, 0.1)),
    "remainder of infinity": (lambda x: torch.remainder(x, INF), MARKS),
    "floor division": (
        lambda x: torch.div(1.0, x, rounding_mode="floor"),
        torch.tensor([0.1, 0.2, 0.3, -0.1, 0.0, INF]),
    ),
    "interpolated from the end": (lambda x: torch.lerp(x * 1e20, x + 1, 1.0), SMALL),
    "expm1": (lambda x: torch.expm1(x) / x, SMALL),
    "log1p": (lambda x: torch.log1p(x) / x, SMALL[:-1] * 0.9),
    "erfc": (lambda x: torch.log(torch.erfc(x)), torch.tensor([-3.0, 0.0, 0.5, 4.0, 6.0, 9.0])),
    "erfc of float64": (torch.erfc, torch.linspace(-5, 8, 40, dtype=torch.float64)),
    "cummax": (lambda x: torch.cummax(x, 1), ROWS),
    "cummin": (lambda x: torch.cummin(x, 0), ROWS),
    "median": (lambda x: (torch.median(x), torch.median(x, 1)), ROWS),
    "sign": (torch.sign, MARKS),
    "sign of bools": (lambda x: torch.sign(x), torch.tensor([True, False])),
    "hardshrink": (lambda x: F.hardshrink(x, 0.3), MARKS),
    "threshold": (lambda x: F.threshold(x, 0.3, 7.0), MARKS),
    "bucketize": (lambda x: torch.bucketize(x, torch.tensor([-1.0, 0.0, 1.0])), MARKS),
    "bucketize to the right": (lambda x: torch.bucketize(x, torch.tensor([-1.0, 0.0, 1.0]), right=True), MARKS),
    "atan2": (
        lambda y, x: torch.atan2(y, x),
        MARKS.repeat_interleave(len(MARKS)),
        MARKS.repeat(len(MARKS)),
    ),
    "roots": (lambda x: (x.pow(0.5), x.pow(-0.5)), MARKS),
    "uneven pool": (lambda x: F.adaptive_avg_pool1d(x, 3), torch.tensor([[[1.0, NAN, 3.0, INF, 5.0]]])),
    "uneven largest's places": (lambda x: F.adaptive_max_pool2d(x, 2, True), ROWS.repeat(3, 1, 3)[..., :7]),
    "uneven largest": (lambda x: F.adaptive_max_pool2d(x, (4, 5)), IMAGE),
    "isnan of integers": (torch.isnan, INTS),
    "isinf of bools": (torch.isinf, torch.tensor([True, False])),
    "square of bools": (torch.square, torch.tensor([True, False])),
    "products of bytes": (lambda x: x @ x.t(), INTS.to(torch.int8) * 11),
    "pixel shuffle without a batch": (lambda x: F.pixel_shuffle(x, 2), torch.randn(8, 3, 2)),
    "flattened nothing": (lambda x: (x.flatten(), x.t().diagonal(), x.repeat_interleave(2, 1)), EMPTY),
    "nothing in other shapes": (lambda x: (x.flatten(), x.reshape(0, 0, 2), x.reshape(2, 0), x.t().ravel()), EMPTY.t()),
    "diagonals of nothing": (lambda x: (x.diagonal(1, 0, 1), x.diagonal(0, 1, 2)), torch.zeros(4, 0, 3)),
    "axis of a number": (
        lambda x: (x.sum(-1), x.softmax(0), x.flip(0), x.argmax(0), x.var(0, unbiased=False)),
        torch.tensor(2.5),
    ),
    "power 0": (lambda x: torch.matrix_power(x, 0), torch.randn(2, 3, 3)),
    "rolled without axes": (lambda x: x.roll(2), INTS),
    "repeated without an axis": (lambda x: x.repeat_interleave(2), INTS),
    "another divisor": (lambda x: F.avg_pool2d(x, 2, divisor_override=3), IMAGE),
    "empty matrix turned in place": (lambda x: (x + 0).t_(), EMPTY),
    "scattered number": (lambda x: x.masked_scatter(x > 0, x * 2), torch.tensor(2.5)),
    "number beside a number": (lambda x: (x * 3, x + True, x - 0.5), torch.tensor(3, dtype=torch.uint8)),
    "memory by strides": (
        lambda x: (x.as_strided((2, 2, 3), (1, 3, 1)), x.t().contiguous().as_strided((2,), (4,), 1)),
        ROWS,
    ),
    "conjugate transpose": (lambda x: x.mH, ROWS),
}


def flat(values):
    return [tensor for value in values for tensor in (flat(value) if isinstance(value, tuple) else [value])]


@pytest.fixture(params=(13, 17))
def exported_cases(exporter, request):
    """Returns the file of one module that computes all cases, and its inputs."""
    tensors = [tensor for case in CASES.values() for tensor in case[1:]]
    module = Functions([case[0] for case in CASES.values()], [len(case) - 1 for case in CASES.values()])
    path = exporter.folder / "model.pt"
    torch.jit.trace(module, (tensors,), strict=False, check_trace=False).save(str(path))
    flags = [word for i, tensor in enumerate(tensors) for word in ("--input", tensor_flag(f"xs.{i}", tensor))]
    result = exporter.run(path, "--opset", str(request.param), *flags)
    assert result.returncode == 0, result.stderr
    return exporter.folder / "model.onnx", tensors


def test_edge_values(exported_cases, run_model):
    file, tensors = exported_cases
    got = list(run_model.outputs(file, {f"xs_{i}": tensor.numpy() for i, tensor in enumerate(tensors)}).values())
    problems = []
    for name, (function, *inputs) in CASES.items():
        expected = flat([function(*inputs)])
        mine, got = got[: len(expected)], got[len(expected) :]
        problems += [f"{name}: {p}" for p in map(difference, mine, expected, [None] * len(mine)) if p]
    assert not problems, "\n".join(problems)
