"""The C API through ctypes: its structs, and its functions, whose errors are raised as exceptions."""

import ctypes
import re
from ctypes import CFUNCTYPE, POINTER, Structure, byref, c_char_p, c_int32, c_int64, c_size_t, c_uint64, c_void_p

import numpy as np
import pytest
from onnx import helper

OK, MODEL, UNSUPPORTED, TYPE, SHAPE, IO, LIMIT, CANCELLED, INTERNAL, ARGUMENT = range(10)
STRING = 8


class String(Structure):
    _fields_ = [("data", c_void_p), ("size", c_size_t)]


class Tensor(Structure):
    _fields_ = [("dtype", c_int32), ("rank", c_int32), ("dims", POINTER(c_int64)), ("data", c_void_p), ("bytes", c_size_t)]


class ValueInfo(Structure):
    _fields_ = [("name", c_char_p), ("dtype", c_int32), ("rank", c_int32), ("dims", POINTER(c_int64)),
                ("symbols", POINTER(c_char_p))]  # fmt: skip


class Metadata(Structure):
    _fields_ = [*((name, c_char_p) for name in ("producer_name", "producer_version", "domain", "description",
                                                "graph_name", "graph_description")),
                ("version", c_int64), ("property_count", c_size_t), ("property_keys", POINTER(c_char_p)),
                ("property_values", POINTER(c_char_p))]  # fmt: skip


class Sized(Structure):
    """A struct that begins with its size."""

    def __init__(self, **fields):
        super().__init__(**{"size": ctypes.sizeof(self), **fields})


CHUNK_CALL = CFUNCTYPE(None, c_void_p, c_int64, c_int32)
PARALLEL_FOR = CFUNCTYPE(None, c_void_p, c_int64, CHUNK_CALL, c_void_p)
ALLOCATE = CFUNCTYPE(c_void_p, c_void_p, c_size_t, c_size_t)
DEALLOCATE = CFUNCTYPE(None, c_void_p, c_void_p, c_size_t, c_size_t)


class Executor(Sized):
    _fields_ = [("size", c_size_t), ("workers", c_int32), ("parallel_for", PARALLEL_FOR), ("user_data", c_void_p)]


class Allocator(Sized):
    _fields_ = [("size", c_size_t), ("allocate", ALLOCATE), ("deallocate", DEALLOCATE), ("user_data", c_void_p)]


FILE_SIZE = CFUNCTYPE(c_int32, c_void_p, c_char_p, POINTER(c_int64))
READ = CFUNCTYPE(c_int32, c_void_p, c_char_p, c_int64, c_void_p, c_size_t, POINTER(c_size_t))


class Files(Sized):
    _fields_ = [("size", c_size_t), ("file_size", FILE_SIZE), ("read", READ), ("user_data", c_void_p)]


class NodeEvent(Structure):
    _fields_ = [("name", c_char_p), ("op_type", c_char_p), ("domain", c_char_p), ("begin_ns", c_int64), ("end_ns", c_int64)]


ON_NODE = CFUNCTYPE(None, c_void_p, POINTER(NodeEvent))


class Options(Sized):
    _fields_ = [("size", c_size_t), ("threads", c_int32), ("optimization", c_int32), ("max_file_bytes", c_int64),
                ("max_nodes", c_int64), ("max_memory_bytes", c_int64), ("deadline_ms", c_int64),
                ("seed", POINTER(c_uint64)), ("registry", c_void_p), ("overridable_initializers", c_int32),
                ("replaceable_weights", c_int32), ("cache_dir", c_char_p), ("fast_int4", c_int32), ("precision", c_int32),
                ("plan_cache_bytes", c_int64), ("batch_invariant", c_int32),
                ("executor", POINTER(Executor)), ("allocator", POINTER(Allocator)),
                ("files", POINTER(Files))]  # fmt: skip


class RunOptions(Sized):
    _fields_ = [("size", c_size_t), ("outputs", POINTER(Tensor)), ("output_count", c_size_t), ("cancellation", c_void_p),
                ("deadline_ms", c_int64), ("on_node", ON_NODE), ("user_data", c_void_p)]  # fmt: skip


CALLBACK = CFUNCTYPE(c_int32, c_void_p, c_void_p, c_void_p)
FREE = CFUNCTYPE(None, c_void_p)
CHUNK = CFUNCTYPE(c_int32, c_void_p, c_int64, c_int32)


