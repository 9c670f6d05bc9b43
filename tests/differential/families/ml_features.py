"""Operators of ai.onnx.ml that select, map and scale features."""

import numpy as np
from by_operator import family
from configuration import Configuration
from containers import tensor_proto
from values import FLOATS

from .elementwise import sprinkle
from .movement import int64s, positive

WORDS = ("", "a", "b", "Linnet", "naïve")


@family("ArrayFeatureExtractor")
def array_feature_extractor(draw):
    shape = positive(draw.shape(1, 3))
    where = int64s(draw.integer(0, shape[-1] - 1) for _ in range(draw.integer(1, 4)))
    x = draw.tensor(draw.type("T"), shape)
    return Configuration(draw.schema, [x, where if draw.flag() else where[None]], {}, types=draw.types)


@family("Binarizer")
def binarizer(draw):
    attributes = {"threshold": draw.real(-2, 2)} if draw.flag() else {}
    x = sprinkle(draw, draw.tensor(draw.type("T"), draw.shape()))
    return Configuration(draw.schema, [x], attributes, types=draw.types)


def batch(draw, kind, features, *limits):
    """Returns a matrix of rows of features, or occasionally one row."""
    return draw.tensor(kind, (features,) if draw.rare() else (draw.count(4), features), *limits)


@family("Scaler")
def scaler(draw):
    features = draw.integer(1, 4)
    count = features if draw.flag() else 1
    attributes = {n: [draw.real(-2, 2) for _ in range(count)] for n in ("offset", "scale")}
    return Configuration(draw.schema, [batch(draw, draw.type("T"), features)], attributes, types=draw.types)


@family("Normalizer")
def normalizer(draw):
    # ONNX Runtime first converts doubles to float32, which is 0 for those that are too small.
    x = batch(draw, draw.type("T"), draw.integer(1, 5), -3, 3)
    if draw.rare():
        x[..., :] = 0
    attributes = {"norm": draw.choice(("MAX", "L1", "L2"))} if draw.flag() else {}
    return Configuration(draw.schema, [x], attributes, types=draw.types, roundings=4)


@family("Imputer")
def imputer(draw):
    features, kind = draw.integer(1, 4), draw.type("T")
    x = batch(draw, kind, features)
    count = features if draw.flag() else 1
    if kind not in FLOATS:
        values = [draw.integer(-9, 9) for _ in range(count)]
        attributes = {"imputed_value_int64s": values, "replaced_value_int64": draw.integer(-3, 3)}
        return Configuration(draw.schema, [x], attributes, types=draw.types)
    replaced = draw.choice((float("nan"), 0.5))
    x.reshape(-1)[:: draw.integer(1, 3)] = replaced
    attributes = {"imputed_value_floats": [draw.real(-2, 2) for _ in range(count)], "replaced_value_float": replaced}
    return Configuration(draw.schema, [x], attributes, types=draw.types)


@family("FeatureVectorizer")
def feature_vectorizer(draw):
    kind, rows = draw.type("T1"), draw.integer(1, 3)
    widths = [draw.integer(1, 4) for _ in range(draw.integer(1, 3))]
    flat = rows == 1 and draw.flag()
    inputs = [draw.tensor(kind, (width,) if flat else (rows, width)) for width in widths]
    return Configuration(draw.schema, inputs, {"inputdimensions": widths}, types=draw.types)


@family("OneHotEncoder")
def one_hot_encoder(draw):
    kind, shape = draw.type("T"), draw.shape(1, 3, most=3)
    if kind == "string":
        known = list(WORDS[: draw.integer(1, 4)])
        x = np.array([draw.choice(WORDS) for _ in range(int(np.prod(shape)))], object).reshape(shape)
        return Configuration(draw.schema, [x], {"cats_strings": known, **zeros(draw, x, known)}, types=draw.types)
    known = sorted({draw.integer(-3, 5) for _ in range(draw.integer(1, 4))})
    x = draw.tensor("int64", shape, -3, 5).astype(draw.tensor(kind, ()).dtype)
    x = x + x.dtype.type(0.25) * (x > 0) if kind in FLOATS and draw.flag() else x
    attributes = {"cats_int64s": known, **zeros(draw, x, known)}
    return Configuration(draw.schema, [x], attributes, types=draw.types)


