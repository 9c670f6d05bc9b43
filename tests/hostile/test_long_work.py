"""The deadline ends operators and loads that would otherwise run for seconds or hours in a loop."""

import flooding
import long_work
import many_nodes
import pytest
from locations import RUN_MODEL
from measured import measured

OK, LIMIT = 0, 5
# Processor time, which hardly depends on the load of the machine: 0.1 s past the deadline, and the time that the
# process needs to start and end, including the memory of values.
SECONDS_PAST_DEADLINE = 2


def expect_end(model, path, deadline_ms):
    path.write_bytes(model.SerializeToString())
    flags = ["--threads", 1, "--print", 0, "--deadline", deadline_ms]
    result = measured([RUN_MODEL, "run", path, *flags], seconds=10)
    assert result.code in (OK, LIMIT), result.stderr
    assert result.code == OK or "exceeds the deadline of" in result.stderr.decode()
    assert result.processor_seconds < deadline_ms / 1000 + SECONDS_PAST_DEADLINE


@pytest.mark.parametrize("name", long_work.LONG_WORK)
def test_the_deadline_ends_an_operator(run_model, tmp_path, name):
    expect_end(long_work.LONG_WORK[name](), tmp_path / "model.onnx", 300)


@pytest.mark.parametrize("form", [many_nodes.constants, many_nodes.calls, many_nodes.nested])
def test_the_deadline_ends_loading(run_model, tmp_path, form):
    expect_end(form(50_000), tmp_path / "model.onnx", 50)


@pytest.mark.parametrize("name", flooding.FLOODS)
def test_keys_that_others_choose_are_found_as_fast_as_any(run_model, tmp_path, name):
    """A hang ends the test. seeded_hash_test.cc tests how hashes are distributed."""
    path = tmp_path / "model.onnx"
    path.write_bytes(flooding.FLOODS[name]().SerializeToString())
    assert measured([RUN_MODEL, "run", path, "--threads", 1, "--print", 0], seconds=120).code == OK
