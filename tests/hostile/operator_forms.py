"""The cases of operator_cases.py as models of one node."""

import numpy as np
from onnx import helper, numpy_helper


def one_node(case, attributes, given, constant):
    """The inputs of those indices are constants. The shapes of the others are unknown."""
    names = [f"x{n}" if value is not None else "" for n, value in enumerate(given)]
    made = [f"y{n}" for n in range(case.outputs)]
    node = helper.make_node(case.op, names, made, **{name: value for name, value in attributes.items() if value is not None})
    values = {name: (n in constant, np.asarray(value)) for n, (name, value) in enumerate(zip(names, given)) if name}
    graph = helper.make_graph(
        [node], "g",
        [helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(value.dtype), [None] * value.ndim)
         for name, (is_constant, value) in values.items() if not is_constant],
        [helper.make_empty_tensor_value_info(name) for name in made],
        [numpy_helper.from_array(value, name) for name, (is_constant, value) in values.items() if is_constant])  # fmt: skip
    feeds = {name: value for name, (is_constant, value) in values.items() if not is_constant}
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", case.opset)], ir_version=10), feeds


def forms(case):
    """Yields the forms of a case, as attributes, inputs, a constant among inputs, or folded: model, good inputs or
    None, bad inputs."""
    attributes = case.attributes | {name: value for name, value in case.bad.items() if isinstance(name, str)}
    bad = [case.bad.get(n, value) for n, value in enumerate(case.inputs)]
    every = set(range(len(bad)))
    if any(isinstance(name, str) for name in case.bad):
        yield "attribute", *one_node(case, attributes, bad, ()), None
        if bad:
            yield "attribute of constants", *one_node(case, attributes, bad, every), None
        return
    model, good = one_node(case, attributes, case.inputs, ())
    ranks = all(np.ndim(value) == np.ndim(case.inputs[n]) for n, value in case.bad.items())
    feeds = {f"x{n}": np.asarray(value) for n, value in enumerate(bad) if value is not None}
    if ranks:
        yield "at run", model, feeds, good
    if len(every) > len(case.bad):
        yield "constant", *one_node(case, attributes, bad, set(case.bad)), None
    yield "folded", *one_node(case, attributes, bad, every), None
