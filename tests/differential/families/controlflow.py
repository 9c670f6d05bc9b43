"""If, Loop and Scan with bodies that pass their values on."""

import numpy as np
from configuration import Configuration, tensor_proto
from draw import Impossible
from onnx import helper
from values import FLOATS, element_type

from .movement import int64s, positive
from .registry import family


def info(name, kind, shape=None):
    return helper.make_tensor_value_info(name, element_type(kind), shape)


def bind(draw, *variables):
    """The types of variables that have one possible type."""
    for variable in variables:
        draw.type(variable)


@family("If")
def branches(draw):
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
        nodes.append(helper.make_node("Cast" if old else "Identity", ["value"], ["result"], **changed))
        graphs[name] = helper.make_graph(nodes, name, [], [info("result", kind)])
    return Configuration(draw.schema, [draw.tensor("bool", ())], graphs, types=draw.types)


@family("Loop")
def loop(draw):
    kind = draw.type("V")
    bind(draw, "B", "I")
    x = draw.tensor(kind, positive(draw.shape(0, 3)))
    nodes = [helper.make_node("Identity", [f"{name}_in"], [name]) for name in ("go", "state")]
    nodes.append(helper.make_node("Identity", ["state_in"], ["scanned"]))
    inputs = [info("i", "int64", ()), info("go_in", "bool", ()), info("state_in", kind, x.shape)]
    outputs = [info("go", "bool"), info("state", kind), info("scanned", kind)]
    body = helper.make_graph(nodes, "body", inputs, outputs)
    steps = np.asarray(draw.integer(1, 4), np.int64)
    return Configuration(draw.schema, [steps, np.asarray(True), x], {"body": body}, 2, draw.types)


@family("Scan")
def scan(draw):
    kind, old = draw.type("V"), draw.schema.since_version < 9
    row = positive(draw.shape(1, 2))
    state, rows = draw.tensor(kind, row), draw.tensor(kind, (draw.integer(1, 4), *row))
    nodes = [helper.make_node("Identity", [f"{name}_in"], [name]) for name in ("state", "row")]
    inputs = [info("state_in", kind, row), info("row_in", kind, row)]
    body = helper.make_graph(nodes, "body", inputs, [info("state", kind), info("row", kind)])
    attributes = {"body": body, "num_scan_inputs": 1}
    if not old:
        return Configuration(draw.schema, [state, rows], attributes, 2, draw.types)
    lengths = int64s([len(rows)]) if draw.flag() else None
    bind(draw, "I")
    return Configuration(draw.schema, [lengths, state[None], rows[None]], attributes, 2, draw.types)
