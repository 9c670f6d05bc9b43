"""Complex numbers are pairs of floats in ONNX: tests their arithmetic, and Fourier transforms."""

import numpy as np
import pytest
import torch
from exported import assert_close
from installation import HAS_DYNAMO

if not HAS_DYNAMO:
    pytest.skip("this PyTorch writes .pt2 files of an older layout", allow_module_level=True)

from torch import fft  # noqa: E402
from torch.export import Dim  # noqa: E402
from torch.nn.functional import pad  # noqa: E402

NORMS = ("backward", "ortho", "forward")
WINDOW = torch.hann_window(8)
MEL = torch.rand(10, 33)


def pairs(tensor):
    tensor = tensor.detach().resolve_conj()
    return (torch.view_as_real(tensor) if tensor.is_complex() else tensor).numpy()


def real(*sizes):
    return torch.randn(*sizes)


def complex_numbers(*sizes):
    return torch.randn(*sizes, dtype=torch.complex64)


class Function(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *tensors):
        return self.function(*tensors)


def save(file, module, example, dynamic, decomposed):
    axes = tuple({axis: Dim.DYNAMIC for axis in dynamic} for _ in example)
    shapes = (axes,) if isinstance(module, Function) else axes
    program = torch.export.export(module, example, dynamic_shapes=shapes if dynamic else None, strict=False)
    torch.export.save(program.run_decompositions() if decomposed else program, file)
    return [spec.arg.name for spec in program.graph_signature.input_specs if spec.kind.name == "USER_INPUT"]


def double(tensor):
    return tensor.to(torch.complex128 if tensor.is_complex() else torch.float64)


@pytest.fixture(params=[False, True], ids=["training", "aten"])
def check(request, tmp_path, run_model):
    """Checks that Linnet's results equal PyTorch's in double precision for several inputs; the first is the example."""

    def run(module, *inputs, dynamic=(), bound=1e-5):
        names = save(tmp_path / "m.pt2", module.eval(), inputs[0], dynamic, request.param)
        results = [run_model.outputs(tmp_path / "m.pt2", dict(zip(names, map(pairs, given)))) for given in inputs]
        module.double()
        for got, given in zip(results, inputs):
            want = torch.utils._pytree.tree_leaves(module(*map(double, given)))
            assert len(got) == len(want)
            for one, other in zip(got.values(), map(pairs, want)):
                assert_close(one / max(1, np.abs(other).max()), other / max(1, np.abs(other).max()), bound)

    return run


def with_lengths(transform, x):
    """Returns transforms of shorter and longer, even and odd lengths, and with all normalisations."""
    return [transform(x, norm=norm) for norm in NORMS] + [transform(x, n=n) for n in (4, 11)]


def of_complex(x):
    return with_lengths(fft.fft, x), with_lengths(fft.ifft, fft.fft(x))


def of_real(x):
    return with_lengths(fft.rfft, x), with_lengths(fft.irfft, fft.rfft(x)), with_lengths(fft.hfft, fft.ihfft(x))


@pytest.mark.parametrize("transforms", [of_complex, of_real])
def test_transforms_along_one_axis(check, transforms):
    check(Function(transforms), (real(3, 7),), (real(3, 10),), dynamic=[1])


def many_axes(x):
    return [
        fft.fftn(x),
        fft.ifftn(x, s=(4, 9)),
        fft.fft2(x, norm="ortho"),
        fft.ifft2(x, dim=(2, 0)),
        fft.rfftn(x, norm="forward"),
        fft.irfftn(x, s=(5, 7)),
        fft.rfft2(x, s=(3, 5)),
        fft.irfft2(x, norm="ortho"),
    ]


def test_transforms_along_several_axes(check):
    check(Function(many_axes), (real(2, 3, 8),), (real(4, 3, 8),), dynamic=[0])


