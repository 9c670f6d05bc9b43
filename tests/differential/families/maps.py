"""Operators of ai.onnx.ml on maps."""

import re

from by_operator import family
from configuration import Configuration
from values import WORDS


def keys(draw, kind, count):
    """Returns distinct keys."""
    most = WORDS[1:] if kind == "string" else range(0, 12)
    start = draw.integer(0, len(most) - 1)
    return [most[(start + 5 * i) % len(most)] for i in range(count)]


def map_type(draw):
    """Binds T1 and returns its (key type, value type)."""
    texts = sorted(draw.schema.type_constraints[0].allowed_type_strs)
    if draw.schema.name == "DictVectorizer" and "T2" in draw.forced:
        texts = [text for text in texts if text.endswith(f", {draw.forced['T2']})")]
    text = draw.choice(texts)
    draw.types["T1"] = text
    return re.findall(r"\w+", text)[1:]


def scalars(draw, kind, count):
    return list(draw.tensor(kind, (count,), -3, 3))


@family("DictVectorizer")
def dict_vectorizer(draw):
    key, kind = map_type(draw)
    vocabulary = keys(draw, key, draw.integer(1, 5))
    draw.types["T2"] = kind
    known = [word for word in vocabulary if draw.flag()] or vocabulary[:1]
    given = dict(zip(known, scalars(draw, kind, len(known))))
    attributes = {"string_vocabulary" if key == "string" else "int64_vocabulary": vocabulary}
    return Configuration(draw.schema, [given], attributes, types=draw.types)


@family("CastMap")
def cast_map(draw):
    _, kind = map_type(draw)
    target = draw.type("T2")
    found = sorted(keys(draw, "int64", draw.integer(1, 4)))
    values = scalars(draw, "float", len(found))
    if kind == "string" and target != "string":
        values = [str(draw.integer(-20, 20)) for _ in found]
    elif kind == "string":
        values = scalars(draw, "string", len(found))
    attributes = {"cast_to": {"float": "TO_FLOAT", "int64": "TO_INT64", "string": "TO_STRING"}[target]}
    if draw.flag():
        attributes.update(map_form="SPARSE", max_map=draw.integer(12, 15))
    return Configuration(draw.schema, [dict(zip(found, values))], attributes, types=draw.types)


@family("ZipMap")
def zip_map(draw):
    texts, count = draw.flag(), draw.integer(1, 4)
    labels = keys(draw, "string" if texts else "int64", count)
    draw.types["T"] = f"seq(map({'string' if texts else 'int64'}, float))"
    shape = (count,) if draw.rare() else (draw.integer(1, 3), count)
    attributes = {"classlabels_strings" if texts else "classlabels_int64s": labels}
    return Configuration(draw.schema, [draw.tensor("float", shape)], attributes, types=draw.types)
