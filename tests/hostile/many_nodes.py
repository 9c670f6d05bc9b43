"""Models of very many nodes, in forms for which the work may grow with the square of their number."""

import numpy as np
from onnx import TensorProto, helper, numpy_helper

node, info = helper.make_node, helper.make_tensor_value_info
FLOAT, BOOL = TensorProto.FLOAT, TensorProto.BOOL


def model(nodes, outputs, inputs=("x",), initializers=(), functions=(), domains=()):
    values = [[info(name, FLOAT, shape) for name in names] for names, shape in ((inputs, [2]), (outputs, None))]
    graph = helper.make_graph(nodes, "many", *values, initializer=list(initializers))
    imports = [helper.make_opsetid("", 18), *(helper.make_opsetid(domain, 1) for domain in domains)]
    return helper.make_model(graph, opset_imports=imports, functions=list(functions), ir_version=10)


def chain(count, op_types=("Sigmoid", "Tanh")):
    names = ["x", *(f"v{i}" for i in range(count))]
    return model([node(op_types[i % len(op_types)], [names[i]], [names[i + 1]]) for i in range(count)], names[-1:])


def fan_out(count):
    """Nodes that differ in an attribute, and are all outputs."""
    return model([node("LeakyRelu", ["x"], [f"v{i}"], alpha=i / count) for i in range(count)], [f"v{i}" for i in range(count)])


def fan_in(count):
    nodes = [node("LeakyRelu", ["x"], [f"v{i}"], alpha=i / count) for i in range(count)]
    return model([*nodes, node("Concat", [f"v{i}" for i in range(count)], ["y"], axis=0)], ["y"])


def equal(count):
    nodes = [node("Sigmoid", ["x"], [f"v{i}"]) for i in range(count)]
    return model([*nodes, node("Concat", [f"v{i}" for i in range(count)], ["y"], axis=0)], ["y"])


def equal_but_for_outputs(count):
    """Each node omits other outputs than the previous ones, so that none may replace another."""
    def outputs(i):
        return ["" if k != i % 32 else f"v{i}" for k in range(32)]
    nodes = [node("Split", ["w"], outputs(i), num_outputs=32) for i in range(count)]
    return model([node("Expand", ["x", "shape"], ["w"]), *nodes, node("Concat", [f"v{i}" for i in range(count)], ["y"], axis=0)],
                 ["y"], initializers=[numpy_helper.from_array(np.array([32, 2]), "shape")])  # fmt: skip


def constants(count):
    nodes = [node("Constant", [], [f"c{i}"], value_floats=[i / count]) for i in range(count)]
    nodes += [node("Add", [f"v{i - 1}" if i else "x", f"c{i}"], [f"v{i}"]) for i in range(count)]
    return model(nodes, [f"v{count - 1}"])


def folded(count):
    """Constants that are each computed from the previous one."""
    nodes = [node("Add", ["one", f"v{i - 1}" if i else "one"], [f"v{i}"]) for i in range(count)]
    return model([*nodes, node("Add", ["x", f"v{count - 1}"], ["y"])], ["y"],
                 initializers=[numpy_helper.from_array(np.float32(1), "one")])  # fmt: skip


def dead(count):
    nodes = [node("Sigmoid", [f"v{i - 1}" if i else "x"], [f"v{i}"]) for i in range(count)]
    return model([*nodes, node("Tanh", ["x"], ["y"])], ["y"])


def identities(count):
    """Each rewrite removes one node of the graph."""
    return model([node("Identity", ["x"], [f"v{i}"]) for i in range(count)] + [node("Concat", [f"v{i}" for i in range(count)], ["y"], axis=0)], ["y"])


def unsorted(count):
    names = ["x", *(f"v{i}" for i in range(count))]
    nodes = [node(("Sigmoid", "Tanh")[i % 2], [names[i]], [names[i + 1]]) for i in range(count)]
    return model(nodes[::-1], names[-1:])


def cycle(count):
    nodes = [node("Sigmoid", [f"v{(i + 1) % count}"], [f"v{i}"], name=f"n{i}".ljust(100, "x")) for i in range(count)]
    return model(nodes, ["v0"])


def calls(count):
    imports = [helper.make_opsetid("", 18)]
    function = helper.make_function("local", "F", ["a"], ["b"], [node("Tanh", ["a"], ["t"]), node("Sigmoid", ["t"], ["b"])], imports)
    nodes = [node("F", [f"v{i - 1}" if i else "x"], [f"v{i}"], domain="local") for i in range(count // 2)]
    return model(nodes, [f"v{count // 2 - 1}"], functions=[function], domains=["local"])


def branches(count):
    """Many bodies, each of two nodes that read an outer value."""
    nodes = []
    for i in range(count // 6):
        def body(name, op_type):
            inner = [node(op_type, [f"v{i - 1}" if i else "x"], [f"{name}t{i}"]), node("Sigmoid", [f"{name}t{i}"], [f"{name}{i}"])]
            return helper.make_graph(inner, name, [], [info(f"{name}{i}", FLOAT, None)])
        nodes.append(node("If", ["c"], [f"v{i}"], then_branch=body("then", "Tanh"), else_branch=body("else", "Abs")))
    result = model(nodes, [f"v{count // 6 - 1}"])
    result.graph.input.append(info("c", BOOL, []))
    return result


def nested(count, depth=12):
    """Nested bodies, each with a chain."""
    length = count // depth
    def body(level):
        start = f"o{level - 1}_{length - 1}" if level else "x"
        nodes = [node(("Sigmoid", "Tanh")[i % 2], [f"o{level}_{i - 1}" if i else start], [f"o{level}_{i}"]) for i in range(length)]
        if level + 1 < depth:
            nodes.append(node("If", ["c"], [f"r{level}"], then_branch=body(level + 1), else_branch=leaf(level)))
        result = f"r{level}" if level + 1 < depth else f"o{level}_{length - 1}"
        return helper.make_graph(nodes, f"b{level}", [], [info(result, FLOAT, None)])
    def leaf(level):
        return helper.make_graph([node("Tanh", ["x"], [f"e{level}"])], f"e{level}", [], [info(f"e{level}", FLOAT, None)])
    graph = body(0)
    graph.input.extend([info("x", FLOAT, [2]), info("c", BOOL, [])])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)


FORMS = [chain, fan_out, fan_in, equal, equal_but_for_outputs, constants, folded, dead, identities, unsorted, cycle, calls, branches, nested]
