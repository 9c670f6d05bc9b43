"""Session options: plain ones, config entries, clones, providers."""

import ctypes

import pytest
from abi_models import ADD, X, Y
from session_support import ARGUMENT, FAIL, RUNTIME, items, key_values, refused, strings, text


@pytest.mark.parametrize("level", [0, 1, 2, 3, 99])
def test_levels_of_optimization(ort, level):
    options = ort.options()
    ort.api.SetSessionGraphOptimizationLevel(options, level)
    assert ort.run(ort.session(ADD, options), {"x": X, "y": Y}, "z")[0].tolist() == (X + Y).tolist()


@pytest.mark.parametrize("level", [-1, 4, 5, 98, 100, 2**31 - 1])
def test_other_levels_of_optimization_are_refused(ort, level):
    refused(
        ARGUMENT,
        "graph_optimization_level is not valid",
        ort.api.SetSessionGraphOptimizationLevel,
        ort.options(),
        level,
    )


def test_modes_of_execution(ort):
    options = ort.options()
    for mode in (1, 0):
        ort.api.SetSessionExecutionMode(options, mode)
        assert ort.api.GetSessionExecutionMode(options) == mode
        assert ort.run(ort.session(ADD, options), {"x": X, "y": Y}, "z")[0].tolist() == (X + Y).tolist()
    for mode in (-1, 2, 5):
        refused(ARGUMENT, "execution_mode is not valid", ort.api.SetSessionExecutionMode, options, mode)


def test_the_pattern_of_memory_may_be_off(ort):
    options = ort.options()
    assert ort.api.GetMemPatternEnabled(options) == 1
    ort.api.DisableMemPattern(options)
    assert ort.api.GetMemPatternEnabled(options) == 0
    ort.api.EnableMemPattern(options)
    assert ort.api.GetMemPatternEnabled(options) == 1


@pytest.mark.parametrize("number", [-1, 0, 1, 2, 3])
def test_numbers_of_threads(ort, number):
    options = ort.options()
    ort.api.SetIntraOpNumThreads(options, number)
    ort.api.SetInterOpNumThreads(options, number)
    if number >= 0:
        assert ort.run(ort.session(ADD, options), {"x": X, "y": Y}, "z")[0].tolist() == (X + Y).tolist()


def test_plain_settings_are_accepted(ort):
    api, options = ort.api, ort.options()
    for call in (api.EnableCpuMemArena, api.DisableCpuMemArena, api.DisableProfiling):
        call(options)
    for value in (-5, 0, 4, 9):
        api.SetSessionLogVerbosityLevel(options, value)
        api.SetSessionLogSeverityLevel(options, value)
    api.SetSessionLogSeverityLevel(options, 4)
    api.SetSessionLogId(options, b"an id")
    api.SetDeterministicCompute(options, True)
    api.SessionOptionsSetLoadCancellationFlag(options, False)
    assert ort.run(ort.session(ADD, options), {"x": X, "y": Y}, "z")[0].tolist() == (X + Y).tolist()


def entry(ort, options, key):
    """Returns the value of a config entry."""
    size = ctypes.c_size_t(0)
    ort.api.GetSessionConfigEntry(options, key, None, ctypes.byref(size))
    buffer = ctypes.create_string_buffer(b"#" * (size.value + 4))
    ort.api.GetSessionConfigEntry(options, key, buffer, ctypes.byref(size))
    assert buffer.raw[size.value :].startswith(b"####")
    return buffer.raw[: size.value]


@pytest.mark.parametrize("value", [b"", b"1", b"hello", b"x" * 5000], ids=len)
def test_config_entries_are_kept(ort, value):
    options = ort.options()
    for key in (b"k", b"foo.bar", b"k" * 1024):
        ort.api.AddSessionConfigEntry(options, key, value)
        assert entry(ort, options, key) == value + b"\0"
        assert ort.api.HasSessionConfigEntry(options, key) == 1
    assert ort.api.HasSessionConfigEntry(options, b"other") == 0


def test_a_config_entry_is_replaced(ort):
    options = ort.options()
    for value in (b"one", b"three"):
        ort.api.AddSessionConfigEntry(options, b"key", value)
    assert entry(ort, options, b"key") == b"three\0"


@pytest.mark.parametrize("key", [b"", b"k" * 1025, b"k" * 5000], ids=len)
def test_keys_have_a_length(ort, key):
    refused(
        ARGUMENT, "empty or longer than maximum length 1024", ort.api.AddSessionConfigEntry, ort.options(), key, b"1"
    )


def test_room_for_a_config_entry_may_be_short(ort):
    options, buffer, size = ort.options(key="hello"), ctypes.create_string_buffer(8), ctypes.c_size_t(5)
    refused(ARGUMENT, "not large enough", ort.api.GetSessionConfigEntry, options, b"key", buffer, ctypes.byref(size))
    assert size.value == 6
    refused(ARGUMENT, "'zz' was not found", ort.api.GetSessionConfigEntry, options, b"zz", buffer, ctypes.byref(size))


def test_all_config_entries_at_once(ort):
    options = ort.options(a="1", b__c="two")
    handle = ort.new("KeyValuePairs", ort.api.GetSessionOptionsConfigEntries(options))
    assert key_values(ort.api, handle) == {"a": "1", "b.c": "two"}


MIRRORS = [
    ("graph_optimization_level", "enable_basic", "99"), ("graph_optimization_level", "disable_all", "seven"),
    ("intra_op_num_threads", "1", "xx"), ("intra_op_num_threads", "-3", "99999999999"), ("inter_op_num_threads", "1", ""),
    ("log_severity_level", "9", "high"), ("log_verbosity_level", "0", "1x"), ("execution_mode", "sequential", "1"),
    ("execution_mode", "parallel", "x"), ("enable_mem_pattern", "true", "x"), ("enable_cpu_mem_arena", "0", "2"),
    ("use_deterministic_compute", "1", "yes"), ("use_per_session_threads", "1", "x"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "good", "bad"), MIRRORS)
