"""Models of onnxruntime-extensions' operators, with inputs."""

import io
import json
import wave

import numpy as np
from onnx import TensorProto, helper

FLOAT, INT64, TEXT, BYTES, BOOL = (
    TensorProto.FLOAT,
    TensorProto.INT64,
    TensorProto.STRING,
    TensorProto.UINT8,
    TensorProto.BOOL,
)
WORDS = ["Hello World", "", "h\u00e9llo w\u00f6rld, again", "ab12cd 34"]
PIECES = [
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "[PAD]",
    "[MASK]",
    "hello",
    "world",
    "wor",
    "##ld",
    "##s",
    "again",
    ",",
    "a",
    "b",
    "##b",
]
BYTE_PAIRS = {token: i for i, token in enumerate(["h", "e", "l", "o", "w", "r", "d", "\u0120", "he", "ll", "hell", "hello", "wo",
                                                   "\u0120w", "<|endoftext|>", "</w>", "a", "<unk>", "<s>", "</s>"])}  # fmt: skip
MERGES = "#version: 0.2\nh e\nl l\nhe ll\nhell o\nw o\n\u0120 w\n"


def texts(*values):
    return np.array(values, object)


def sound():
    """Returns the bytes of a short sound."""
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setparams((1, 2, 16000, 0, "NONE", None))
        file.writeframes((np.sin(np.arange(1600) / 9) * 20000).astype("<i2").tobytes())
    return np.frombuffer(buffer.getvalue(), np.uint8)


# The operator, its inputs, the types of its outputs, its attributes.
CASES = {
    "upper": ("StringUpper", [texts(*WORDS)], [TEXT], {}),
    "lower": ("StringLower", [texts(*WORDS)], [TEXT], {}),
    "length": ("StringLength", [texts(*WORDS)], [INT64], {}),
    "concat": ("StringConcat", [texts("a", "b"), texts("c", "\u00e4")], [TEXT], {}),
    "strip": ("StringStrip", [texts("  a ", "b\t")], [TEXT], {}),
    "join": ("StringJoin", [texts("a", "b", "c"), texts("-"), np.array([0])], [TEXT], {}),
    "equal": ("StringEqual", [texts("a", "b"), texts("a", "c")], [BOOL], {}),
    "hash": ("StringToHashBucket", [texts("a", "b"), np.array([100])], [INT64], {}),
    "fast hash": ("StringToHashBucketFast", [texts("a", "b"), np.array([100])], [INT64], {}),
    "split": ("StringSplit", [texts("a b", "c"), texts(" "), np.array([True])], [INT64, TEXT, INT64], {}),
    "replace": ("StringRegexReplace", [texts(*WORDS), texts("[0-9]+"), texts("#")], [TEXT], {}),
    "other replace": ("StringECMARegexReplace", [texts(*WORDS), texts("l+"), texts("L")], [TEXT], {}),
    "split at": ("StringRegexSplitWithOffsets", [texts(*WORDS), texts("(\\s)"), texts("")], [TEXT, INT64, INT64, INT64], {}),
    "wrong vector": ("StringToVector", [texts("a", "b", "z")], [INT64], {"map": "a\t0 1\nb\t2 3", "unmapping_value": "7 7"}),
    "from vector": ("VectorToString", [np.array([[0, 1], [2, 3]])], [TEXT], {"map": "a\t0 1\nb\t2 3", "unk": "?"}),
    "mapping": ("StringMapping", [texts("a", "x")], [TEXT], {"map": "a\tone\nb\ttwo"}),
    "basic tokens": ("BasicTokenizer", [texts("Hello, World")], [TEXT], {"do_lower_case": 1}),
    "pieces": ("WordpieceTokenizer", [texts("hello", "worlds"), np.array([0, 2])], [TEXT, INT64, INT64, INT64],
               {"vocab": json.dumps({p: i for i, p in enumerate(PIECES)}), "unknown_token": "[UNK]", "max_input_chars_per_word": 100,
                "suffix_indicator": "##"}),
    "bert": ("BertTokenizer", [texts("hello worlds, again")], [INT64, INT64, INT64], {"vocab_file": "\n".join(PIECES)}),
    "bert pair": ("HfBertTokenizer", [texts("hello", "again")], [INT64, INT64, INT64], {"vocab_file": "\n".join(PIECES)}),
    "bert back": ("BertTokenizerDecoder", [np.array([1, 5, 7, 8, 2]), np.array([[0, 5]])], [TEXT],
                  {"vocab_file": "\n".join(PIECES)}),
    "byte pairs": ("GPT2Tokenizer", [texts("hello world")], [INT64, INT64], {"vocab": json.dumps(BYTE_PAIRS), "merges": MERGES}),
    "roberta": ("RobertaTokenizer", [texts("hello world")], [INT64, INT64, INT64], {"vocab": json.dumps(BYTE_PAIRS), "merges": MERGES}),
    "clip": ("CLIPTokenizer", [texts("hello hello")], [INT64, INT64, INT64], {"vocab": json.dumps(BYTE_PAIRS), "merges": MERGES}),
    "inverse": ("Inverse", [np.array([[2, 0], [0, 4]], np.float32)], [FLOAT], {}),
    "sign": ("NegPos", [np.array([[2, -1], [0, 4]], np.float32)], [FLOAT, FLOAT], {}),
    "segments": ("SegmentExtraction", [np.array([1, 1, 0, 2, 2, 2])], [INT64, INT64], {}),
    "segment sums": ("SegmentSum", [np.ones((4, 2), np.float32), np.array([0, 0, 1, 2])], [FLOAT], {}),
    "fill": ("MaskedFill", [texts("a", "b", "c"), np.array([True, False, True])], [TEXT], {}),
    "spectrum": ("StftNorm", [np.ones((1, 64), np.float32), np.array([16]), np.array([8]), np.hanning(16).astype(np.float32),
                              np.array([16])], [FLOAT], {}),
    "sound": ("AudioDecoder", [sound()[None], texts("wav")], [FLOAT], {}),
    "wrong pattern": ("StringRegexReplace", [texts("a"), texts("("), texts("#")], [TEXT], {}),
}  # fmt: skip
KINDS = {"f": FLOAT, "i": INT64, "O": TEXT, "u": BYTES, "b": BOOL}


def case_model(case):
    """Returns the bytes of the model, its inputs by name, and the names of its outputs."""
    operator, inputs, outputs, attributes = CASES[case]
    feeds = {f"in{i}": array for i, array in enumerate(inputs)}
    kinds = {
        name: TensorProto.DOUBLE if array.dtype == np.float64 else KINDS[array.dtype.kind]
        for name, array in feeds.items()
    }
    names = [f"out{i}" for i in range(len(outputs))]
    node = helper.make_node(operator, list(feeds), names, domain="ai.onnx.contrib", **attributes)
    graph = helper.make_graph(
        [node], case, [helper.make_tensor_value_info(name, kinds[name], [None] * array.ndim) for name, array in feeds.items()],
        [helper.make_tensor_value_info(name, kind, None) for name, kind in zip(names, outputs)])  # fmt: skip
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.contrib", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8).SerializeToString(), feeds, names
