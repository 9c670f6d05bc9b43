"""Models with keys that an unseeded hash maps to one slot. The time for a hash table of such keys grows with the square
of their number."""

import functools

import numpy as np
from demanding import FLOAT, INT64, STRING, constant, info, node
from onnx import helper

ML = "ai.onnx.ml"
COUNT = 200_000
WORDS = 60_000
MASK = 2**64 - 1
GOLDEN = 0x9E3779B97F4A7C15  # 2^64 over the golden ratio: the usual multiplier for integers
MURMUR = 0xC6A4A793_5BD1E995  # the multiplier of std::hash for texts, which starts with the seed below
SEED = 0xC70F6907


@functools.cache
def numbers():
    """Returns numbers whose products with the factor are 1, 2, 3 and so on, so that their upper bits are equal."""
    inverse = np.uint64(pow(GOLDEN, -1, 2**64))
    return [int(number) for number in (np.arange(1, COUNT + 1, dtype=np.uint64) * inverse).astype(np.int64)]


@functools.cache
def words():
    """Returns ASCII texts of 16 bytes with the same std::hash in libstdc++: the second half cancels the first one."""
    factor, inverse, shift = np.uint64(MURMUR), np.uint64(pow(MURMUR, -1, 2**64)), np.uint64(47)
    begin, rng, found = np.uint64(SEED ^ 16 * MURMUR & MASK), np.random.default_rng(1), []
    while len(found) < WORDS:
        first = rng.integers(97, 123, (200_000, 8), dtype=np.uint8)
        mixed = first.view(np.uint64).ravel() * factor
        state = (begin ^ (mixed ^ mixed >> shift) * factor) * factor
        second = state * inverse
        second = ((second ^ second >> shift) * inverse).view(np.uint8).reshape(-1, 8)
        ascii_only = ((second < 128) & (second > 0)).all(axis=1)
        found += [first[i].tobytes() + second[i].tobytes() for i in np.flatnonzero(ascii_only)]
    return [word.decode() for word in dict.fromkeys(found)][:WORDS]


# The functions that make such models.
FLOODS = {}


def flood(function):
    FLOODS[function.__name__] = function
    return function


def model(nodes, dtype, shape=(1,), initializers=()):
    """Returns a model of one input x. y is the output of the last node."""
    graph = helper.make_graph(nodes, "g", [info("x", dtype, shape)], [helper.make_empty_tensor_value_info("y")], list(initializers))
    imports = [helper.make_opsetid("", 21), helper.make_opsetid(ML, 5)]
    return helper.make_model(graph, opset_imports=imports, ir_version=10)


@flood
def labels_of_numbers():
    return model([node("LabelEncoder", ["x"], ["y"], domain=ML, keys_int64s=numbers(), values_int64s=[0] * COUNT)], INT64)


@flood
def labels_of_words():
    return model([node("LabelEncoder", ["x"], ["y"], domain=ML, keys_strings=words(), values_int64s=[0] * WORDS)], STRING)


@flood
def categories():
    return model([node("OneHotEncoder", ["x"], ["y"], domain=ML, cats_int64s=numbers())], INT64)


@flood
def vocabulary():
    nodes = [node("ZipMap", ["x"], ["maps"], domain=ML, classlabels_int64s=[1]), node("SequenceAt", ["maps", "first"], ["map"]),
             node("DictVectorizer", ["map"], ["y"], domain=ML, int64_vocabulary=numbers())]  # fmt: skip
    return model(nodes, FLOAT, (1, 1), [constant("first", 0, np.int64)])


@flood
def n_grams():
    return model([node("TfIdfVectorizer", ["x"], ["y"], pool_int64s=numbers(), ngram_counts=[0], ngram_indexes=[0] * COUNT, mode="TF",
                       min_gram_length=1, max_gram_length=1, max_skip_count=0)], INT64)  # fmt: skip


@flood
def mapped_categories():
    names = [str(i) for i in range(COUNT)]
    return model([node("CategoryMapper", ["x"], ["y"], domain=ML, cats_int64s=numbers(), cats_strings=names)], INT64)


@flood
def stop_words():
    return model([node("StringNormalizer", ["x"], ["y"], stopwords=words(), is_case_sensitive=1)], STRING)


@flood
def unique_words():
    return model([node("Unique", ["w"], ["y"]), node("Identity", ["x"], ["z"])], FLOAT, (1,),
                 [helper.make_tensor("w", STRING, [WORDS], [word.encode() for word in words()])])  # fmt: skip


@flood
def unique_rows():
    """Rows whose second number cancels the first one in (((0 ^ a) * factor, folded) ^ b) * factor."""
    first = np.array(numbers(), np.int64).view(np.uint64)
    mixed = first * np.uint64(GOLDEN)
    rows = np.stack([first, mixed ^ mixed >> np.uint64(32)], axis=1).view(np.int64)
    return model([node("Unique", ["rows"], ["y"], axis=0, sorted=0), node("Identity", ["x"], ["z"])], FLOAT, (1,), [constant("rows", rows, np.int64)])


@flood
def initializers():
    tensors = [helper.make_tensor(word, FLOAT, [], [1.0]) for word in words()]
    return model([node("Add", ["x", words()[0]], ["y"])], FLOAT, (1,), tensors)


@flood
def values():
    """Half as many keys because loading nodes takes longer."""
    names = ["x", *words()[: WORDS // 2]]
    nodes = [node("Relu", [names[i]], [names[i + 1]]) for i in range(len(names) - 1)]
    return model([*nodes, node("Relu", names[-1:], ["y"])], FLOAT)
