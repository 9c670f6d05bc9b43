"""Strings and maps."""

import numpy as np
from by_operator import own
from onnx import TensorProto, numpy_helper
from values import numpy_dtype


@own("StringNormalizer")
def string_normalizer(configuration):
    a, x = configuration.attributes, configuration.inputs[0]
    exact, stopwords = a.get("is_case_sensitive", 0), a.get("stopwords", [])
    same = (lambda text: text) if exact else str.lower
    unwanted = {same(word) for word in stopwords}
    change = {"LOWER": str.lower, "UPPER": str.upper}.get(a.get("case_change_action", "NONE"), lambda text: text)
    kept = [change(text) for text in x.ravel() if same(text) not in unwanted] or [""]
    return [np.array(kept, object).reshape((1, -1) if x.ndim == 2 else -1)]


@own("StringSplit")
def string_split(configuration):
    x, a = configuration.inputs[0], configuration.attributes
    delimiter, most = a.get("delimiter") or None, a.get("maxsplit", -1)
    parts = [text.split(delimiter, most) for text in x.ravel()]
    width = max(map(len, parts), default=0)
    y = np.array([p + [""] * (width - len(p)) for p in parts], object).reshape(*x.shape, width)
    return [y, np.array([len(p) for p in parts], np.int64).reshape(x.shape)]


def attribute_list(attributes, side):
    """Returns keys_ or values_ with any suffix."""
    (value,) = (v for name, v in attributes.items() if name.startswith(f"{side}_"))
    return numpy_helper.to_array(value).tolist() if isinstance(value, TensorProto) else value


def same_key(x):
    """From version 4 on, all NaN are the same key."""
    return "NaN" if isinstance(x, float) and x != x else x


@own("LabelEncoder")
def label_encoder(configuration):
    if configuration.schema.since_version < 4:
        raise NotImplementedError("comparison of bits")
    (x,), a, kind = configuration.inputs, configuration.attributes, configuration.output_type(0)
    table = dict(zip(map(same_key, attribute_list(a, "keys")), attribute_list(a, "values")))
    default = next((v for name, v in a.items() if name.startswith("default_")), None)
    if isinstance(default, TensorProto):
        default = numpy_helper.to_array(default).item()
    if default is None:
        default = {"string": "_Unused", "float": -0.0, "double": -0.0}.get(kind, -1)
    found = [table.get(same_key(v), default) for v in x.ravel().tolist()]
    return [np.array(found, numpy_dtype(kind)).reshape(x.shape)]


@own("CastMap")
def cast_map(configuration):
    given, a = configuration.inputs[0], configuration.attributes
    cast = {"TO_FLOAT": np.float32, "TO_INT64": np.int64, "TO_STRING": object}[a["cast_to"]]
    number = {"TO_FLOAT": float, "TO_INT64": lambda v: int(float(v)), "TO_STRING": text_of}[a["cast_to"]]
    values = {int(key): number(np.asarray(value).item()) for key, value in sorted(given.items())}
    if a.get("map_form") == "SPARSE":
        # The default is unspecified: this is ONNX Runtime's.
        blank = "0.f" if cast is object else 0
        values = {i: values.get(i, blank) for i in range(a["max_map"])}
    return [np.array([list(values.values())], cast)]


def text_of(value):
    """The number of digits of a float is unspecified: this is ONNX Runtime's."""
    return value if isinstance(value, str) else f"{value:f}"
