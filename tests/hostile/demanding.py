"""Small models that require extreme amounts of memory or time, and models that crashed an engine before."""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

node, info = helper.make_node, helper.make_tensor_value_info
FLOAT, INT8, INT64 = TensorProto.FLOAT, TensorProto.INT8, TensorProto.INT64
BOOL, STRING = TensorProto.BOOL, TensorProto.STRING
HUGE = 2**62 - 1


def constant(name, values, dtype=np.float32):
    return numpy_helper.from_array(np.asarray(values, dtype), name)


def empty(name, *dims):
    """Returns a tensor without elements, with any other dims."""
    return TensorProto(name=name, data_type=FLOAT, dims=dims)


def model(nodes, inputs, outputs, initializers=(), opset=18, sparse=(), functions=(), domains=()):
    values = [[info(*value) for value in side] for side in (inputs, outputs)]
    graph = helper.make_graph(nodes, "g", *values, initializer=list(initializers), sparse_initializer=list(sparse))
    imports = [helper.make_opsetid("", opset), *(helper.make_opsetid(domain, 1) for domain in domains)]
    return helper.make_model(graph, opset_imports=imports, functions=list(functions), ir_version=10)


# More work than the deadline allows, at load time and at run time.


def einsum(folded):
    """A sum of 10^18 products, of a dtype for which it is not decomposed."""
    names = [f"c{i}" for i in range(6)]
    first = [] if folded else [node("Cast", ["x"], ["n"], to=INT8), node("Mul", ["n", "c0"], ["c"])]
    sums = [*first, node("Einsum", ["c0" if folded else "c", *names[1:]], ["s"], equation="a,b,c,d,e,f->")]
    return model([*sums, node("Cast", ["s"], ["e"], to=FLOAT), node("Add", ["x", "e"], ["y"])],
                 [("x", FLOAT, [1])], [("y", FLOAT, [1])], [constant(name, np.ones(1000), np.int8) for name in names])  # fmt: skip


def samples(folded, mode="max"):
    """Regions of interest whose bins take 2^32 samples each."""
    pool = node("RoiAlign", ["image", "regions" if folded else "r", "batch"], ["e"],
                output_height=100, output_width=100, sampling_ratio=65536, mode=mode)  # fmt: skip
    first = [] if folded else [node("Mul", ["x", "regions"], ["r"])]
    return model([*first, pool, node("Add", ["x", "e"], ["y"])], [("x", FLOAT, [1])], [("y", FLOAT, None)],
                 [constant("image", np.ones((1, 1, 4, 4))), constant("regions", [[0, 0, 3, 3]]),
                  constant("batch", [0], np.int64)])  # fmt: skip


def power(size, exponent):
    """The power of a matrix that the model itself expands."""
    nodes = [node("Expand", ["x", "shape"], ["p1"])]
    nodes += [node("MatMul", [f"p{i}", "p1"], [f"p{i + 1}"]) for i in range(1, exponent)]
    nodes += [node("ReduceSum", [f"p{exponent}"], ["y"])]
    return model(nodes, [("x", FLOAT, [1])], [("y", FLOAT, None)], [constant("shape", [size, size], np.int64)])


def endless():
    body = helper.make_graph(
        [node("Add", ["a", "a"], ["b"]), node("Identity", ["c"], ["d"])], "body",
        [info("i", INT64, []), info("c", BOOL, []), info("a", FLOAT, None)], [info("d", BOOL, []), info("b", FLOAT, None)])  # fmt: skip
    return model([node("Loop", ["", "", "x"], ["y"], body=body)], [("x", FLOAT, [1])], [("y", FLOAT, None)])


def branches(depth):
    """Nested branches, none of which has a shape."""
    def bad(name):
        return helper.make_graph([node("Add", ["p", "q"], [name])], "bad", [], [info(name, FLOAT, None)])
    def nest(level):
        if level == 0:
            return bad("o0")
        deeper = node("If", ["c"], [f"o{level}"], then_branch=nest(level - 1), else_branch=bad(f"e{level}"))
        return helper.make_graph([deeper], "b", [], [info(f"o{level}", FLOAT, None)])
    choice = node("If", ["c"], ["y"], then_branch=nest(depth), else_branch=bad("e"))
    return model([choice], [("c", BOOL, []), ("p", FLOAT, [2]), ("q", FLOAT, [3])], [("y", FLOAT, None)])


# More memory than the limit allows.


def large_input():
    return model([node("ReduceSum", ["x"], ["y"], keepdims=0)], [("x", FLOAT, [10**9])], [("y", FLOAT, [])])


