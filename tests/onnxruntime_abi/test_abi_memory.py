"""Allocators and information on memory."""

import ctypes

import pytest
from abi_models import ADD, X, Y
from session_support import ARGUMENT, Allocator, refused, strings, text

FIELDS = ("alloc", "free", "info", "reserve", "stats", "on_stream", "shrink")


def described(api, info):
    """Returns the name, the kind of allocator, the id, the kind of memory and the device."""
    return (text(api.MemoryInfoGetName(info)), api.MemoryInfoGetType(info), api.MemoryInfoGetId(info),
            api.MemoryInfoGetMemType(info), api.MemoryInfoGetDeviceType(info))  # fmt: skip


def test_the_default_allocator_is_one_object(api):
    allocator = api.GetAllocatorWithDefaultOptions()
    assert allocator == api.GetAllocatorWithDefaultOptions()
    assert described(api, api.AllocatorGetInfo(allocator)) == ("Cpu", 0, 0, 0, 0)


@pytest.mark.parametrize("size", [1, 3, 64, 100, 1 << 20])
def test_memory_is_aligned_and_writable(api, size):
    allocator = api.GetAllocatorWithDefaultOptions()
    blocks = [api.AllocatorAlloc(allocator, size) for _ in range(3)]
    for i, block in enumerate(blocks):
        assert block % 64 == 0
        ctypes.memset(block, i, size)
    assert [ctypes.string_at(block, size) for block in blocks] == [bytes([i]) * size for i in range(3)]
    for block in blocks:
        api.AllocatorFree(allocator, block)


def test_no_memory(api):
    allocator = api.GetAllocatorWithDefaultOptions()
    assert api.AllocatorAlloc(allocator, 0) is None
    api.AllocatorFree(allocator, None)


def test_too_much_memory(api):
    refused(6, "", api.AllocatorAlloc, api.GetAllocatorWithDefaultOptions(), 1 << 62)


def test_clients_call_the_allocator_directly(api):
    address = api.GetAllocatorWithDefaultOptions()
    allocator = Allocator.from_address(address)
    assert allocator.version == 32
    assert all(getattr(allocator, name) for name in FIELDS[:5])
    alloc = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
    for name in ("alloc", "reserve"):
        block = alloc(getattr(allocator, name))(address, 100)
        ctypes.memset(block, 1, 100)
        allocator.free(address, block)
    assert described(api, allocator.info(address))[0] == "Cpu"


@pytest.mark.parametrize("kind", [-1, 0, 1, 2])
@pytest.mark.parametrize("memory", [-2, -1, 0])
def test_information_on_memory_of_the_processor(ort, kind, memory):
    info = ort.new("MemoryInfo", ort.api.CreateCpuMemoryInfo(kind, memory))
    assert described(ort.api, info) == ("Cpu", kind, 0, memory, 0)
    assert ort.api.MemoryInfoGetDeviceMemType(info) == 0
    assert ort.api.MemoryInfoGetVendorId(info) == 0


NAMES = ["Cpu", "Cuda", "CudaPinned", "DML", "QnnHtpShared", "WebGPU_Buffer"]


@pytest.mark.parametrize("name", NAMES)
def test_names_of_devices(ort, name):
    info = ort.new("MemoryInfo", ort.api.CreateMemoryInfo(name.encode(), 0, 3, 0))
    assert described(ort.api, info)[0] == name.replace("Buffer", "Buf")


@pytest.mark.parametrize("name", ["", "CPU", "foo", "OpenVINO_CPU"])
def test_other_names_are_refused(ort, name):
    refused(ARGUMENT, "device is not supported", ort.api.CreateMemoryInfo, name.encode(), 0, 0, 0)


def test_any_name_with_a_description(ort):
    info = ort.new("MemoryInfo", ort.api.CreateMemoryInfo_V2(b"mine", 1, 0x10DE, 2, 5, 256, 1))
    assert described(ort.api, info)[:3] == ("mine", 1, 2)
    assert ort.api.MemoryInfoGetDeviceType(info) == 1
    assert ort.api.MemoryInfoGetVendorId(info) == 0x10DE
    assert ort.api.MemoryInfoGetDeviceMemType(info) == 5


def test_informations_are_compared(ort):
    infos = [ort.new("MemoryInfo", ort.api.CreateCpuMemoryInfo(*a)) for a in ((0, 0), (0, 0), (1, 0), (0, -1))]
    assert [ort.api.CompareMemoryInfo(infos[0], info) for info in infos] == [0, 0, -1, -1]
    cuda = ort.new("MemoryInfo", ort.api.CreateMemoryInfo(b"Cuda", 0, 0, 0))
    assert ort.api.CompareMemoryInfo(infos[0], cuda) == -1


def test_allocators_of_sessions(ort):
    session = ort.session(ADD)
    for kind in (0, 1):
        info = ort.new("MemoryInfo", ort.api.CreateCpuMemoryInfo(kind, 0))
        allocator = ort.new("Allocator", ort.api.CreateAllocator(session, info))
        block = ort.api.AllocatorAlloc(allocator, 100)
        ctypes.memset(block, 1, 100)
        ort.api.AllocatorFree(allocator, block)
        assert described(ort.api, ort.api.AllocatorGetInfo(allocator))[0] == "Cpu"
    cuda = ort.new("MemoryInfo", ort.api.CreateMemoryInfo(b"Cuda", 0, 0, 0))
    refused(ARGUMENT, "no requested allocator", ort.api.CreateAllocator, session, cuda)


def test_names_in_memory_of_the_callers_allocator(ort):
    memory, log = ctypes.create_string_buffer(4096), []
    alloc = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)(
        lambda this, size: log.append(size) or ctypes.addressof(memory))  # fmt: skip
    allocator = Allocator(32, ctypes.cast(alloc, ctypes.c_void_p).value)
    name = ort.api.SessionGetInputName(ort.session(ADD), 1, ctypes.byref(allocator))
    assert (name, memory.value, log) == (ctypes.addressof(memory), b"y", [2])


def test_allocators_are_shared_by_sessions(ort):
    api = ort.api
    arena = ort.new("ArenaCfg", api.CreateArenaCfg(0, -1, -1, -1))
    for _ in range(2):
        api.CreateAndRegisterAllocator(ort.env, ort.cpu, arena)
    session = ort.session(ADD, ort.options(session__use_env_allocators="1"))
    assert ort.run(session, {"x": X, "y": Y}, "z")[0].tolist() == (X + Y).tolist()
    keys = strings(["max_mem", "arena_extend_strategy", "initial_chunk_size_bytes", "max_dead_bytes_per_chunk"])
    ort.new("ArenaCfg", api.CreateArenaCfgV2(keys, (ctypes.c_size_t * 4)(0, 0, 1024, 2048), 4))
    refused(ARGUMENT, "nonsense", api.CreateArenaCfgV2, strings(["nonsense"]), (ctypes.c_size_t * 1)(1), 1)


def test_statistics_of_the_default_allocator(ort):
    ort.new("KeyValuePairs", ort.api.AllocatorGetStats(ort.allocator))
