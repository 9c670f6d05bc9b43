"""Small language models in the form of GPT-2 and T5, for the bodies of BeamSearch, GreedySearch and Sampling."""

import numpy as np
from onnx import TensorProto, helper, numpy_helper

INT, FLOAT = TensorProto.INT32, TensorProto.FLOAT
HEADS, SIZE = 2, 4
HIDDEN = HEADS * SIZE
LONGEST = 64


class Body:
    """Nodes and weights of a body. Every method adds a node and returns the name of its result."""

    def __init__(self, seed, kind=FLOAT):
        self.nodes, self.weights, self.seed, self.kind = [], {}, seed, kind

    def op(self, op, *inputs, name=None, **attributes):
        name = name or f"result{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, list(inputs), [name], **attributes))
        return name

    def constant(self, value, name=None):
        name = name or f"constant{len(self.weights)}"
        self.weights[name] = np.asarray(value)
        return name

    def weight(self, name, *shape, scale=1.0):
        """Returns the same numbers for the same name, independently of the order of calls."""
        if name not in self.weights:
            values = np.random.default_rng([self.seed, *name.encode()]).standard_normal(shape) * scale
            self.weights[name] = values.astype(helper.tensor_dtype_to_np_dtype(self.kind))
        return name

    def number(self, value):
        return self.constant(np.asarray(value, helper.tensor_dtype_to_np_dtype(self.kind)))

    def ints(self, *values):
        return self.constant(np.array(values, np.int64))

    def length(self, x, axis):
        """Returns one dim of x, as a scalar."""
        return self.op("Squeeze", self.op("Shape", x, start=axis, end=axis + 1))

    def heads(self, x, name):
        """Returns x times a weight: [batch, heads, length, size]."""
        product = self.op("MatMul", x, self.weight(name, HIDDEN, HIDDEN, scale=HIDDEN**-0.5))
        return self.op("Transpose", self.op("Reshape", product, self.ints(0, 0, HEADS, SIZE)), perm=[0, 2, 1, 3])

    def attend(self, q, k, v, bias, name):
        scores = self.op("MatMul", q, self.op("Transpose", k, perm=[0, 1, 3, 2]))
        scores = self.op("Add", self.op("Mul", scores, self.number(SIZE**-0.5)), bias)
        mixed = self.op("Transpose", self.op("MatMul", self.op("Softmax", scores, axis=-1), v), perm=[0, 2, 1, 3])
        flat = self.op("Reshape", mixed, self.ints(0, 0, HIDDEN))
        return self.op("MatMul", flat, self.weight(name, HIDDEN, HIDDEN, scale=HIDDEN**-0.5))

    def mask_bias(self, mask):
        """Returns a mask [batch, 1, 1, length], which is low where the input mask is 0."""
        masked = self.op("Sub", self.number(1), self.op("Cast", mask, to=self.kind))
        return self.op("Mul", self.op("Unsqueeze", masked, self.ints(1, 2)), self.number(-10000))

    def causal_bias(self, length, total):
        """Returns a mask [length, total], which is low where a key comes after its query. The queries are the last
        ones."""
        one = self.constant(np.int64(1))
        rows = self.op("Range", self.op("Sub", total, length), total, one)
        behind = self.op("Greater", self.op("Range", self.constant(np.int64(0)), total, one),
                         self.op("Unsqueeze", rows, self.ints(1)))
        return self.op("Mul", self.op("Cast", behind, to=self.kind), self.number(-10000))

    def logits(self, x, vocabulary, name="logits"):
        """Returns logits of a small range, so that the scores of beams are close."""
        return self.op("MatMul", self.op("Tanh", x), self.weight("out", HIDDEN, vocabulary), name=name)

    def graph(self, name, inputs, outputs, left_out=()):
        tensors = [numpy_helper.from_array(value, key) for key, value in self.weights.items() if key not in left_out]
        return helper.make_graph(self.nodes, name, inputs, outputs, tensors)


def info(name, kind, *shape):
    return helper.make_tensor_value_info(name, kind, shape)


