"""Writes the decoders of decoder_models.py as ONNX Runtime's tools do, of com.microsoft's operators.

usage: python benchmarks/microsoft_decoders.py --out FOLDER [--models NAME,...]

NAME.microsoft.onnx has the same sizes, inputs and outputs, and other seeded random weights. Language models with
rotary embeddings are those of onnxruntime-genai: GroupQueryAttention, which rotates, and normalisations with residuals;
the others have MultiHeadAttention, as ONNX Runtime's optimiser fuses them. Needs onnx.
"""

import dataclasses

import numpy as np
import onnx
import writers
from onnx import TensorProto, helper, numpy_helper

POSITIONS = 4096
FRAMES = 1500
MS = "com.microsoft"


@dataclasses.dataclass
class Sizes:
    width: int
    layers: int
    heads: int
    kv_heads: int
    inner: int
    vocabulary: int
    head: int = 64


class Graph:
    """Nodes, weights, inputs and outputs as they come."""

    def __init__(self, sizes):
        self.sizes, self.random = sizes, np.random.default_rng(0)
        self.nodes, self.weights, self.inputs, self.outputs = [], [], [], []
        self.ids = self.input("input_ids", TensorProto.INT64, ["batch", "tokens"])

    def input(self, name, dtype, dims):
        self.inputs.append(helper.make_tensor_value_info(name, dtype, dims))
        return name

    def output(self, name, dims):
        self.outputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, dims))
        return name

    def constant(self, array):
        self.weights.append(numpy_helper.from_array(array, f"w{len(self.weights)}"))
        return self.weights[-1].name

    def weight(self, *dims):
        scale = np.float32(0.02 if len(dims) > 1 else 0.1)
        return self.constant(self.random.standard_normal(dims, np.float32) * scale)

    def scale(self, size):
        return self.constant(np.ones(size, np.float32))

    def op(self, kind, *inputs, outputs=None, domain="", **attributes):
        """The value of its one output, or those named."""
        names = outputs or [f"v{len(self.nodes)}"]
        self.nodes.append(helper.make_node(kind, inputs, names, domain=domain, **attributes))
        return names[0]

    def product(self, x, rows, columns, bias=False):
        y = self.op("MatMul", x, self.weight(rows, columns))
        return self.op("Add", y, self.weight(columns)) if bias else y

    def cache(self, i, heads):
        """Inputs of the past, names of the present: of the keys and values of a layer."""
        names = [f"{i}.decoder.{what}" for what in ("key", "value")]
        past = [self.input(f"past_key_values.{name}", TensorProto.FLOAT, ["batch", heads, "past", self.sizes.head])
                for name in names]  # fmt: skip
        return past, [self.output(f"present.{name}", ["batch", heads, "total", self.sizes.head]) for name in names]

    def residual(self, kind, x, y, *parameters, **attributes):
        """(normalised sum, sum)"""
        names = [f"v{len(self.nodes)}", f"v{len(self.nodes)}.sum"]
        self.op(kind, x, y, *parameters, outputs=[names[0], "", "", names[1]], domain=MS, **attributes)
        return names

    def model(self, logits):
        self.op("Identity", logits, outputs=["logits"])
        dims = ["batch", "tokens", self.sizes.vocabulary]
        self.outputs.insert(0, helper.make_tensor_value_info("logits", TensorProto.FLOAT, dims))
        graph = helper.make_graph(self.nodes, "decoder", self.inputs, self.outputs, self.weights)
        opsets = [helper.make_opsetid("", 17), helper.make_opsetid(MS, 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=8)


def lengths(g):
    """Of attention_mask: the last token's place in each row, and how many columns there are."""
    mask = g.input("attention_mask", TensorProto.INT64, ["batch", "total"])
    one = g.constant(np.array([1], np.int64))
    last = g.op("Sub", g.op("ReduceSum", mask, one, keepdims=0), one)
    total = g.op("Gather", g.op("Shape", mask), g.constant(np.array(1, np.int64)), axis=0)
    return [g.op("Cast", value, to=TensorProto.INT32) for value in (last, total)]


def language(sizes, normalized_heads=False):
    """With rotary embeddings, gated inner layers, and keys and values that heads share."""
    g, s = Graph(sizes), sizes
    places = lengths(g)
    angles = np.outer(np.arange(POSITIONS), 10000.0 ** -np.arange(0, 1, 2 / s.head))
    turns = [g.constant(f(angles).astype(np.float32)) for f in (np.cos, np.sin)]
    x = g.op("Gather", g.weight(s.vocabulary, s.width), g.ids)
    y = g.op("SimplifiedLayerNormalization", x, g.scale(s.width), axis=-1, epsilon=1e-6)

    def add(y):
        return g.residual("SkipSimplifiedLayerNormalization", x, y, g.scale(s.width), epsilon=1e-6)

    for i in range(s.layers):
        past, present = g.cache(i, s.kv_heads)
        q, k, v = (g.product(y, s.width, n * s.head) for n in (s.heads, s.kv_heads, s.kv_heads))
        if normalized_heads:
            q, k = (by_heads(g, value, n) for value, n in ((q, s.heads), (k, s.kv_heads)))
        y = g.op("GroupQueryAttention", q, k, v, *past, *places, *turns, outputs=[f"attended.{i}", *present], domain=MS,
                 num_heads=s.heads, kv_num_heads=s.kv_heads, do_rotary=1)  # fmt: skip
        y, x = add(g.product(y, s.heads * s.head, s.width))
        gate, up = (g.product(y, s.width, s.inner) for _ in range(2))
        y = g.op("Mul", g.op("Mul", gate, g.op("Sigmoid", gate)), up)
        y, x = add(g.product(y, s.inner, s.width))
    return g.model(g.product(y, s.width, s.vocabulary))


def by_heads(g, x, heads):
    """Each head by its root mean square."""
    size = g.sizes.head
    y = g.op("Reshape", x, g.constant(np.array([0, -1, size])))
    y = g.op("SimplifiedLayerNormalization", y, g.scale(size), axis=-1, epsilon=1e-6)
    return g.op("Reshape", y, g.constant(np.array([0, -1, heads * size])))


def attention(g, y, i):
    """Of a layer's tokens to past ones and themselves."""
    past, present = g.cache(i, g.sizes.heads)
    width = g.sizes.width
    q, k, v = (g.product(y, width, width) for _ in range(3))
    inputs = [q, k, v, g.weight(3 * width), "", "", *past]
    y = g.op("MultiHeadAttention", *inputs, outputs=[f"attended.{i}", *present], domain=MS, num_heads=g.sizes.heads,
             unidirectional=1)  # fmt: skip
    return g.product(y, width, width)


def cross_attention(g, y, i):
    """To the frames of an encoder, whose keys and values are inputs."""
    s = g.sizes
    frames = [g.input(f"past_key_values.{i}.encoder.{what}", TensorProto.FLOAT, ["batch", s.heads, FRAMES, s.head])
              for what in ("key", "value")]  # fmt: skip
    q = g.product(y, s.width, s.width, bias=True)
    return g.product(g.op("MultiHeadAttention", q, *frames, domain=MS, num_heads=s.heads), s.width, s.width)


def layered(sizes, activation, crosses=False):
    """With learnt positions and biases; `crosses`: after the frames of an encoder."""
    g, s = Graph(sizes), sizes
    places = g.input("position_ids", TensorProto.INT64, ["batch", "tokens"])
    x = g.op("Add", *(g.op("Gather", g.weight(n, s.width), i) for n, i in ((s.vocabulary, g.ids), (POSITIONS, places))))
    y = g.op("LayerNormalization", x, g.scale(s.width), g.weight(s.width), axis=-1)

    def add(y):
        return g.residual("SkipLayerNormalization", x, y, g.scale(s.width), g.weight(s.width), g.weight(s.width))

    for i in range(s.layers):
        y, x = add(attention(g, y, i))
        if crosses:
            y, x = add(cross_attention(g, y, i))
        inner = g.op(activation, g.product(y, s.width, s.inner), g.weight(s.inner), domain=MS)
        y, x = add(g.product(inner, s.inner, s.width))
    return g.model(g.product(y, s.width, s.vocabulary))


LLAMA = Sizes(width=1024, layers=8, heads=16, kv_heads=4, inner=2816, vocabulary=32000)
MODELS = {
    "gpt2": lambda: layered(Sizes(768, 12, 12, 12, 3072, 50257), "FastGelu"),
    "llama": lambda: language(LLAMA),
    "qwen3": lambda: language(LLAMA, normalized_heads=True),
    "whisper_base": lambda: layered(Sizes(512, 6, 8, 8, 2048, 51865), "BiasGelu", crosses=True),
}


def main():
    parser = writers.parser(__doc__)
    parser.add_argument("--models", type=writers.among(MODELS), default=list(MODELS), metavar="NAME,...")
    flags = parser.parse_args()
    flags.out.mkdir(parents=True, exist_ok=True)
    for name in flags.models:
        out = flags.out / f"{name}.microsoft.onnx"
        onnx.save(MODELS[name](), out)
        print(out, flush=True)


if __name__ == "__main__":
    main()
