"""Allocators of the caller that sessions share, and statistics. Each question needs a process of its own."""

import ctypes

import numpy as np
from abi_models import ADD, X, Y
from alone import answer
from session_support import ARGUMENT, Allocator, Ort, dims, key_values, refused

ALLOC = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)


class Recorder:
    """An allocator that notes what it is asked for."""

    def __init__(self, api):
        self.sizes, self.freed, self.memory = [], [], []
        self.info = api.CreateCpuMemoryInfo(0, 0)
        self.alloc, self.struct = ALLOC(self.allocate), Allocator(32)
        self.struct.alloc = self.struct.reserve = ctypes.cast(self.alloc, ctypes.c_void_p).value
        self.struct.free = type(self.struct.free)(lambda this, data: self.freed.append(data))
        self.struct.info = type(self.struct.info)(lambda this: self.info)

    def allocate(self, this, size):
        self.sizes.append(size)
        self.memory.append(ctypes.create_string_buffer(size + 64))
        return (ctypes.addressof(self.memory[-1]) + 63) // 64 * 64


def register(api):
    ort = Ort(api, api.CreateEnv(4, b"tests"))
    recorder = Recorder(api)
    api.RegisterAllocator(ort.env, ctypes.byref(recorder.struct))
    session = ort.session(ADD, ort.options(session__use_env_allocators="1"))
    result = ort.run(session, {"x": X, "y": Y}, "z")[0].tolist()
    ort.close()
    api.UnregisterAllocator(ort.env, recorder.info)
    refused(ARGUMENT, "no allocator", api.UnregisterAllocator, ort.env, recorder.info)
    return result, recorder.sizes, len(recorder.freed)


def test_results_are_in_memory_of_the_callers_allocator(library):
    result, sizes, freed = answer(library, register)
    assert result == (X + Y).tolist()
    assert X.nbytes in sizes and freed >= 1


def test_a_tensor_in_memory_of_the_callers_allocator(ort):
    recorder = Recorder(ort.api)
    value = ort.api.CreateTensorAsOrtValue(ctypes.byref(recorder.struct), dims(2, 3), 2, 1)
    assert ort.shape(value) == [2, 3] and recorder.sizes == [24]
    data = ort.api.GetTensorMutableData(value)
    ctypes.memmove(data, X.ctypes.data, X.nbytes)
    assert np.array_equal(ort.array(value), X)
    ort.api.ReleaseValue(value)
    assert recorder.freed == [data]


def test_statistics_of_allocators(ort):
    stats = ort.new("KeyValuePairs", ort.api.AllocatorGetStats(ort.allocator))
    assert key_values(ort.api, stats) == {}
    allocator = ort.new("Allocator", ort.api.CreateAllocator(ort.session(ADD), ort.cpu))
    stats = key_values(ort.api, ort.new("KeyValuePairs", ort.api.AllocatorGetStats(allocator)))
    assert {"InUse", "Limit", "MaxInUse", "NumAllocs", "TotalAllocated"} <= set(stats)
    assert all(value.lstrip("-").isdigit() for value in stats.values())
