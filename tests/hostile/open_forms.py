"""Models whose open dims lead to expressions that double, nest, multiply, or are very many."""

import numpy as np
from onnx import TensorProto, helper, numpy_helper

node, info = helper.make_node, helper.make_tensor_value_info
FLOAT, INT64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL
SYMBOLS = "NMKLHWST"
LEAST = 3  # of the sizes, which are all different


class Form:
    """Inputs x0, x1 ... with one open dim each, unless another rank is given, and their dims as scalars d0, d1 ..."""

    def __init__(self, inputs, rank=1, dims=8):
        self.nodes, self.constants, self.count = [], {}, 0
        self.shapes = {f"x{i}": [f"{SYMBOLS[(i + k) % 8]}{(i + k) // 8}" for k in range(rank)] for i in range(inputs)}
        self.dims = [self.dim(f"x{i}") for i in range(min(inputs, dims))]

    def op(self, op_type, inputs, outputs=1, **attributes):
        names = [f"v{self.count + i}" for i in range(outputs)]
        self.count += outputs
        self.nodes.append(node(op_type, inputs, names, **attributes))
        return names[0]

    def dim(self, value, axis=0):
        return self.op("Gather", [self.op("Shape", [value]), self.number(axis)])

    def constant(self, value):
        value = np.asarray(value)
        name = f"c{value.dtype}{value.shape}{value.tolist() if value.size < 100 else id(value)}"
        self.constants[name] = value
        return name

    def number(self, value):
        return self.constant(np.int64(value))

    def vector(self, value):
        return self.op("Unsqueeze", [value, self.constant(np.array([0]))])

    def model(self, outputs, open_dims=True):
        sizes = {name: [self.size(dim) for dim in dims] for name, dims in self.shapes.items()}
        inputs = [info(name, FLOAT, self.shapes[name] if open_dims else sizes[name]) for name in self.shapes]
        shown = [helper.make_empty_tensor_value_info(name) for name in outputs]
        weights = [numpy_helper.from_array(value, name) for name, value in self.constants.items()]
        graph = helper.make_graph(self.nodes, "open", inputs, shown, weights)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)

    def size(self, dim):
        return LEAST + (SYMBOLS.index(dim[0]) + 8 * int(dim[1:])) % 61

    def feeds(self):
        return {name: np.ones([self.size(dim) for dim in dims], np.float32) for name, dims in self.shapes.items()}


def doubling(count):
    """Sums of sums: 2^60 N, then beyond 64 bits."""
    f = Form(1)
    value = f.dims[0]
    for _ in range(count):
        value = f.op("Add", [value, value])
    return f, [value]


def powers(count):
    """(N + M + K + L)^2^i, limited by a remainder."""
    f = Form(4)
    value = f.op("Add", [f.op("Add", f.dims[:2]), f.op("Add", f.dims[2:4])])
    for i in range(count):
        value = f.op("Mul", [value, value])
        if i % 3 == 2:
            value = f.op("Mod", [value, f.number(1000 + i)])
    return f, [value]


