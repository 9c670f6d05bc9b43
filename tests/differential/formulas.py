"""Formulas that exporters write as several nodes and rewrites recognise, as small graphs."""

import numpy as np
from by_operator import table
from onnx import TensorProto, helper, numpy_helper

FORMULAS, formula = table()


class Graph:
    """Nodes on float32 inputs. Numbers are constants with `rank` axes of one element."""

    def __init__(self, rank=0, opset=18):
        self.nodes, self.constants, self.inputs, self.rank, self.opset = [], [], {}, rank, opset

    def input(self, value):
        name = f"x{len(self.inputs)}"
        self.inputs[name] = np.asarray(value, np.float32)
        return name

    def array(self, value, dtype=np.float32):
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(value, dtype), name))
        return name

    def number(self, value):
        return self.array(np.full((1,) * self.rank, value))

    def op(self, op_type, *inputs, outputs=1, **attributes):
        made = [f"v{len(self.nodes)}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(op_type, list(inputs), made, **attributes))
        return made[0] if outputs == 1 else made

    def model(self, output):
        self.nodes.append(helper.make_node("Identity", [output], ["y"]))
        given = [helper.make_tensor_value_info(n, TensorProto.FLOAT, v.shape) for n, v in self.inputs.items()]
        made = [helper.make_empty_tensor_value_info("y")]
        graph = helper.make_graph(self.nodes, "formula", given, made, self.constants)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)], ir_version=8)


def values(*shape):
    return np.random.default_rng(len(shape)).uniform(-2, 2, shape).astype(np.float32)


def product(g, x, n):
    return g.op("MatMul", x, g.array(values(n, n)))


@formula("gelu")
def gelu(g, x):
    erf = g.op("Erf", g.op("Div", x, g.number(2**0.5)))
    return g.op("Mul", g.op("Mul", x, g.op("Add", erf, g.number(1))), g.number(0.5))


@formula("tanh gelu")
def tanh_gelu(g, x):
    cube = g.op("Mul", g.op("Pow", x, g.number(3)), g.number(0.044715))
    tanh = g.op("Tanh", g.op("Mul", g.op("Add", x, cube), g.number((2 / np.pi) ** 0.5)))
    return g.op("Mul", g.op("Mul", x, g.number(0.5)), g.op("Add", tanh, g.number(1)))


@formula("silu")
def silu(g, x):
    return g.op("Mul", x, g.op("Sigmoid", g.op("Mul", x, g.number(1.702))))


@formula("hard swish")
def hard_swish(g, x):
    clipped = g.op("Clip", g.op("Add", x, g.number(3)), g.array(0), g.array(6))
    return g.op("Div", g.op("Mul", x, clipped), g.number(6))


@formula("mish")
def mish(g, x):
    return g.op("Mul", x, g.op("Tanh", g.op("Log", g.op("Add", g.op("Exp", x), g.number(1)))))


@formula("layer normalization")
def layer_normalization(g, x):
    centred = g.op("Sub", x, g.op("ReduceMean", x, g.array([-1], np.int64)))
    variance = g.op("ReduceMean", g.op("Pow", centred, g.number(2)), g.array([-1], np.int64))
    return g.op("Div", centred, g.op("Sqrt", g.op("Add", variance, g.number(1e-5))))


@formula("rms normalization")
def rms_normalization(g, x):
    mean = g.op("ReduceMean", g.op("Pow", x, g.number(2)), g.array([-1], np.int64))
    return g.op("Mul", x, g.op("Reciprocal", g.op("Sqrt", g.op("Add", mean, g.number(1e-5)))))


@formula("softmax")
def softmax(g, x):
    powers = g.op("Exp", g.op("Sub", x, g.op("ReduceMax", x, g.array([-1], np.int64))))
    return g.op("Div", powers, g.op("ReduceSum", powers, g.array([-1], np.int64)))


@formula("scaled softmax")
def scaled_softmax(g, x):
    return g.op("Softmax", g.op("Mul", x, g.number(0.5)), axis=-1)


def transposed(g, x):
    rank = g.inputs["x0"].ndim
    return g.op("Transpose", x, perm=[*range(rank - 2), rank - 1, rank - 2])


@formula("attention")
def attention(g, x):
    scores = g.op("Div", g.op("MatMul", x, transposed(g, x)), g.number(1.5))
    hidden = g.op("Add", scores, g.number(0))
    return g.op("MatMul", g.op("Softmax", hidden, axis=-1), x)


@formula("scaled queries")
def scaled_queries(g, x):
    q, k = g.op("Mul", x, g.number(0.5)), g.op("Mul", transposed(g, x), g.number(0.5))
    p = g.op("Softmax", g.op("MatMul", q, k), axis=-1)
    return g.op("MatMul", g.op("Where", g.op("IsNaN", p), g.number(0), p), x)


@formula("capped attention")
def capped_attention(g, x):
    scores = g.op("Div", g.op("MatMul", x, transposed(g, x)), g.number(5))
    capped = g.op("Mul", g.op("Tanh", scores), g.number(5))
    n = g.inputs["x0"].shape[-2]
    masked = g.op("Where", g.array(np.tril(np.ones((n, n))), bool), capped, g.number(-1e38))
    return g.op("MatMul", g.op("Softmax", masked, axis=-1), x)


@formula("product and arithmetic")
def arithmetic(g, x):
    y = product(g, x, g.inputs["x0"].shape[-1])
    return g.op("Sub", g.op("Mul", g.op("Add", y, g.number(1)), g.number(2)), g.number(3))


@formula("product and PRelu")
def prelu(g, x):
    return g.op("PRelu", product(g, x, g.inputs["x0"].shape[-1]), g.array([0.5]))


@formula("dynamic product")
def dynamic_product(g, x):
    q, scale, zero = g.op("DynamicQuantizeLinear", x, outputs=3)
    n = g.inputs["x0"].shape[-1]
    w = g.array(np.round(values(n, n) * 50), np.int8)
    sums = g.op("Cast", g.op("MatMulInteger", q, w, zero), to=1)
    return g.op("Mul", sums, g.op("Mul", scale, g.number(0.01)))


@formula("quantised product")
def quantized_product(g, x):
    scale, zero = g.number(0.05) if g.rank == 0 else g.array(0.05), g.array(128, np.uint8)
    n = g.inputs["x0"].shape[-1]
    w = g.op("DequantizeLinear", g.array(np.round(values(n, n) * 50), np.int8), g.array(0.01))
    y = g.op("MatMul", g.op("DequantizeLinear", g.op("QuantizeLinear", x, scale, zero), scale, zero), w)
    return g.op("QuantizeLinear", g.op("Mul", g.op("Add", y, g.number(0.25)), g.number(2)), scale, zero)


@formula("convolution and arithmetic")
def convolution(g, x):
    rank = g.inputs["x0"].ndim
    if rank < 3:
        return x
    channels = g.inputs["x0"].shape[1]
    y = g.op("Conv", x, g.array(values(channels, channels, *[1] * (rank - 2))))
    return g.op("Clip", g.op("Div", g.op("Add", y, g.number(1)), g.number(2)), g.array(-1), g.array(1))
