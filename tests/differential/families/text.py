"""Strings."""

import numpy as np
from configuration import Configuration
from values import numpy_dtype

from .elementwise import broadcast_pair
from .registry import family


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


@family("TfIdfVectorizer")
def tf_idf_vectorizer(draw):
    """A pool of three 1-grams and two 2-grams."""
    kind = draw.type("T")
    draw.type("T1")
    ngrams = [1, 2, 3, 1, 2, 3, 3]
    tokens = np.array([draw.integer(1, 4) for _ in range(8)]).reshape((8,) if draw.flag() else (2, 4))
    attributes = {"mode": draw.choice(("TF", "IDF", "TFIDF")), "max_skip_count": draw.integer(0, 3)}
    attributes["min_gram_length"] = draw.integer(1, 2)
    attributes |= {"max_gram_length": 2, "ngram_counts": [0, 3], "ngram_indexes": [0, 1, 2, 3, 4]}
    if kind == "string":
        attributes["pool_strings"] = [str(token) for token in ngrams]
        return Configuration(draw.schema, [tokens.astype(str).astype(object)], attributes, types=draw.types)
    attributes["pool_int64s"] = ngrams
    if draw.flag():
        attributes["weights"] = [0.5, 1.0, 2.0, 3.0, 0.25]
    return Configuration(draw.schema, [tokens.astype(numpy_dtype(kind))], attributes, types=draw.types)


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
