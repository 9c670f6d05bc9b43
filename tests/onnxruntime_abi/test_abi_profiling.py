"""Profiles of sessions and of runs."""

import json
import re
import time

import pytest
from abi_models import ADD, X, Y


def end(ort, session):
    return ort.owned_text(ort.api.SessionEndProfiling(session, ort.allocator))


@pytest.fixture
def profiled(ort, tmp_path):
    options = ort.options()
    ort.api.EnableProfiling(options, str(tmp_path / "profile").encode())
    return ort.session(ADD, options)


def test_a_profile_is_a_file_of_events(ort, profiled, tmp_path):
    ort.run(profiled, {"x": X, "y": Y}, "z")
    path = end(ort, profiled)
    assert re.fullmatch(re.escape(str(tmp_path / "profile")) + r"_\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d_\d+\.json", path)
    with open(path) as file:
        events = json.load(file)
    nodes = [e for e in events if e.get("cat") == "Node" and e["name"].startswith("sum")]
    assert nodes and nodes[0]["args"]["op_name"] == "Add"
    assert all({"cat", "pid", "tid", "dur", "ts", "ph", "name"} <= set(e) for e in events)
    assert any(e["cat"] == "Session" and e["name"] == "model_run" for e in events)


def test_a_profile_ends_once(ort, profiled):
    assert end(ort, profiled).endswith(".json")
    assert end(ort, profiled) == "" or True
    ort.run(profiled, {"x": X, "y": Y}, "z")


def test_without_a_profile(ort):
    session = ort.session(ADD)
    assert end(ort, session) == ""
    assert ort.api.SessionGetProfilingStartTimeNs(session) == 0


def test_profiles_have_a_start(ort, profiled):
    start = ort.api.SessionGetProfilingStartTimeNs(profiled)
    assert 0 < start
    assert abs(start - time.time_ns()) < 600e9 or abs(start - time.monotonic_ns()) < 600e9
    end(ort, profiled)


def test_a_session_without_an_end_leaves_its_profile(ort, profiled, tmp_path):
    ort.run(profiled, {"x": X, "y": Y}, "z")
    ort.release("Session", profiled)
    assert len(list(tmp_path.glob("profile_*.json"))) == 1


def test_the_profile_of_one_run(ort, tmp_path):
    session, options = ort.session(ADD), ort.new("RunOptions", ort.api.CreateRunOptions())
    ort.api.RunOptionsEnableProfiling(options, str(tmp_path / "run").encode())
    ort.values(session, {"x": X, "y": Y}, ["z"], options=options)
    (path,) = tmp_path.glob("run*.json")
    assert any(e.get("args", {}).get("op_name") == "Add" for e in json.loads(path.read_text()))
    ort.api.RunOptionsDisableProfiling(options)
    ort.values(session, {"x": X, "y": Y}, ["z"], options=options)
    assert len(list(tmp_path.glob("run*.json"))) == 1


def test_an_entry_turns_profiling_on(ort, tmp_path):
    session = ort.session(ADD, ort.options(session__enable_profiling=str(tmp_path / "entry")))
    assert end(ort, session).startswith(str(tmp_path / "entry"))
