"""Options and functions of ONNX Runtime and of Linnet in its place."""

import json
import os
import threading
import time

import numpy as np
import pytest
from model_bytes import endless, identity, model
from onnx import helper

X = np.arange(6, dtype=np.float32).reshape(2, 3)
SESSION_DEFAULTS = {
    "enable_cpu_mem_arena": True, "enable_mem_pattern": True, "enable_mem_reuse": True, "enable_profiling": False,
    "inter_op_num_threads": 0, "intra_op_num_threads": 0, "log_severity_level": -1, "log_verbosity_level": 0,
    "logid": "", "optimized_model_filepath": "", "profile_file_prefix": "onnxruntime_profile_",
    "use_deterministic_compute": False, "use_per_session_threads": True,
}  # fmt: skip
RUN_DEFAULTS = {
    "log_severity_level": -1, "log_verbosity_level": 0, "logid": "", "only_execute_path_to_fetches": False,
    "terminate": False,
}  # fmt: skip


def fail(ort):
    return ort.capi.onnxruntime_pybind11_state.Fail


def options(ort, **values):
    made = ort.SessionOptions()
    for name, value in values.items():
        setattr(made, name, value)
    return made


def test_defaults_of_sessions(ort):
    made = ort.SessionOptions()
    assert {name: getattr(made, name) for name in SESSION_DEFAULTS} == SESSION_DEFAULTS
    assert made.graph_optimization_level == ort.GraphOptimizationLevel.ORT_ENABLE_ALL
    assert made.execution_mode == ort.ExecutionMode.ORT_SEQUENTIAL
    assert made.execution_order == ort.ExecutionOrder.DEFAULT
    assert made.has_providers() is False


def test_defaults_of_runs(ort):
    made = ort.RunOptions()
    assert {name: getattr(made, name) for name in RUN_DEFAULTS} == RUN_DEFAULTS


@pytest.mark.parametrize("kind", ["SessionOptions", "RunOptions"])
def test_unknown_attributes_and_other_kinds_of_values_are_refused(ort, kind):
    made = getattr(ort, kind)()
    with pytest.raises(AttributeError):
        made.nonsense = 1
    for name, value in [("log_severity_level", "2"), ("log_severity_level", 2.0), ("logid", 1)]:
        with pytest.raises(TypeError):
            setattr(made, name, value)
    made.log_severity_level = np.int64(3)
    assert (made.log_severity_level, type(made.log_severity_level)) == (3, int)


@pytest.mark.parametrize("name, value", [
    ("graph_optimization_level", 1), ("execution_mode", 1), ("enable_cpu_mem_arena", "x"),
    ("intra_op_num_threads", "2"), ("profile_file_prefix", os), ("optimized_model_filepath", None),
])  # fmt: skip
def test_options_of_sessions_have_types(ort, name, value):
    with pytest.raises(TypeError):
        options(ort, **{name: value})


def test_truth_values(ort):
    for value in (0, None, False, np.bool_(False)):
        assert options(ort, enable_cpu_mem_arena=value).enable_cpu_mem_arena is False


@pytest.mark.parametrize("values", [
    {"intra_op_num_threads": 1, "inter_op_num_threads": 1}, {"intra_op_num_threads": -1, "inter_op_num_threads": -1},
    {"enable_cpu_mem_arena": False, "enable_mem_pattern": False, "log_severity_level": 4}, {"logid": "me"},
])  # fmt: skip
def test_results_do_not_depend_on_options(ort, values):
    session = ort.InferenceSession(identity(), options(ort, **values))
    assert session.get_session_options().enable_mem_reuse is True
    np.testing.assert_array_equal(session.run(None, {"x": X})[0], X)


def test_levels_of_optimization_and_modes(ort):
    for name in ("ORT_DISABLE_ALL", "ORT_ENABLE_BASIC", "ORT_ENABLE_EXTENDED", "ORT_ENABLE_LAYOUT", "ORT_ENABLE_ALL"):
        level = getattr(ort.GraphOptimizationLevel, name)
        made = options(ort, graph_optimization_level=level, execution_mode=ort.ExecutionMode.ORT_PARALLEL)
        assert made.graph_optimization_level == level
        np.testing.assert_array_equal(ort.InferenceSession(identity(), made).run(None, {"x": X})[0], X)


