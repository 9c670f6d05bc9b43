"""Runs any number of rows through a session, in batches of one size."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from linnet import options
from linnet.errors import ShapeError
from linnet.session import Session


def batched(
    session: Session, inputs: Mapping[str, Any], size: int, *, pad: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Runs a session on any number of rows, `size` rows at a time.

    A last batch that is not full repeats its last row, and the outputs of the repeated rows are dropped. All runs have
    the same shapes and therefore one plan. If the model computes each row separately, the bits of a row's outputs do
    not depend on the other rows, so that work may be split anywhere.

    Args:
        session: The session to run. The first axis of each output must be the rows of the batch.
        inputs: Arrays by name whose first axis is the rows, or objects that return arrays when they are sliced.
        size: The rows of one run, at least 1.
        pad: The numbers that fill up rows of different shapes, by the name of inputs that are lists of arrays:
            {"input_ids": 0, "attention_mask": 0}. Rows are filled at their ends to the largest row of their batch.

    Returns:
        The outputs of all rows by name. An output whose rows differ in shape, or that is a sequence, is a list.

    Raises:
        builtins.TypeError: `size` is not an int, or an argument has another type.
        ValueError: `size` is below 1.
        ShapeError: Inputs have no rows, or not equally many; the model has another fixed number of rows than `size`; or
            an output does not have one row for each row of the batch.
        Error: What Session.run raises.
    """
    size = options.integer("size", size, options.MOST_ROWS, least=1)
    inputs, fill = options.mapping("inputs", inputs), options.mapping("pad", pad or {})
    count = _equal_rows({name: _rows(array) for name, array in inputs.items()})
    _check_fixed(session, size)
    parts = [session.run({name: _batch(array, start, size, fill.get(name)) for name, array in inputs.items()})
             for start in range(0, max(1, count), size)]  # fmt: skip
    return {name: _joined(name, [part[name] for part in parts], size)[:count] for name in parts[0]}


def _rows(value: Any) -> int | None:
    """Returns the length of the first axis; None if the value has no axis."""
    if isinstance(value, dict) or not hasattr(value, "__len__") or getattr(value, "shape", None) == ():
        return None
    return len(value)


def _equal_rows(rows: dict[str, int | None]) -> int:
    counts = {*rows.values()}
    count = counts.pop() if len(counts) == 1 else None
    if count is None:
        raise ShapeError(f"expected inputs of equally many rows, got {rows}")
    return count


def _check_fixed(session: Session, size: int) -> None:
    for info in session.inputs:
        if info.shape and isinstance(info.shape[0], int) and info.shape[0] != size:
            raise ShapeError(f"input {info.name!r} has {info.shape[0]} rows by the model, not {size}")


def _batch(array: Any, start: int, size: int, fill: Any) -> Any:
    """Returns `size` rows from a place on. Missing rows repeat the last one, or are zeros if there is no row."""
    part = array[start : start + size]
    part = np.asarray(part) if fill is None else _padded([np.asarray(row) for row in part], fill)
    if len(part) == size:
        return part
    if len(part) == 0:
        return np.full((size, *part.shape[1:]), "" if part.dtype == object else 0, part.dtype)
    return part[np.minimum(np.arange(size), len(part) - 1)]


def _padded(rows: list[np.ndarray[Any, Any]], fill: Any) -> np.ndarray[Any, Any]:
    """Returns the rows as one array, each padded at the end of every axis to the largest size of that axis."""
    ranks = {row.ndim for row in rows}
    if len(ranks) != 1:
        raise ShapeError(f"expected rows of one rank to pad, got {sorted(ranks) or 'no rows'}")
    result = np.full((len(rows), *np.max([row.shape for row in rows], axis=0)), fill, rows[0].dtype)
    for row, place in zip(rows, result):
        place[tuple(map(slice, row.shape))] = row
    return result


def _joined(name: str, parts: list[Any], size: int) -> Any:
    for part in parts:
        if _rows(part) != size:
            shape = getattr(part, "shape", type(part).__name__)
            raise ShapeError(f"output {name!r} has no row for each of {size} rows: it is {shape}")
    if isinstance(parts[0], np.ndarray) and len({part.shape[1:] for part in parts}) == 1:
        return np.concatenate(parts)
    return [row for part in parts for row in part]