def test_lengths_of_the_input(check):
    def there_and_back(x):
        return fft.irfftn(fft.rfftn(x, dim=(1, 2)), s=x.shape[1:], dim=(1, 2)), fft.irfft(fft.rfft(x, dim=1), n=x.shape[1], dim=1)  # fmt: skip

    check(Function(there_and_back), (real(2, 4, 7),), (real(2, 5, 10),), dynamic=[1, 2])


def test_signals_without_a_batch(check):
    check(Function(lambda x: (fft.rfft(x), fft.fft(x), fft.irfft(fft.rfft(x)))), (real(9),))


class Mixed(torch.nn.Module):
    """The mixing of FNet."""

    def __init__(self):
        super().__init__()
        self.norm, self.dense = torch.nn.LayerNorm(8), torch.nn.Linear(8, 8)

    def forward(self, x):
        return self.dense(self.norm(x + fft.fftn(x, dim=(1, 2)).real))


def test_fnet(check):
    check(Mixed(), (real(2, 5, 8),), (real(3, 8, 8),), dynamic=[0, 1], bound=2e-5)


def stft(x, window=WINDOW, hop=4, **options):
    return torch.stft(x, 8, hop, len(window), window.to(x.dtype), return_complex=True, **options)


def istft(x, window=WINDOW, hop=4, **options):
    return torch.istft(x, 8, hop, len(window), window.to(x.real.dtype), **options)


def spectra(x):
    short = torch.hann_window(6)
    return stft(x), stft(x, short, 3), stft(x, normalized=True), torch.stft(x, 8, 4, return_complex=True)


def test_short_time_transforms(check):
    check(Function(spectra), (real(2, 24),), (real(3, 31),), dynamic=[0, 1])
    check(Function(lambda x: (stft(x, onesided=False), stft(x, center=False))), (real(24),))


def signals(x):
    short = torch.hann_window(6)
    return istft(stft(x)), istft(stft(x, short, 3, normalized=True), short, 3, normalized=True)


def test_short_time_transforms_come_back(check):
    check(Function(signals), (real(2, 16),))
    check(Function(lambda x: [istft(stft(x), length=length) for length in (17, 29)]), (real(24),))


def test_signals_of_open_length_come_back(check):
    check(Function(lambda x: istft(stft(x))), (real(2, 16),), (real(3, 24),), dynamic=[0, 1])


def log_mel(x):
    window = torch.hann_window(64, dtype=x.dtype)
    power = torch.stft(x, 64, 16, window=window, return_complex=True)[..., :-1].abs() ** 2
    log = torch.clamp(MEL.to(x.dtype) @ power, min=1e-10).log10()
    return (torch.maximum(log, log.max() - 8.0) + 4.0) / 4.0


def test_log_mel_spectrum(check):
    check(Function(log_mel), (real(2, 320),), (real(3, 400),), dynamic=[0, 1])


def windows(x):
    return [
        x * torch.hann_window(9),
        x * torch.hamming_window(9, periodic=False),
        x * torch.blackman_window(9),
        x * torch.bartlett_window(9),
        x * torch.kaiser_window(9),
        x * torch.kaiser_window(9, False, 8.0),
    ]


def test_windows(check):
    check(Function(windows), (real(9),))


class Rotated(torch.nn.Module):
    """Rotary positions with a table of complex numbers that is a buffer of the module."""

    def __init__(self):
        super().__init__()
        angles = torch.outer(torch.arange(8.0), 0.1 ** torch.arange(4.0))
        self.register_buffer("turns", torch.polar(torch.ones_like(angles), angles))

    def forward(self, x):
        y = torch.view_as_complex(x.reshape(*x.shape[:-1], -1, 2)) * self.turns[: x.shape[1], None]
        return torch.view_as_real(y).flatten(3)


def test_rotary_positions(check):
    check(Rotated(), (real(2, 5, 3, 8),), (real(3, 4, 3, 8),), dynamic=[0, 1])


