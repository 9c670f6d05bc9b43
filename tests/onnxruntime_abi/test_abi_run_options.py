"""Options of runs, and runs that are terminated."""

import threading
import time

import numpy as np
import pytest
from abi_models import ADD, X, Y, model, node, value
from session_support import ARGUMENT, FAIL, refused, text

# Long enough to be terminated from another thread.
CHAIN = model([node("MatMul", f"a{i} w", f"a{i + 1}") for i in range(1000)], [value("a0", shape=[64, 64])],
              [value("a1000", shape=[64, 64])], {"w": np.eye(64, dtype=np.float32)})  # fmt: skip


@pytest.fixture
def options(ort):
    return ort.new("RunOptions", ort.api.CreateRunOptions())


def run(ort, session, options):
    return ort.array(ort.values(session, {"x": X, "y": Y}, ["z"], options=options)[0]).tolist()


def test_options_at_first(ort, options):
    assert ort.api.RunOptionsGetRunLogVerbosityLevel(options) == 0
    assert ort.api.RunOptionsGetRunLogSeverityLevel(options) == -1
    assert text(ort.api.RunOptionsGetRunTag(options)) == ""
    assert ort.api.GetRunConfigEntry(options, b"none") is None


def test_options_are_kept(ort, options):
    api = ort.api
    for level in (-1, 0, 4, 9):
        api.RunOptionsSetRunLogVerbosityLevel(options, level)
        api.RunOptionsSetRunLogSeverityLevel(options, level)
        assert api.RunOptionsGetRunLogVerbosityLevel(options) == api.RunOptionsGetRunLogSeverityLevel(options) == level
    for tag in (b"", b"a tag", "\u00fc".encode()):
        api.RunOptionsSetRunTag(options, tag)
        assert text(api.RunOptionsGetRunTag(options)) == tag.decode()
    api.RunOptionsSetRunTag(options, None)
    assert text(api.RunOptionsGetRunTag(options)) == "\u00fc"
    refused(FAIL, "invalid run log severity level", run, ort, ort.session(ADD), options)
    api.RunOptionsSetRunLogSeverityLevel(options, 4)
    assert run(ort, ort.session(ADD), options) == (X + Y).tolist()


def test_config_entries_of_runs(ort, options):
    api = ort.api
    for key, content in ((b"k", b"v"), (b"k", b"w"), (b"memory.enable_memory_arena_shrinkage", b"cpu:0"),
                       (b"disable_synchronize_execution_providers", b"1"), (b"gpu_graph_id", b"-1")):  # fmt: skip
        api.AddRunConfigEntry(options, key, content)
        assert api.GetRunConfigEntry(options, key) == content
    assert run(ort, ort.session(ADD), options) == (X + Y).tolist()
    for key in (b"", b"k" * 1025):
        refused(ARGUMENT, "empty or longer", api.AddRunConfigEntry, options, key, b"v")


def test_a_terminated_run_fails_until_it_is_unset(ort, options):
    session = ort.session(ADD)
    ort.api.RunOptionsSetTerminate(options)
    for _ in range(2):
        refused(FAIL, "terminate flag being set to true", run, ort, session, options)
    ort.api.RunOptionsUnsetTerminate(options)
    assert run(ort, session, options) == (X + Y).tolist()


def test_a_run_is_terminated_from_another_thread(ort, options):
    session, x = ort.session(CHAIN), np.ones((64, 64), np.float32)
    stop = threading.Event()

    def terminate():
        while not stop.is_set():
            ort.api.RunOptionsSetTerminate(options)
            time.sleep(0.001)

    def run_until_terminated():
        for _ in range(1000):
            ort.values(session, {"a0": x}, ["a1000"], options=options)

    thread = threading.Timer(0.02, terminate)
    thread.start()
    refused(FAIL, "terminate flag", run_until_terminated)
    stop.set()
    thread.join()
    ort.api.RunOptionsUnsetTerminate(options)
    ort.values(session, {"a0": x}, ["a1000"], options=options)


def test_options_serve_runs_of_many_sessions(ort, options):
    for session in (ort.session(ADD), ort.session(ADD)):
        for _ in range(3):
            assert run(ort, session, options) == (X + Y).tolist()