@pytest.mark.parametrize("name, members", [
    ("GraphOptimizationLevel", {"ORT_DISABLE_ALL": 0, "ORT_ENABLE_BASIC": 1, "ORT_ENABLE_EXTENDED": 2,
                                "ORT_ENABLE_LAYOUT": 3, "ORT_ENABLE_ALL": 99}),
    ("ExecutionMode", {"ORT_SEQUENTIAL": 0, "ORT_PARALLEL": 1}),
    ("ExecutionOrder", {"DEFAULT": 0, "PRIORITY_BASED": 1, "MEMORY_EFFICIENT": 2}),
    ("OrtAllocatorType", {"INVALID": -1, "ORT_DEVICE_ALLOCATOR": 0, "ORT_ARENA_ALLOCATOR": 1}),
    ("OrtMemType", {"CPU_INPUT": -2, "CPU_OUTPUT": -1, "CPU": -1, "DEFAULT": 0}),
    ("OrtDeviceMemoryType", {"DEFAULT": 0, "HOST_ACCESSIBLE": 5}),
])  # fmt: skip
def test_enumerations(ort, name, members):
    kind = getattr(ort, name)
    assert {key: int(value) for key, value in kind.__members__.items()} == members
    key, number = next(iter(members.items()))
    member = kind(number)
    assert (member.name, member.value, repr(member)) == (key, number, f"<{name}.{key}: {number}>")
    assert str(member) == f"{name}.{key}" and member == getattr(kind, key) and hash(member) == hash(getattr(kind, key))


@pytest.mark.parametrize("kind", ["session", "run"])
def test_entries(ort, kind):
    made = ort.SessionOptions() if kind == "session" else ort.RunOptions()
    add, get = getattr(made, f"add_{kind}_config_entry"), getattr(made, f"get_{kind}_config_entry")
    with pytest.raises(RuntimeError, match="does not have configuration with key: session.x"):
        get("session.x")
    add("session.intra_op.allow_spinning", "0")
    assert get("session.intra_op.allow_spinning") == "0"
    for key, value, error in [("a", 1, TypeError), ("", "b", RuntimeError), ("a" * 2000, "b", RuntimeError)]:
        with pytest.raises(error):
            add(key, value)


def test_free_dimensions_are_fixed_by_name(ort):
    made = ort.SessionOptions()
    made.add_free_dimension_override_by_name("N", 2)
    session = ort.InferenceSession(identity(), made)
    assert session.get_inputs()[0].shape == [2, 3]
    np.testing.assert_array_equal(session.run(None, {"x": X})[0], X)
    with pytest.raises(ort.capi.onnxruntime_pybind11_state.InvalidArgument):
        session.run(None, {"x": X[:1]})


def test_a_missing_library_of_operators(ort, tmp_path):
    with pytest.raises(fail(ort)):
        ort.SessionOptions().register_custom_ops_library(str(tmp_path / "nothing.so"))


def test_a_load_is_cancelled(ort):
    made = ort.SessionOptions()
    made.set_load_cancellation_flag(True)
    with pytest.raises(ort.capi.onnxruntime_pybind11_state.ModelLoadCanceled):
        ort.InferenceSession(identity(), made)


def test_the_optimized_model_is_written(ort, tmp_path):
    nodes = [helper.make_node("Relu", ["x"], ["r"]), helper.make_node("Neg", ["r"], ["y"])]
    made = options(ort, optimized_model_filepath=str(tmp_path / "optimized.onnx"))
    made.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_BASIC
    ort.InferenceSession(model(nodes, [("x", 1, ["N"])], [("y", 1, ["N"])]), made)
    again = ort.InferenceSession(tmp_path / "optimized.onnx")
    assert again.run(None, {"x": np.array([-1, 2], np.float32)})[0].tolist() == [0, -2]


