"""Runs every operator version among neighbours that rewrites move or fuse, with and without rewrites.

usage: neighbours.py [--configurations N] [--part I/N] [OPERATOR...]
"""

import argparse
import contextlib
import dataclasses
import itertools
import sys
import zlib
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "support"))

import linnet_of_build  # noqa: E402, F401
import linnet  # noqa: E402
import numpy as np  # noqa: E402
import onnx  # noqa: E402
from by_operator import title  # noqa: E402
from containers import EMPTY, tensors  # noqa: E402
from draw import Impossible, SeededDraw, allowed  # noqa: E402
from families import family_of  # noqa: E402
from onnx import helper, numpy_helper  # noqa: E402
from surroundings import BEFORE, BEHIND, weights  # noqa: E402
from survey import configure, schemas  # noqa: E402
from tolerances import LAST_PLACE, SMALLEST, WORKING  # noqa: E402
from values import type_name  # noqa: E402

# The nodes before and after the operator. If both are equal, a node that moves through the operator meets its inverse.
PAIRS = (
    ("", ""), ("transpose", "transpose"), ("conv", "conv"), ("conv", ""), ("", "conv"), ("product", "product"),
    ("bytes", "bytes"), ("bytes", ""), ("scale", "scale"), ("reshape", "reshape"), ("conv", "scale"), ("conv", "bytes"),
    ("product", "scale"), ("product", "transpose"), ("transpose", "reshape"), ("scale", "conv"),
    ("weights", "bytes"), ("weights", ""),
)  # fmt: skip
# How much is known of the inputs' shapes: all, the rank, nothing.
KNOWLEDGE = ("shape", "rank", "nothing")
# The inputs that have neighbours: usually all, or else the first or the last.
WHICH = (slice(None), slice(None), slice(0, 1), slice(-1, None))
# Families whose operators do not sum floats. Rewrites that move a Transpose through these operators preserve every bit.
MOVEMENT = ("families.movement", "families.indexing")
MOVES = ("", "transpose", "reshape")
# They compute in floats and round to integers, which fused forms do in another order.
ROUNDING = 1
# The number of seeds to try for a configuration whose first input has enough axes for the neighbours.
TRIES = 12


@dataclasses.dataclass
class Cell:
    """An operator among neighbours. `changed`: its inputs and outputs that have one."""

    configuration: object
    before: str
    behind: str
    knowledge: str
    model: onnx.ModelProto
    feeds: dict
    changed: list

    def __str__(self):
        around = f"{self.before or 'nothing'} before, {self.behind or 'nothing'} behind {self.changed}"
        constant = f"constants from {self.configuration.constants_from}"
        return f"{self.configuration.describe()}, {constant}: {around}, {self.knowledge} known"


def opset_of(model):
    return {opset.domain: opset.version for opset in model.opset_import}.get("", 21)


def forget(model, knowledge):
    for value in model.graph.input:
        kind = value.type.tensor_type
        if not value.type.HasField("tensor_type") or knowledge == "shape":
            continue
        if knowledge == "nothing":
            kind.ClearField("shape")
        for dim in kind.shape.dim:
            dim.Clear()


def put_before(model, kind, feeds, which):
    """Adds neighbours before those selected inputs that can have one. Returns their names."""
    changed = []
    for name in list(feeds)[which]:
        value = feeds[name]
        if not isinstance(value, np.ndarray) or value is EMPTY:
            continue
        made = BEFORE[kind](value, name, opset_of(model))
        if made is None:
            continue
        nodes, constants, fed = made
        rename_input(model, name, fed)
        feeds[f"{name}_fed"] = fed
        del feeds[name]
        for at, neighbour in enumerate(nodes):
            model.graph.node.insert(at, neighbour)
        model.graph.initializer.extend(constants)
        changed.append(name)
    return changed


def rename_input(model, name, fed):
    for value in model.graph.input:
        if value.name == name:
            kind = helper.np_dtype_to_tensor_dtype(fed.dtype)
            value.CopyFrom(helper.make_tensor_value_info(f"{name}_fed", kind, fed.shape))


