"""Allocators of the caller that sessions share, and statistics. Each test needs a separate process."""

import ctypes

import numpy as np
from abi_models import ADD, X, Y
from alone import answer
from session_support import ARGUMENT, Allocator, Ort, dims, key_values, refused

ALLOC = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)


class Recorder:
    """An allocator that records its requests."""

    def __init__(self, api, offset=0):
        self.sizes, self.given, self.freed, self.memory = [], [], [], []
        self.offset = offset
        self.info = api.CreateCpuMemoryInfo(0, 0)
        self.alloc, self.struct = ALLOC(self.allocate), Allocator(32)
        self.struct.alloc = self.struct.reserve = ctypes.cast(self.alloc, ctypes.c_void_p).value
        self.struct.free = type(self.struct.free)(lambda this, data: self.freed.append(data))
        self.struct.info = type(self.struct.info)(lambda this: self.info)

    def allocate(self, this, size):
        self.sizes.append(size)
        self.memory.append(ctypes.create_string_buffer(size + 128))
        self.given.append((ctypes.addressof(self.memory[-1]) + 63) // 64 * 64 + self.offset)
        return self.given[-1]


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

    def counts():
        stats = key_values(ort.api, ort.new("KeyValuePairs", ort.api.AllocatorGetStats(allocator)))
        return {key: int(value) for key, value in stats.items()}

    assert {"InUse", "Limit", "MaxAllocSize", "MaxInUse", "NumAllocs", "NumReserves", "TotalAllocated"} <= set(counts())
    before, block = counts(), ort.api.AllocatorAlloc(allocator, 1000)
    during = counts()
    assert during["InUse"] >= before["InUse"] + 1000 and during["NumAllocs"] == before["NumAllocs"] + 1
    assert min(during["MaxInUse"], during["TotalAllocated"], during["MaxAllocSize"]) >= 1000
    ort.api.AllocatorFree(allocator, block)
    assert (counts()["InUse"], counts()["MaxInUse"]) == (before["InUse"], during["MaxInUse"])


def register_unaligned(api):
    """Returns the sum that a session computes in memory that begins eight bytes after a multiple of 64."""
    ort, recorder = Ort(api, api.CreateEnv(4, b"tests")), Recorder(api, 8)
    api.RegisterAllocator(ort.env, ctypes.byref(recorder.struct))
    session = ort.session(ADD, ort.options(session__use_env_allocators="1"))
    results = [ort.run(session, {"x": X, "y": Y}, "z")[0].tolist() for _ in range(3)]
    ort.close()
    return results, recorder.given, recorder.freed


def test_memory_that_is_not_aligned(library):
    results, given, freed = answer(library, register_unaligned)
    assert results == [(X + Y).tolist()] * 3
    assert set(freed) <= set(given)


def values_of_sessions_that_are_gone(api):
    """Returns a result in memory of a registered allocator, read when only the allocator still exists."""
    ort, recorder = Ort(api, api.CreateEnv(4, b"tests")), Recorder(api)
    api.RegisterAllocator(ort.env, ctypes.byref(recorder.struct))
    session = ort.session(ADD, ort.options(session__use_env_allocators="1"))
    value = ort.values(session, {"x": X, "y": Y}, ["z"])[0]
    ort.release("Session", session)
    api.UnregisterAllocator(ort.env, recorder.info)
    result = ort.array(value).tolist()
    ort.close()
    return result, sorted(recorder.given) == sorted(recorder.freed)


def test_results_outlive_their_session(library):
    assert answer(library, values_of_sessions_that_are_gone) == [(X + Y).tolist(), True]
