"""A case as a model of one node, with its input arrays."""

import dataclasses

import numpy as np
from notation import Case, Fed, Sequence, Tensor
from onnx import GraphProto, ModelProto, TensorProto, defs, helper, numpy_helper
from arrays import dtype_name, element, literal, make

# Common opsets of exported models. Operators that are newer use their first version.
OPSETS = {"": 21, "ai.onnx.ml": 4}


@dataclasses.dataclass(frozen=True)
class NodeModel:
    """`inputs` contains every input, including constants; `feeds` contains those of a run by name."""

    case: Case
    model: ModelProto
    inputs: list
    feeds: dict


def build(case):
    given = {f"x{i}": array_of(value) for i, value in enumerate(case.inputs)}
    captured = {f"c{i}": array_of(value) for i, value in enumerate(case.captured)}
    present = {name: pair for name, pair in (given | captured).items() if pair[0] is not None}
    feeds = {name: value for name, (value, constant) in present.items() if not constant}
    constants = [tensor_proto(value, name) for name, (value, constant) in present.items() if constant]
    infos = [helper.make_value_info(name, type_proto(value)) for name, value in feeds.items()]
    outputs = [helper.make_empty_tensor_value_info(f"y{i}") for i in range(case.outputs)]
    graph = helper.make_graph([node_of(case, given, outputs)], "case", infos, outputs, constants)
    model = helper.make_model(graph, ir_version=10, opset_imports=opsets(case))
    return NodeModel(case, model, [value for value, _ in given.values()], feeds)


def node_of(case, given, outputs):
    attributes = case.attributes | (case.more.make(*case.more.arguments) if case.more else {})
    names = [name if value is not None else "" for name, (value, _) in given.items()]
    return helper.make_node(case.type, names, [output.name for output in outputs], domain=case.domain, **attributes)


def opsets(case):
    """The opset of the operator, and ONNX's own for bodies and for the operators that it is expanded into."""
    imports = {"": OPSETS[""]}
    imports[case.domain] = case.since or opset(case)
    return [helper.make_opsetid(domain, version) for domain, version in imports.items()]


def opset(case):
    usual = OPSETS.get(case.domain, 1)
    known = [
        s.since_version for s in defs.get_all_schemas_with_history() if (s.domain, s.name) == (case.domain, case.type)
    ]
    return max(usual, min(known, default=usual))


def array_of(given):
    """Returns the array, or list of arrays, and whether it is a constant of the model."""
    if given is None:
        return None, False
    if isinstance(given, Tensor):
        return make(given), given.constant
    if isinstance(given, Sequence):
        return [array_of(element)[0] for element in given.elements], False
    return (literal(given.values), False) if isinstance(given, Fed) else (literal(given), True)


def type_proto(value):
    if isinstance(value, list):
        return helper.make_sequence_type_proto(helper.make_tensor_type_proto(element(dtype_name(value[0])), None))
    if isinstance(value, dict):
        return helper.make_map_type_proto(TensorProto.INT64, helper.make_tensor_type_proto(TensorProto.FLOAT, []))
    return helper.make_tensor_type_proto(element(dtype_name(value)), value.shape)


def tensor_proto(value, name):
    if value.dtype == object:
        return helper.make_tensor(name, TensorProto.STRING, value.shape, [text.encode() for text in value.ravel()])
    return numpy_helper.from_array(np.ascontiguousarray(value).reshape(value.shape), name)


def describe(case):
    """Returns a name that is unique among the cases of a size."""
    inputs = " ".join(describe_input(given) for given in (*case.inputs, *case.captured))
    attributes = [f"{name}={brief(value)}" for name, value in case.attributes.items()]
    outputs = f"-> {case.outputs}" if case.outputs > 1 else ""
    return " ".join(filter(None, [case.operator, inputs, *attributes, str(case.more or ""), outputs]))


def describe_input(given):
    if isinstance(given, Tensor):
        bounds = "" if given.high is None or "float" not in given.dtype else f"({given.low:g}..{given.high:g})"
        kind = "const " if given.constant else ""
        fill = f" {given.fill.__name__}" if given.fill else ""
        return f"{kind}{given.dtype}[{','.join(map(str, given.dims))}]{bounds}{fill}"
    if isinstance(given, Sequence):
        return f"{len(given.elements)}x({describe_input(given.elements[0])})"
    return "-" if given is None else brief(given.values if isinstance(given, Fed) else given)


def brief(value):
    if isinstance(value, (TensorProto, GraphProto)):
        return TensorProto.DataType.Name(value.data_type).lower() if isinstance(value, TensorProto) else value.name
    text = str(value.tolist() if isinstance(value, np.ndarray) else value).replace(" ", "")
    return text if len(text) <= 40 else text[:30] + f"...({np.size(value)})"
