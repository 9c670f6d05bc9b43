"""Cases of the suite whose node reads one computed value in place of several of the same type."""

import collections
import itertools

import numpy as np
import onnx
from backend_suite import write_values
from onnx import TensorProto, helper

CONDITION = "linnet_condition"


def same_inputs(case):
    """Returns sets of the first node's inputs that could be a single value, by their positions among the graph's
    inputs."""
    groups = collections.defaultdict(list)
    inputs, _ = case.data_sets[0]
    for i, (info, value) in enumerate(zip(case.model.graph.input, inputs)):
        if isinstance(value, np.ndarray) and info.type.HasField("tensor_type"):
            groups[info.type.tensor_type.elem_type, value.shape].append(i)
    groups = [group for group in groups.values() if len(group) > 1]
    return [pair for group in groups for pair in itertools.combinations(group, 2)] + [g for g in groups if len(g) > 2]


def shared(case, group):
    """Returns the inputs, and the model with the inputs of a group replaced by a value that Where computes from the
    first."""
    model = onnx.ModelProto()
    model.CopyFrom(case.model)
    graph = model.graph
    names = [graph.input[i].name for i in group]
    first, value = names[0], "linnet_shared"
    for node in graph.node:
        for i, name in enumerate(node.input):
            if name in names:
                node.input[i] = value
    graph.node.insert(0, helper.make_node("Where", [CONDITION, first, first], [value]))
    kept = [(info, x) for i, (info, x) in enumerate(zip(graph.input, case.data_sets[0][0])) if i not in group[1:]]
    kept.append((helper.make_tensor_value_info(CONDITION, TensorProto.BOOL, []), np.array(True)))
    del graph.input[:]
    graph.input.extend([info for info, _ in kept])
    if all(entry.domain for entry in model.opset_import):
        model.opset_import.append(helper.make_opsetid("", onnx.defs.onnx_opset_version()))
    return model, [x for _, x in kept]


def write_shared(case, group, folder):
    """Writes a case without expected outputs."""
    model, inputs = shared(case, group)
    folder.mkdir(parents=True)
    onnx.save(model, folder / "model.onnx")
    write_values(folder / "test_data_set_0", "input", inputs, model.graph.input)