def sparse():
    """A few bytes that represent 20 GB."""
    tensors = []
    for i in range(10):
        tensor = onnx.SparseTensorProto(dims=[500_000_000])
        tensor.values.CopyFrom(constant(f"s{i}", [1]))
        tensor.indices.CopyFrom(constant("", [0], np.int64))
        tensors.append(tensor)
    gathers = [node("Gather", [f"s{i}", "zero"], [f"g{i}"]) for i in range(10)]
    return model([*gathers, node("Sum", ["x", *(f"g{i}" for i in range(10))], ["y"])], [("x", FLOAT, [1])],
                 [("y", FLOAT, None)], [constant("zero", [0], np.int64)], sparse=tensors)  # fmt: skip


def levels(count, elements):
    """Values of data-dependent sizes, each of which depends on the previous one."""
    nodes, last = [], "x"
    for i in range(count):
        nodes += [node("NonZero", [last], [f"at{i}"]), node("Shape", [f"at{i}"], [f"shape{i}"]),
                  node("Mul", [f"shape{i}", "big"], [f"target{i}"]), node("ConstantOfShape", [f"target{i}"], [f"ones{i}"],
                  value=constant("one", [1])), node("ReduceMean", [f"ones{i}"], [f"mean{i}"], axes=[0, 1], keepdims=0),
                  node("Unsqueeze", [f"mean{i}", "axis"], [f"v{i}"])]  # fmt: skip
        last = f"v{i}"
    return model([*nodes, node("Identity", [last], ["y"])], [("x", FLOAT, [1])], [("y", FLOAT, None)],
                 [constant("big", [1, elements], np.int64), constant("axis", [0], np.int64)], opset=13)  # fmt: skip


def data_dependent(count):
    """A chain in which every node waits for the previous one."""
    nodes = [node("Compress", [f"v{i - 1}" if i else "x", "c"], [f"v{i}"], axis=0) for i in range(count)]
    return model(nodes, [("x", FLOAT, [4]), ("c", BOOL, [4])], [(f"v{count - 1}", FLOAT, None)])


def attributes(calls, values):
    """A function with a large constant that is called often."""
    body = [node("Constant", [], ["k"], value_ints=[0] * values), node("Cast", ["k"], ["f"], to=FLOAT),
            node("ReduceSum", ["f"], ["s"], keepdims=0), node("Add", ["a", "s"], ["b"])]  # fmt: skip
    function = helper.make_function("local", "F", ["a"], ["b"], body, [helper.make_opsetid("", 18)])
    nodes = [node("F", ["x"], [f"v{i}"], domain="local") for i in range(calls)]
    return model([*nodes, node("Concat", [f"v{i}" for i in range(calls)], ["y"], axis=0)], [("x", FLOAT, [1])], [("y", FLOAT, None)],
                 functions=[function], domains=["local"])  # fmt: skip


def long_names(calls, length):
    """A long name, which is the prefix of the names of all nodes within a function."""
    body = [node("Tanh", ["a" if i == 0 else f"t{i}"], [f"t{i + 1}"]) for i in range(50)]
    function = helper.make_function("local", "F", ["a"], ["t50"], body, [helper.make_opsetid("", 18)])
    nodes = [node("F", ["x"], [f"v{i}"], domain="local", name="n" * length + str(i)) for i in range(calls)]
    return model([*nodes, node("Concat", [f"v{i}" for i in range(calls)], ["y"], axis=0)], [("x", FLOAT, [1])], [("y", FLOAT, None)],
                 functions=[function], domains=["local"])  # fmt: skip


def doubling():
    body = helper.make_graph(
        [node("Concat", ["a", "a"], ["b"], axis=0), node("Identity", ["c"], ["d"])], "body",
        [info("i", INT64, []), info("c", BOOL, []), info("a", FLOAT, None)], [info("d", BOOL, []), info("b", FLOAT, None)])  # fmt: skip
    return model([node("Loop", ["trips", "", "x"], ["y"], body=body)], [("x", FLOAT, [1])], [("y", FLOAT, None)],
                 [constant("trips", 40, np.int64)])  # fmt: skip


def matrices(count):
    """A product of matrices of one element, with as many entries in tables."""
    nodes = [node("MatMul", ["a", "b"], ["m"]), node("ReduceSum", ["m"], ["y"], keepdims=0)]
    return model(nodes, [("a", FLOAT, [count, 1, 1, 1]), ("b", FLOAT, [1, count, 1, 1])], [("y", FLOAT, [])])


# Dims whose products wrap around, of tensors without elements.


def recurrent(op_type, gates, hidden, steps):
    return model([node(op_type, ["x", "w", "r"], ["", "y"], hidden_size=hidden)], [("x", FLOAT, [steps, 1, 0])],
                 [("y", FLOAT, None)], [empty("w", 1, gates, 0), constant("r", np.ones((1, gates, hidden)))], opset=14)  # fmt: skip
