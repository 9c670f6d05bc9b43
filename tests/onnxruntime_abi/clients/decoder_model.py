"""A small decoder with random weights, in the form of onnxruntime-genai's builder for Llama."""

import json

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

LAYERS, VOCABULARY, WIDTH, HEADS, SHARED, HEAD, INNER, LONGEST = 2, 96, 32, 4, 2, 16, 48, 64
FLOAT, INT32, INT64 = TensorProto.FLOAT, TensorProto.INT32, TensorProto.INT64


class Decoder:
    """The nodes, weights, inputs and outputs of the model."""

    def __init__(self, seed=5):
        self.random = np.random.default_rng(seed)
        self.nodes, self.weights, self.inputs, self.outputs = [], [], [], []

    def constant(self, name, array):
        self.weights.append(numpy_helper.from_array(array, name))
        return name

    def weight(self, name, rows, columns):
        return self.constant(name, (self.random.standard_normal((rows, columns)) * 0.4).astype(np.float32))

    def node(self, operator, inputs, *outputs, **attributes):
        """Adds a node, which is named after its first output. Returns the first output."""
        self.nodes.append(helper.make_node(operator, inputs, list(outputs), f"{operator}/{outputs[0]}", **attributes))
        return outputs[0]

    def linear(self, x, name, rows, columns):
        return self.node("MatMul", [x, self.weight(f"{name}.weight", rows, columns)], f"{name}.product")

    def normed(self, x, name):
        scale = self.constant(f"{name}.scale", np.ones(WIDTH, np.float32))
        return self.node(
            "SimplifiedLayerNormalization", [x, scale], f"{name}.normed", axis=-1, epsilon=1e-5, stash_type=1
        )

    def value(self, side, name, kind, shape):
        side.append(helper.make_tensor_value_info(name, kind, shape))

    def lengths(self):
        """Adds the number of tokens of each sequence minus one, and the greatest length."""
        one = self.constant("one", np.array([1], np.int64))
        total = self.node("ReduceSum", ["attention_mask", one], "tokens", keepdims=0)
        self.node("Cast", [self.node("Sub", [total, one], "last")], "seqlens_k", to=INT32)
        place = self.constant("place", np.array(1, np.int64))
        longest = self.node("Gather", [self.node("Shape", ["attention_mask"], "shape"), place], "longest")
        self.node("Cast", [longest], "total_sequence_length", to=INT32)

    def angles(self):
        """Adds the tables of cosines and sines of the positions."""
        angles = np.outer(np.arange(LONGEST), 10000.0 ** -(np.arange(0, HEAD, 2) / HEAD))
        self.constant("cos", np.cos(angles).astype(np.float32))
        self.constant("sin", np.sin(angles).astype(np.float32))

    def attention(self, x, i):
        parts = [
            self.linear(x, f"{i}.{name}", WIDTH, heads * HEAD)
            for name, heads in (("q", HEADS), ("k", SHARED), ("v", SHARED))
        ]
        caches = [f"past_key_values.{i}.{name}" for name in ("key", "value")]
        present = [f"present.{i}.{name}" for name in ("key", "value")]
        for old, new in zip(caches, present):
            self.value(self.inputs, old, FLOAT, ["batch_size", SHARED, "past_sequence_length", HEAD])
            self.value(self.outputs, new, FLOAT, ["batch_size", SHARED, "total_sequence_length", HEAD])
        mixed = self.node("GroupQueryAttention", [*parts, *caches, "seqlens_k", "total_sequence_length", "cos", "sin"],
                          f"{i}.mixed", *present, domain="com.microsoft", num_heads=HEADS, kv_num_heads=SHARED,
                          scale=HEAD**-0.5, do_rotary=1, rotary_interleaved=0)  # fmt: skip
        return self.linear(mixed, f"{i}.o", HEADS * HEAD, WIDTH)

    def feed_forward(self, x, i):
        gate, up = (self.linear(x, f"{i}.{name}", WIDTH, INNER) for name in ("gate", "up"))
        gated = self.node("Mul", [gate, self.node("Sigmoid", [gate], f"{i}.sigmoid")], f"{i}.swish")
        return self.linear(self.node("Mul", [gated, up], f"{i}.inner"), f"{i}.down", INNER, WIDTH)

    def model(self):
        self.value(self.inputs, "input_ids", INT64, ["batch_size", "sequence_length"])
        self.value(self.inputs, "attention_mask", INT64, ["batch_size", "total_sequence_length"])
        self.value(self.outputs, "logits", FLOAT, ["batch_size", "sequence_length", VOCABULARY])
        self.lengths()
        self.angles()
        x = self.node("Gather", [self.weight("embedding", VOCABULARY, WIDTH), "input_ids"], "embedded")
        for i in range(LAYERS):
            x = self.node("Add", [x, self.attention(self.normed(x, f"{i}.first"), i)], f"{i}.attended")
            x = self.node("Add", [x, self.feed_forward(self.normed(x, f"{i}.second"), i)], f"{i}.out")
        self.node("MatMul", [self.normed(x, "final"), self.weight("head", WIDTH, VOCABULARY)], "logits")
        graph = helper.make_graph(self.nodes, "main_graph", self.inputs, self.outputs, self.weights)
        opsets = [helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=10)


def config(shared_cache, session_options):
    """Returns the contents of genai_config.json about the model."""
    caches = {f"{kind}_{name}_names": f"{prefix}.%d.{name}" for kind, prefix in (("past", "past_key_values"), ("present", "present"))
              for name in ("key", "value")}  # fmt: skip
    decoder = {
        "session_options": {"log_id": "onnxruntime-genai", "provider_options": [], **session_options}, "filename": "model.onnx",
        "head_size": HEAD, "hidden_size": WIDTH, "num_attention_heads": HEADS, "num_hidden_layers": LAYERS, "num_key_value_heads": SHARED,
        "inputs": {"input_ids": "input_ids", "attention_mask": "attention_mask", **{k: v for k, v in caches.items() if "past" in k}},
        "outputs": {"logits": "logits", **{k: v for k, v in caches.items() if "present" in k}},
    }  # fmt: skip
    return {"model": {"type": "llama", "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0, "context_length": LONGEST,
                      "vocab_size": VOCABULARY, "decoder": decoder},
            "search": {"past_present_share_buffer": shared_cache, "max_length": LONGEST, "do_sample": False}}  # fmt: skip


def write_decoder(folder, shared_cache=True, **session_options):
    """Writes the model and its configuration to a folder."""
    folder.mkdir()
    onnx.save(Decoder().model(), folder / "model.onnx")
    (folder / "genai_config.json").write_text(json.dumps(config(shared_cache, session_options)))
    return folder
