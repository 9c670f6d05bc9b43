"""Objects that outlive those that they were made from, and objects that change after they were used."""

import ctypes

import pytest
from abi_models import ADD, X, Y
from custom_ops import Operator, copy_first, custom_model
from session_support import FAIL, SEQUENCE, dims, key_values, pointers, refused, text

SUM = (X + Y).tolist()


def run(ort, session, options=None):
    return ort.array(ort.values(session, {"x": X, "y": Y}, ["z"], options=options)[0]).tolist()


def test_metadata_outlives_its_session(ort):
    session = ort.session(ADD)
    metadata = ort.new("ModelMetadata", ort.api.SessionGetModelMetadata(session))
    ort.release("Session", session)
    assert ort.owned_text(ort.api.ModelMetadataGetGraphName(metadata, ort.allocator)) == "graph"


def test_a_binding_may_be_released_after_its_session(ort):
    session = ort.session(ADD)
    binding = ort.new("IoBinding", ort.api.CreateIoBinding(session))
    ort.api.BindInput(binding, b"x", ort.tensor(X))
    ort.release("Session", session)
    ort.api.ClearBoundInputs(binding)


def test_an_allocator_outlives_its_session(ort):
    session = ort.session(ADD)
    allocator = ort.new("Allocator", ort.api.CreateAllocator(session, ort.cpu))
    ort.release("Session", session)
    block = ort.api.AllocatorAlloc(allocator, 64)
    ctypes.memset(block, 1, 64)
    ort.api.AllocatorFree(allocator, block)


@pytest.mark.only("linnet")
def test_a_value_outlives_its_allocator_and_session(ort):
    """The original library frees the memory with both."""
    session = ort.session(ADD)
    allocator = ort.new("Allocator", ort.api.CreateAllocator(session, ort.cpu))
    value = ort.new("Value", ort.api.CreateTensorAsOrtValue(allocator, dims(2, 3), 2, 1))
    ort.release("Allocator", allocator)
    ort.release("Session", session)
    ctypes.memset(ort.api.GetTensorMutableData(value), 0, 24)
    assert ort.array(value).tolist() == (X * 0).tolist()


def test_a_container_of_weights_may_go_before_its_sessions(ort):
    container = ort.api.CreatePrepackedWeightsContainer()
    create = ort.api.CreateSessionFromArrayWithPrepackedWeightsContainer
    session = ort.new("Session", create(ort.env, ADD, len(ADD), ort.options(), container))
    ort.api.ReleasePrepackedWeightsContainer(container)
    assert run(ort, session) == SUM


def test_information_on_memory_may_go_first(ort):
    info, array, session = ort.api.CreateCpuMemoryInfo(1, 0), X.copy(), ort.session(ADD)
    value = ort.tensor_over(array.ctypes.data, array.nbytes, (2, 3), 1, info)
    binding = ort.new("IoBinding", ort.api.CreateIoBinding(session))
    ort.api.BindOutputToDevice(binding, b"z", info)
    ort.api.ReleaseMemoryInfo(info)
    assert text(ort.api.MemoryInfoGetName(ort.api.GetTensorMemoryInfo(value))) == "Cpu"
    ort.api.BindInput(binding, b"x", value)
    ort.api.BindInput(binding, b"y", value)
    ort.api.RunWithBinding(session, None, binding)


def test_information_outlives_its_value(ort):
    value = ort.tensor(X)
    shape = ort.new("TensorTypeAndShapeInfo", ort.api.GetTensorTypeAndShape(value))
    kind = ort.new("TypeInfo", ort.api.GetTypeInfo(value))
    ort.release("Value", value)
    assert ort.described(shape) == ort.described(ort.api.CastTypeInfoToTensorInfo(kind)) == (1, [2, 3])


def test_a_sequence_outlives_its_elements(ort):
    value, array = ort.tensor(X.copy()), X.copy()
    sequence = ort.new("Value", ort.api.CreateValue(pointers([value, value]), 2, SEQUENCE))
    ort.release("Value", value)
    element = ort.new("Value", ort.api.GetValue(sequence, 1, ort.allocator))
    assert ort.array(element).tolist() == array.tolist()


def domain_of(ort, operator):
    """Returns a domain and options, for an operator that lives as long as they do."""
    domain, options = ort.new("CustomOpDomain", ort.api.CreateCustomOpDomain(b"my.domain")), ort.options()
    ort.arrays.append(operator)
    return domain, options


def test_a_domain_may_go_before_its_sessions(ort):
    operator = Operator(ort.api, copy_first)
    domain, options = domain_of(ort, operator)
    ort.api.CustomOpDomain_Add(domain, ctypes.byref(operator.layout))
    ort.api.AddCustomOpDomain(options, domain)
    session = ort.session(custom_model(), options)
    ort.release("CustomOpDomain", domain)
    assert ort.run(session, {"x": X}, "z")[0].tolist() == X.tolist()


def test_operators_are_added_to_a_domain_that_is_in_use(ort):
    operator = Operator(ort.api, copy_first)
    domain, options = domain_of(ort, operator)
    ort.api.AddCustomOpDomain(options, domain)
    ort.api.CustomOpDomain_Add(domain, ctypes.byref(operator.layout))
    assert ort.run(ort.session(custom_model(), options), {"x": X}, "z")[0].tolist() == X.tolist()


def test_options_change_after_their_session_is_made(ort):
    options = ort.options()
    session = ort.session(ADD, options)
    ort.api.AddSessionConfigEntry(options, b"session.intra_op_num_threads", b"3")
    ort.api.SessionOptionsSetLoadCancellationFlag(options, True)
    assert run(ort, session) == SUM


def test_runs_go_on_after_options_that_terminate(ort):
    session, options = ort.session(ADD), ort.new("RunOptions", ort.api.CreateRunOptions())
    ort.api.RunOptionsSetTerminate(options)
    refused(FAIL, "terminate", run, ort, session, options)
    ort.release("RunOptions", options)
    assert run(ort, session) == SUM


def test_settings_of_an_arena_may_go_first(ort):
    arena = ort.api.CreateArenaCfg(0, -1, -1, -1)
    ort.api.CreateAndRegisterAllocator(ort.env, ort.cpu, arena)
    ort.api.ReleaseArenaCfg(arena)
    assert run(ort, ort.session(ADD, ort.options(session__use_env_allocators="1"))) == SUM


def test_pairs_may_be_read_and_changed(ort):
    pairs = ort.new("KeyValuePairs", ort.api.CreateKeyValuePairs())
    for i in range(20):
        ort.api.AddKeyValuePair(pairs, str(i).encode(), b"v")
        assert len(key_values(ort.api, pairs)) == i + 1
