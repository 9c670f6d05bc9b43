"""Loggers of sessions."""

import numpy as np
import pytest
from abi_models import ADD, X, Y
from session_support import FAIL, refused
from specimens import LOGGER


class Log:
    """The messages that a logger received."""

    def __init__(self):
        self.lines = []
        self.logger = LOGGER(lambda *line: self.lines.append([line[0], line[1], *(part.decode() for part in line[2:])]))


def logged(ort, level, identity=b"identity"):
    """Returns a session with a logger, and the log."""
    log, options = Log(), ort.options()
    ort.api.SetUserLoggingFunction(options, log.logger, 88)
    ort.api.SetSessionLogSeverityLevel(options, level)
    ort.api.SetSessionLogId(options, identity)
    ort.arrays.append(log)
    return ort.session(ADD, options), log


def test_a_failure_is_logged(ort):
    session, log = logged(ort, 3)
    refused(FAIL, "Add", ort.run, session, {"x": np.ones((3, 3), np.float32), "y": Y}, "z")
    ((state, level, category, identity, place, message),) = log.lines
    assert (state, level, category, identity) == (88, 3, "onnxruntime", "identity")
    assert ":" in place
    assert "running Add node. Name:'sum'" in message


@pytest.mark.parametrize("level", [0, 1, 2, 3, 4])
def test_lines_below_the_level_are_not_logged(ort, level):
    session, log = logged(ort, level)
    refused(FAIL, "Add", ort.run, session, {"x": np.ones((3, 3), np.float32), "y": Y}, "z")
    assert all(line[1] >= level for line in log.lines)
    assert any(line[1] == 3 for line in log.lines) == (level <= 3)


def test_the_options_are_logged(ort):
    _, log = logged(ort, 1)
    assert any("intra_op" in line[5] for line in log.lines)
    assert {line[3] for line in log.lines} == {"identity"}


def test_a_run_without_failure_is_silent(ort):
    session, log = logged(ort, 2)
    before = len(log.lines)
    ort.run(session, {"x": X, "y": Y}, "z")
    assert len(log.lines) == before


def test_a_run_has_a_level_of_its_own(ort):
    session, log = logged(ort, 4)
    options = ort.new("RunOptions", ort.api.CreateRunOptions())
    ort.api.RunOptionsSetRunLogSeverityLevel(options, 0)
    ort.api.RunOptionsSetRunTag(options, b"tag of the run")
    x = ort.tensor(np.ones((3, 3), np.float32))
    refused(FAIL, "Add", ort.values, session, {"x": x, "y": Y}, ["z"], None, options)
    assert any(line[1] == 3 and "tag of the run" in line[3] for line in log.lines)


def test_loggers_of_sessions_are_apart(ort):
    (_, first), (session, second) = logged(ort, 3, b"first"), logged(ort, 3, b"second")
    refused(FAIL, "Add", ort.run, session, {"x": np.ones((3, 3), np.float32), "y": Y}, "z")
    assert first.lines == [] and [line[3] for line in second.lines] == ["second"]
