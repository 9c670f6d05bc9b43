"""Runs operators with constants of 1 KiB, 64 KiB and 1 MiB, read from a file, at every optimisation level.

usage: large_constants.py [OPERATOR...]
"""

import argparse
import contextlib
import dataclasses
import itertools
import math
import random
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "support"))

import linnet_of_build  # noqa: E402, F401
import linnet  # noqa: E402
import numpy as np  # noqa: E402
import onnx  # noqa: E402
import microsoft_schemas  # noqa: E402
from by_operator import MICROSOFT, title  # noqa: E402
from configuration import Configuration  # noqa: E402
from draw import Impossible, SeededDraw  # noqa: E402
from engine import temporary_folder  # noqa: E402
from families import FAMILIES  # noqa: E402
from neighbours import Cell, difference  # noqa: E402
from onnxruntime.capi import onnxruntime_pybind11_state as onnx_runtime  # noqa: E402
from survey import schemas  # noqa: E402
from values import array  # noqa: E402

SIZES = (1 << 10, 1 << 16, 1 << 20)
# The largest constant may have up to this many times the bytes of the size.
WITHIN = 8
# The limit for all inputs together.
MOST_BYTES = 1 << 25
SEEDS = 40
# The number of configurations of the size to try, because enlarging a number that is not a dim may cause a refusal.
TRIES = 12
FACTORS = (4, 16, 64, 256, 1024, 4096)
ALL_WAYS = list(itertools.product((0, 1), (False, True), (0, 1, 2)))


class LargeDraw(SeededDraw):
    """Multiplies about half of the numbers that may be dims by a factor. No tensor may have more than `most` elements,
    and all together no more than MOST_BYTES elements."""

    def __init__(self, schema, seed, factor, most):
        super().__init__(schema, seed)
        self._factor, self._chance, self._most, self._left = factor, random.Random(seed), most, MOST_BYTES

    def integer(self, low, high):
        value = super().integer(low, high)
        is_dim = low == 1 and high >= 3
        return value * self._factor if is_dim and self._chance.random() < 0.5 else value

    def tensor(self, type_name, shape, low=None, high=None):
        """Returns values without infinities, since rewrites may multiply weights by the zeros of padding."""
        self._left -= math.prod(shape)
        if math.prod(shape) > self._most or self._left < 0:
            raise Impossible
        return array(type_name, shape, low, high, np.random.default_rng(self.integer(0, 2**16)))

    def shape(self, low=0, high=4, most=5):
        rank = super().integer(low, high)
        return tuple(self.integer(1, most) for _ in range(rank))


def nbits(schema, size):
    k, block, rng = 256, 32, np.random.default_rng(1)
    n = 2 * size // k
    inputs = [
        rng.normal(size=(2, k)).astype(np.float32),
        rng.integers(0, 256, (n, k // block, block // 2)).astype(np.uint8),
        rng.normal(size=n * k // block).astype(np.float32),
    ]
    attributes = {"K": k, "N": n, "bits": 4, "block_size": block}
    types = {"T1": "float", "T2": "uint8", "T3": "float"}
    return Configuration(schema, inputs, attributes, types=types, ulps=64)


def gathered_blocks(schema, size):
    columns, block, rng = 128, 32, np.random.default_rng(2)
    rows = size // columns
    inputs = [
        rng.integers(0, 256, (rows, columns)).astype(np.uint8),
        np.array([0, rows - 1, rows // 2]),
        rng.normal(size=(rows, 2 * columns // block)).astype(np.float32),
    ]
    attributes = {"bits": 4, "block_size": block, "gather_axis": 0, "quantize_axis": 1}
    types = {"T1": "uint8", "T2": "float", "Tind": "int64"}
    return Configuration(schema, inputs, attributes, types=types)


# Operators whose inputs are numbers.
WITHOUT_SIZE = {"Range", "Tokenizer"}
# Functions for operators of com.microsoft without a family: schema, size -> Configuration.
OTHERS = {"MatMulNBits": nbits, "GatherBlockQuantized": gathered_blocks}


def other_schemas(names=()):
    found = onnx_runtime.get_all_operator_schema()
    return [
        microsoft_schemas.schema(x)
        for x in found
        if x.domain == MICROSOFT and x.name in OTHERS and (not names or f"{MICROSOFT}.{x.name}" in names)
    ]


def bytes_of(configuration):
    return [x.nbytes for x in configuration.inputs if isinstance(x, np.ndarray) and x.dtype != object]


def fits(configuration, size):
    """Whether the largest input that becomes a constant has approximately that size."""
    found = bytes_of(configuration)
    return bool(found) and size <= max(found) <= WITHIN * size and sum(found) <= MOST_BYTES


def configurations(schema, size):
    """Yields the family's configurations of that size, from many attempts."""
    if schema.name in OTHERS:
        yield OTHERS[schema.name](schema, size)
        return
    for factor, seed in itertools.product(FACTORS, range(SEEDS)):
        # Enlarging a number that is not a dim may need too much memory, or NumPy may refuse it.
        with contextlib.suppress(Impossible, ValueError, IndexError, MemoryError, OverflowError):
            configuration = FAMILIES[title(schema)](LargeDraw(schema, seed, factor, WITHIN * size))
            if fits(configuration, size):
                yield configuration


def run(path, feeds, level):
    session = linnet.Session(path, threads=1, optimization=level, deadline_ms=20000)
    found = session.run(feeds)
    return list(found.values()) if isinstance(found, dict) else list(found)


def save(configuration, folder, external):
    path = Path(folder) / "model.onnx"
    for old in Path(folder).iterdir():
        old.unlink()
    onnx.save(configuration.model(), path, save_as_external_data=external, size_threshold=0, location="weights")
    return path


def failure(configuration, folder, ways):
    """Returns the difference from the model without constants in one of the ways, which are: the index of the first
    constant input, whether constants are in a separate file, the optimisation level."""
    at_run = dataclasses.replace(configuration, constants_from=100)
    plain = run(save(at_run, folder, False), at_run.feeds(), 0)
    for first, external, level in ways:
        constant = dataclasses.replace(configuration, constants_from=first)
        where = f"constants from {first}, {'external' if external else 'inside'}, level {level}"
        try:
            found = run(save(constant, folder, external), constant.feeds(), level)
        except linnet.Error as error:
            return f"{where}: {error}"
        reason = difference(Cell(constant, "bytes", "bytes", "shape", None, {}, []), plain, found)
        if reason:
            return f"{where}: {reason}"
    return None


def check(schema, size, folder, ways=ALL_WAYS):
    """Returns (a configuration that runs and has constants of the size, its failure), or `None` if there is no such
    configuration."""
    for configuration in itertools.islice(configurations(schema, size), TRIES):
        with contextlib.suppress(linnet.Error):
            return configuration, failure(configuration, folder, ways)
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("operators", nargs="*")
    options = parser.parse_args()
    chosen = [*schemas(options.operators), *other_schemas(options.operators)]
    none, failed, count = [], 0, 0
    with temporary_folder() as folder:
        for schema, size in itertools.product(chosen, SIZES):
            found = check(schema, size, folder)
            name = f"{title(schema)}-{schema.since_version} with {size >> 10} KiB"
            if found is None:
                none.append(name)
                continue
            count += 1
            if found[1]:
                failed += 1
                print(f"{name}: {found[0].describe()}\n    {found[1][:300]}", flush=True)
    print("no configuration:", ", ".join(none))
    print(f"{count} run, {failed} differ, {len(none)} have none")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
