"""Operators with bodies, which onnx.reference runs step by step."""

import dataclasses

import numpy as np
import onnx
from by_operator import own
from onnx import helper
from onnx.reference import ReferenceEvaluator

OPSET = 21


def run_body(configuration, graph, values):
    """Returns the outputs of a body for its inputs in order. It may read the inputs of the node by name."""
    own_names = {entry.name for entry in graph.input}
    around = {entry.name: entry for entry in configuration.model().graph.input if entry.name not in own_names}
    inner = onnx.GraphProto()
    inner.CopyFrom(graph)
    inner.input.extend(around.values())
    feeds = {entry.name: value for entry, value in zip(graph.input, values)}
    feeds.update({name: configuration.inputs[int(name[1:])] for name in around})
    model = helper.make_model(inner, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=10)
    return ReferenceEvaluator(model).run(None, feeds)


@own("Loop")
def loop(configuration):
    # Outer values that the body reads are inputs, not constants.
    configuration = dataclasses.replace(configuration, constants_from=100)
    most, go, *states = configuration.inputs
    graph = configuration.attributes["body"]
    most, go = np.inf if most is None else int(most), True if go is None else bool(go)
    scanned, step = None, 0
    while step < most and go:
        go, *made = run_body(configuration, graph, [np.asarray(step), np.asarray(go), *states])
        states, rows = made[: len(states)], made[len(states) :]
        scanned = [[*had, row] for had, row in zip(scanned or [[] for _ in rows], rows)]
        go, step = bool(go), step + 1
    if scanned is None:
        count = len(graph.output) - 1 - len(states)
        raise ValueError(f"no step: the shapes of {count} scan outputs are open")
    return [*states, *(np.stack(rows) for rows in scanned)]


@own("Scan")
def scan(configuration):
    configuration = dataclasses.replace(configuration, constants_from=100)
    a, graph, old = configuration.attributes, configuration.attributes["body"], configuration.schema.since_version < 9
    count, inputs = a["num_scan_inputs"], configuration.inputs[1 if old else 0 :]
    states, rows = inputs[: len(inputs) - count], inputs[len(inputs) - count :]
    if old:
        # The batch axis, which has one element, is removed.
        states, rows = [x[0] for x in states], [x[0] for x in rows]
    made = [[] for _ in graph.output[len(states) :]]
    axes, backwards = (
        a.get("scan_input_axes", [0] * count),
        a.get("scan_input_directions", a.get("directions", [0] * count)),
    )
    rows = [np.moveaxis(x, axis, 0)[:: -1 if back else 1] for x, axis, back in zip(rows, axes, backwards)]
    for step in range(len(rows[0])):
        found = run_body(configuration, graph, [*states, *(x[step] for x in rows)])
        states = found[: len(states)]
        for had, row in zip(made, found[len(states) :]):
            had.append(row)
    axes, backwards = (a.get(f"scan_output_{name}", [0] * len(made)) for name in ("axes", "directions"))
    outputs = [np.stack(x[:: -1 if back else 1]) for x, back in zip(made, backwards)]
    outputs = [np.moveaxis(y, 0, axis) for y, axis in zip(outputs, axes)]
    return [y[None] if old else y for y in (*states, *outputs)]
