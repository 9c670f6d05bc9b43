"""Compares the kernel of linnet::deform_conv2d with the definition and, if it is installed, with torchvision's."""

import itertools
import math

import pytest
import torch
from installation import needs_torchvision

pytestmark = pytest.mark.usefixtures("torch_ops")


def case(
    n, c, h, w, kernel=(3, 3), out=4, stride=(1, 1), pad=(0, 0), dilation=(1, 1), groups=1, offset_groups=1, **more
):
    """Returns arguments of torch.ops.linnet.deform_conv2d. `more` contains mask, dtype, offset (one value)."""
    make = {"dtype": more.get("dtype", torch.float32)}
    out_h, out_w = (
        (size + 2 * p - d * (k - 1) - 1) // s + 1 for size, k, s, p, d in zip((h, w), kernel, stride, pad, dilation)
    )
    points = offset_groups * kernel[0] * kernel[1]
    offset = torch.randn(n, 2 * points, out_h, out_w).to(**make) * 2
    if "offset" in more:
        offset[:, 1::3] = more["offset"]
    mask = torch.rand(n, points, out_h, out_w).to(**make) if more.get("mask") else torch.zeros(n, 0, **make)
    weight = torch.randn(out, c // groups, *kernel).to(**make)
    tensors = [torch.randn(n, c, h, w).to(**make), weight, offset, mask, torch.randn(out).to(**make)]
    return [*tensors, *stride, *pad, *dilation, groups, offset_groups, bool(more.get("mask"))]


CASES = {
    "plain": {"n": 2, "c": 6, "h": 9, "w": 11},
    "mask": {"n": 2, "c": 6, "h": 9, "w": 11, "mask": True, "dtype": torch.float64},
    "groups": {"n": 1, "c": 6, "h": 9, "w": 11, "groups": 2, "offset_groups": 3, "mask": True},
    "geometry": {
        **{"n": 1, "c": 4, "h": 12, "w": 10, "kernel": (2, 3)},
        **{"stride": (2, 1), "pad": (1, 2), "dilation": (1, 2)},
    },
    "1x1": {"n": 3, "c": 2, "h": 5, "w": 5, "kernel": (1, 1), "out": 1},
    "one row": {"n": 1, "c": 2, "h": 1, "w": 8, "kernel": (1, 3), "pad": (0, 1)},
    "one column": {"n": 1, "c": 2, "h": 8, "w": 1, "kernel": (3, 1), "pad": (1, 0)},
    "no image": {"n": 0, "c": 6, "h": 9, "w": 11},
}
for value in (0.0, 1.0, -0.5, -0.999, 1e6, -1e30, math.inf, -math.inf):
    CASES[f"offset {value}"] = {"n": 1, "c": 2, "h": 6, "w": 7, "pad": (1, 1), "offset": value}
cases = pytest.mark.parametrize("options", CASES.values(), ids=CASES)


def sample(plane, y, x):
    """Samples bilinearly. The sample is 0 from one pixel outside on; pixels outside count as 0."""
    height, width = plane.shape
    if not (-1 < y < height and -1 < x < width):
        return 0.0
    total = 0.0
    for row, column in itertools.product((math.floor(y), math.floor(y) + 1), (math.floor(x), math.floor(x) + 1)):
        if 0 <= row < height and 0 <= column < width:
            total += (1 - abs(y - row)) * (1 - abs(x - column)) * plane[row, column].item()
    return total


def definition(x, w, offset, mask, bias, sh, sw, ph, pw, dh, dw, groups, offset_groups, use_mask):
    """Computes the definition of deformable convolution in float64: https://arxiv.org/abs/1811.11168"""
    kernel_h, kernel_w = w.shape[2:]
    columns = x.new_zeros((x.shape[0], x.shape[1], kernel_h, kernel_w, *offset.shape[2:]), dtype=torch.float64)
    for n, c, r, s, i, j in itertools.product(*map(range, columns.shape)):
        point = c // (x.shape[1] // offset_groups) * kernel_h * kernel_w + r * kernel_w + s
        y_offset, x_offset = offset[n, 2 * point : 2 * point + 2, i, j].double().tolist()
        value = sample(x[n, c].double(), i * sh - ph + r * dh + y_offset, j * sw - pw + s * dw + x_offset)
        columns[n, c, r, s, i, j] = value * (mask[n, point, i, j].item() if use_mask else 1)
    outputs = [
        torch.einsum("ncrsij,ocrs->noij", image, weight.double())
        for image, weight in zip(columns.chunk(groups, 1), w.chunk(groups, 0))
    ]
    return torch.cat(outputs, 1) + bias.double()[:, None, None]


@cases
def test_kernel_computes_the_definition(options):
    torch.manual_seed(0)
    arguments = case(**options)
    got = torch.ops.linnet.deform_conv2d(*arguments)
    assert got.dtype == arguments[0].dtype
    assert torch.allclose(got.double(), definition(*arguments), rtol=1e-5, atol=1e-5)


@needs_torchvision
@cases
def test_kernel_equals_torchvisions(options):
    import torchvision  # noqa: F401: registers the operator

    torch.manual_seed(0)
    arguments = case(**options)
    want = torch.ops.torchvision.deform_conv2d(*arguments)
    assert torch.allclose(torch.ops.linnet.deform_conv2d(*arguments), want, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("dtype, bound", [(torch.float16, 2e-2), (torch.bfloat16, 2e-1)])
def test_half_types(dtype, bound):
    torch.manual_seed(0)
    arguments = case(1, 4, 6, 7, mask=True, dtype=dtype)
    got = torch.ops.linnet.deform_conv2d(*arguments)
    assert got.dtype == dtype
    assert (got.double() - definition(*arguments)).abs().max() < bound


def test_nan_offset_gives_nan_where_it_is_read():
    offset = torch.zeros(1, 2, 4, 4)
    offset[0, 0, 1, 2] = offset[0, 1, 3, 3] = math.nan
    tensors = torch.ones(1, 1, 4, 4), torch.ones(1, 1, 1, 1), offset, torch.zeros(1, 0), torch.zeros(1)
    y = torch.ops.linnet.deform_conv2d(*tensors, 1, 1, 0, 0, 1, 1, 1, 1, False)
    assert y.isnan().nonzero()[:, 2:].tolist() == [[1, 2], [3, 3]]
    assert (y[~y.isnan()] == 1).all()


def test_strided_tensors_and_threads():
    torch.manual_seed(0)
    arguments = case(2, 16, 20, 20, pad=(1, 1), mask=True)
    want = torch.ops.linnet.deform_conv2d(*arguments)
    strided = [tensor.transpose(0, -1).contiguous().transpose(0, -1) for tensor in arguments[:5]]
    threads = torch.get_num_threads()
    try:
        for count in (1, 2, 3):
            torch.set_num_threads(count)
            assert torch.equal(torch.ops.linnet.deform_conv2d(*strided, *arguments[5:]), want)
    finally:
        torch.set_num_threads(threads)


@pytest.mark.parametrize(
    "index, value, message",
    [
        (2, lambda t: t[:, 1:], r"the channels of offset and those that W and offset_group ask for"),
        (4, lambda t: t[1:], "the output channels of W and the length of B"),
        (1, lambda t: t.double(), "inputs 0 and 1"),
        (0, lambda t: t.int(), "deform_conv2d: float, double, half or bfloat16 expected, got Int"),
        (1, lambda t: t[:, 1:], "channels"),
        (5, lambda _: 0, "strides"),
        (12, lambda _: 4, "the channels of X must be a multiple of offset_group 4"),
        (9, lambda _: 50, "a window of 101 does not fit into 9 padded positions"),
    ],
)
def test_arguments_that_do_not_fit(index, value, message):
    arguments = case(2, 6, 9, 11)
    arguments[index] = value(arguments[index])
    with pytest.raises(RuntimeError, match=message):
        torch.ops.linnet.deform_conv2d(*arguments)


@pytest.mark.skipif(torch.__version__ < (2, 0), reason="this PyTorch dispatches no meta tensors to added operators")
def test_meta_kernel_gives_the_shape():
    arguments = case(2, 6, 9, 11, mask=True)
    meta = [tensor.to("meta") for tensor in arguments[:5]]
    y = torch.ops.linnet.deform_conv2d(*meta, *arguments[5:])
    assert y.is_meta and y.shape == torch.ops.linnet.deform_conv2d(*arguments).shape
