"""Restores the state of a module that an export must not change: its modes and buffers."""

import contextlib

import torch


@contextlib.contextmanager
def evaluation(module: torch.nn.Module):
    """Sets evaluation mode, as far as the module has modes.

    Programs of torch.export, and what PT2E makes from them, refuse train() and eval().
    """
    modes = {part: part.training for part in module.modules()}
    if any(modes.values()):
        with contextlib.suppress(NotImplementedError):
            module.eval()
    try:
        yield
    finally:
        for part, mode in modes.items():
            part.training = mode


@contextlib.contextmanager
def kept(module: torch.nn.Module):
    """Restores buffers that the module changes. Yields a list that then contains the names of these buffers."""
    changed = []
    before = [(name, buffer, buffer.detach().clone()) for name, buffer in module.named_buffers()]
    try:
        yield changed
    finally:
        for name, buffer, contents in before:
            *path, own_name = name.split(".")
            part = module.get_submodule(".".join(path))
            if getattr(part, own_name) is not buffer:
                setattr(part, own_name, buffer)
                changed.append(name)
            if not _same(buffer, contents):
                with torch.no_grad():
                    buffer.copy_(contents)
                changed.append(name)


def _same(a: torch.Tensor, b: torch.Tensor) -> bool:
    return bool(((a == b) | ((a != a) & (b != b))).all())
