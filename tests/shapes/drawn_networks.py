"""Random networks of floats with interdependent shapes. A kind is a rank."""

import numpy as np
from drawing import FLOAT, LEAST, LONGEST, Drawing
from onnx import helper
from open_model import OpenModel

CHANNELS = 4
SHAPES = {
    "a": [["N", CHANNELS, "H", "W"], ["N", CHANNELS, "N", "N"], [None, CHANNELS, None, None], [None] * 4],
    "b": [["N", CHANNELS, "H", "W"], ["B", CHANNELS, "H", "W"], ["B", CHANNELS, 1, "W"], [None] * 4],
    "m": [["N", "S"], ["N", "N"], ["N+1", "H"], ["floor(H/2)", "W"], ["S", "S"]],
    "z": [["N", "S", 4], ["S", "N", "H"], ["W", "H", "N"]],
}
# N, H, W and S. The models exclude operators in which ONNX Runtime crashes if a dim is 0: Einsum, LSTM.
BINDINGS = [(2, 6, 7, 3), (1, 1, 1, 1), (3, 5, 5, 5), (1, 8, 2, 4), (4, 3, 9, 1), (0, 4, 4, 2), (5, 1, 6, 6), (1, 2, 2, 2), (4, 4, 4, 4), (3, 7, 1, 0), (7, 11, 13, 5)]  # fmt: skip


class Network(Drawing):
    def of(self, least=0, most=5):
        return self.pick(lambda rank: least <= rank <= most)

    def dim(self, value, axis):
        return self.op("Gather", [self.op("Shape", [value]), self.ints(axis)])

    def weight(self, *shape):
        return self.constant(self.numbers.standard_normal(shape).astype(np.float32))

    def axis(self, rank):
        return self.random.randrange(rank)

    def wide(self, value):
        """Returns a value of the same batch and length with a known number of features."""
        return self.op("Mul", [self.op("ReduceSum", [value, self.ints(2)], keepdims=1), self.weight(8)])


def binary(d):
    (a, p), (b, q) = d.of(), d.of()
    if d.maybe(0.8):
        d.op(d.random.choice(["Add", "Mul", "Sub", "Max"]), [a, b], max(p, q))
    else:
        d.op("Where", [d.op("Greater", [a, d.constant(np.float32(0))]), a, b], max(p, q))


def unary(d):
    a, rank = d.of()
    d.op(d.random.choice(["Relu", "Sigmoid", "Neg", "Abs", "Identity", "Erf", "Tanh"]), [a], rank)


def rows(d):
    """Adds an operator along an axis."""
    a, rank = d.of(1)
    what = d.random.choice(["Softmax", "LogSoftmax", "Reduce", "Reduce", "CumSum", "TopK", "Norm"])
    if what == "Reduce":
        kept, axes = d.random.randint(0, 1), sorted(d.random.sample(range(rank), d.random.randint(1, rank)))
        op_type = "Reduce" + d.random.choice(["Mean", "Sum", "Max"])
        d.op(op_type, [a, d.ints(*axes)], rank if kept else rank - len(axes), keepdims=kept)
    elif what == "CumSum":
        d.op(what, [a, d.constant(np.int64(d.axis(rank)))], rank)
    elif what == "TopK":
        count = d.op("Min", [d.dim(a, rank - 1), d.ints(2)])
        d.values.append((d.op(what, [a, count], outputs=2), rank))
    elif what == "Norm":
        centred = d.op("Sub", [a, d.op("ReduceMean", [a, d.ints(-1)])])
        variance = d.op("ReduceMean", [d.op("Mul", [centred, centred]), d.ints(-1)])
        d.op("Div", [centred, d.op("Sqrt", [d.op("Add", [variance, d.constant(np.float32(0.1))])])], rank)
    else:
        d.op(what, [a], rank, axis=d.axis(rank))


def move(d):
    a, rank = d.of(1)
    what = d.random.choice(["Transpose", "Transpose", "Unsqueeze", "Squeeze", "Tile", "Pad", "Gather", "Expand", "Split"])
    if what == "Transpose":
        d.op(what, [a], rank, perm=d.random.sample(range(rank), rank))
    elif what == "Unsqueeze" and rank < 5:
        d.op(what, [a, d.ints(d.random.randint(0, rank))], rank + 1)
    elif what == "Squeeze":
        d.op(what, [a, d.ints(d.axis(rank))], rank - 1)
    elif what == "Tile":
        d.op(what, [a, d.ints(*(d.random.randint(1, 2) for _ in range(rank)))], rank)
    elif what == "Pad":
        pads = d.ints(*(d.random.choice([0, 0, 1, 2, -1]) for _ in range(2 * rank)))
        d.op(what, [a, pads], rank, mode=d.random.choice(["constant", "constant", "edge"]))
    elif what == "Gather":
        d.op(what, [a, d.op("Sub", [d.dim(d.of(1)[0], 0), d.ints(1)])], rank, axis=d.axis(rank))
    elif what == "Expand":
        b, other = d.of()
        d.op(what, [a, d.op("Shape", [b])], max(rank, other))
    elif what == "Split":
        d.op(what, [a], rank, outputs=2, axis=d.axis(rank), num_outputs=2)


