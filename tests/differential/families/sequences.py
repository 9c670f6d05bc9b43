"""Sequences of tensors."""

import re

import numpy as np
from by_operator import family
from configuration import Configuration
from onnx import helper
from values import element_type, is_integer

from .controlflow import info
from .movement import positive


def element(draw, variable="S"):
    """Returns the element type of a sequence, and binds the type variable of the sequence."""
    constraint = next(c for c in draw.schema.type_constraints if c.type_param_str == variable)
    names = [re.findall(r"\w+", text)[-1] for text in sorted(constraint.allowed_type_strs) if text.startswith("seq(")]
    kind = draw.pick(names)
    draw.types[variable] = f"seq(tensor({kind}))"
    return kind


def element_of(draw):
    """Does the same for elements that have a type variable, too."""
    kind = draw.type("T")
    draw.types["S"] = f"seq(tensor({kind}))"
    return kind


def tensors(draw, kind, low=1, high=4):
    """Returns tensors of the type, each of another shape."""
    return [draw.tensor(kind, draw.shape(0, 3, most=3)) for _ in range(draw.integer(low, high))]


def position(draw, low, high):
    """Returns a scalar."""
    return np.asarray(draw.integer(low, high), np.int32 if draw.type("I") == "int32" else np.int64)


@family("SequenceConstruct")
def construct(draw):
    return Configuration(draw.schema, tensors(draw, element_of(draw)), {}, types=draw.types)


@family("SequenceEmpty")
def empty(draw):
    kind = element(draw)
    attributes = {} if kind == "float" and draw.flag() else {"dtype": element_type(kind)}
    return Configuration(draw.schema, [], attributes, types=draw.types)


@family("SequenceLength")
def length(draw):
    values = tensors(draw, element(draw), 0)
    draw.type("I")
    return Configuration(draw.schema, [values], {}, types=draw.types)


@family("SequenceAt")
def at(draw):
    values = tensors(draw, element_of(draw))
    where = position(draw, -len(values), len(values) - 1)
    return Configuration(draw.schema, [values, where], {}, types=draw.types)


@family("SequenceErase")
def erase(draw):
    values = tensors(draw, element(draw))
    where = position(draw, -len(values), len(values) - 1)
    return Configuration(draw.schema, [values, where][: draw.integer(1, 2)], {}, types=draw.types)


@family("SequenceInsert")
def insert(draw):
    values, extra = (tensors(draw, element_of(draw), low, high) for low, high in ((0, 3), (1, 1)))
    where = position(draw, -len(values), len(values))
    return Configuration(draw.schema, [values, extra[0], where][: draw.integer(2, 3)], {}, types=draw.types)


@family("ConcatFromSequence")
def concat(draw):
    kind, shape, new_axis = element_of(draw), list(draw.shape(1, 3, most=3)), draw.integer(0, 1)
    rank = len(shape) + new_axis
    axis = draw.integer(-rank, rank - 1)
    values = []
    for _ in range(draw.integer(1, 4)):
        if not new_axis:
            shape[axis] = draw.integer(0, 3)
        values.append(draw.tensor(kind, shape))
    attributes = {"axis": axis, "new_axis": new_axis} if new_axis or draw.flag() else {"axis": axis}
    return Configuration(draw.schema, [values], attributes, types=draw.types)


@family("SplitToSequence")
def split(draw):
    kind, shape = element_of(draw), list(positive(draw.shape(1, 3, most=4)))
    axis = draw.integer(-len(shape), len(shape) - 1)
    form = draw.choice(("none", "scalar", "lengths"))
    lengths = [draw.integer(0, 3) for _ in range(draw.integer(1, 4))]
    shape[axis] = max(1, sum(lengths)) if form == "lengths" else draw.integer(1, 6)
    lengths[-1] += shape[axis] - sum(lengths) if form == "lengths" else 0
    dtype = np.int32 if draw.type("I") == "int32" else np.int64
    attributes = {"axis": axis} if draw.flag() or axis else {}
    if draw.flag():
        attributes["keepdims"] = draw.integer(0, 1)
    split_at = {"none": [], "scalar": [np.asarray(draw.integer(1, 4), dtype)], "lengths": [np.array(lengths, dtype)]}
    return Configuration(draw.schema, [draw.tensor(kind, shape), *split_at[form]], attributes, types=draw.types)


@family("SequenceMap")
def over_sequences(draw):
    """Each element is doubled if it is a number. Another sequence or a tensor is passed through in addition."""
    kind = draw.forced.get("V") or element(draw)
    draw.types.update(S=f"seq(tensor({kind}))", V=f"seq(tensor({kind}))")
    values = [draw.tensor(kind, positive(draw.shape(0, 2, most=3))) for _ in range(draw.integer(1, 3))]
    other = draw.choice((None, draw.tensor(kind, (2,)), [draw.tensor(kind, (n,)) for n, _ in enumerate(values)]))
    if "V" in draw.forced:
        other = draw.tensor(kind, (2,))
        draw.types["V"] = kind
    number = kind in ("float", "double") or is_integer(kind) and kind[-2:] in ("32", "64")
    names = ["a"] if other is None else ["a", "b"]
    nodes = [helper.make_node("Add", ["a", "a"], ["ya"]) if number else helper.make_node("Identity", ["a"], ["ya"])]
    nodes += [helper.make_node("Identity", ["b"], ["yb"])] if other is not None else []
    body = helper.make_graph(
        nodes, "body", [info(name, kind) for name in names], [info(f"y{name}", kind) for name in names]
    )
    inputs = [values] if other is None else [values, other]
    return Configuration(draw.schema, inputs, {"body": body}, len(names), draw.types)
