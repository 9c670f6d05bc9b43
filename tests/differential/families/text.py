"""Strings."""

import numpy as np
from by_operator import family
from configuration import Configuration

from .elementwise import broadcast_pair
from .movement import positive


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
    if draw.rare():
        attributes["locale"] = "en_US"
    if draw.flag():
        attributes["stopwords"] = ["monday", "x"][: draw.integer(1, 2)]
    x = np.array(values, object)
    return Configuration(draw.schema, [x[None] if draw.rare() else x], attributes, types=draw.types)


@family("RegexFullMatch")
def regex_full_match(draw):
    draw.types.update(T1="string", T2="bool")
    values = [draw.choice(("", "abc", "a1", "42", "a b", "naïve")) for _ in range(draw.integer(1, 5))]
    pattern = draw.choice(("[a-z]+", "a.*", r"\d+", "(abc|42)?", "[^ ]*"))
    return Configuration(draw.schema, [np.array(values, object)], {"pattern": pattern}, types=draw.types)


@family("TfIdfVectorizer")
def tf_idf_vectorizer(draw):
    """Pools of 1-grams, 2-grams and 3-grams of few words."""
    kind = draw.type("T")
    draw.types["T1"] = "float"
    words = ["a", "b", "c", "d"] if kind == "string" else [2, 3, 5, 7]
    longest = draw.integer(1, 3)
    pools = [distinct_grams(draw, words, n + 1) for n in range(longest)]
    count = sum(map(len, pools))
    least = draw.integer(1, longest)
    starts = [sum(len(gram) for grams in pools[:n] for gram in grams) for n in range(longest)]
    attributes = {
        "mode": draw.choice(("TF", "IDF", "TFIDF")),
        "ngram_counts": starts,
        "ngram_indexes": [(i + 1) % count for i in range(count)],
        "pool_strings" if kind == "string" else "pool_int64s": [w for grams in pools for gram in grams for w in gram],
        "min_gram_length": least,
        "max_gram_length": draw.integer(least, longest),
        "max_skip_count": draw.integer(0, 3),
    }
    if draw.flag():
        attributes["weights"] = [draw.real(0.5, 2) for _ in range(count)]
    shape = positive(draw.shape(1, 2, most=8))
    x = np.array([draw.choice(words) for _ in range(int(np.prod(shape)))], draw.tensor(kind, ()).dtype).reshape(shape)
    return Configuration(draw.schema, [x], attributes, types=draw.types)


def distinct_grams(draw, words, length):
    return sorted({tuple(draw.choice(words) for _ in range(length)) for _ in range(draw.integer(1, 4))})
