"""Strings."""

import numpy as np
from configuration import Configuration

from .elementwise import broadcast_pair
from .movement import positive
from .by_operator import family


@family("StringConcat")
def string_concat(draw):
    draw.type("T")
    return Configuration(draw.schema, [draw.tensor("string", s) for s in broadcast_pair(draw)], {}, types=draw.types)


@family("StringSplit")
def string_split(draw):
    draw.types.update(T1="string", T2="string", T3="int64")
    texts = ("a b  c", "", " x", "one", "a,b,,c", "x,y z")
    values = [draw.choice(texts) for _ in range(draw.integer(1, 5))]
    attributes = {"delimiter": draw.choice((" ", ",", ""))} if draw.flag() else {}
    if draw.flag():
        attributes["maxsplit"] = draw.integer(1, 3)
    return Configuration(draw.schema, [np.array(values, object)], attributes, 2, draw.types)


@family("StringNormalizer")
def string_normalizer(draw):
    values = [draw.choice(("Monday", "monday", "TUESDAY", "x", "é")) for _ in range(draw.integer(1, 5))]
    attributes = {"is_case_sensitive": draw.integer(0, 1)}
    attributes["case_change_action"] = draw.choice(("NONE", "LOWER", "UPPER"))
    if draw.flag():
        attributes["stopwords"] = ["monday", "x"][: draw.integer(1, 2)]
    return Configuration(draw.schema, [np.array(values, object)], attributes, types=draw.types)


@family("RegexFullMatch")
def regex_full_match(draw):
    draw.types.update(T1="string", T2="bool")
    values = [draw.choice(("", "abc", "a1", "42", "a b", "naïve")) for _ in range(draw.integer(1, 5))]
    pattern = draw.choice(("[a-z]+", "a.*", r"\d+", "(abc|42)?", "[^ ]*"))
    return Configuration(draw.schema, [np.array(values, object)], {"pattern": pattern}, types=draw.types)


@family("TfIdfVectorizer")
def tf_idf_vectorizer(draw):
    """Pools of 1-grams and 2-grams of few words."""
    kind = draw.type("T")
    draw.types["T1"] = "float"
    words = ["a", "b", "c", "d"] if kind == "string" else [2, 3, 5, 7]
    singles = words[: draw.integer(1, 4)]
    pairs = [(words[i], words[(i + 1) % 4]) for i in range(draw.integer(1, 4))]
    count = len(singles) + len(pairs)
    least = draw.integer(1, 2)
    attributes = {
        "mode": draw.choice(("TF", "IDF", "TFIDF")),
        "ngram_counts": [0, len(singles)],
        "ngram_indexes": [(i + 1) % count for i in range(count)],
        "pool_strings" if kind == "string" else "pool_int64s": [*singles, *sum(pairs, ())],
        "min_gram_length": least,
        "max_gram_length": draw.integer(least, 2),
        "max_skip_count": draw.integer(0, 3),
    }
    if draw.flag():
        attributes["weights"] = [draw.real(0.5, 2) for _ in range(count)]
    shape = positive(draw.shape(1, 2, most=8))
    x = np.array([draw.choice(words) for _ in range(int(np.prod(shape)))], draw.tensor(kind, ()).dtype).reshape(shape)
    return Configuration(draw.schema, [x], attributes, types=draw.types)