class Operator(Sized):
    _fields_ = [("size", c_size_t), ("domain", c_char_p), ("name", c_char_p), ("since", c_int64),
                ("min_inputs", c_size_t), ("max_inputs", c_size_t), ("output_count", c_size_t), ("infer", CALLBACK),
                ("compute", CALLBACK), ("user_data", c_void_p), ("free_user_data", FREE)]  # fmt: skip


class Failed(Exception):
    def __init__(self, status, message):
        super().__init__(status, message)
        self.status, self.message = status, message


def tensor(array):
    """Returns a struct that refers to an array of numbers, or to copies of an array's strings. It keeps them alive."""
    if array.dtype == object:
        texts = [text.encode() for text in array.ravel()]
        held = [ctypes.create_string_buffer(text, len(text)) for text in texts]
        strings = (String * len(texts))(*(String(ctypes.addressof(h), len(t)) for h, t in zip(held, texts)))
        dtype, data, size = STRING, ctypes.addressof(strings), ctypes.sizeof(strings)
        held.append(strings)
    else:
        assert array.flags.c_contiguous
        dtype, data, size, held = helper.np_dtype_to_tensor_dtype(array.dtype), array.ctypes.data, array.nbytes, array
    result = Tensor(dtype, array.ndim, (c_int64 * array.ndim)(*array.shape), data, size)
    result.held = held
    return result


def array(tensor):
    """Returns the contents of a struct: numbers without a copy, strings as bytes."""
    shape = tensor.dims[: tensor.rank]
    if tensor.dtype == STRING:
        count = tensor.bytes // ctypes.sizeof(String)
        strings = (String * count).from_address(tensor.data) if count else []
        values = np.array([ctypes.string_at(s.data, s.size) for s in strings], object)
        return values.reshape(shape)
    dtype = helper.tensor_dtype_to_np_dtype(tensor.dtype)
    memory = (ctypes.c_char * tensor.bytes).from_address(tensor.data) if tensor.bytes else bytearray()
    return np.frombuffer(memory, dtype).reshape(shape)


class Api:
    """The functions of a library by their names without `linnet_`. Handles are integers. A status other than success is
    raised.
    """

    def __init__(self, path):
        self.library = ctypes.CDLL(str(path))
        for name in "last_error", "version":
            getattr(self.library, f"linnet_{name}").restype = c_char_p

    def last_error(self):
        return self.library.linnet_last_error().decode()

    def __getattr__(self, name):
        function = getattr(self.library, f"linnet_{name}")
        function.restype = c_int32

        def call(*arguments):
            status = function(*(c_void_p(a) if isinstance(a, int) else a for a in arguments))
            if status != OK:
                raise Failed(status, self.last_error())

        return call

    def created(self, function, *arguments):
        """Returns the handle that a function writes to its last argument."""
        handle = c_void_p()
        getattr(self, function)(*arguments, byref(handle))
        return handle.value

    def load(self, model, **options):
        """Loads a model from its bytes."""
        return self.created("model_load_bytes", model, len(model), None, byref(Options(**options)))

    def run(self, context, inputs, outputs=(), **more):
        held = [[as_tensor(value) for value in side] for side in (inputs, outputs)]
        tensors, given = [(Tensor * len(side))(*side) for side in held]
        options = RunOptions(outputs=given, output_count=len(given), **more)
        self.context_run(context, tensors, len(tensors), byref(options))

    def with_weights(self, model, weights):
        """Returns the model with other contents of initializers, given by name."""
        names, tensors = [name.encode() for name in weights], [as_tensor(value) for value in weights.values()]
        return self.created("model_with_weights", model, (c_char_p * len(names))(*names),
                            (Tensor * len(tensors))(*tensors), len(names))  # fmt: skip

    def output(self, context, index=0):
        result = Tensor()
        self.context_output(context, index, byref(result))
        return array(result)


def as_tensor(value):
    return value if isinstance(value, Tensor) else tensor(value) if value is not None else Tensor()


def refused(status, words, function, *arguments):
    """Expects a call to fail with this status and a message that matches `words`, a regular expression."""
    with pytest.raises(Failed) as caught:
        function(*arguments)
    assert caught.value.status == status, caught.value
    assert re.search(words, caught.value.message), caught.value.message


def dims(*values):
    return (c_int64 * len(values))(*values)


def described(api, model, side, index):
    """Returns the name, dtype, rank, dims and symbols of an input or output of a model."""
    info = ValueInfo()
    getattr(api, f"model_{side}")(model, index, byref(info))
    rank = max(0, info.rank)
    return info.name.decode(), info.dtype, info.rank, info.dims[:rank], [s.decode() for s in info.symbols[:rank]]