def gpt_decoder(seed=0, vocabulary=20, layers=2, kind=FLOAT, left_out=()):
    """Returns a decoder in GPT-2's form. Weights in `left_out` come from the outer graph."""
    b = Body(seed, kind)
    x = b.op("Add", b.op("Gather", b.weight("tokens", vocabulary, HIDDEN), "input_ids"),
             b.op("Gather", b.weight("positions", LONGEST, HIDDEN), "position_ids"))
    causal = b.causal_bias(b.length("input_ids", 1), b.length("attention_mask", 1))
    bias = b.op("Add", causal, b.mask_bias("attention_mask"))
    inputs = [info("input_ids", INT, "batch", "length"), info("position_ids", INT, "batch", "length"),
              info("attention_mask", INT, "batch", "total")]
    outputs = [info("logits", kind, "batch", "length", vocabulary)]
    for i in range(layers):
        parts = []
        for j, part in enumerate("kv"):
            past = b.op("Gather", f"past_{i}", b.constant(np.int64(j)), axis=0)
            parts.append(b.op("Concat", past, b.heads(x, f"{part}{i}"), axis=2))
        x = b.op("Add", x, b.attend(b.heads(x, f"q{i}"), *parts, bias, f"o{i}"))
        b.op("Concat", *(b.op("Unsqueeze", part, b.ints(0)) for part in parts), name=f"present_{i}", axis=0)
        inputs.append(info(f"past_{i}", kind, 2, "batch", HEADS, "past", SIZE))
        outputs.append(info(f"present_{i}", kind, 2, "batch", HEADS, "total", SIZE))
    b.logits(x, vocabulary)
    return b.graph("decoder", inputs, outputs, left_out)


def keys_and_values(kind, prefix, where, layers, length):
    """Returns names and declarations of the keys and values of all layers."""
    return [
        info(f"{prefix}_{part}_{where}_{i}", kind, "batch", HEADS, length, SIZE)
        for i in range(layers)
        for part in ("key", "value")
    ]


def decoder_step(b, ids, past_length, pasts, crosses, mask, layers, vocabulary):
    """Adds one step of a decoder with an encoder. mask: "" for no mask."""
    total = b.op("Add", past_length, b.length(ids, 1))
    places = b.op("Range", past_length, total, b.constant(np.int64(1)))
    x = b.op("Add", b.op("Gather", b.weight("tokens", vocabulary, HIDDEN), ids),
             b.op("Gather", b.weight("positions", LONGEST, HIDDEN), places))
    causal, cross_bias = b.causal_bias(b.length(ids, 1), total), b.mask_bias(mask) if mask else b.number(0)
    for i in range(layers):
        own = [b.heads(x, f"{part}{i}") for part in "kv"]
        if pasts:
            own = [b.op("Concat", past, new, axis=2) for past, new in zip(pasts[2 * i :], own)]
        for part, what in zip(own, ("key", "value")):
            b.op("Identity", part, name=f"present_{what}_self_{i}")
        x = b.op("Add", x, b.attend(b.heads(x, f"q{i}"), *own, causal, f"o{i}"))
        x = b.op("Add", x, b.attend(b.heads(x, f"cross_q{i}"), *crosses[2 * i : 2 * i + 2], cross_bias, f"cross_o{i}"))
    b.logits(x, vocabulary)


def crosses_of(b, hidden, layers):
    """Returns the names of the keys and values that all layers of a decoder take from an encoder."""
    return [
        b.op("Identity", b.heads(hidden, f"cross_{what[0]}{i}"), name=f"present_{what}_cross_{i}")
        for i in range(layers)
        for what in ("key", "value")
    ]


def started(kind, layers, vocabulary, length):
    """Returns the outputs of an encoder that also makes the first step of the decoder."""
    return [info("logits", kind, "batch", length, vocabulary),
            info("encoder_hidden_states", kind, "batch", "encoded", HIDDEN),
            *keys_and_values(kind, "present", "self", layers, "length")]