def reshape(d):
    a, rank = d.of(1)
    dims = [d.dim(a, axis) for axis in range(rank)]
    what = d.random.choice(["copied", "flat", "all", "merged", "number"])
    if what == "copied":
        copied = d.axis(rank)
        d.op("Reshape", [a, d.ints(*[0] * copied, -1)], copied + 1)
    elif what == "flat":
        d.op("Flatten", [a], 2, axis=d.random.randint(0, rank))
    elif what == "all":
        d.random.shuffle(dims)
        if d.maybe(0.5):
            dims[d.axis(rank)] = d.ints(-1)
        d.op("Reshape", [a, d.op("Concat", dims, axis=0)], rank)
    elif what == "merged" and rank > 1:
        shape = d.op("Concat", [d.op("Mul", dims[:2]), *dims[2:]], axis=0)
        merged = d.op("Relu", [d.op("Reshape", [a, shape])], rank - 1)
        d.op("Reshape", [merged, d.op("Shape", [a])], rank)
    elif what == "number":
        d.op("Reshape", [a, d.ints(*d.random.sample([-1, d.random.choice([2, 3, 4])], 2))], 2)


def cut(d):
    a, rank = d.of(1)
    axis, step = d.axis(rank), d.random.choice([1, 1, 1, 2, -1, -2, 3])
    begin = d.ints(d.random.choice([0, 0, 1, -1, -3, 2, 10]))
    end = d.ints(d.random.choice([LONGEST if step > 0 else LEAST, -1, 1, 3, 5, -2]))
    if d.maybe(0.3):
        begin = d.op("Sub", [d.dim(d.of(1)[0], 0), d.ints(d.random.randint(0, 3))])
    if d.maybe(0.3):
        end = d.op("Div", [d.dim(a, axis), d.ints(2)])
    d.op("Slice", [a, begin, end, d.ints(axis), d.ints(step)], rank)


def concat(d):
    a, rank = d.of(1)
    b, _ = d.of(rank, rank)
    d.op("Concat", [a, b] + [a] * d.random.randint(0, 1), rank, axis=d.axis(rank))


def product(d):
    a, rank = d.of(2)
    b, other = d.of(2)
    if d.maybe(0.6):
        b, other = d.op("Transpose", [a], perm=[*range(rank - 2), rank - 1, rank - 2]), rank
    d.op("MatMul", [a, b], max(rank, other))


def image(d):
    a, rank = d.of(4, 4)
    size = d.random.choice([1, 2, 3])
    window = {"kernel_shape": [size, size], "strides": [d.random.randint(1, 3), d.random.randint(1, 2)]}
    if d.maybe(0.3):
        window["auto_pad"] = d.random.choice(["SAME_UPPER", "SAME_LOWER", "VALID"])
    else:
        window["pads"] = [d.random.randint(0, size - 1) for _ in range(4)]
    what = d.random.choice(["Conv", "Conv", "MaxPool", "AveragePool", "ConvTranspose", "Global", "Blocks"])
    if what == "Conv":
        d.op(what, [a, d.weight(CHANNELS, CHANNELS, size, size)], rank, **window)
    elif what == "ConvTranspose":
        attributes = {"strides": [d.random.randint(1, 2), 2], "output_padding": [0, d.random.randint(0, 1)]}
        d.op(what, [a, d.weight(CHANNELS, CHANNELS, 2, 2)], rank, **attributes)
    elif what == "Global":
        d.op(d.random.choice(["GlobalAveragePool", "GlobalMaxPool"]), [a], rank)
    elif what == "Blocks":
        d.op(d.random.choice(["DepthToSpace", "SpaceToDepth"]), [a], rank, blocksize=2)
    else:
        d.op(what, [a], rank, **window, **({"ceil_mode": 1} if "pads" in window and d.maybe(0.4) else {}))


