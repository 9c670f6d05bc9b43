"""Lets torch.export take PyTorch's own transformer layers when they are given a mask."""

import contextlib

import torch


@contextlib.contextmanager
def not_compared():
    """The layers compare a mask with the causal one, only to choose a faster kernel: a branch on the values of a tensor,
    at which torch.export ends. For as long as the context lasts they take the mask as it is, which gives the same."""
    layers = torch.nn.modules.transformer
    detect = getattr(layers, "_detect_is_causal_mask", None)  # from PyTorch 2.0 on
    if detect is None:
        yield
        return
    layers._detect_is_causal_mask = lambda mask, is_causal=None, size=None: bool(is_causal)
    try:
        yield
    finally:
        layers._detect_is_causal_mask = detect
