"""Random arrays, made fast: a prime number of random elements, repeated."""

import functools
import struct
import zlib

import ml_dtypes
import numpy as np
from onnx import TensorProto

PERIOD = 65_521
WORDS = ("", "a", "Linnet", "onnx", "some words", "one of the longer texts that do not fit into a small string")
OTHER_DTYPES = {"bfloat16": ml_dtypes.bfloat16, "int4": ml_dtypes.int4, "uint4": ml_dtypes.uint4,
                "float8e4m3fn": ml_dtypes.float8_e4m3fn}  # fmt: skip
ONNX_NAMES = {"float32": "FLOAT", "float64": "DOUBLE"}


def numpy_dtype(name):
    return np.dtype(object if name == "string" else OTHER_DTYPES.get(name, name))


def element(name):
    """The number that ONNX has for a dtype."""
    return TensorProto.DataType.Value(ONNX_NAMES.get(name, name.upper()))


def dtype_name(array):
    return "string" if array.dtype.kind in "OUS" else array.dtype.name.replace("float8_e4m3fn", "float8e4m3fn")


@functools.lru_cache(maxsize=64)
def pool(dtype, low, high):
    random = np.random.default_rng(0)
    if dtype == "string":
        return np.array(WORDS, object)[random.integers(0, len(WORDS), PERIOD)]
    if dtype == "bool":
        return random.random(PERIOD) < 0.5
    if "int" in dtype:
        least, most = {"int4": (-8, 7), "uint4": (0, 15)}.get(dtype) or bounds(np.iinfo(dtype))
        low = max(least, -100) if low is None else low
        high = min(most, 100) if high is None else high
        return random.integers(low, high, PERIOD, endpoint=True).astype(numpy_dtype(dtype))
    if low is None:
        return random.standard_normal(PERIOD).astype(numpy_dtype(dtype))
    return random.uniform(low, high, PERIOD).astype(numpy_dtype(dtype))


def bounds(info):
    return info.min, info.max


def make(tensor):
    """The array of a notation.Tensor."""
    if tensor.fill:
        return tensor.fill(np.random.default_rng(0), numpy_dtype(tensor.dtype), tensor.dims)
    count = int(np.prod(tensor.dims, dtype=np.int64))
    return np.resize(pool(tensor.dtype, tensor.low, tensor.high), count).reshape(tensor.dims)


def literal(value):
    """The array of a value that is written out; maps stay."""
    if isinstance(value, (np.ndarray, dict)):
        return value
    array = np.array(value)
    return array.astype({"f": np.float32, "U": object}.get(array.dtype.kind, array.dtype))


# What x(fill=...) may name.


def distinct(random, dtype, dims):
    """A permutation of the numbers from 0 on."""
    return random.permutation(int(np.prod(dims))).astype(dtype).reshape(dims)


def boxes(random, dtype, dims):
    """Corners y1, x1, y2, x2 of boxes in an image of 640 x 640, a tenth of it large at the most."""
    first = random.uniform(0, 576, (*dims[:-1], 2))
    return np.concatenate([first, first + random.uniform(4, 64, first.shape)], -1).astype(dtype)


def boxes_of_images(random, dtype, dims):
    """Boxes after the number of the image, 0."""
    corners = boxes(random, dtype, (*dims[:-1], 4))
    return np.concatenate([np.zeros((*dims[:-1], 1), dtype), corners], -1)


def with_nans(random, dtype, dims):
    """A tenth of the numbers is NaN."""
    array = random.standard_normal(dims).astype(dtype)
    array[random.random(dims) < 0.1] = np.nan
    return array


def well_conditioned(random, dtype, dims):
    """Square matrices near the identity."""
    return (random.standard_normal(dims) * 0.05 + np.eye(dims[-1])).astype(dtype)


def one_hot(random, dtype, dims):
    return np.eye(dims[-1], dtype=dtype)[random.integers(0, dims[-1], dims[:-1])]


def corners(random, dtype, dims):
    """Of each window of 2 x 2 in images twice as high and wide the first place, flat in its whole tensor."""
    *planes, height, width = dims
    plane = np.arange(height)[:, None] * 4 * width + np.arange(width) * 2
    starts = np.arange(int(np.prod(planes))).reshape(*planes, 1, 1) * (4 * height * width)
    return (starts + plane).astype(dtype)


def scores(random, dtype, dims):
    """Distinct, from 0 to 1."""
    return (random.permutation(int(np.prod(dims))) / np.prod(dims)).astype(dtype).reshape(dims)


def phrases(random, dtype, dims):
    """Of one to three words."""
    found = np.array([" ".join(["word"] * (1 + i)) for i in range(3)], object)
    return found[random.integers(0, 3, dims)]


def whole(random, dtype, dims):
    return random.integers(0, 1000, dims).astype(dtype)


def png(random, dtype, dims):
    """The bytes of an image in colours, of noise."""
    rows = random.integers(0, 256, (dims[0], 1 + 3 * dims[1]), np.uint8)
    rows[:, 0] = 0  # no filter
    header = struct.pack(">IIBBBBB", dims[1], dims[0], 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows.tobytes(), 1)), (b"IEND", b""))
    file = b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    )
    return np.frombuffer(file, dtype)
