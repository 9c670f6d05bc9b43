"""For operators without a family: the inputs and attributes of ONNX's node test cases."""

import functools
import warnings

import numpy as np
from configuration import Configuration
from onnx import defs, helper
from values import numpy_dtype, type_name


@functools.cache
def node_cases():
    """Returns the cases of one node with tensor inputs, by (domain, operator)."""
    from onnx.backend.test.case.node import collect_testcases

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cases = collect_testcases(None)
    found = {}
    for case in cases:
        inputs = case.data_sets[0][0]
        outputs = case.model.graph.output
        tensors = all(isinstance(x, np.ndarray) for x in inputs) and all(
            y.type.HasField("tensor_type") for y in outputs
        )
        if len(case.model.graph.node) == 1 and tensors:
            node = case.model.graph.node[0]
            found.setdefault((node.domain, node.op_type), []).append((case.model, inputs))
    return found


def is_of(schema, model):
    """Whether the case's operator is this version."""
    versions = {entry.domain: entry.version for entry in model.opset_import}
    with_name = defs.get_schema(schema.name, versions.get(schema.domain, 1), schema.domain)
    return with_name.since_version == schema.since_version


def from_node_case(draw):
    """Returns a case of this version, with the inputs of the forced type variable converted."""
    schema = draw.schema
    cases = [c for c in node_cases().get((schema.domain, schema.name), ()) if is_of(schema, c[0])]
    model, arrays = draw.choice(cases)
    node = model.graph.node[0]
    given = dict(zip((info.name for info in model.graph.input), arrays))
    inputs = []
    for i, name in enumerate(node.input):
        variable = schema.inputs[min(i, len(schema.inputs) - 1)].type_str
        inputs.append(converted(draw, variable, np.asarray(given[name])) if name else None)
    attributes = {a.name: helper.get_attribute_value(a) for a in node.attribute}
    for i, info in enumerate(model.graph.output):
        variable = schema.outputs[min(i, len(schema.outputs) - 1)].type_str
        named = helper.tensor_dtype_to_np_dtype(info.type.tensor_type.elem_type)
        draw.types.setdefault(variable, type_name(np.zeros(0, named)))
    return Configuration(schema, inputs, attributes, len(node.output), draw.types)


def converted(draw, variable, value):
    if variable not in draw.forced:
        draw.types.setdefault(variable, type_name(value))
        return value
    draw.types[variable] = draw.forced[variable]
    if type_name(value) == "string" or draw.forced[variable] == "string":
        return value.astype(str).astype(object)
    return value.astype(numpy_dtype(draw.forced[variable]))
