"""Files, graphs, tensors and functions that are invalid or require too much, in addition to those of the loader's own
tests."""

import numpy as np
from demanding import BOOL, FLOAT, INT64, constant, info, model, node
from onnx import TensorProto, helper
from operator_cases import LIMIT, REFUSED, REFUSED_OR_LIMIT, RESULT

X, Y = ("x", FLOAT, [2]), ("y", FLOAT, None)
FEEDS = {"x": np.ones(2, np.float32)}


def control():
    """y = max(x w, 0)."""
    nodes = [node("MatMul", ["x", "w"], ["p"]), node("Relu", ["p"], ["y"])]
    return model(nodes, [("x", FLOAT, ["N", 3])], [Y], [constant("w", np.linspace(-1, 1, 6).reshape(3, 2))])


def relu(**changes):
    made = model([node("Relu", ["x"], ["y"])], [X], [Y])
    for name, value in changes.items():
        setattr(made, name, value)
    return made


def with_node(*arguments, **attributes):
    return model([node(*arguments, **attributes)], [X], [Y])


def added(tensor):
    """y = x + tensor."""
    return model([node("Add", ["x", "w"], ["y"])], [X], [Y], [tensor])


def tensor(data_type=FLOAT, dims=(2,), name="w", **fields):
    made = TensorProto(data_type=data_type, dims=dims, name=name)
    for field, value in fields.items():
        if isinstance(value, bytes):
            setattr(made, field, value)
        else:
            getattr(made, field).extend(value)
    return made


def changed(made, change):
    change(made)
    return made


def call(function, *names, outputs=("y",)):
    return model([node("F", list(names), list(outputs), domain="local")], [X], [(outputs[0], FLOAT, None)],
                 functions=[function], domains=["local"])  # fmt: skip


def function(inputs, outputs, nodes):
    return helper.make_function("local", "F", inputs, outputs, nodes, [helper.make_opsetid("", 18)])


def conditional(then, otherwise, outputs=("y",), condition=True):
    made = [node("If", ["c"], list(outputs), **{name: branch for name, branch in zip(("then_branch", "else_branch"), (then, otherwise)) if branch})]
    return model(made, [X], [(outputs[0], FLOAT, None)], [constant("c", condition, bool)])


def body(nodes, outputs, inputs=()):
    return helper.make_graph(nodes, "body", [info(*value) for value in inputs], [info(name, FLOAT, None) for name in outputs])


def loop(trips, inner, states=("x",), condition=""):
    made = model([node("Loop", ["trips", condition, *states], ["y"], body=inner)], [X], [Y], [constant("trips", trips, np.int64)])
    if condition:
        made.graph.initializer.append(constant(condition, [True] * 3, bool))
    return made


COUNTED = [("i", INT64, []), ("c", BOOL, []), ("a", FLOAT, None)]


def step(*more, names=("d", "b"), inputs=COUNTED):
    return body([node("Identity", ["c"], ["d"]), node("Add", ["a", "a"], ["b"]), *more], names, inputs)


def scan(count):
    inner = body([node("Add", ["a", "a"], ["b"])], ["b"], [("a", FLOAT, [])])
    return model([node("Scan", ["x"], ["y"], body=inner, num_scan_inputs=count)], [X], [Y])


def bytes_cases():
    good = relu().SerializeToString()
    varint, length = b"\xff" * 11 + b"\x01", b"\x3a\xff\xff\xff\xff\xff\xff\xff\xff\x7f"
    return {
        "a varint of 12 bytes": (good + b"\x08" + varint, REFUSED),
        "a length of 2^63 - 1": (good + length, REFUSED),
        "a length of 2 GiB": (good + b"\x3a\xff\xff\xff\xff\x07", REFUSED),
        "a field of number 0": (good + b"\x00\x00", REFUSED),
        "wire type 6": (good + b"\x0e", REFUSED),
        "wire type 7": (good + b"\x0f", REFUSED),
        "a group without end": (good + b"\xa3\x06", REFUSED),
        "100,000 groups": (good + b"\xa3\x06" * 100_000, REFUSED),
        "unknown fields": (good + b"\xa0\x1f\x01\xaa\x1f\x02ab", RESULT),
        "a long list of a million empty nodes": (b"\x08\x0a\x3a" + _varint(2_000_000) + b"\x0a\x00" * 1_000_000 + b"\x42\x02\x10\x12", REFUSED_OR_LIMIT),
    }  # fmt: skip


def _varint(value):
    made = b""
    while value > 127:
        made, value = made + bytes([value & 127 | 128]), value >> 7
    return made + bytes([value])


