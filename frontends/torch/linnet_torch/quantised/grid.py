"""The grids of quantised tensors, and the floats on them."""

import contextlib
from dataclasses import dataclass

import torch
import torch.ao.quantization.fx._decomposed  # noqa: F401: defines the operators

_OPERATORS = torch.ops.quantized_decomposed
# The range of integers of each dtype.
RANGES = {
    torch.quint8: (0, 255),
    torch.qint8: (-128, 127),
    torch.qint32: (-(2**31), 2**31 - 1),
}
INTEGERS = {torch.quint8: torch.uint8, torch.qint8: torch.int8, torch.qint32: torch.int32}
# The fraction of a step by which moved() shifts a value before it is rounded.
_TIE = 0.01
_moves = None  # random numbers while moved() is active


@dataclass(frozen=True)
class Grid:
    """The set of floats that a quantised tensor can represent."""

    scale: float
    zero_point: int
    dtype: torch.dtype

    @property
    def range(self) -> tuple:
        return RANGES[self.dtype]

    def rounded(self, floats: torch.Tensor) -> "Quantised":
        grid = self.scale, self.zero_point, *self.range, INTEGERS[self.dtype]
        floats = moved_by(_TIE * self.scale, floats)
        return Quantised(_OPERATORS.dequantize_per_tensor(_OPERATORS.quantize_per_tensor(floats, *grid), *grid), self)


class Quantised:
    """A quantised tensor as the floats that it represents."""

    is_quantized = True

    def __init__(self, floats: torch.Tensor, grid: Grid):
        self.floats, self.grid = floats, grid

    @property
    def dtype(self) -> torch.dtype:
        return self.grid.dtype

    def dequantize(self) -> torch.Tensor:
        return moved_by(self.grid.scale, self.floats)

    def q_scale(self) -> float:
        return self.grid.scale

    def q_zero_point(self) -> int:
        return self.grid.zero_point

    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        """Makes PyTorch treat this as a tensor."""
        from .calls import call

        return call(function, args, kwargs or {})

    def __getitem__(self, index):
        return self.__torch_function__(torch.Tensor.__getitem__, (), (self, index))

    def __getattr__(self, name: str):
        """Returns methods of tensors, and attributes that do not depend on the values."""
        if name in ("shape", "ndim", "device", "size", "dim", "numel"):
            return getattr(self.floats, name)
        method = getattr(torch.Tensor, name)
        return lambda *args, **kwargs: self.__torch_function__(method, (), (self, *args), kwargs)


@contextlib.contextmanager
def moved(seed: int):
    """Perturbs the quantised parts of modules while the context lasts.

    Floats that leave the quantised part of a module, or enter a dynamic product, are off by at most a step, and ties
    between two integers are rounded to either.
    """
    global _moves
    _moves = torch.Generator().manual_seed(seed)
    try:
        yield
    finally:
        _moves = None


def moved_by(step, floats: torch.Tensor) -> torch.Tensor:
    """Moves each element up or down by `step` while moved() is active."""
    if _moves is None:
        return floats
    return floats + step * (torch.randint(0, 2, floats.shape, generator=_moves) * 2 - 1)
