"""Arrays of every ONNX tensor type."""

import numpy as np
from onnx import TensorProto, helper

WORDS = ("", "a", "Linnet", "onnx", "naïve", "鳥", "two words")
FLOATS = ("float16", "bfloat16", "float", "double")


def element_type(name):
    """Returns the TensorProto number of a type in the notation of schemas: "float16" of tensor(float16)."""
    return TensorProto.DataType.Value(name.upper())


def numpy_dtype(name):
    return np.dtype(object) if name == "string" else helper.tensor_dtype_to_np_dtype(element_type(name))


def type_name(array):
    """The inverse of numpy_dtype."""
    if array.dtype == object or array.dtype.kind in "SU":
        return "string"
    return TensorProto.DataType.Name(helper.np_dtype_to_tensor_dtype(array.dtype)).lower()


def is_integer(name):
    return name.lstrip("u").startswith("int")


def integer_range(name):
    bits = int(name.lstrip("uint"))
    return (0, 2**bits - 1) if name.startswith("u") else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


def array(name, shape, low, high, rng):
    """Returns random values of the type, from low to high if given."""
    shape = tuple(shape)
    if name == "string":
        return np.array([WORDS[i] for i in rng.integers(0, len(WORDS), int(np.prod(shape)))], object).reshape(shape)
    if name == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    if name.startswith("complex"):
        return (rng.normal(size=shape) + 1j * rng.normal(size=shape)).astype(numpy_dtype(name))
    if is_integer(name):
        least, most = integer_range(name)
        low, high = max(least, -5 if low is None else int(np.ceil(low))), min(most, 7 if high is None else int(high))
        return rng.integers(low, max(low, high), shape, endpoint=True).astype(numpy_dtype(name))
    low, high = -3 if low is None else low, 3 if high is None else high
    if name == "float8e8m0":
        low, high = max(low, 0.25), max(high, 0.5)
    return (
        np.asarray(rng.uniform(low, high, shape), np.float64)
        .astype(np.float32 if name[5:7] in ("8e", "6e", "4e") else np.float64)
        .astype(numpy_dtype(name))
    )


# Values that rounding and comparison treat specially. The smallest number of the type is added.
SPECIAL = (0.0, -0.0, np.inf, -np.inf, np.nan, 0.5, 1.5, 2.5, -0.5, -1.5)


def with_extremes(x, name, rng):
    """Replaces about a third of the elements by special values and, for integers, by values near the bounds."""
    if name in FLOATS:
        smallest = (
            np.finfo(np.float64).smallest_subnormal
            if name == "double"
            else 2.0 ** -{"float": 149, "float16": 24}.get(name, 133)
        )
        extremes = np.array([*SPECIAL, smallest, -smallest])
    elif is_integer(name):
        least, most = integer_range(name)
        extremes = np.array([least, least + 1, most, most - 1, most // 3, 0, 1], object)
    else:
        return x
    found = np.asarray(extremes[rng.integers(0, len(extremes), x.shape)]).astype(x.dtype)
    return np.where(rng.random(x.shape) < 0.35, found, x)


def nearest_integers(values, dtype):
    """Rounds with ties to even, and clamps to the range of an integer type."""
    least, most = integer_range(type_name(np.zeros(0, dtype)))
    rounded = np.rint(values)
    inside = np.where((rounded > least) & (rounded < most), rounded, 0).astype(np.int64).astype(dtype)
    return np.where(rounded <= least, np.array(least, dtype), np.where(rounded >= most, np.array(most, dtype), inside))
