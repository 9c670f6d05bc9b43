"""Random example inputs of the same kind as those given."""

import torch


def draw(tensor: torch.Tensor, shape, generator: torch.Generator, negative: bool = False) -> torch.Tensor:
    """Returns a random tensor of this shape that can replace `tensor`.

    Integers and booleans are in the example's range. So are floats; if an example has few distinct values (a mask),
    they are sampled from these values; if it has only one, they are from the normal distribution.

    negative: numbers may have any sign, and most are below zero
    """
    example = tensor.detach()
    if example.numel() == 0:
        return torch.zeros(shape, dtype=tensor.dtype)
    if example.is_complex():
        parts = [draw(part, shape, generator, negative) for part in (example.real, example.imag)]
        return torch.complex(*parts)
    if not example.is_floating_point():
        return _integers(example, shape, generator)
    values = example.double().flatten()
    distinct = values.unique()
    if len(distinct) == 1:
        drawn = torch.randn(shape, generator=generator, dtype=torch.float64)
        return (-drawn.abs() if negative else drawn).to(tensor.dtype)
    if not distinct.isfinite().all() or (len(distinct) == 2 and len(values) > 2):
        return values[torch.randint(len(values), shape, generator=generator)].to(tensor.dtype)
    low, high = distinct[0], distinct[-1]
    drawn = torch.rand(shape, generator=generator, dtype=torch.float64) * (high - low) + low
    return (-drawn.abs() if negative else drawn).to(tensor.dtype)


def _integers(example: torch.Tensor, shape, generator: torch.Generator) -> torch.Tensor:
    if example.dtype == torch.bool:
        return torch.rand(shape, generator=generator) < 0.7
    low, high = int(example.min()), int(example.max())
    return torch.randint(low, high + 1, shape, generator=generator).to(example.dtype)
