"""ONNX model functions: operators that the file itself defines, as a small graph of standard operators."""

from onnx import GraphProto, ModelProto, NodeProto, TensorProto, helper

from .errors import ExportError
from .symbolics import CUSTOM_DOMAIN, SELU_DOMAIN

# CastLike, which makes one body fit every element type, exists since the same opset as model functions.
_FIRST_OPSET = 15
# The numbers of PyTorch's selu. Rounded to float32, they are the defaults of ONNX's Selu.
_ALPHA, _GAMMA = 1.6732632423543772848170429916717, 1.0507009873554804934193349852946


def attach(model: ModelProto, my_add: str, more: list, opset: int) -> bool:
    """Adds the bodies of functions that the graph calls and the file lacks. Returns whether there are any.

    more: functions of the caller, which override those of this package
    """
    missing = {(node.domain, node.op_type) for node in nodes(model.graph)}
    missing -= {(function.domain, function.name) for function in model.functions}
    bodies = [body for body in more if (body.domain, body.name) in missing]
    missing -= {(body.domain, body.name) for body in bodies}
    if (SELU_DOMAIN, "Selu") in missing:
        bodies.append(_function(SELU_DOMAIN, "Selu", ["X"], _selu_nodes(), opset))
    if my_add == "function" and (CUSTOM_DOMAIN, "my_add") in missing:
        bodies.append(_function(CUSTOM_DOMAIN, "my_add", ["A", "B"], _my_add_nodes(), opset))
    model.functions.extend(bodies)
    return bool(bodies)


def nodes(graph: GraphProto):
    for node in graph.node:
        yield node
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield from nodes(attribute.g)


def _function(domain: str, name: str, inputs: list, nodes: list, opset: int):
    if opset < _FIRST_OPSET:
        raise ExportError(f"{name} as a model function needs opset_version {_FIRST_OPSET} or newer, got {opset}")
    return helper.make_function(domain, name, inputs, ["Y"], nodes, [helper.make_opsetid("", opset)])


def _selu_nodes() -> list:
    """Returns nodes that compute gamma * (alpha * exp(x) - alpha) for x <= 0, and gamma * x above.

    Source: https://onnx.ai/onnx/operators/onnx__Selu.html
    """
    node = helper.make_node
    return [
        *_constant("alpha", _ALPHA),
        *_constant("gamma", _GAMMA),
        *_constant("zero", 0.0),
        node("Exp", ["X"], ["exp"]),
        node("Mul", ["alpha", "exp"], ["alpha_exp"]),
        node("Sub", ["alpha_exp", "alpha"], ["difference"]),
        node("Mul", ["gamma", "difference"], ["negative"]),
        node("Mul", ["gamma", "X"], ["positive"]),
        node("LessOrEqual", ["X", "zero"], ["is_negative"]),
        node("Where", ["is_negative", "negative", "positive"], ["Y"]),
    ]


def _my_add_nodes() -> list:
    two = _constant("two", 2.0, like="A")
    return [*two, helper.make_node("Mul", ["A", "two"], ["twice"]), helper.make_node("Add", ["twice", "B"], ["Y"])]


def _constant(name: str, value: float, like: str = "X") -> list[NodeProto]:
    tensor = helper.make_tensor(f"{name}_value", TensorProto.DOUBLE, [], [value])
    return [
        helper.make_node("Constant", [], [f"{name}_double"], value=tensor),
        helper.make_node("CastLike", [f"{name}_double", like], [name]),
    ]