class Spectral(torch.nn.Module):
    """A layer of a Fourier neural operator."""

    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(complex_numbers(3, 5, 4, 3))

    def forward(self, x):
        lower = fft.rfft2(x)[:, :, :4, :3]
        y = torch.zeros(x.shape[0], 5, 8, 5, dtype=self.weight.dtype)
        y[:, :, :4, :3] = torch.einsum("bixy,ioxy->boxy", lower, self.weight)
        return fft.irfft2(y, s=(8, 8))

    def double(self):
        self.weight.data = self.weight.data.to(torch.complex128)


def test_spectral_convolution(check):
    check(Spectral(), (real(2, 3, 8, 8),), (real(3, 3, 8, 8),), dynamic=[0])


def arithmetic(x, y):
    sums = x + x, x - y * 2j + 1.5, x + y.real, x.real - x, 2 - x, torch.add(x, y, alpha=2)
    products = x * y, x / y, 1 / x, x / 2, x * x.real, x.real / y, x**3, x.square(), x.clone().mul_(2j)
    return *sums, *products, x.exp(), x.abs(), x.angle(), x.real.angle(), x.conj(), x.imag, torch.polar(y.abs(), x.real)


def test_arithmetic(check):
    check(Function(arithmetic), (complex_numbers(3, 4), complex_numbers(3, 4)))
    check(Function(lambda x, y: (x * y, x + y.real, torch.complex(y.real, x.imag))), (complex_numbers(3, 4), complex_numbers(4)))  # fmt: skip


def reductions(x):
    norm = torch.linalg.vector_norm(x, dim=1)
    return x.sum(), x.sum(1), x.mean((0, -1), keepdim=True), x.mean(), x.cumsum(-1), norm


def test_sums_and_products(check):
    check(Function(reductions), (complex_numbers(3, 4, 2),))
    check(Function(lambda x, y: (x @ y, x.real.to(y.dtype) @ y, x[0] @ y[0])), (complex_numbers(2, 3, 4), complex_numbers(2, 4, 5)))  # fmt: skip


def choices(x):
    positive = x.real > 0
    made = torch.full((3, 4), 1 + 2j, dtype=x.dtype) + torch.ones(3, 4, dtype=x.dtype) + torch.zeros_like(x)
    return torch.where(positive, x, x * 2), x.masked_fill(positive, 0), made * x


def test_choices_and_new_tensors(check):
    check(Function(choices), (complex_numbers(3, 4),))


def moved(x):
    return [
        x.permute(2, 0, -2), x.transpose(-1, 0), x.movedim(-1, 0), x.mT, x[0].t(), x[0].mH, x.unsqueeze(-1),
        x.unsqueeze(1).squeeze(1), x[:, 1], x[..., 1:], x.narrow(-1, 1, 2), torch.cat([x, x], -1),
        torch.stack([x, x], -1), x.flip(-1, 0), x.roll((1, 2), (-1, 0)), x.flatten(-2), x.unflatten(-1, (2, 2)),
        x.expand(2, -1, -1, -1), x.repeat(2, 1, 1), *x.split(2, -1), *x.unbind(-1), x.reshape(-1), x.view(2, -1),
        x[[0, 1]], pad(x, (1, 2, 0, 1)), -x,
    ]  # fmt: skip


def moved_open(x):
    sizes = x.shape[0], x.shape[2]
    return x.flatten(1), x.reshape(sizes[0], -1), x.permute(2, 0, 1), x[:, -1], x.view(sizes[0], 2, -1, sizes[1])


def test_elements_move(check):
    check(Function(moved), (complex_numbers(2, 3, 4),))
    check(Function(moved_open), (complex_numbers(2, 4, 4),), (complex_numbers(3, 4, 5),), dynamic=[0, 2])


@pytest.mark.parametrize("function", [torch.tanh, lambda x: pad(x, (1, 1), value=1.0), lambda x: x**0.5])
def test_refuses_what_no_rule_covers(tmp_path, run_model, function):
    names = save(tmp_path / "m.pt2", Function(function), (complex_numbers(3, 4),), (), False)
    result = run_model("run", tmp_path / "m.pt2", code=2)
    assert "complex numbers" in result.stderr
