"""Key-value pairs, devices, and execution providers of other libraries."""

import ctypes

import pytest
from abi_models import ADD, X, Y
from session_support import ARGUMENT, FAIL, NOT_IMPLEMENTED, items, key_values, pointers, refused, strings, text
from table import Table


@pytest.fixture
def pairs(ort):
    return ort.new("KeyValuePairs", ort.api.CreateKeyValuePairs())


def test_pairs_are_added_replaced_and_removed(api, pairs):
    assert key_values(api, pairs) == {}
    for key, value in ((b"b", b"2"), (b"a", b"1"), (b"b", b"3"), (b"c", b"")):
        api.AddKeyValuePair(pairs, key, value)
    assert key_values(api, pairs) == {"a": "1", "b": "3", "c": ""}
    assert [api.GetKeyValue(pairs, key) for key in (b"a", b"b", b"c", b"d")] == [b"1", b"3", b"", None]
    api.RemoveKeyValuePair(pairs, b"b")
    api.RemoveKeyValuePair(pairs, b"none")
    assert key_values(api, pairs) == {"a": "1", "c": ""}


@pytest.mark.parametrize(("key", "value"), [(None, b"v"), (b"k", None), (b"", b"v")])
def test_pairs_without_a_key_or_a_value_are_left_out(api, pairs, key, value):
    api.AddKeyValuePair(pairs, key, value)
    assert key_values(api, pairs) == {}


@pytest.fixture
def device(ort):
    devices, count = ort.api.GetEpDevices(ort.env)
    found = [d for d in items(devices, count) if ort.api.EpDevice_EpName(d) == b"CPUExecutionProvider"]
    assert len(found) == 1
    return found[0]


def test_the_device_of_the_provider_for_cpus(api, device):
    assert isinstance(api.EpDevice_EpVendor(device), bytes)
    hardware = api.EpDevice_Device(device)
    assert api.HardwareDevice_Type(hardware) == 0
    assert isinstance(api.HardwareDevice_Vendor(hardware), bytes)
    assert isinstance(api.HardwareDevice_VendorId(hardware), int)
    for handle in (
        api.EpDevice_EpMetadata(device),
        api.EpDevice_EpOptions(device),
        api.HardwareDevice_Metadata(hardware),
    ):
        assert isinstance(key_values(api, handle), dict)


def test_devices_are_owned_by_the_environment(ort):
    assert items(ort.api.GetEpDevices(ort.env)[0], 1) == items(ort.api.GetEpDevices(ort.env)[0], 1)


def test_the_memory_of_the_device(api, device):
    for kind in (0, 5):
        info = api.EpDevice_MemoryInfo(device, kind)
        assert info is None or text(api.MemoryInfoGetName(info)) == "Cpu"


def test_a_session_on_the_device(ort, device):
    options = ort.options()
    ort.api.SessionOptionsAppendExecutionProvider_V2(options, ort.env, pointers([device]), 1, None, None, 0)
    assert ort.run(ort.session(ADD, options), {"x": X, "y": Y}, "z")[0].tolist() == (X + Y).tolist()
    refused(ARGUMENT, "", ort.api.SessionOptionsAppendExecutionProvider_V2, options, ort.env, None, 0, None, None, 0)


@pytest.mark.parametrize("policy", range(7))
def test_policies_choose_the_processor(ort, policy):
    options = ort.options()
    ort.api.SessionOptionsSetEpSelectionPolicy(options, policy)
    assert ort.run(ort.session(ADD, options), {"x": X, "y": Y}, "z")[0].tolist() == (X + Y).tolist()


CHOOSE = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_void_p,
                          ctypes.c_void_p, ctypes.c_size_t, ctypes.POINTER(ctypes.c_size_t), ctypes.c_void_p)  # fmt: skip


def test_the_caller_chooses_the_device(ort):
    asked = []

    def choose(devices, count, model, runtime, selected, room, number, state):
        asked.append((count, room, state))
        ctypes.memmove(selected, devices, 8)
        number[0] = 1

    options, function = ort.options(), CHOOSE(choose)
    ort.api.SessionOptionsSetEpSelectionPolicyDelegate(options, function, 99)
    assert ort.run(ort.session(ADD, options), {"x": X, "y": Y}, "z")[0].tolist() == (X + Y).tolist()
    assert len(asked) == 1 and asked[0][0] >= 1 and asked[0][2] == 99


def test_libraries_of_providers(ort, tmp_path):
    refused(FAIL, "", ort.api.RegisterExecutionProviderLibrary, ort.env, b"mine", str(tmp_path / "none.so").encode())
    refused(FAIL, "not registered", ort.api.UnregisterExecutionProviderLibrary, ort.env, b"mine")


