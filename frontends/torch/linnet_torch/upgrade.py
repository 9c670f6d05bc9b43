"""Raises the opset of an exported model from 17, the newest that every TorchScript exporter writes, up to 19."""

from onnx import GraphProto, ModelProto, NodeProto, TensorProto, helper

from .symbolics import PENDING_DOMAIN

OLDEST_OPSET, EXPORTER_OPSET, NEWEST_OPSET = 9, 17, 19
# Opset 18 requires IR version 8, opset 19 IR version 9.
_IR_VERSIONS = {18: 8, 19: 9}
_AXES_BECAME_INPUT = {
    *("ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMax"),
    *("ReduceMean", "ReduceMin", "ReduceProd", "ReduceSumSquare"),
}


def upgrade(model: ModelProto, opset: int) -> bool:
    """Rewrites `model` for `opset` if its opset is older. Returns whether it was.

    Among the operators that PyTorch writes, opset 18 changed the reductions (`axes` became an input) and Split
    (`num_outputs` if no sizes are given). Opset 19 only added types, and attributes that default to the old meaning.
    Source: https://onnx.ai/onnx/operators/index.html (differences between versions)
    """
    imports = {entry.domain: entry.version for entry in model.opset_import if entry.domain != PENDING_DOMAIN}
    if opset <= imports.get("", EXPORTER_OPSET):
        return False
    _upgrade_graph(model.graph)
    imports[""] = opset
    del model.opset_import[:]
    model.opset_import.extend(helper.make_opsetid(*entry) for entry in imports.items())
    model.ir_version = max(model.ir_version, _IR_VERSIONS[opset])
    return True


def _upgrade_graph(graph: GraphProto) -> None:
    nodes = [new for node in graph.node for new in _upgrade_node(node)]
    del graph.node[:]
    graph.node.extend(nodes)


def _upgrade_node(node: NodeProto) -> list[NodeProto]:
    for attribute in node.attribute:
        if attribute.HasField("g"):
            _upgrade_graph(attribute.g)
    if node.domain == PENDING_DOMAIN:
        node.domain = ""
    elif node.domain == "" and node.op_type in _AXES_BECAME_INPUT:
        return _axes_to_input(node)
    elif node.domain == "" and node.op_type == "Split" and len(node.input) == 1:
        node.attribute.append(helper.make_attribute("num_outputs", len(node.output)))
    return [node]


def _axes_to_input(node: NodeProto) -> list[NodeProto]:
    axes = next((attribute for attribute in node.attribute if attribute.name == "axes"), None)
    if axes is None:
        return [node]
    name = f"{node.output[0]}.axes"
    tensor = helper.make_tensor(name, TensorProto.INT64, [len(axes.ints)], axes.ints)
    node.attribute.remove(axes)
    node.input.append(name)
    return [helper.make_node("Constant", [], [name], value=tensor), node]
