"""If, Loop and Scan, with bodies that add numbers and pass other values through."""

import numpy as np
from by_operator import family
from configuration import Configuration
from containers import tensor_proto, type_proto
from draw import Impossible
from onnx import TensorProto, helper
from values import FLOATS, element_type

from .movement import int64s, positive


def info(name, kind, shape=None):
    return helper.make_tensor_value_info(name, element_type(kind), shape)


def bind(draw, *variables):
    """Binds variables that have only one possible type."""
    for variable in variables:
        draw.type(variable)


@family("If")
def branches(draw):
    if draw.schema.since_version >= 13 and "V" not in draw.forced and draw.rare():
        return of_sequences(draw)
    kind = draw.type("V", FLOATS if draw.schema.since_version == 1 else None)
    # Constants of version 1 are floats.
    old = draw.schema.since_version == 1 and kind not in FLOATS
    bind(draw, "B")
    if old and (kind == "string" or kind.startswith("complex")):
        raise Impossible
    graphs = {}
    for name in ("then_branch", "else_branch"):
        value = tensor_proto(draw.tensor("float" if old else kind, positive(draw.shape(0, 2)), 0, 5), "value")
        nodes = [helper.make_node("Constant", [], ["value"], value=value)]
        changed = {"to": kind.upper()} if old else {}
        # A branch may use outer values: here, the condition.
        given = "x0" if kind == "bool" and draw.flag() else "value"
        nodes.append(helper.make_node("Cast" if old else "Identity", [given], ["result"], **changed))
        graphs[name] = helper.make_graph(nodes, name, [], [info("result", kind)])
    condition = draw.tensor("bool", draw.choice(((), (1,))))
    return Configuration(draw.schema, [condition], graphs, types=draw.types)


def sequence_info(name, kind):
    return helper.make_value_info(name, type_proto(f"seq(tensor({kind}))"))


def of_sequences(draw):
    """If with branches that return sequences of one or two tensors."""
    kind = draw.choice(("float", "int64", "string"))
    draw.types.update(V=f"seq(tensor({kind}))", B="bool")
    graphs = {}
    for name in ("then_branch", "else_branch"):
        value = tensor_proto(draw.tensor(kind, draw.shape(0, 2)), "value")
        nodes = [helper.make_node("Constant", [], ["value"], value=value)]
        nodes.append(helper.make_node("SequenceConstruct", ["value"] * draw.integer(1, 2), ["result"]))
        graphs[name] = helper.make_graph(nodes, name, [], [sequence_info("result", kind)])
    return Configuration(draw.schema, [draw.tensor("bool", ())], graphs, types=draw.types)


def limits(draw):
    """Returns (trip count, condition) of a loop that ends. One of them may be absent."""
    steps = np.asarray(draw.integer(0, 4), np.int64)
    return steps, np.asarray(not draw.rare()) if draw.flag() else None


@family("Loop")
def loop(draw):
    if draw.schema.since_version >= 13 and "V" not in draw.forced and draw.rare():
        return growing_sequence(draw)
    kind = draw.type("V")
    bind(draw, "B", "I")
    x = draw.tensor(kind, positive(draw.shape(0, 3)))
    given = [*limits(draw), x]
    nodes = [sum_of(draw, kind, "state_in", "state_in", "state")]
    # The scan output may be an outer value.
    nodes.append(helper.make_node("Identity", [draw.choice(("state_in", "x2"))], ["scanned"]))
    nodes += next_condition(draw, given)
    inputs = [info("i", "int64", ()), info("go_in", "bool", ()), info("state_in", kind, x.shape)]
    outputs = [info("go", "bool"), info("state", kind), info("scanned", kind, x.shape)]
    body = helper.make_graph(nodes, "body", inputs, outputs)
    return Configuration(draw.schema, given, {"body": body}, 2, draw.types)


