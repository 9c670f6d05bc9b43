"""Sizes that session options give to open dims of inputs, by the symbols or denotations of the dims."""

from __future__ import annotations

import dataclasses

import linnet
from linnet.onnxruntime import errors

Sizes = dict[str, int]


def _conflict(message: str) -> Exception:
    return errors.error(errors.InvalidArgument, message)


def _size(word: str, by_denotation: Sizes) -> int | None:
    """Returns the size for a denotation, ignoring case, or None."""
    sizes = (size for known, size in by_denotation.items() if word and known.lower() == word.lower())
    return next(sizes, None)


def fix_denoted(inputs: list[linnet.ValueInfo], by_denotation: Sizes, by_name: Sizes) -> list[linnet.ValueInfo]:
    """Returns the inputs with sizes for the dims that have a denotation. If such a dim has a symbol, adds its size to
    `by_name`.

    Raises InvalidArgument if a size contradicts the model or another size.
    """
    return [_fix(info, by_denotation, by_name) for info in inputs]


def _fix(info: linnet.ValueInfo, by_denotation: Sizes, by_name: Sizes) -> linnet.ValueInfo:
    dims = list(info.shape or ())
    for i, (dim, word) in enumerate(zip(dims, info.dim_denotations)):
        size = _size(word, by_denotation)
        if size is None or dim == size:
            continue
        if isinstance(dim, int):
            raise _conflict("Invalid free dimension override.")
        if dim is not None and by_name.setdefault(dim, size) != size:
            raise _conflict("Conflicting free dimension overrides.")
        dims[i] = size
    return info if info.shape is None else dataclasses.replace(info, shape=tuple(dims))


def of_inputs(inputs: list[linnet.ValueInfo], by_name: Sizes) -> Sizes:
    """Returns the sizes of those symbols that occur in inputs. Other symbols fix nothing."""
    symbols = {dim for info in inputs for dim in info.shape or ()}
    return {name: size for name, size in by_name.items() if name in symbols}