def graph_cases():
    def imports(made):
        made.opset_import.append(helper.make_opsetid("ai.onnx", 7))

    def twice(made):
        made.graph.node[0].attribute.extend([helper.make_attribute("alpha", 1.0), helper.make_attribute("alpha", 2.0)])

    def elements(number):
        return lambda made: setattr(made.graph.input[0].type.tensor_type, "elem_type", number)

    def opset(version):
        return lambda made: setattr(made.opset_import[0], "version", version)

    return {
        "the output under the input's name": (with_node("Relu", ["x"], ["x"]), REFUSED),
        "a node that reads itself": (with_node("Add", ["x", "y"], ["y"]), REFUSED),
        "an output that nobody makes": (model([node("Relu", ["x"], ["z"])], [X], [Y]), REFUSED),
        "two inputs of a name": (model([node("Relu", ["x"], ["y"])], [X, X], [Y]), REFUSED),
        "two initializers of a name": (changed(added(constant("w", [1, 2])), lambda m: m.graph.initializer.append(constant("w", [1, 2]))), REFUSED),
        "an unknown operator": (with_node("FooBar", ["x"], ["y"]), REFUSED),
        "a domain that is not imported": (with_node("Relu", ["x"], ["y"], domain="evil.corp"), REFUSED),
        "a domain imported twice": (changed(relu(), imports), "any"),
        "three inputs of Relu": (with_node("Relu", ["x", "x", "x"], ["y"]), REFUSED),
        "no input of Relu": (with_node("Relu", [], ["y"]), REFUSED),
        "two outputs of Relu": (with_node("Relu", ["x"], ["y", "z"]), REFUSED),
        "a body of Relu": (with_node("Relu", ["x"], ["y"], body=body([node("Abs", ["x"], ["b"])], ["b"])), "any"),
        "an attribute twice": (changed(with_node("LeakyRelu", ["x"], ["y"]), twice), REFUSED),
        "IR version 0": (relu(ir_version=0), "any"),
        "IR version -1": (relu(ir_version=-1), "any"),
        "IR version 9999": (relu(ir_version=9999), REFUSED),
        **{f"opset {n}": (changed(relu(), opset(n)), REFUSED) for n in (0, -1, -(2**31) - 1, 9999)},
        **{f"element type {n}": (changed(relu(), elements(n)), REFUSED) for n in (0, 9999, -1)},
        "another declared type": (model([node("Relu", ["x"], ["y"])], [X], [("y", INT64, [2])]), "any"),
    }  # fmt: skip


def nested_cases():
    then = body([node("Abs", ["x"], ["t"])], ["t"])
    return {
        "a branch that reads what is not there": (conditional(body([node("Abs", ["ghost"], ["t"])], ["t"]), then), REFUSED),
        "If without else_branch": (conditional(then, None), REFUSED),
        "branches of 1 and 2 outputs": (conditional(then, body([node("Abs", ["x"], ["t"])], ["t", "t"])), REFUSED),
        "a condition of three values": (conditional(then, then, condition=[True] * 3), REFUSED),
        "a condition without values": (conditional(then, then, condition=[]), REFUSED),
        "a loop that is long": (loop(2**63 - 1, step()), LIMIT),
        "a loop of -5 trips": (loop(-5, step()), RESULT),
        "a loop of no number of trips": (loop([], step()), REFUSED),
        "a loop of two numbers of trips": (loop([1, 2], step()), REFUSED),
        "a loop of three conditions": (loop(3, step(), condition="c"), REFUSED),
        "a body of too few inputs": (loop(3, step(inputs=COUNTED[1:])), REFUSED),
        "a body of too few outputs": (loop(3, step(names=["d"])), REFUSED),
        "a body's input that is constant": (loop(3, changed(step(), lambda g: g.initializer.append(constant("a", [1, 2])))), REFUSED),
        **{f"Scan of {n} inputs": (scan(n), REFUSED) for n in (99, -1, 0, 2**63 - 1)},
        "a call of too many inputs": (call(function(["a"], ["b"], [node("Abs", ["a"], ["b"])]), "x", "x", "x"), REFUSED),
        "a function without inputs that gets one": (call(function([], ["b"], [node("Constant", [], ["b"], value_float=1.0)]), "x"), REFUSED),
        "a call of too many outputs": (call(function(["a"], ["b"], [node("Abs", ["a"], ["b"])]), "x", outputs=("y", "z")), REFUSED),
        "a function that makes no output": (call(function(["a"], ["b"], [node("Abs", ["a"], ["c"])]), "x"), REFUSED),
        "a function twice": (changed(call(function(["a"], ["b"], [node("Abs", ["a"], ["b"])]), "x"), lambda m: m.functions.append(m.functions[0])), REFUSED),
    }  # fmt: skip


def tensor_cases():
    two = np.ones(2, np.float32).tobytes()
    sizes = [(-2,), (2**63 - 1,), (2**32, 2**32), (2**40,), (2**62, 4), (0, 2**62, 2**62)]
    return {
        **{f"dims {dims} without data": (added(tensor(dims=dims)), REFUSED_OR_LIMIT) for dims in sizes[:-1]},
        **{f"dims {dims} of 2 values": (added(tensor(dims=dims, raw_data=two)), REFUSED_OR_LIMIT) for dims in sizes},
        "no data": (added(tensor()), REFUSED),
        "too few bytes": (added(tensor(raw_data=two[:4])), REFUSED),
        "too many bytes": (added(tensor(raw_data=two + two)), REFUSED),
        "a part of an element": (added(tensor(raw_data=two[:7])), REFUSED),
        "too few values": (added(tensor(float_data=[1])), REFUSED),
        "values of another type": (added(tensor(int64_data=[1, 2])), REFUSED),
        "bytes and values": (added(tensor(raw_data=two, float_data=[1, 2])), REFUSED),
        "a type that is not": (added(tensor(9999, raw_data=two)), REFUSED),
        "no type": (added(tensor(0, raw_data=two)), REFUSED),
        "texts as bytes": (added(tensor(TensorProto.STRING, raw_data=two)), REFUSED),
        "rank 10,000": (added(tensor(dims=[1] * 10_000, float_data=[1])), REFUSED_OR_LIMIT),
        "no name": (changed(added(tensor(float_data=[1, 2])), lambda m: setattr(m.graph.initializer[0], "name", "")), REFUSED),
        **{f"{kind} one byte short": (added(tensor(kind, (3,), raw_data=b"\1")), REFUSED) for kind in (TensorProto.INT4, TensorProto.UINT4)},
    }  # fmt: skip


def cases():
    return bytes_cases() | graph_cases() | nested_cases() | tensor_cases()