def put_behind(model, kind, outputs):
    changed = []
    for value, result in zip(list(model.graph.output), outputs):
        if not isinstance(result, np.ndarray):
            continue
        made = BEHIND[kind](result, value.name, opset_of(model))
        if made is None:
            continue
        nodes, constants, element_type = made
        model.graph.node.extend(nodes)
        model.graph.initializer.extend(constants)
        changed.append(value.name)
        value.CopyFrom(helper.make_tensor_value_info(f"{value.name}_seen", element_type, None))
    return changed


def quantize_constants(model):
    """Adds a DequantizeLinear before each constant of the operator that can have one."""
    kept = []
    for initializer in list(model.graph.initializer):
        made = weights(numpy_helper.to_array(initializer), initializer.name) if initializer.name[1:].isdigit() else None
        for neighbour in made[0] if made else ():
            model.graph.node.insert(0, neighbour)
        kept += made[1] if made else [initializer]
    del model.graph.initializer[:]
    model.graph.initializer.extend(kept)


def read_elsewhere(model, names):
    """Adds values to the outputs of the graph."""
    model.graph.output.extend(helper.make_empty_tensor_value_info(name) for name in names)


def run(model, feeds, optimization):
    session = linnet.Session(model.SerializeToString(), threads=1, optimization=optimization)
    found = session.run(feeds)
    return list(found.values()) if isinstance(found, dict) else list(found)