def zeros(draw, x, known):
    """Omits the attribute, which is 1 by default, or sets it to 0, which permits only elements that are categories."""
    all_known = all((value if isinstance(value, str) else int(value)) in known for value in x.ravel().tolist())
    return {"zeros": draw.integer(0 if all_known else 1, 1)} if draw.flag() else {}


def looked_up(draw, kind, known, shape):
    """Returns a tensor of keys, some of which are unknown."""
    others = {"string": ("?", "Linnet")}.get(kind, (91, 5))
    values = [draw.choice((*known, *others)) for _ in range(int(np.prod(shape)))]
    return np.array(values, draw.tensor(kind, ()).dtype).reshape(shape)


@family("CategoryMapper")
def category_mapper(draw):
    texts = list(WORDS[: draw.integer(1, 4)])
    numbers = [3 * i - 2 for i, _ in enumerate(texts)]
    kind = draw.type("T1")
    draw.types["T2"] = "int64" if kind == "string" else "string"
    default = {"default_int64": draw.integer(-3, 3)} if kind == "string" else {"default_string": "none"}
    x = looked_up(draw, kind, texts if kind == "string" else numbers, draw.shape(1, 2))
    attributes = {"cats_strings": texts, "cats_int64s": numbers, **default}
    return Configuration(draw.schema, [x], attributes, types=draw.types)


def of_classes(draw):
    """Version 1: strings to indices and back."""
    kind, classes = draw.type("T1"), list(WORDS[: draw.integer(1, 4)])
    draw.types["T2"] = "int64" if kind == "string" else "string"
    default = {"default_int64": draw.integer(-3, 3)} if kind == "string" else {"default_string": "none"}
    x = looked_up(draw, kind, classes if kind == "string" else range(len(classes)), draw.shape(1, 2))
    return Configuration(draw.schema, [x], {"classes_strings": classes, **default}, types=draw.types)


LISTS = {"float": "floats", "int64": "int64s", "string": "strings"}


def entries(draw, kind, count):
    """Returns distinct values. In rare cases, NaN is among them or the first one is repeated."""
    values = list(WORDS[:count]) if kind == "string" else [3 * i - 2 for i in range(count)]
    if kind in FLOATS and draw.rare():
        values[-1] = float("nan")
    if count > 1 and draw.rare():
        values[-1] = values[0]
    return values


def table(draw, side, kind, values):
    """Returns the attribute of the keys or values. Types that are not in LISTS have a tensor."""
    if kind in LISTS and (draw.schema.since_version < 4 or draw.flag()):
        return {f"{side}_{LISTS[kind]}": values}
    return {f"{side}_tensor": tensor_proto(np.array(values, draw.tensor(kind, ()).dtype), "")}


def default(draw, kind):
    """Returns the attribute of the default, which is omitted half the time."""
    value = "none" if kind == "string" else draw.integer(-9, 9)
    if draw.flag():
        return {}
    if kind in LISTS:
        return {f"default_{LISTS[kind][:-1]}": float(value) if kind == "float" else value}
    return {"default_tensor": tensor_proto(np.array([value], draw.tensor(kind, ()).dtype), "")}


@family("LabelEncoder")
def label_encoder(draw):
    if draw.schema.since_version == 1:
        return of_classes(draw)
    key, value, count = draw.type("T1"), draw.type("T2"), draw.integer(1, 4)
    keys = entries(draw, key, count)
    values = [w + "!" for w in WORDS[:count]] if value == "string" else [7 * i + 1 for i in range(count)]
    attributes = {**table(draw, "keys", key, keys), **table(draw, "values", value, values)}
    if value in LISTS and "values_tensor" not in attributes or draw.schema.since_version >= 4:
        attributes.update(default(draw, value))
    x = looked_up(draw, key, keys, draw.shape(1, 2))
    return Configuration(draw.schema, [x], attributes, types=draw.types)