def products(count):
    """Products of sums of different dims, started repeatedly: 2^k terms each."""
    f = Form(8)
    made = []
    for i in range(count // 8):
        value = f.op("Add", [f.dims[i % 8], f.number(i)])
        for k in range(7):
            value = f.op("Mul", [value, f.op("Add", [f.dims[(i + k) % 8], f.dims[(i + 2 * k + 1) % 8]])])
        made.append(f.vector(value))
    return f, [f.op("Concat", made, axis=0)]


def extremes(count):
    """Minima of maxima of minima."""
    f = Form(8)
    value = f.dims[0]
    for i in range(count):
        other = f.op("Add", [f.dims[i % 8], f.number(i)])
        value = f.op("Min" if i % 2 else "Max", [f.op("Add", [value, f.dims[(i + 3) % 8]]), other])
    return f, [value]


def floors(count):
    """Quotients of quotients."""
    f = Form(8)
    value = f.dims[0]
    for i in range(count):
        value = f.op("Div", [f.op("Add", [f.op("Mul", [value, f.dims[i % 8]]), f.number(i)]), f.number(2 + i % 7)])
    return f, [value]


def wide(count):
    """All 64 elements of vectors are sums of many terms."""
    f = Form(8)
    shape = f.op("Concat", [f.vector(dim) for dim in f.dims] * 8, axis=0)
    value = shape
    for i in range(count):
        turned = f.op("Gather", [shape, f.constant((np.arange(64) * (i % 5 + 1) + i) % 64)])
        value = f.op(("Add", "Mul", "Max", "Sub")[i % 4], [value, turned])
        if i % 6 == 5:
            value = f.op("Mod", [value, f.number(97)])
    return f, [value]


def symbols(count):
    """The given number of inputs, each with a different dim."""
    f = Form(count, dims=0)
    return f, [f.op("Concat", list(f.shapes), axis=0)]


def equalities(count):
    """Each sum requires two of many dims to be equal, or one of them to be 1."""
    f = Form(count, dims=0)
    f.size = lambda dim: LEAST
    return f, [f.op("Add", [f"x{i}", f"x{i + 1}"]) for i in range(count - 1)]


def stacked(count):
    """Sums of an increasing number of dims, each of which must be equal to another."""
    f = Form(count, dims=0)
    f.size = lambda dim: LEAST
    value = "x0"
    for i in range(1, count):
        value = f.op("Concat", [value, f"x{i}"], axis=0)
    return f, [f.op("Add", [value, f.op("Concat", list(f.shapes)[::-1], axis=0)])]


def joined(count):
    """A value is repeatedly concatenated with others."""
    f = Form(8)
    value = "x0"
    for i in range(count):
        value = f.op("Slice", [f.op("Concat", [value, f"x{i % 8}"], axis=0), f.constant(np.array([0])), f.vector(f.dims[(i + 1) % 8])])
    return f, [value]


def reshapes(count):
    """Two dims are merged into one, and split again, through their product."""
    f = Form(1, rank=2)
    value, shape = "x0", f.op("Shape", ["x0"])
    for _ in range(count // 4):
        flat = f.op("Reshape", [value, f.constant(np.array([-1]))])
        value = f.op("Reshape", [f.op("Tanh", [flat]), shape])
        value = f.op("Transpose", [f.op("Transpose", [value], perm=[1, 0])], perm=[1, 0])
    return f, [value]


def lookups(count):
    """Every Reshape reads the dims of the previous one."""
    f = Form(1, rank=3)
    value = "x0"
    for i in range(count // 6):
        dims = [f.vector(f.dim(value, axis)) for axis in range(3)]
        dims[i % 3] = f.constant(np.array([-1]))
        value = f.op("Tanh", [f.op("Reshape", [value, f.op("Concat", dims, axis=0)])])
    return f, [value]


def expansions(count):
    """A shape is selected by what is known of another one."""
    f = Form(2, rank=2)
    value = "x0"
    for i in range(count // 6):
        shape = f.op("Shape", [value])
        isone = f.op("Equal", [shape, f.constant(np.array([1, 1 + i % 2]))])
        chosen = f.op("Where", [isone, f.op("Shape", ["x0"]), shape])
        value = f.op("Expand", [f.op("Tanh", [value]), chosen])
    return f, [value]


def images(count):
    """Windows over windows, which lead to nested quotients."""
    f = Form(1, rank=2, dims=0)
    f.size = lambda dim: 64
    value = f.op("Unsqueeze", ["x0", f.constant(np.array([0, 1]))])
    for i in range(count // 2):
        value = f.op("MaxPool", [value], kernel_shape=[2, 2], strides=[2, 2], pads=[0, 0, i % 2, i % 2])
        value = f.op("Resize", [value, "", f.constant(np.array([1, 1, 2, 2], np.float32))], mode="nearest")
    return f, [value]


def branches(count):
    """Conditions on dims, nested and in sequence."""
    f = Form(8)

    def body(name, depth, index):
        made = Form(0)
        made.count, value = 10**6 * depth + 1000 * index, f.dims[(index + depth) % 8]
        for i in range(4):
            value = made.op("Add", [made.op("Mul", [value, value]), f.dims[i]])
            value = made.op("Mod", [value, f.number(1009)])
        if depth < 4:
            condition = made.op("Greater", [value, f.dims[depth]])
            value = made.op("If", [condition], then_branch=body("then", depth + 1, index), else_branch=body("else", 9, index))
        return helper.make_graph(made.nodes, f"{name}{depth}_{index}", [], [info(value, INT64, None)])

    value = f.dims[0]
    for i in range(count // 20):
        condition = f.op("Greater", [value, f.number(100 + i)])
        value = f.op("If", [condition], then_branch=body("then", 1, i), else_branch=body("else", 8, i))
    return f, [value]


def loops(count):
    """Loops that carry a shape and a value of that shape."""
    f = Form(8)
    value = f.op("Concat", [f.vector(dim) for dim in f.dims], axis=0)
    for i in range(count // 8):
        inner = Form(0)
        inner.count = 10**6 + 10 * i
        after = inner.op("Identity", [f"b{i}"])
        step = inner.op("Mod", [inner.op("Add", [inner.op("Mul", [f"s{i}", f.dims[i % 8]]), f"i{i}"]), f.number(1013)])
        inputs = [info(f"i{i}", INT64, []), info(f"b{i}", BOOL, []), info(f"s{i}", INT64, None)]
        body = helper.make_graph(inner.nodes, f"body{i}", inputs, [info(after, BOOL, None), info(step, INT64, None)])
        value = f.op("Loop", [f.number(3), "", value], body=body)
    return f, [value]


def revealed(count):
    """A dim is only known to matter when the previous one is 1, which leads to a sequence of classes."""
    f = Form(count // 6, dims=count // 6)
    f.size = lambda dim: 1
    value = f.dims[0]
    for dim in f.dims[1:]:
        value = f.op("Where", [f.op("Equal", [value, f.number(1)]), dim, f.number(7)])
    return f, [value]


FORMS = [doubling, powers, products, extremes, floors, wide, symbols, equalities, stacked, joined, reshapes, lookups,
         expansions, images, branches, loops, revealed]  # fmt: skip