def test_entries_for_options_are_checked(ort, name, good, bad):
    options, key = ort.options(), b"session." + name.encode()
    ort.api.AddSessionConfigEntry(options, key, good.encode())
    refused(
        ARGUMENT,
        f"value for '(session.)?{name}' must be .*; got",
        ort.api.AddSessionConfigEntry,
        options,
        key,
        bad.encode(),
    )


def test_entries_for_options_act(ort):
    options = ort.options(session__execution_mode="parallel", session__enable_mem_pattern="0")
    assert ort.api.GetSessionExecutionMode(options) == 1
    assert ort.api.GetMemPatternEnabled(options) == 0


@pytest.mark.parametrize(("key", "value", "code", "words"), [
    ("session.disable_cpu_ep_fallback", "1", FAIL, "fallback to CPU EP has been explicitly disabled"),
    ("session.dynamic_block_base", "x", RUNTIME, ""),
    ("optimization.minimal_build_optimizations", "1", ARGUMENT, "invalid value for optimization.minimal_build_optimizations: 1")],
    ids=["fallback", "blocks", "minimal build"])  # fmt: skip
def test_some_entries_are_checked_by_sessions(ort, key, value, code, words):
    refused(code, words, ort.session, ADD, ort.options(**{key: value}))


KNOWN = ["session.intra_op.allow_spinning", "session.inter_op.allow_spinning", "session.set_denormal_as_zero",
         "session.disable_prepacking", "session.use_env_allocators", "session.use_device_allocator_for_initializers",
         "session.strict_shape_type_inference", "session.force_spinning_stop",
         "session.disable_quant_qdq", "session.disable_double_qdq_remover", "session.qdqisint8allowed",
         "optimization.enable_gelu_approximation", "mlas.enable_gemm_fastmath_arm64_bfloat16", "ep.nnapi.partitioning_stop_ops"]  # fmt: skip


@pytest.mark.parametrize("key", KNOWN)
@pytest.mark.parametrize("value", ["0", "1"])
def test_known_entries_do_not_change_results(ort, key, value):
    session = ort.session(ADD, ort.options(**{key: value}))
    assert ort.run(session, {"x": X, "y": Y}, "z")[0].tolist() == (X + Y).tolist()


def test_a_clone_has_its_own_entries(ort):
    options = ort.options(a="1")
    clone = ort.new("SessionOptions", ort.api.CloneSessionOptions(options))
    ort.api.AddSessionConfigEntry(clone, b"a", b"2")
    assert (entry(ort, options, b"a"), entry(ort, clone, b"a")) == (b"1\0", b"2\0")
    ort.release("SessionOptions", options)
    ort.session(ADD, clone)


@pytest.mark.parametrize("name", ["CPU", "CPUExecutionProvider"])
def test_the_provider_for_cpus_may_be_added(ort, name):
    options = ort.options()
    keys = strings(["use_arena"])
    ort.api.SessionOptionsAppendExecutionProvider(options, name.encode(), keys, strings(["1"]), 0)
    ort.session(ADD, options)


ABSENT = ["XNNPACK", "OpenVINO", "QNN", "DML", "WebGPU", "CoreML", "SNPE", "VitisAI", "JS", "WEBNN"]


@pytest.mark.parametrize("name", ABSENT)
def test_providers_of_other_builds_are_refused(ort, name):
    refused(ARGUMENT, f"{name} execution provider is not supported in this build",
            ort.api.SessionOptionsAppendExecutionProvider, ort.options(), name.encode(), None, None, 0)  # fmt: skip


@pytest.mark.parametrize("name", ["", "Foo", "CUDA", "NNAPI", "cpu"])
def test_unknown_providers_are_refused(ort, name):
    refused(ARGUMENT, f"unknown provider name '{name}'.*'CPU'",
            ort.api.SessionOptionsAppendExecutionProvider, ort.options(), name.encode(), None, None, 0)  # fmt: skip


def test_the_providers_that_are_there(api):
    names, count = api.GetAvailableProviders()
    assert "CPUExecutionProvider" in [text(name) for name in items(names, count)]
    api.ReleaseAvailableProviders(names, count)


@pytest.mark.parametrize("name", ["CUDA", "TensorRT", "CANN", "Dnnl", "ROCM"])
def test_options_of_other_providers_cannot_be_made(ort, name):
    words = "oneDNN" if name == "Dnnl" else name
    refused(
        FAIL,
        f"{words} execution provider is not enabled in this build",
        getattr(ort.api, f"Create{name}ProviderOptions"),
    )


@pytest.mark.parametrize("name", ["DML", "CUDA", "nothing"])
def test_providers_have_no_interface_here(ort, name):
    refused(ARGUMENT, "provider is not supported", ort.api.GetExecutionProviderApi, name.encode(), 1)


def test_options_serve_many_sessions_and_may_go_first(ort):
    options = ort.options()
    sessions = [ort.session(ADD, options) for _ in range(3)]
    ort.release("SessionOptions", options)
    for session in sessions:
        assert ort.run(session, {"x": X, "y": Y}, "z")[0].tolist() == (X + Y).tolist()


def test_a_source_of_weights(ort):
    options = ort.options()
    refused(ARGUMENT, "size is 0", ort.api.SessionOptionsSetWeightlessSourceModelBuffer, options, ADD, 0)
    ort.api.SessionOptionsSetWeightlessSourceModelBuffer(options, ADD, len(ADD))
    ort.session(ADD, options)