def t5_encoder(seed=0, vocabulary=20, layers=2, kind=FLOAT, starts=True):
    """Returns an encoder in T5's form. `starts`: it also makes the first step of the decoder."""
    b = Body(seed, kind)
    x = b.op("Gather", b.weight("encoder_tokens", vocabulary, HIDDEN), "encoder_input_ids")
    mixed = b.attend(b.heads(x, "eq"), b.heads(x, "ek"), b.heads(x, "ev"), b.mask_bias("encoder_attention_mask"), "eo")
    hidden = b.op("Tanh", b.op("Add", x, mixed), name="encoder_hidden_states")
    crosses = crosses_of(b, hidden, layers)
    inputs = [info(name, INT, "batch", "encoded") for name in ("encoder_input_ids", "encoder_attention_mask")]
    outputs = keys_and_values(kind, "present", "cross", layers, "encoded")
    if starts:
        zero = b.constant(np.int64(0))
        decoder_step(b, "decoder_input_ids", zero, [], crosses, "encoder_attention_mask", layers, vocabulary)
        inputs.append(info("decoder_input_ids", INT, "batch", 1))
        outputs = [*started(kind, layers, vocabulary, 1), *outputs]
    return b.graph("encoder", inputs, outputs)


def t5_decoder(seed=0, vocabulary=20, layers=2, kind=FLOAT, hidden=True, left_out=()):
    """Returns a decoder in T5's form for that encoder. `hidden`: it takes encoder_hidden_states."""
    b = Body(seed, kind)
    selves = keys_and_values(kind, "past", "self", layers, "past")
    crosses = keys_and_values(kind, "past", "cross", layers, "encoded")
    inputs = [info("input_ids", INT, "batch", 1), info("encoder_attention_mask", INT, "batch", "encoded")]
    inputs += [info("encoder_hidden_states", kind, "batch", "encoded", HIDDEN)] * hidden
    past = b.length("past_key_self_0", 2)
    names = [[entry.name for entry in entries] for entries in (selves, crosses)]
    decoder_step(b, "input_ids", past, *names, "encoder_attention_mask", layers, vocabulary)
    outputs = [info("logits", kind, "batch", 1, vocabulary), *keys_and_values(kind, "present", "self", layers, "total")]
    return b.graph("decoder", [*inputs, *selves, *crosses], outputs, left_out)


def whisper_encoder(seed=0, vocabulary=20, layers=2, kind=FLOAT, features=5):
    """Returns an encoder in Whisper's form, which takes features [batch, features, frames]."""
    b = Body(seed, kind)
    frames = b.op("Transpose", "encoder_input_ids", perm=[0, 2, 1])
    hidden = b.op("Tanh", b.op("MatMul", frames, b.weight("listen", features, HIDDEN)), name="encoder_hidden_states")
    crosses = crosses_of(b, hidden, layers)
    decoder_step(b, "decoder_input_ids", b.constant(np.int64(0)), [], crosses, "", layers, vocabulary)
    inputs = [info("encoder_input_ids", kind, "batch", features, "frames"),
              info("decoder_input_ids", INT, "batch", "begun")]
    crosses = keys_and_values(kind, "present", "cross", layers, "encoded")
    return b.graph("encoder", inputs, [*started(kind, layers, vocabulary, "begun"), *crosses])


def whisper_decoder(seed=0, vocabulary=20, layers=2, kind=FLOAT, hidden=False):
    b = Body(seed, kind)
    pasts = [keys_and_values(kind, "past", where, layers, length) for where, length in (("self", "past"), ("cross", "encoded"))]
    names = [[entry.name for entry in entries] for entries in pasts]
    decoder_step(b, "input_ids", b.length("past_key_self_0", 2), *names, "", layers, vocabulary)
    inputs = [info("input_ids", INT, "batch", 1)]
    inputs += [info("encoder_hidden_states", kind, "batch", "encoded", HIDDEN)] * hidden
    outputs = [info("logits", kind, "batch", 1, vocabulary), *keys_and_values(kind, "present", "self", layers, "total")]
    return b.graph("decoder", [*inputs, *pasts[0], *pasts[1]], outputs)


def chain(vocabulary=4):
    """Returns a minimal model in GPT-2's form: the logits of the next token are a row of a table. It supports any
    number of steps."""
    b = Body(0)
    b.op("Gather", b.weight("table", vocabulary, vocabulary), "input_ids", name="logits")
    b.op("Identity", "past_0", name="present_0")
    inputs = [info(name, INT, "batch", "length") for name in ("input_ids", "position_ids", "attention_mask")]
    keys = [info(name, FLOAT, 2, "batch", 1, length, 1) for name, length in (("past_0", "past"), ("present_0", "total"))]
    outputs = [info("logits", FLOAT, "batch", "length", vocabulary), keys[1]]
    return b.graph("decoder", [*inputs, keys[0]], outputs)