def next_condition(draw, given):
    """Returns nodes that compute "go": always true, or true only for the first steps, which is then possibly the only
    limit."""
    if draw.flag() or draw.schema.since_version < 11:
        return [helper.make_node("Identity", ["go_in"], ["go"])]
    last = tensor_proto(np.asarray(draw.integer(0, 3), np.int32), "last")
    if draw.flag() and given[1] is not None:
        given[0] = None
    return [
        helper.make_node("Constant", [], ["last"], value=last),
        helper.make_node("Cast", ["i"], ["step"], to=TensorProto.INT32),
        helper.make_node("Less", ["step", "last"], ["go"]),
    ]


def growing_sequence(draw):
    """A sequence as a state, to which every step adds its first tensor."""
    kind = draw.choice(("float", "int64", "string"))
    draw.types.update(V=f"seq(tensor({kind}))", B="bool", I="int64")
    values = [draw.tensor(kind, draw.shape(0, 2)) for _ in range(draw.integer(1, 3))]
    nodes = [
        helper.make_node("Identity", ["go_in"], ["go"]),
        helper.make_node("Constant", [], ["first"], value=tensor_proto(np.asarray(0, np.int64), "first")),
        helper.make_node("SequenceAt", ["state_in", "first"], ["tensor"]),
        helper.make_node("SequenceInsert", ["state_in", "tensor"], ["state"]),
    ]
    inputs = [info("i", "int64", ()), info("go_in", "bool", ()), sequence_info("state_in", kind)]
    body = helper.make_graph(nodes, "body", inputs, [info("go", "bool"), sequence_info("state", kind)])
    return Configuration(draw.schema, [*limits(draw), values], {"body": body}, 1, draw.types)


@family("Scan")
def scan(draw):
    """A state to which every step adds a row, and one or two tensors of rows."""
    kind, old, count = draw.type("V"), draw.schema.since_version < 9, draw.integer(1, 2)
    row, length = positive(draw.shape(1, 2)), draw.integer(1, 4)
    state = draw.tensor(kind, row)
    names = [f"row{i}" for i in range(count)]
    nodes = [sum_of(draw, kind, "state_in", "row0_in", "state")]
    nodes += [helper.make_node("Identity", [f"{name}_in"], [name]) for name in names]
    inputs = [info(name, kind, row) for name in ("state_in", *(f"{name}_in" for name in names))]
    outputs = [info(name, kind, row) for name in ("state", *names)]
    body = helper.make_graph(nodes, "body", inputs, outputs)
    attributes = {"body": body, "num_scan_inputs": count}
    axes = [0] * count if old else scan_axes(draw, attributes, "scan_input_axes", count, len(row))
    scanned = [draw.tensor(kind, (*row[:axis], length, *row[axis:])) for axis in axes]
    if not old:
        for name in ("scan_input_directions", "scan_output_directions"):
            if draw.flag():
                attributes[name] = [draw.integer(0, 1) for _ in range(count)]
        scan_axes(draw, attributes, "scan_output_axes", count, len(row))
        return Configuration(draw.schema, [state, *scanned], attributes, 1 + count, draw.types)
    if draw.flag():
        attributes["directions"] = [draw.integer(0, 1) for _ in range(count)]
    lengths = int64s([length]) if draw.flag() else None
    bind(draw, "I")
    inputs = [lengths, state[None], *(rows[None] for rows in scanned)]
    return Configuration(draw.schema, inputs, attributes, 1 + count, draw.types)


def sum_of(draw, kind, a, b, result):
    """Returns a node that adds numbers and passes other elements through."""
    # Add accepts integers from opset 6 on.
    if kind in ("float", "double") or kind in ("int32", "int64") and draw.schema.since_version >= 6:
        return helper.make_node("Add", [a, b], [result])
    return helper.make_node("Identity", [a], [result])


def scan_axes(draw, attributes, name, count, rank):
    """Returns the axes of the rows, which are 0 without the attribute."""
    if draw.flag():
        return [0] * count
    axes = [draw.integer(0, rank) for _ in range(count)]
    attributes[name] = [axis - rank - 1 if draw.rare() else axis for axis in axes]
    return axes
