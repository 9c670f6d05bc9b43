"""Random graphs that are generated node by node. Each node reads values that were generated before."""

import random

import numpy as np
from onnx import TensorProto, helper, numpy_helper

FLOAT, DOUBLE, INT64, INT32 = TensorProto.FLOAT, TensorProto.DOUBLE, TensorProto.INT64, TensorProto.INT32
BOOL, UINT8, INT8, UINT32 = TensorProto.BOOL, TensorProto.UINT8, TensorProto.INT8, TensorProto.UINT32
LONGEST, LEAST = 2**63 - 1, -(2**63)


class Drawing:
    """values: (name, kind) of the values that later nodes may read. The subclasses define the kinds."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.numbers = np.random.default_rng(seed)
        self.nodes, self.weights, self.values, self.count = [], [], [], 0

    def name(self):
        self.count += 1
        return f"v{self.count}"

    def constant(self, value):
        self.weights.append(numpy_helper.from_array(np.asarray(value), self.name()))
        return self.weights[-1].name

    def ints(self, *values):
        return self.constant(np.array(values, np.int64))

    def op(self, op_type, inputs, kind=None, outputs=1, **attributes):
        """Adds a node and returns its first output. If the outputs have a kind, later nodes may read them."""
        names = [self.name() for _ in range(outputs)]
        self.nodes.append(helper.make_node(op_type, inputs, names, **attributes))
        self.values += [(name, kind) for name in names if kind is not None]
        return names[0]

    def maybe(self, probability):
        return self.random.random() < probability

    def pick(self, accepts=lambda kind: True):
        """Returns one of the values, more often a late one, or None if no kind is accepted."""
        fitting = [value for value in self.values if accepts(value[1])]
        if not fitting:
            return None
        return self.random.choice(fitting[-6:] if self.maybe(0.7) else fitting)

    def branch(self, name, op_type, value, **attributes):
        """Returns a body without inputs."""
        result = self.name()
        made = [helper.make_node(op_type, [value], [result], **attributes)]
        return helper.make_graph(made, name, [], [helper.make_empty_tensor_value_info(result)])

    def loop(self, trips, state, kind, element, step):
        """Adds a loop that carries a state. step(state, number) returns the node's type, its other input and
        attributes."""
        number, before, after, old, new = (self.name() for _ in range(5))
        op_type, other, attributes = step(number)
        nodes = [helper.make_node("Identity", [before], [after]), helper.make_node(op_type, [old, other], [new], **attributes)]
        info = helper.make_tensor_value_info
        body = helper.make_graph(
            nodes, "body", [info(number, INT64, []), info(before, BOOL, []), info(old, element, None)],
            [info(after, BOOL, None), info(new, element, None)],
        )  # fmt: skip
        return self.op("Loop", [trips, "", state], kind, body=body)

    def unread(self, inputs):
        read = {name for node in self.nodes for name in node.input} | set(inputs)
        return [name for name, _ in self.values if name not in read]

    def model(self, inputs, outputs, declared=()):
        """inputs: dims by name."""
        values = [helper.make_tensor_value_info(name, FLOAT, dims) for name, dims in inputs.items()]
        shown = [helper.make_empty_tensor_value_info(name) for name in outputs]
        graph = helper.make_graph(self.nodes, "drawn", values, shown, self.weights, value_info=declared)
        imports = [helper.make_opsetid("", 18), helper.make_opsetid("com.microsoft", 1)]
        return helper.make_model(graph, opset_imports=imports, ir_version=9)
