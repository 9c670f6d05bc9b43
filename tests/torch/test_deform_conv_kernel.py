"""The kernel of torchvision::deform_conv2d in liblinnet_torch_ops against torchvision's, and its registration.

Each part runs in a process of its own, since an operator is registered once per process.
"""

import re
import subprocess
import sys

import pytest
import torch
import torchvision
from conftest import ROOT

PRELUDE = f"""
import sys, torch
sys.path.insert(0, {str(ROOT / "frontends" / "torch")!r})
import linnet_torch
def call(case): return torch.ops.torchvision.deform_conv2d(*case["tensors"], *case["numbers"])
"""


@pytest.fixture
def run(torch_ops):
    def run(program, *arguments):
        return subprocess.run([sys.executable, "-c", PRELUDE + program, *arguments], capture_output=True, text=True)

    return run


def case(
    n, c, h, w, kernel=(3, 3), out=4, stride=(1, 1), pad=(0, 0), dilation=(1, 1), groups=1, offset_groups=1, **more
):
    """Arguments of torch.ops.torchvision.deform_conv2d; `more`: mask, dtype, offset (one value)."""
    make = {"dtype": more.get("dtype", torch.float32)}
    out_h, out_w = (
        (size + 2 * p - d * (k - 1) - 1) // s + 1 for size, k, s, p, d in zip((h, w), kernel, stride, pad, dilation)
    )
    points = offset_groups * kernel[0] * kernel[1]
    offset = torch.randn(n, 2 * points, out_h, out_w, **make) * 2
    if "offset" in more:
        offset[:, 1::3] = more["offset"]
    mask = torch.rand(n, points, out_h, out_w, **make) if more.get("mask") else torch.zeros(n, 0, **make)
    weight = torch.randn(out, c // groups, *kernel, **make)
    tensors = [torch.randn(n, c, h, w, **make), weight, offset, mask, torch.randn(out, **make)]
    numbers = [*stride, *pad, *dilation, groups, offset_groups, bool(more.get("mask"))]
    return {"tensors": tensors, "numbers": numbers}


def cases():
    torch.manual_seed(0)
    yield case(2, 6, 9, 11)
    yield case(2, 6, 9, 11, mask=True, dtype=torch.float64)
    yield case(1, 6, 9, 11, groups=2, offset_groups=3, mask=True)
    yield case(1, 4, 12, 10, kernel=(2, 3), stride=(2, 1), pad=(1, 2), dilation=(1, 2))
    yield case(3, 2, 5, 5, kernel=(1, 1), out=1)
    yield case(1, 2, 1, 8, kernel=(1, 3), pad=(0, 1))
    yield case(1, 2, 8, 1, kernel=(3, 1), pad=(1, 0))
    yield case(0, 6, 9, 11)
    for offset in (0.0, 1.0, -0.5, -0.999, 1e6, -1e30, float("inf"), float("-inf")):
        yield case(1, 2, 6, 7, pad=(1, 1), offset=offset)


def test_kernel_equals_torchvisions(run, tmp_path):
    expected = [torch.ops.torchvision.deform_conv2d(*c["tensors"], *c["numbers"]) for c in cases()]
    torch.save(list(cases()), tmp_path / "cases.pt")
    result = run(
        "assert linnet_torch.register_deform_conv2d()\n"
        "torch.save([call(case) for case in torch.load(sys.argv[1])], sys.argv[2])\n"
        "assert 'torchvision' not in sys.modules\n",
        *(str(tmp_path / "cases.pt"), str(tmp_path / "got.pt")),
    )
    assert result.returncode == 0, result.stderr
    for got, want in zip(torch.load(tmp_path / "got.pt"), expected, strict=True):
        assert torch.allclose(got, want, rtol=1e-5, atol=1e-5, equal_nan=True)


def test_nan_offset_gives_nan_where_it_is_read(run):
    program = """
linnet_torch.register_deform_conv2d()
offset = torch.zeros(1, 2, 4, 4)
offset[0, 0, 1, 2] = offset[0, 1, 3, 3] = float("nan")
tensors = torch.ones(1, 1, 4, 4), torch.ones(1, 1, 1, 1), offset, torch.zeros(1, 0), torch.zeros(1)
y = call({"tensors": tensors, "numbers": (1, 1, 0, 0, 1, 1, 1, 1, False)})
assert y.isnan().nonzero()[:, 2:].tolist() == [[1, 2], [3, 3]]
assert (y[~y.isnan()] == 1).all()
"""
    result = run(program)
    assert result.returncode == 0, result.stderr


def test_after_torchvision_nothing_is_registered(run):
    result = run("import torchvision\nassert not linnet_torch.register_deform_conv2d()")
    assert result.returncode == 0, result.stderr


def test_second_registration_does_nothing(run):
    result = run("assert linnet_torch.register_deform_conv2d()\nassert not linnet_torch.register_deform_conv2d()")
    assert result.returncode == 0, result.stderr


def test_torchscript_file_loads_without_torchvision(run, tmp_path):
    torch.manual_seed(2)
    scripted = torch.jit.script(torchvision.ops.DeformConv2d(3, 4, 3))
    scripted.save(tmp_path / "deform.pt")
    x, offset = torch.randn(1, 3, 6, 6), torch.randn(1, 18, 4, 4)
    torch.save({"x": x, "offset": offset, "y": scripted(x, offset).detach()}, tmp_path / "data.pt")
    program = """
linnet_torch.register_deform_conv2d()
data = torch.load(sys.argv[2])
with torch.no_grad(): y = torch.jit.load(sys.argv[1])(data["x"], data["offset"])
assert torch.allclose(y, data["y"], atol=1e-5)
"""
    result = run(program, str(tmp_path / "deform.pt"), str(tmp_path / "data.pt"))
    assert result.returncode == 0, result.stderr


def test_arguments_that_do_not_fit(run, tmp_path):
    torch.save(next(cases()), tmp_path / "case.pt")
    messages = {
        "t[2] = t[2][:, 1:]": r"offset must be \[2, 18, 7, 9\], got \[2, 17, 7, 9\]",
        "t[4] = t[4][1:]": r"bias must be \[4\], got \[3\]",
        "t[1] = t[1].double()": "weight must be Float as the input is, got Double",
        "t[1] = t[1][:, 1:]": "does not fit input",
        "n[0] = 0": "strides must be positive",
        "n[7] = 4": "6 channels do not divide into 4 offset groups",
        "n[4] = 50": "gives an empty output",
    }
    program = """
linnet_torch.register_deform_conv2d()
for break_it in sys.argv[2:]:
    case = torch.load(sys.argv[1])
    t, n = case["tensors"], case["numbers"]
    exec(break_it)
    try: call(case)
    except RuntimeError as error: print(str(error).splitlines()[0])
"""
    result = run(program, str(tmp_path / "case.pt"), *messages)
    assert result.returncode == 0, result.stderr
    for line, message in zip(result.stdout.splitlines(), messages.values(), strict=True):
        assert re.search(message, line)
