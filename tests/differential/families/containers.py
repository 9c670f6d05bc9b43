"""Sequences and optionals, made of tensors and taken apart again around the operator."""

from configuration import Configuration
from onnx import helper
from values import element_type

from .movement import positive
from .registry import family

SEQUENCE = ("SequenceConstruct", {})
ROWS = ("SplitToSequence", {})
OPTIONAL = ("Optional", {})
STACKED = ("ConcatFromSequence", {"axis": 0, "new_axis": 1})
HELD = ("OptionalGetElement", {})


def made(draw, inputs, attributes=None, wrap=(), unwrap=()):
    return Configuration(draw.schema, inputs, attributes or {}, types=draw.types, wrap=wrap, unwrap=unwrap)


def tensor(draw, variable):
    return draw.tensor(draw.type(variable), positive(draw.shape(0, 3)))


def position(draw, most=0):
    return draw.tensor(draw.type("I"), (), -1, most)


def same_element(draw, kind):
    """Binds S, the sequence, as what it is unwrapped to."""
    draw.types["S"] = kind


@family("SequenceConstruct")
def sequence_construct(draw):
    x = tensor(draw, "T")
    same_element(draw, draw.type("T"))
    return made(draw, [x] * draw.integer(1, 3), unwrap=STACKED)


@family("SequenceAt")
def sequence_at(draw):
    return made(draw, [tensor(draw, "T"), position(draw)], wrap=SEQUENCE)


@family("SequenceInsert")
def sequence_insert(draw):
    x = tensor(draw, "T")
    same_element(draw, draw.type("T"))
    return made(draw, [x, x, position(draw, 1)], wrap=SEQUENCE, unwrap=STACKED)


@family("ConcatFromSequence")
def concat_from_sequence(draw):
    x = draw.tensor(draw.type("T"), positive(draw.shape(1, 3)))
    return made(draw, [x], {"axis": draw.integer(-1, 0), "new_axis": draw.integer(0, 1)}, SEQUENCE)


@family("SequenceErase")
def sequence_erase(draw):
    """Of two rows one is left."""
    same_element(draw, "float")
    return made(draw, [draw.tensor("float", (2, 3)), position(draw)], wrap=ROWS, unwrap=STACKED)


@family("SequenceLength")
def sequence_length(draw):
    draw.type("I")
    return made(draw, [draw.tensor("float", (2,))], wrap=SEQUENCE)


@family("SplitToSequence")
def split_to_sequence(draw):
    kind = draw.type("T")
    same_element(draw, kind)
    split = draw.tensor(draw.type("I"), (), 2, 2)
    return made(draw, [draw.tensor(kind, (4, 3)), split], {"axis": 0}, unwrap=STACKED)


@family("SequenceMap")
def sequence_map(draw):
    kind = draw.type("V")
    same_element(draw, kind)
    x = draw.tensor(kind, (2,))
    values = [helper.make_tensor_value_info(name, element_type(kind), [2]) for name in ("element", "other", "result")]
    nodes = [helper.make_node("Identity", ["other"], ["result"])]
    body = helper.make_graph(nodes, "body", values[:2], values[2:])
    return made(draw, [x, x], {"body": body}, SEQUENCE, STACKED)


@family("Optional")
def optional(draw):
    x = tensor(draw, "V")
    draw.types["O"] = draw.type("V")
    return made(draw, [x], unwrap=HELD)


@family("OptionalGetElement")
def optional_get_element(draw):
    """Of an optional or, where O is asked for, of the tensor itself."""
    if "O" in draw.forced:
        x = tensor(draw, "O")
        draw.types["V"] = draw.type("O")
        return made(draw, [x])
    return made(draw, [tensor(draw, "V")], wrap=OPTIONAL)


@family("OptionalHasElement")
def optional_has_element(draw):
    draw.type("B")
    if "O" in draw.forced:
        return made(draw, [tensor(draw, "O")])
    return made(draw, [draw.tensor("float", (2,))], wrap=OPTIONAL)
