"""Operators of com.microsoft on words and texts."""

import numpy as np
from by_operator import family

from .microsoft import finished


@family("com.microsoft.NGramRepeatBlock")
def ngram_repeat_block(draw):
    batch, words = draw.integer(1, 3), draw.integer(2, 4)
    ids = draw.tensor("int64", (batch, draw.integer(1, 12)), 0, words - 1)
    draw.types.update(Tid="int64", T="float")
    return finished(draw, [ids, draw.tensor("float", (batch, words))], {"ngram_size": draw.integer(1, 4)})


@family("com.microsoft.WordConvEmbedding")
def word_conv_embedding(draw):
    alphabet, filters, window, size = 6, draw.integer(1, 4), draw.integer(1, 3), draw.integer(1, 5)
    words = draw.tensor("int32", (draw.integer(1, 4), draw.integer(window, 8)), 0, alphabet - 1)
    words[:, 0] = np.maximum(words[:, 0], 1)  # ONNX Runtime leaves the others undefined
    weights = draw.tensor("float", (filters, 1, window, size), -1, 1)
    inputs = [words, weights, draw.tensor("float", (filters,), -1, 1), draw.tensor("float", (alphabet, size), -1, 1)]
    attributes = {"embedding_size": filters, "conv_window_size": window, "char_embedding_size": size}
    draw.types.update(T="int32", T1="float")
    return finished(draw, inputs, attributes, roundings=16, magnitude=4)


@family("com.microsoft.Tokenizer")
def tokenizer(draw):
    texts = ("a b  c", "", " x", "one, two", "aa;b;;c", "naïve 漢字", ";;", "abcabc")
    values = np.array([draw.choice(texts) for _ in range(draw.integer(1, 5))], object)
    attributes = {"mark": draw.integer(0, 1), "pad_value": draw.choice(("#", "")), "mincharnum": draw.integer(1, 3)}
    if draw.flag():
        attributes["tokenexp"] = draw.choice(("[a-z]+", "a|b|bc", r"\w", "[^ ]*", "ab*|c"))
    else:
        attributes["separators"] = draw.choice(([" "], [""], [",", " "], [" ", ";+"], ["a|ab", "c"]))
        attributes["mincharnum"] = 1 if attributes["separators"] == [""] else attributes["mincharnum"]
    draw.types["T"] = "string"
    return finished(draw, [values[None] if draw.rare() else values], attributes)