def cells(configuration, alone, pairs, knowledge):
    """Yields the configuration with each pair of neighbours that it can have. alone: its outputs. Occasionally, only
    one input has a neighbour, or values in between are also read elsewhere."""
    chosen = number(configuration)
    for before, behind in pairs:
        if before == "weights":
            configuration = dataclasses.replace(configuration, constants_from=1)
        model, feeds = configuration.model(), dict(configuration.feeds())
        changed = put_before(model, before, feeds, WHICH[chosen % len(WHICH)]) if before else []
        if before == "weights" and changed:
            quantize_constants(model)
        behind_changed = put_behind(model, behind, alone) if behind else []
        if (before and not changed) or (behind and not behind_changed):
            continue
        if chosen // 8 % 4 == 0:
            read_elsewhere(model, (changed, behind_changed)[chosen // 32 % 2])
        for known in knowledge:
            copy = onnx.ModelProto()
            copy.CopyFrom(model)
            forget(copy, known)
            yield Cell(configuration, before, behind, known, copy, feeds, changed + behind_changed)


def is_exact(cell):
    module = family_of(cell.configuration.schema).__module__
    return cell.before in MOVES and cell.behind in MOVES and module in MOVEMENT


def difference(cell, plain, found):
    """Returns the difference between the outputs without and with rewrites, or `None`."""
    ones, others = ([x for value in values for x in tensors(value)] for values in (plain, found))
    if len(ones) != len(others):
        return f"{len(others)} tensors instead of {len(ones)}"
    return next(filter(None, itertools.starmap(lambda x, y: tensor_difference(cell, x, y), zip(ones, others))), None)


def tensor_difference(cell, x, y):
    if x.dtype != y.dtype or x.shape != y.shape:
        return f"{y.dtype}{y.shape} instead of {x.dtype}{x.shape}"
    if x.dtype == object or x.dtype.kind in "SU":
        return None if np.array_equal(x, y) else "other strings"
    kind = type_name(x)
    if kind not in LAST_PLACE or is_exact(cell):
        return integer_difference(cell, x, y)
    wide = np.complex128 if x.dtype.kind == "c" else np.float64
    x, y = x.astype(wide), y.astype(wide)
    with np.errstate(all="ignore"):
        finite = np.isfinite(x)
        largest = max(float(np.abs(x[finite]).max(initial=0)), cell.configuration.magnitude)
        unit = LAST_PLACE[WORKING.get(kind, kind)]
        close = np.abs(x - y) <= (
            (2 * LAST_PLACE[kind] + 2 * cell.configuration.ulps * unit) * np.abs(x)
            + 4 * SMALLEST[kind]
            + (4 + 2 * cell.configuration.roundings) * unit * largest
        )
        same = close | (x == y) | ((x != x) & (y != y))
    return None if same.all() else f"{y[~same][:4]} instead of {x[~same][:4]} at {np.argwhere(~same)[:3].tolist()}"


def integer_difference(cell, x, y):
    if x.dtype.kind not in "biuc" or is_exact(cell):
        same = x.view(np.uint8) == y.view(np.uint8) if x.size and x.ndim else np.array(x.tobytes() == y.tobytes())
        both_nan = x.size and x.dtype.kind in "fc" and np.array_equal(x, y, equal_nan=True)
        return None if same.all() or both_nan else "other bits"
    most = ROUNDING if rounds(cell) and x.dtype.kind in "iu" else 0
    same = np.abs(x.astype(np.int64) - y.astype(np.int64)) <= most if most else x == y
    return None if same.all() else f"{y[~same][:4]} instead of {x[~same][:4]} at {np.argwhere(~same)[:3].tolist()}"


def rounds(cell):
    return cell.behind == "bytes" or "Q" in cell.configuration.schema.name


def failure(cell):
    """Returns the failure of a cell, or `None`."""
    try:
        plain = run(cell.model, cell.feeds, 0)
    except linnet.Error:
        return None
    for level in (1, 2):
        try:
            found = run(cell.model, cell.feeds, level)
        except linnet.Error as error:
            return f"refused at level {level}: {error}"
        reason = difference(cell, plain, found)
        if reason:
            return f"at level {level}: {reason}"
    return None


def has_axes(configuration):
    value = next((x for x in configuration.inputs if isinstance(x, np.ndarray)), None)
    return value is not None and value.ndim >= 3 and value.size > 0


def draw(schema, seed, forced=()):
    """Returns a configuration of this version with these types, preferably one with axes among the first seeds."""
    found = None
    for attempt in range(TRIES):
        with contextlib.suppress(Impossible):
            configuration = configure(SeededDraw(schema, seed * 1000 + attempt, forced))
            found = found or configuration
            if has_axes(configuration):
                return configuration
    return found


def typings(schema):
    """Yields each type that a type variable of the inputs may have."""
    for variable in dict.fromkeys(x.type_str for x in schema.inputs if not x.type_str.startswith("tensor(")):
        with contextlib.suppress(KeyError):
            for name in allowed(schema, variable):
                yield {variable: name}


def drawn(schema, seeds):
    """Yields a configuration of each type for each seed."""
    for forced in list(typings(schema)) or [{}]:
        for seed in seeds:
            configuration = draw(schema, seed, forced)
            if configuration:
                yield configuration


def sampled(schema):
    """Returns one configuration, of float32 if the operator accepts it, or else of the first type."""
    types = list(typings(schema)) or [{}]
    return draw(schema, 0, next((t for t in types if "float" in t.values()), types[0]))


def outputs_alone(configuration):
    try:
        return run(configuration.model(), configuration.feeds(), 0)
    except linnet.Error:
        return None


def number(configuration):
    return zlib.crc32(configuration.describe().encode())


def sample(versions):
    """Yields a few cells of every version. The operator's name selects the pairs of neighbours."""
    for schema in versions:
        configuration = sampled(schema)
        alone = configuration and outputs_alone(configuration)
        if not alone:
            continue
        chosen = number(configuration)
        possible = cells(configuration, alone, PAIRS[2:], (KNOWLEDGE[chosen % 2],))
        found = list(possible)
        yield from found[chosen % 2 :: 2]


def survey(versions, seeds):
    """Yields all cells of each version."""
    for schema in versions:
        for configuration in drawn(schema, seeds):
            alone = outputs_alone(configuration)
            if alone:
                yield from cells(configuration, alone, PAIRS, KNOWLEDGE)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("operators", nargs="*")
    parser.add_argument("--configurations", type=int, default=1)
    parser.add_argument("--part", default="0/1", help="I/N: every N-th version from the I-th on")
    parser.add_argument("--first", type=int, default=0, help="the number of the first configuration of each type")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_intermixed_args()
    first, step = map(int, options.part.split("/"))
    seeds = range(options.first, options.first + options.configurations)
    count = failed = 0
    for schema in schemas(options.operators)[first::step]:
        worst = {}
        if options.verbose:
            print(title(schema), schema.since_version, count, flush=True)
        for cell in survey([schema], seeds):
            count += 1
            reason = failure(cell)
            if reason:
                failed += 1
                worst.setdefault((cell.before, cell.behind, reason[:60]), f"{cell}\n    {reason[:400]}")
        for text in list(worst.values())[:6]:
            print(text, flush=True)
    print(f"{count} cells, {failed} differ")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
