"""Common functions of tests that use a table: they make sessions and values, run, and read results."""

import ctypes
import re
import threading
from ctypes import POINTER, c_char_p, c_int64, c_void_p

import ml_dtypes
import numpy as np
import pytest
from table import Failed

FAIL, ARGUMENT, NO_FILE, NO_MODEL, RUNTIME, PROTOBUF, NOT_IMPLEMENTED, INVALID_GRAPH, NOT_FOUND = (
    1,
    2,
    3,
    4,
    6,
    7,
    9,
    10,
    14,
)
TENSOR, SEQUENCE, MAP, OPAQUE, SPARSE, OPTIONAL = range(1, 7)
STRING = 8
ELEMENT_TYPES = {
    np.float32: 1, np.uint8: 2, np.int8: 3, np.uint16: 4, np.int16: 5, np.int32: 6, np.int64: 7, np.bool_: 9,
    np.float16: 10, np.float64: 11, np.uint32: 12, np.uint64: 13, ml_dtypes.bfloat16: 16, ml_dtypes.float8_e4m3fn: 17,
    ml_dtypes.float8_e4m3fnuz: 18, ml_dtypes.float8_e5m2: 19, ml_dtypes.float8_e5m2fnuz: 20,
}  # fmt: skip
NUMPY_TYPES = {number: kind for kind, number in ELEMENT_TYPES.items()}


def refused(code, words, call, *arguments, **keywords):
    """Expects a call to fail with this code and a text that matches `words`, a regular expression."""
    with pytest.raises(Failed) as caught:
        call(*arguments, **keywords)
    assert caught.value.code == code, caught.value
    assert re.search(words, caught.value.text, re.IGNORECASE), caught.value.text


def text(address):
    """Returns the string at an address, or None."""
    return ctypes.string_at(address).decode() if address else None


def strings(values):
    """Returns an array of C strings."""
    return (c_char_p * max(1, len(values)))(*(v.encode() if isinstance(v, str) else v for v in values))


def pointers(values):
    """Returns an array of pointers."""
    return (c_void_p * max(1, len(values)))(*values)


def dims(*values):
    """Returns an array of dims."""
    return (c_int64 * max(1, len(values)))(*values)


def items(address, count, kind=c_void_p):
    """Returns the items of an array at an address."""
    return list(ctypes.cast(address, POINTER(kind))[:count]) if count else []


def key_values(api, pairs):
    """Returns the contents of key-value pairs."""
    keys, values, count = api.GetKeyValuePairs(pairs)
    return dict(zip(map(text, items(keys, count)), map(text, items(values, count))))


def in_threads(number, work):
    """Calls work(i) in as many threads, and raises the exception of one of them."""
    failures = []

    def guarded(i):
        try:
            work(i)
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=guarded, args=(i,)) for i in range(number)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


class Allocator(ctypes.Structure):
    """The interface of an allocator."""

    _fields_ = [("version", ctypes.c_uint32), ("alloc", c_void_p), ("free", ctypes.CFUNCTYPE(None, c_void_p, c_void_p)),
                ("info", ctypes.CFUNCTYPE(c_void_p, c_void_p)),
                *((name, c_void_p) for name in ("reserve", "stats", "on_stream", "shrink"))]  # fmt: skip


