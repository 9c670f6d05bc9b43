"""Small models of float32 operators with random weights."""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


class Network:
    """A model that is built node by node. If it has a shape, its input is x, float32."""

    def __init__(self, shape=None):
        self.rng = np.random.default_rng(1)
        self.shape, self.nodes, self.constants, self.inputs = shape, [], [], []
        if shape is not None:
            self.input("x", TensorProto.FLOAT, shape)

    def input(self, name, kind, shape):
        self.inputs.append(helper.make_tensor_value_info(name, kind, shape))
        return name

    def vector(self, values, dtype):
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.array(values, dtype), name))
        return name

    def constant(self, *shape, scale=1.0, positive=False):
        value = scale * self.rng.standard_normal(shape)
        return self.vector(np.abs(value) + 0.5 if positive else value, np.float32)

    def op(self, op_type, *inputs, out=None, **attributes):
        name = out or f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(op_type, inputs, [name], name=name, **attributes))
        return name

    def conv(self, x, channels, out, kernel, **attributes):
        depth = channels // attributes.get("group", 1)
        w = self.constant(out, depth, kernel, kernel, scale=(depth * kernel * kernel) ** -0.5)
        return self.op("Conv", x, w, self.constant(out, scale=0.1), kernel_shape=[kernel, kernel], **attributes)

    def save(self, path, *outputs):
        values = [helper.make_tensor_value_info(output, TensorProto.FLOAT, None) for output in outputs]
        graph = helper.make_graph(self.nodes, "network", self.inputs, values, self.constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        onnx.save(onnx.shape_inference.infer_shapes(model), path)


def image_network():
    """A network for images: convolution, pools, a residual, a depthwise convolution, squeeze and excitation, a
    classifier."""
    n = Network([2, 3, 23, 22])
    x = n.op("Relu", n.conv("x", 3, 8, 5, strides=[2, 2], pads=[2, 2, 2, 2]))
    x = n.op("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    y = n.op("Relu", n.conv(x, 8, 12, 1))
    y = n.conv(y, 12, 8, 3, pads=[1, 1, 1, 1])
    x = n.op("Relu", n.op("Add", y, x))
    x = n.op("HardSwish", n.conv(x, 8, 8, 3, pads=[1, 1, 1, 1], group=8))
    gate = n.conv(n.op("GlobalAveragePool", x), 8, 8, 1)
    x = n.op("Mul", x, n.op("Sigmoid", gate))
    x = n.op("Concat", x, n.op("LeakyRelu", x, alpha=0.1), axis=1)
    x = n.op("Flatten", n.op("AveragePool", x, kernel_shape=[2, 2], strides=[2, 2]))
    return n, n.op("Gemm", x, n.constant(10, 144, scale=0.1), n.constant(10), transB=1)


def dense_network():
    """Batch normalisations after Concat, groups of few channels, and a resized image."""
    n = Network([2, 6, 12, 10])
    x = n.op("Relu", n.conv("x", 6, 8, 3, pads=[1, 1, 1, 1], group=2))
    y = n.op("Relu", n.conv(x, 8, 4, 1))
    x = n.op("Concat", x, y, axis=1)
    x = n.op("BatchNormalization", x, n.constant(12), n.constant(12), n.constant(12), n.constant(12, positive=True))
    x = n.op("MaxPool", n.op("Relu", x), kernel_shape=[2, 2], strides=[2, 2])
    x = n.op("Relu", n.conv(x, 12, 12, 3, pads=[1, 1, 1, 1]))
    x = n.op("Resize", x, "", n.vector([1, 1, 2, 2], np.float32), mode="nearest")
    return n, n.conv(x, 12, 5, 1)


def attention_network():
    n = Network([2, 9, 24])
    heads = n.vector([0, 0, 3, 8], np.int64)
    q, k, v = (n.op("Reshape", n.op("MatMul", "x", n.constant(24, 24, scale=0.2)), heads) for _ in range(3))
    scores = n.op("MatMul", n.op("Transpose", q, perm=[0, 2, 1, 3]), n.op("Transpose", k, perm=[0, 2, 3, 1]))
    y = n.op("MatMul", n.op("Softmax", scores, axis=-1), n.op("Transpose", v, perm=[0, 2, 1, 3]))
    y = n.op("Reshape", n.op("Transpose", y, perm=[0, 2, 1, 3]), n.vector([0, 0, 24], np.int64))
    return n, n.op("MatMul", y, n.constant(24, 24, scale=0.2))


def feed_forward_network():
    n = Network([2, 7, 24])
    x = n.op("Add", n.op("MatMul", "x", n.constant(24, 40, scale=0.2)), n.constant(40))
    x = n.op("Add", n.op("MatMul", n.op("Relu", x), n.constant(40, 24, scale=0.2)), n.constant(24))
    return n, n.op("Add", x, "x")


HEADS, WIDTH, HIDDEN = 4, 8, 32


class Transformer(Network):
    """A model whose input_ids are int64[batch, length]."""

    def __init__(self):
        super().__init__()
        self.input("input_ids", TensorProto.INT64, ["batch", "length"])

    def rows(self, count, ids):
        return self.op("Gather", self.constant(count, HIDDEN), ids)

    def linear(self, x, rows, columns):
        return self.op("Add", self.op("MatMul", x, self.constant(rows, columns, scale=0.2)), self.constant(columns))

    def normalized(self, x, epsilon):
        weights = self.constant(HIDDEN, positive=True), self.constant(HIDDEN)
        return self.op("LayerNormalization", x, *weights, axis=-1, epsilon=epsilon)

    def heads(self, x, perm):
        split = self.op("Reshape", x, self.vector([0, 0, HEADS, WIDTH], np.int64))
        return self.op("Transpose", split, perm=perm)

    def length(self):
        """Returns the length, computed in the form that exporters write."""
        dim = self.op("Gather", self.op("Shape", "input_ids"), self.vector(1, np.int64))
        return self.op("Unsqueeze", dim, self.vector([0], np.int64))

    def part(self, x, i):
        """Returns the i-th part of HIDDEN columns."""
        bounds = [self.vector([n * HIDDEN], np.int64) for n in (i, i + 1)]
        return self.op("Slice", x, *bounds, self.vector([2], np.int64))

    def attention(self, q, k, v, masked):
        """`masked` masks the scores."""
        q, v = (self.heads(x, [0, 2, 1, 3]) for x in (q, v))
        scores = self.op("MatMul", q, self.heads(k, [0, 2, 3, 1]))
        scores = masked(self.op("Div", scores, self.vector(WIDTH**0.5, np.float32)))
        y = self.op("MatMul", self.op("Softmax", scores, axis=-1), v)
        return self.op("Reshape", self.op("Transpose", y, perm=[0, 2, 1, 3]), self.vector([0, 0, HIDDEN], np.int64))


def encoder_network(layers=2):
    """BERT: embeddings, attention under a mask, Gelu, a normalisation after each residual."""
    n = Transformer()
    mask = n.input("attention_mask", TensorProto.INT64, ["batch", "length"])
    types = n.input("token_type_ids", TensorProto.INT64, ["batch", "length"])
    wide = n.op("Cast", n.op("Unsqueeze", mask, n.vector([1, 2], np.int64)), to=TensorProto.FLOAT)
    away = n.op("Mul", n.op("Sub", n.vector(1, np.float32), wide), n.vector(-10000, np.float32))
    length = n.length()
    places = n.op("Slice", n.vector([range(40)], np.int64), n.vector([0], np.int64), length, n.vector([1], np.int64))
    x = n.op("Add", n.op("Add", n.rows(50, "input_ids"), n.rows(2, types)), n.rows(40, places))
    x = n.normalized(x, 1e-12)
    for _ in range(layers):
        qkv = [n.linear(x, HIDDEN, HIDDEN) for _ in range(3)]
        y = n.attention(*qkv, lambda scores: n.op("Add", scores, away))
        x = n.normalized(n.op("Add", n.linear(y, HIDDEN, HIDDEN), x), 1e-12)
        y = n.linear(x, HIDDEN, 64)
        erf = n.op("Erf", n.op("Div", y, n.vector(2**0.5, np.float32)))
        y = n.op("Mul", n.op("Mul", y, n.op("Add", erf, n.vector(1, np.float32))), n.vector(0.5, np.float32))
        x = n.normalized(n.op("Add", n.linear(y, 64, HIDDEN), x), 1e-12)
    return n, x


def decoder_network(layers=2):
    """GPT-2: a normalisation before each part, causal attention, Gelu by tanh."""
    n = Transformer()
    places = n.input("position_ids", TensorProto.INT64, ["batch", "length"])
    causal = n.vector(np.tril(np.ones((1, 1, 40, 40))), bool)
    length = n.length()
    both, zeros = n.vector([2, 3], np.int64), n.vector([0, 0], np.int64)
    seen = n.op("Slice", causal, zeros, n.op("Concat", length, length, axis=0), both)
    x = n.op("Add", n.rows(50, "input_ids"), n.rows(40, places))
    for _ in range(layers):
        name = n.linear(n.normalized(x, 1e-5), HIDDEN, 3 * HIDDEN)
        qkv = [n.part(name, i) for i in range(3)]
        y = n.attention(*qkv, lambda scores: n.op("Where", seen, scores, n.vector(-10000, np.float32)))
        x = n.op("Add", n.linear(y, HIDDEN, HIDDEN), x)
        y = n.linear(n.normalized(x, 1e-5), HIDDEN, 64)
        cube = n.op("Mul", n.op("Pow", y, n.vector(3, np.float32)), n.vector(0.044715, np.float32))
        inner = n.op("Mul", n.op("Add", y, cube), n.vector((2 / np.pi) ** 0.5, np.float32))
        gate = n.op("Add", n.op("Tanh", inner), n.vector(1, np.float32))
        y = n.op("Mul", n.op("Mul", y, n.vector(0.5, np.float32)), gate)
        x = n.op("Add", n.linear(y, 64, HIDDEN), x)
    return n, n.normalized(x, 1e-5)


NETWORKS = (
    image_network, dense_network, attention_network, feed_forward_network, encoder_network, decoder_network,
)  # fmt: skip


def inputs_of(network):
    rng = np.random.default_rng(3)
    ids = {
        "input_ids": rng.integers(0, 50, (2, 7)),
        "token_type_ids": rng.integers(0, 2, (2, 7)),
        "position_ids": np.tile(np.arange(7), (2, 1)),
        "attention_mask": np.array([[1] * 7, [1] * 5 + [0] * 2]),
    }
    names = [entry.name for entry in network.inputs]
    return {name: ids[name] if name in ids else rng.standard_normal(network.shape).astype(np.float32) for name in names}