def test_a_profile_names_the_nodes_that_ran(ort, tmp_path):
    made = options(ort, enable_profiling=True, profile_file_prefix=str(tmp_path / "p"))
    made.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    node = helper.make_node("Neg", ["x"], ["y"], "negative")
    session = ort.InferenceSession(model([node], [("x", 1, ["N"])], [("y", 1, ["N"])]), made)
    session.run(None, {"x": np.ones(3, np.float32)})
    assert session.get_profiling_start_time_ns() > 0
    file = session.end_profiling()
    assert file.startswith(str(tmp_path / "p_")) and file.endswith(".json")
    with open(file) as stream:
        events = [event for event in json.load(stream) if event["name"] == "negative_kernel_time"]
    assert len(events) == 1
    (event,) = events
    assert (event["cat"], event["ph"], event["args"]["op_name"]) == ("Node", "X", "Neg")
    assert event["ts"] >= 0 and event["dur"] >= 0
    assert event["args"]["provider"] == "CPUExecutionProvider"


def test_without_a_profile(ort):
    session = ort.InferenceSession(identity())
    assert (session.end_profiling(), session.get_profiling_start_time_ns()) == ("", 0)


def test_terminate_ends_runs_until_it_is_taken_back(ort):
    session = ort.InferenceSession(endless())
    forever = {"go": np.array(True), "x": np.ones(2, np.float32)}
    run = ort.RunOptions()
    run.terminate = True
    assert run.terminate is True
    with pytest.raises(fail(ort)):
        session.run(None, forever, run)
    run.terminate = False
    threading.Timer(0.2, setattr, (run, "terminate", True)).start()
    begin = time.monotonic()
    with pytest.raises(fail(ort), match="terminate"):
        session.run(None, forever, run)
    assert time.monotonic() - begin > 0.1
    run.terminate = False
    assert session.run(None, forever | {"go": np.array(False)}, run)[0].tolist() == [1, 1]


@pytest.mark.parametrize("run", [{}, 1])
def test_run_options_are_run_options(ort, run):
    with pytest.raises(TypeError):
        ort.InferenceSession(identity()).run(None, {"x": X}, run)


def asynchronous(session, x):
    done, got = threading.Event(), []

    def callback(outputs, user_data, error):
        got.extend([outputs, user_data, error])
        done.set()

    session.run_async(None, {"x": x}, callback, "mine")
    assert done.wait(60)
    return got


def test_run_async_calls_back(ort):
    session = ort.InferenceSession(identity())
    (y,), data, error = asynchronous(session, X)
    assert (y.tolist(), data, error) == (X.tolist(), "mine", "")
    outputs, data, error = asynchronous(session, X.astype(np.float64))
    assert (outputs, data) == ([], "mine")
    assert error.startswith("Unexpected input data type. Actual: (tensor(double))")
    with pytest.raises(ValueError, match="Required inputs"):
        session.run_async(None, {}, print, None)


def test_functions_of_the_module(ort):
    assert ort.get_device() == "CPU"
    assert "CPUExecutionProvider" in ort.get_available_providers()
    assert set(ort.get_available_providers()) <= set(ort.get_all_providers())
    assert ort.get_version_string() == ort.__version__ == "1.32.0"
    assert isinstance(ort.get_build_info(), str) and ort.has_collective_ops() is False
    assert os.path.isdir(ort.__path__[0]) and os.path.isfile(ort.__file__)
    ort.disable_telemetry_events()
    ort.enable_telemetry_events()
    ort.set_seed(3)
    ort.set_default_logger_severity(4)
    ort.set_default_logger_verbosity(0)
    with pytest.raises(RuntimeError):
        ort.set_default_logger_severity(9)


def test_what_applications_import_from_inside(ort):
    inner = ort.capi._pybind_state
    assert inner.get_available_providers() == ort.get_available_providers()
    inner.set_default_logger_severity(4)
    assert inner.SessionOptions is ort.SessionOptions
    session = ort.InferenceSession(identity())
    assert isinstance(session, ort.capi.onnxruntime_inference_collection.InferenceSession)
    assert ort.OrtDevice.make("cpu", 0).device_type() == 0


def test_tuning_and_dynamic_options(ort):
    session = ort.InferenceSession(identity())
    assert session.get_tuning_results() == []
    session.set_tuning_results([])
    session.set_ep_dynamic_options({"ep.dynamic.workload_type": "Default"})
    value = session.create_ortvalue_from_shape_and_type([2], np.float32, "cpu")
    assert value.shape() == [2]