class Ort:
    """Makes objects with a table. close() releases the remaining ones."""

    def __init__(self, api, env):
        self.api, self.env = api, env
        self.held, self.arrays = [], []
        self.allocator = api.GetAllocatorWithDefaultOptions()
        self.cpu = self.new("MemoryInfo", api.CreateCpuMemoryInfo(1, 0))

    def new(self, kind, handle):
        """Returns the handle, which close() passes to Release`kind`."""
        self.held.append((kind, handle))
        return handle

    def release(self, kind, handle):
        """Releases a handle now."""
        self.held.remove((kind, handle))
        getattr(self.api, "Release" + kind)(handle)

    def close(self):
        while self.held:
            kind, handle = self.held.pop()
            getattr(self.api, "Release" + kind)(handle)

    def options(self, **config):
        """Returns session options with config entries. A double underscore in a key represents a dot."""
        handle = self.new("SessionOptions", self.api.CreateSessionOptions())
        self.api.SetIntraOpNumThreads(handle, 1)
        for key, value in config.items():
            self.api.AddSessionConfigEntry(handle, key.replace("__", ".").encode(), value.encode())
        return handle

    def session(self, model, options=None):
        """Returns a session from the bytes of a model."""
        options = options or self.options()
        return self.new("Session", self.api.CreateSessionFromArray(self.env, model, len(model), options))

    def tensor(self, array):
        """Returns a tensor that refers to the memory of an array, or has copies of the strings of an array of
        objects."""
        array = np.asarray(array)
        if array.dtype == object:
            return self.string_tensor(array)
        array = array if array.flags.c_contiguous else np.ascontiguousarray(array)
        self.arrays.append(array)
        kind = ELEMENT_TYPES[array.dtype.type]
        return self.tensor_over(array.ctypes.data, array.nbytes, array.shape, kind)

    def tensor_over(self, data, size, shape, kind, info=None):
        """Returns a tensor that refers to memory of the caller."""
        return self.new("Value", self.api.CreateTensorWithDataAsOrtValue(
            info or self.cpu, data, size, dims(*shape), len(shape), kind))  # fmt: skip

    def empty(self, shape, kind=1):
        """Returns a tensor in memory of the default allocator."""
        return self.new("Value", self.api.CreateTensorAsOrtValue(self.allocator, dims(*shape), len(shape), kind))

    def string_tensor(self, array):
        value = self.empty(array.shape, STRING)
        self.api.FillStringTensor(value, strings(list(array.ravel())), array.size)
        return value

    def shape(self, value):
        """Returns the dims of a tensor."""
        return self.type_and_shape(value)[1]

    def type_and_shape(self, value):
        """Returns the number of the element type, and the dims."""
        info = self.api.GetTensorTypeAndShape(value)
        result = self.described(info)
        self.api.ReleaseTensorTypeAndShapeInfo(info)
        return result

    def described(self, info):
        """Returns the number of the element type, and the dims, from information on a tensor."""
        rank = self.api.GetDimensionsCount(info)
        sizes = dims(*[0] * rank)
        self.api.GetDimensions(info, sizes, rank)
        return self.api.GetTensorElementType(info), list(sizes)[:rank]

    def array(self, value):
        """Returns a copy of the contents of a tensor."""
        kind, shape = self.type_and_shape(value)
        if kind == STRING:
            return np.array(self.strings(value), object).reshape(shape)
        dtype = np.dtype(NUMPY_TYPES[kind])
        size = int(np.prod(shape)) * dtype.itemsize
        return np.frombuffer(ctypes.string_at(self.api.GetTensorMutableData(value), size), dtype).reshape(shape)

    def strings(self, value):
        """Returns the strings of a tensor."""
        count, length = int(np.prod(self.shape(value))), self.api.GetStringTensorDataLength(value)
        buffer, offsets = ctypes.create_string_buffer(length + 1), (ctypes.c_size_t * max(1, count))()
        self.api.GetStringTensorContent(value, buffer, length, offsets, count)
        ends = [*list(offsets)[1:count], length]
        return [buffer.raw[begin:end].decode() for begin, end in zip(offsets[:count], ends)]

    def values(self, session, inputs, outputs, given=None, options=None):
        """Returns the values of a run. `given` contains values for outputs, or None."""
        inputs = {name: value if isinstance(value, int) else self.tensor(value) for name, value in inputs.items()}
        results = pointers(given or [None] * len(outputs))
        self.api.Run(session, options, strings(list(inputs)), pointers(list(inputs.values())), len(inputs),
                     strings(outputs), len(outputs), results)  # fmt: skip
        fresh = [value for value in list(results)[: len(outputs)] if value not in (given or [])]
        for value in fresh:
            self.new("Value", value)
        return list(results)[: len(outputs)]

    def run(self, session, inputs, *outputs):
        """Returns copies of the tensors of a run."""
        return [self.array(value) for value in self.values(session, inputs, outputs)]

    def owned_text(self, address):
        """Returns a string that the library allocated, and frees it."""
        result = text(address)
        self.api.AllocatorFree(self.allocator, address)
        return result
