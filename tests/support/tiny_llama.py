"""A seeded Llama of two layers, in the form that exporters write with a cache, and the same computed by NumPy without a
cache."""

import numpy as np
from networks import Network
from onnx import TensorProto

VOCABULARY, WIDTH, HEADS, SHARED, HEAD, INNER, LAYERS, LENGTH = 61, 32, 4, 2, 8, 48, 2, 64
ANGLES = np.outer(np.arange(LENGTH), 10.0 ** -np.arange(0, 2, 4 / HEAD))
CACHES = [f"{layer}.{name}" for layer in range(LAYERS) for name in ("key", "value")]
SHAPES = {"q": (WIDTH, HEADS * HEAD), "k": (WIDTH, SHARED * HEAD), "v": (WIDTH, SHARED * HEAD),
          "o": (HEADS * HEAD, WIDTH), "gate": (WIDTH, INNER), "up": (WIDTH, INNER), "down": (INNER, WIDTH)}  # fmt: skip


def make_weights(seed=11):
    random = np.random.default_rng(seed)
    weights = {"embedding": random.standard_normal((VOCABULARY, WIDTH)), "head": random.standard_normal((WIDTH, VOCABULARY))}
    for layer in range(LAYERS):
        for name, shape in SHAPES.items():
            weights[f"{layer}.{name}"] = random.standard_normal(shape) * 2 / np.sqrt(shape[0])
    return {name: value.astype(np.float32) for name, value in weights.items()}


def logits(weights, tokens):
    """Returns float64 [tokens,VOCABULARY] for a whole sequence."""

    def norm(x):
        return x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5)

    def heads(x):
        return x.reshape(len(tokens), -1, HEAD).swapaxes(0, 1)

    def rotate(x):
        low, high = np.split(x, 2, -1)
        cos, sin = np.cos(ANGLES[: len(tokens)]), np.sin(ANGLES[: len(tokens)])
        return np.concatenate([low * cos - high * sin, high * cos + low * sin], -1)

    w = {name: value.astype(np.float64) for name, value in weights.items()}
    x = w["embedding"][tokens]
    hidden = np.triu(np.full((len(tokens), len(tokens)), -np.inf), 1)
    for i in range(LAYERS):
        y = norm(x)
        q, k, v = (heads(y @ w[f"{i}.{name}"]) for name in "qkv")
        k, v = (np.repeat(a, HEADS // SHARED, 0) for a in (rotate(k), v))
        scores = rotate(q) @ k.swapaxes(1, 2) / np.sqrt(HEAD) + hidden
        p = np.exp(scores - scores.max(-1, keepdims=True))
        p /= p.sum(-1, keepdims=True)
        x = x + (p @ v).swapaxes(0, 1).reshape(len(tokens), -1) @ w[f"{i}.o"]
        y = norm(x)
        gate = y @ w[f"{i}.gate"]
        x = x + (gate / (1 + np.exp(-gate)) * (y @ w[f"{i}.up"])) @ w[f"{i}.down"]
    return norm(x) @ w["head"]


class TinyLlama(Network):
    """Inputs: input_ids, attention_mask, position_ids, past_key_values.I.key, .value. Outputs: logits, present.I.*"""

    def __init__(self, weights):
        super().__init__()
        self.weights = {name: self.floats(value) for name, value in weights.items()}
        ids, mask, places = (self.input(name, TensorProto.INT64, [1, length]) for name, length in
                             (("input_ids", "n"), ("attention_mask", "total"), ("position_ids", "n")))  # fmt: skip
        for name in CACHES:
            self.input(f"past_key_values.{name}", TensorProto.FLOAT, [1, SHARED, "past", HEAD])
        self.total = self.op("Shape", mask, start=1)
        self.mask = self.causal(mask, places)
        tables = (self.floats(np.tile(f(ANGLES), 2)) for f in (np.cos, np.sin))
        self.cos, self.sin = (self.op("Unsqueeze", self.op("Gather", t, places), self.ints([1])) for t in tables)
        x = self.op("Gather", self.weights["embedding"], ids)
        for layer in range(LAYERS):
            x = self.op("Add", x, self.attention(layer, self.norm(x)))
            x = self.op("Add", x, self.feed_forward(layer, self.norm(x)))
        self.op("MatMul", self.norm(x), self.weights["head"], out="logits")

    def save(self, path):
        super().save(path, "logits", *[f"present.{name}" for name in CACHES])
        return path

    def floats(self, values):
        return self.vector(values, np.float32)

    def ints(self, values):
        return self.vector(values, np.int64)

    def linear(self, x, name):
        return self.op("MatMul", x, self.weights[name])

    def causal(self, mask, places):
        keys = self.op("Range", self.ints(0), self.op("Squeeze", self.total), self.ints(1))
        before = self.op("LessOrEqual", keys, self.op("Unsqueeze", places, self.ints([1, 3])))
        given = self.op("Cast", self.op("Unsqueeze", mask, self.ints([1, 2])), to=TensorProto.BOOL)
        least = self.floats(np.finfo(np.float32).min)
        return self.op("Where", self.op("And", before, given), self.floats(0), least)

    def norm(self, x):
        squares = self.op("ReduceMean", self.op("Pow", x, self.floats(2)), axes=[-1], keepdims=1)
        root = self.op("Sqrt", self.op("Add", squares, self.floats(1e-5)))
        return self.op("Mul", x, self.op("Div", self.floats(1), root))

    def heads(self, x):
        return self.op("Transpose", self.op("Reshape", x, self.ints([0, 0, -1, HEAD])), perm=[0, 2, 1, 3])

    def rotate(self, x):
        low, high = (self.op("Slice", x, *[self.ints([i]) for i in (begin, begin + HEAD // 2, 3)])
                     for begin in (0, HEAD // 2))  # fmt: skip
        turned = self.op("Concat", self.op("Neg", high), low, axis=-1)
        return self.op("Add", self.op("Mul", x, self.cos), self.op("Mul", turned, self.sin))

    def cached(self, name, new):
        """Returns past and new rows, each head repeated for all queries that share it."""
        x = self.op("Concat", f"past_key_values.{name}", new, out=f"present.{name}", axis=2)
        shape = self.op("Concat", self.ints([1, SHARED, HEADS // SHARED]), self.total, self.ints([HEAD]), axis=0)
        expanded = self.op("Expand", self.op("Unsqueeze", x, self.ints([2])), shape)
        return self.op("Reshape", expanded, self.ints([0, HEADS, -1, HEAD]))

    def attention(self, layer, x):
        q, k, v = (self.heads(self.linear(x, f"{layer}.{name}")) for name in "qkv")
        k, v = self.cached(f"{layer}.key", self.rotate(k)), self.cached(f"{layer}.value", v)
        scores = self.op("MatMul", self.rotate(q), self.op("Transpose", k, perm=[0, 1, 3, 2]))
        scores = self.op("Add", self.op("Mul", scores, self.floats(HEAD**-0.5)), self.mask)
        y = self.op("Transpose", self.op("MatMul", self.op("Softmax", scores, axis=-1), v), perm=[0, 2, 1, 3])
        return self.linear(self.op("Reshape", y, self.ints([0, 0, -1])), f"{layer}.o")

    def feed_forward(self, layer, x):
        gate = self.linear(x, f"{layer}.gate")
        silu = self.op("Mul", gate, self.op("Sigmoid", gate))
        return self.linear(self.op("Mul", silu, self.linear(x, f"{layer}.up")), f"{layer}.down")