def test_copies_between_devices_need_a_device(ort):
    values = pointers([ort.tensor(X)]), pointers([ort.empty((2, 3))])
    refused(NOT_IMPLEMENTED, "data transfer", ort.api.CopyTensors, ort.env, *values, None, 1)


def test_shared_allocators(ort, device):
    allocator = ort.api.GetSharedAllocator(ort.env, ort.cpu)
    assert allocator is None or text(ort.api.MemoryInfoGetName(ort.api.AllocatorGetInfo(allocator))) == "Cpu"
    refused(ARGUMENT, "memory type", ort.api.CreateSharedAllocator, ort.env, device, 0, 0, None)
    refused(ARGUMENT, "memory type", ort.api.ReleaseSharedAllocator, ort.env, device, 0)


def test_streams_need_a_device(ort, device):
    refused(ARGUMENT, "non-CPU", ort.api.CreateSyncStreamForEpDevice, device, None)


def test_hardware(ort):
    count = ort.api.GetNumHardwareDevices(ort.env)
    assert count >= 1
    devices = pointers([None] * count)
    ort.api.GetHardwareDevices(ort.env, devices, count)
    assert any(ort.api.HardwareDevice_Type(d) == 0 for d in devices)


def test_dynamic_options_of_providers(ort):
    ort.api.SetEpDynamicOptions(ort.session(ADD), strings(["ep.dynamic.workload_type"]), strings(["Default"]), 1)


def test_nodes_are_assigned_to_the_provider_for_cpus(ort):
    session = ort.session(ADD, ort.options(session__record_ep_graph_assignment_info="1"))
    graphs, count = ort.api.Session_GetEpGraphAssignmentInfo(session)
    (graph,) = items(graphs, count)
    assert text(ort.api.EpAssignedSubgraph_GetEpName(graph)) == "CPUExecutionProvider"
    (node,) = items(*ort.api.EpAssignedSubgraph_GetNodes(graph))
    names = [ort.api.EpAssignedNode_GetName, ort.api.EpAssignedNode_GetDomain, ort.api.EpAssignedNode_GetOperatorType]
    assert [text(name(node)) for name in names] == ["sum", "", "Add"]
    refused(FAIL, "record_ep_graph_assignment_info", ort.api.Session_GetEpGraphAssignmentInfo, ort.session(ADD))


def test_models_compiled_for_providers(ort, device, tmp_path):
    (tmp_path / "m.onnx").write_bytes(ADD)
    api = ort.api
    assert api.GetCompatibilityInfoFromModel(str(tmp_path / "m.onnx").encode(), b"CPU", ort.allocator) is None
    assert api.GetCompatibilityInfoFromModelBytes(ADD, len(ADD), b"CPU", ort.allocator) is None
    assert api.GetModelCompatibilityForEpDevices(pointers([device]), 1, b"info") == 0


def test_a_device_is_compatible_with_its_provider(ort, device):
    api = ort.api
    details = api.GetHardwareDeviceEpIncompatibilityDetails(
        ort.env, b"CPUExecutionProvider", api.EpDevice_Device(device)
    )
    ort.new("DeviceEpIncompatibilityDetails", details)
    assert api.DeviceEpIncompatibilityDetails_GetReasonsBitmask(details) == 0
    assert api.DeviceEpIncompatibilityDetails_GetNotes(details) is None
    assert api.DeviceEpIncompatibilityDetails_GetErrorCode(details) == 0
    hardware = api.EpDevice_Device(device)
    refused(ARGUMENT, "nothing", api.GetHardwareDeviceEpIncompatibilityDetails, ort.env, b"nothing", hardware)


def test_memory_of_other_devices_is_not_imported(ort, device):
    table = Table(ort.api.GetInteropApi(), "OrtInteropApi", ort.api)
    assert table.CreateExternalResourceImporterForDevice(device) is None
    refused(ARGUMENT, "ep_device", table.CreateExternalResourceImporterForDevice, None)
    refused(ARGUMENT, "config", table.InitGraphicsInteropForEpDevice, device, None)
    refused(NOT_IMPLEMENTED, "", table.DeinitGraphicsInteropForEpDevice, device)
    refused(ARGUMENT, "importer", table.CanImportMemory, None, 0)
    table.ReleaseExternalResourceImporter(None)


def test_graphs_of_other_devices_are_not_captured(ort):
    session, options = ort.session(ADD), ort.new("RunOptions", ort.api.CreateRunOptions())
    ort.api.SessionReleaseCapturedGraph(session, 0)
    ort.api.RunOptionsSetSyncStream(options, None)
    (result,) = ort.values(session, {"x": X, "y": Y}, ["z"], options=options)
    assert ort.array(result).tolist() == (X + Y).tolist()