def resize(d):
    a, rank = d.of(4, 4)
    mode = d.random.choice(["nearest", "linear"])
    if d.maybe(0.5):
        scales = [1, 1, d.random.choice([0.5, 1.5, 2]), d.random.choice([2, 1, 0.5])]
        d.op("Resize", [a, "", d.constant(np.float32(scales))], rank, mode=mode)
        return
    size = d.op("Slice", [d.op("Shape", [d.of(4, 4)[0]]), d.ints(2), d.ints(4), d.ints(0)])
    if d.maybe(0.5):
        size = d.op("Mul", [size, d.ints(2)])
    rest = d.op("Slice", [d.op("Shape", [a]), d.ints(0), d.ints(2), d.ints(0)])
    d.op("Resize", [a, "", "", d.op("Concat", [rest, size], axis=0)], rank, mode=mode)


def attention(d):
    a, rank = d.of(4, 4)
    keys = d.of(4, 4)[0] if d.maybe(0.3) else a
    scores = d.op("Mul", [d.op("MatMul", [a, d.op("Transpose", [keys], perm=[0, 1, 3, 2])]), d.constant(np.float32(0.5))])
    if d.maybe(0.5):
        scores = d.op("Add", [scores, d.of()[0]])
    elif d.maybe(0.5):
        end = d.op("Squeeze", [d.dim(a, 2), d.ints(0)])
        places = d.op("Range", [d.constant(np.int64(0)), end, d.constant(np.int64(1))])
        past = d.op("LessOrEqual", [places, d.op("Unsqueeze", [places, d.ints(1)])])
        scores = d.op("Where", [past, scores, d.constant(np.float32(-1e4))])
    d.op("MatMul", [d.op("Softmax", [scores], axis=-1), keys], rank)


def body(d):
    a, rank = d.of(1)
    length = d.op("Squeeze", [d.dim(a, 0), d.ints(0)])
    if d.maybe(0.5):
        condition = d.op("Greater", [length, d.constant(np.int64(d.random.randint(0, 4)))])
        branches = d.branch("then", "Relu", a), d.branch("else", d.random.choice(["Transpose", "Neg"]), a)
        d.op("If", [condition], rank, then_branch=branches[0], else_branch=branches[1])
        return
    growing = {"axis": d.axis(rank)} if d.maybe(0.5) else {}
    trips = d.op("Min", [length, d.constant(np.int64(3))])
    d.loop(trips, a, rank, FLOAT, lambda _: ("Concat" if growing else "Add", a, growing))


def sequence(d):
    a, _ = d.of(3, 3)
    what = d.random.choice(["MultiHeadAttention", "SkipLayerNormalization", "Gelu"])
    if what == "MultiHeadAttention":
        x = d.wide(a)
        d.op(what, [x, x, x], 3, domain="com.microsoft", num_heads=2)
    elif what == "SkipLayerNormalization":
        x = d.wide(a)
        d.op(what, [x, x, d.constant(np.ones(8, np.float32))], 3, domain="com.microsoft", epsilon=1e-3)
    else:
        d.op(what, [a], 3, domain="com.microsoft")


STEPS = [binary] * 5 + [unary] * 2 + [rows] * 5 + [move] * 7 + [reshape] * 5 + [cut] * 3 + [concat] * 2 + [product] * 2
STEPS += [image] * 4 + [resize] * 2 + [attention] * 2 + [body] * 2 + [sequence] * 3


def draw(seed):
    d = Network(seed)
    dims = {name: d.random.choice(choices) for name, choices in SHAPES.items()}
    d.values += [(name, len(shape)) for name, shape in dims.items()]
    for _ in range(d.random.randint(2, 10)):
        d.random.choice(STEPS)(d)
    outputs = d.unread(dims) or [d.op("Relu", ["a"], 4)]
    outputs += [name for name, _ in d.values if name not in (*outputs, *dims) and d.maybe(0.1)]
    names = ["N", "H", "W", "S", "Q", None]  # of intermediate values: most are wrong
    declared = [
        helper.make_tensor_value_info(name, FLOAT, [d.random.choice(names) for _ in range(rank)])
        for name, rank in d.values
        if name not in (*outputs, *dims) and d.maybe(0.1)
    ]
    return OpenModel(d.model(dims, outputs, declared), [feeds(dims, *binding) for binding in BINDINGS], rtol=2e-3)


def feeds(dims, n, h, w, s):
    numbers = np.random.default_rng([n, h, w, s])
    sizes = {"N": n, "H": h, "W": w, "S": s, "B": n if (h + s) % 2 else 1, "N+1": n + 1 if s % 2 else h, "floor(H/2)": h // 2}
    places = [n, CHANNELS, h, w]
    made = {}
    for name, shape in dims.items():
        made[name] = [places[i] if dim is None else sizes.get(dim, dim) for i, dim in enumerate(shape)]
    if s == 3 and n % 2:
        made["m"][1] = 1
    return {name: numbers.standard_normal(shape).astype(np.float32) for name, shape in made.items()}
