"""A model with random weights and the interface of GLiNER's, and a tokenizer of whole words."""

import json

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64
WORDS = [
    "[PAD]",
    "[CLS]",
    "[SEP]",
    "[UNK]",
    "<<ENT>>",
    "<<SEP>>",
    "person",
    "city",
    "Anna",
    "lives",
    "in",
    "Berlin",
    ".",
    "and",
]
ENTITY, WIDEST = WORDS.index("<<ENT>>"), 12


def write_tokenizer(path):
    special = [{"id": i, "content": word, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False,
                "special": True} for i, word in enumerate(WORDS[:6])]  # fmt: skip
    model = {"type": "WordLevel", "vocab": {word: i for i, word in enumerate(WORDS)}, "unk_token": "[UNK]"}
    path.write_text(json.dumps({
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": special, "normalizer": None,
        "pre_tokenizer": {"type": "Whitespace"}, "post_processor": None, "decoder": None, "model": model}))  # fmt: skip
    return path


def nodes():
    """Scores of spans, from random numbers for their ends. Their last dim is the number of entities in the input."""
    make = helper.make_node
    return [
        make("Gather", ["embedding", "span_idx"], ["ends"]),
        make("ReduceSum", ["ends", "two"], ["spans"], keepdims=0),
        make("MatMul", ["spans", "classes"], ["all"]),
        make("Equal", ["input_ids", "entity"], ["entities"]),
        make("Cast", ["entities"], ["ones"], to=INT64),
        make("ReduceSum", ["ones", "one"], ["counts"], keepdims=0),
        make("ReduceMax", ["counts"], ["count"], keepdims=1),
        make("Slice", ["all", "zero", "count", "two"], ["scores"]),
        make("ReduceMax", ["text_lengths"], ["length"], keepdims=0),
        make("Reshape", ["length", "minus"], ["lengths"]),
        make("Shape", ["input_ids"], ["shape"]),
        make("Slice", ["shape", "zero", "one"], ["batch"]),
        make("Concat", ["batch", "lengths", "widest", "count"], ["dims"], axis=0),
        make("Reshape", ["scores", "dims"], ["logits"]),
    ]


def write_model(path):
    random = np.random.default_rng(0)
    weights = {"embedding": random.standard_normal((512, 8)).astype(np.float32), "classes": random.standard_normal((8, 25)).astype(np.float32),
               "entity": np.array(ENTITY), "one": [1], "two": [2], "minus": [-1], "zero": [0], "widest": [WIDEST]}  # fmt: skip
    inputs = [("input_ids", INT64, ["B", "S"]), ("attention_mask", INT64, ["B", "S"]), ("words_mask", INT64, ["B", "S"]),
              ("text_lengths", INT64, ["B", 1]), ("span_idx", INT64, ["B", "P", 2]), ("span_mask", TensorProto.BOOL, ["B", "P"])]  # fmt: skip
    graph = helper.make_graph(
        nodes(), "entities", [helper.make_tensor_value_info(*v) for v in inputs],
        [helper.make_tensor_value_info("logits", FLOAT, ["B", "L", WIDEST, "C"])],
        [numpy_helper.from_array(np.asarray(array), name) for name, array in weights.items()])  # fmt: skip
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 16)], ir_version=8), path)
    return path
