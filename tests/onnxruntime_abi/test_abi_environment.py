"""Environments: one per process, with a count of owners, and logging through it. Each test needs a separate process."""

import ctypes

import pytest
from abi_models import ADD, X, Y
from alone import alone, answer
from session_support import Ort, refused
from specimens import LOGGER
from table import Failed


def make_twice(api):
    first = api.CreateEnv(3, b"first")
    second = api.CreateEnv(0, b"second")
    api.ReleaseEnv(second)
    third = api.CreateEnvWithGlobalThreadPools(3, b"third", api.CreateThreadingOptions())
    return [first == second, first == third]


def test_there_is_one_environment(library):
    assert answer(library, make_twice) == [True, True]


def run_after_release(api, before):
    env = api.CreateEnv(3, b"tests")
    ort = Ort(api, env)
    session = ort.session(ADD)
    for _ in range(before):
        ort.run(session, {"x": X, "y": Y}, "z")
    api.ReleaseEnv(env)
    result = ort.run(session, {"x": X, "y": Y}, "z")[0].tolist()
    ort.close()
    return result


def test_a_session_outlives_its_environment(library):
    assert answer(library, run_after_release, 1) == (X + Y).tolist()


@pytest.mark.only("linnet")
def test_a_session_runs_first_without_its_environment(library):
    """The original library crashes."""
    assert answer(library, run_after_release, 0) == (X + Y).tolist()


def make_anew(api):
    results = []
    for _ in range(3):
        env = api.CreateEnv(3, b"tests")
        ort = Ort(api, env)
        results.append(ort.run(ort.session(ADD), {"x": X, "y": Y}, "z")[0].tolist())
        ort.close()
        api.ReleaseEnv(env)
    return results


def test_an_environment_is_made_again_after_the_last_release(library):
    assert answer(library, make_anew) == [(X + Y).tolist()] * 3


def log_of_environment(api, level, session_level):
    lines = []
    logger = LOGGER(lambda state, *line: lines.append([state, line[0], *(part.decode() for part in line[1:])]))
    ort = Ort(api, api.CreateEnvWithCustomLogger(logger, 77, level, b"my log"))
    options = ort.options()
    if session_level >= 0:
        api.SetSessionLogSeverityLevel(options, session_level)
    session = ort.session(ADD, options)
    before = len(lines)
    try:
        ort.run(session, {"x": X, "y": Y[:, :2]}, "z")
    except Failed:
        pass
    x = X.repeat(2, 0)[:3]
    try:
        ort.run(session, {"x": x, "y": Y}, "z")
    except Failed:
        pass
    ort.close()
    return lines[:before], lines[before:]


def test_the_logger_of_the_environment_hears_of_failures(library):
    _, during = answer(library, log_of_environment, 2, -1)
    assert any(line[1] == 3 and "Add" in line[5] for line in during)
    state, _, category, identity, place, _ = during[0]
    assert (state, category) == (77, "onnxruntime")
    assert ":" in place and isinstance(identity, str)


def test_severities_below_the_one_that_was_asked_for_are_not_logged(library):
    before, during = answer(library, log_of_environment, 4, -1)
    assert before == [] and during == []
    before, during = answer(library, log_of_environment, 3, -1)
    assert all(line[1] >= 3 for line in before + during)


def test_a_session_may_ask_for_more_than_its_environment(library):
    before, _ = answer(library, log_of_environment, 4, 0)
    assert before
    assert before[0][2] == "onnxruntime"


def default_log(api, level):
    ort = Ort(api, api.CreateEnv(level, b"tests of the log"))
    session = ort.session(ADD)
    try:
        ort.run(session, {"x": X.repeat(2, 0)[:3], "y": Y}, "z")
    except Failed:
        pass
    ort.close()


def test_failures_go_to_stderr_without_a_logger(library):
    errors = alone(library, default_log, 3).errors
    assert "onnxruntime" in errors and "Add" in errors
    assert alone(library, default_log, 4).errors == ""


def change_level(api):
    env = api.CreateEnv(4, b"tests")
    api.UpdateEnvWithCustomLogLevel(env, 3)
    ort = Ort(api, env)
    try:
        ort.run(ort.session(ADD), {"x": X.repeat(2, 0)[:3], "y": Y}, "z")
    except Failed:
        pass
    ort.close()


def test_the_level_of_the_environment_may_change(library):
    assert "Add" in alone(library, change_level).errors


def global_pools(api, per_session):
    threading = api.CreateThreadingOptions()
    api.SetGlobalIntraOpNumThreads(threading, 2)
    api.SetGlobalInterOpNumThreads(threading, 1)
    api.SetGlobalSpinControl(threading, 0)
    api.SetGlobalDenormalAsZero(threading)
    env = api.CreateEnvWithGlobalThreadPools(4, b"tests", threading)
    api.ReleaseThreadingOptions(threading)
    ort = Ort(api, env)
    options = ort.options()
    if not per_session:
        api.DisablePerSessionThreads(options)
    return ort.run(ort.session(ADD, options), {"x": X, "y": Y}, "z")[0].tolist()


@pytest.mark.parametrize("per_session", [True, False])
def test_sessions_share_the_pools_of_the_environment(library, per_session):
    assert answer(library, global_pools, per_session) == (X + Y).tolist()


def test_pools_to_share_must_be_there(library):
    assert answer(library, refuse_shared_pools) == "refused"


def refuse_shared_pools(api):
    ort = Ort(api, api.CreateEnv(4, b"tests"))
    options = ort.options()
    api.DisablePerSessionThreads(options)
    refused(1, "thread", ort.session, ADD, options)
    return "refused"


def logger_with_pools(api):
    lines = []
    logger = LOGGER(lambda *line: lines.append(line[1]))
    threading = api.CreateThreadingOptions()
    env = api.CreateEnvWithCustomLoggerAndGlobalThreadPools(logger, None, 0, b"log", threading)
    ort = Ort(api, env)
    options = ort.options()
    api.DisablePerSessionThreads(options)
    result = ort.run(ort.session(ADD, options), {"x": X, "y": Y}, "z")[0].tolist()
    return result, len(lines) > 0


def test_a_logger_and_shared_pools_together(library):
    assert answer(library, logger_with_pools) == [(X + Y).tolist(), True]


def test_telemetry_and_language_are_accepted(api, env):
    api.EnableTelemetryEvents(env)
    api.DisableTelemetryEvents(env)
    for language in range(7):
        api.SetLanguageProjection(env, language)


@pytest.mark.parametrize("text", ["1", "", "a", "1;2", "99999"])
def test_affinities_are_text(api, text):
    threading = api.CreateThreadingOptions()
    try:
        api.SetGlobalIntraOpThreadAffinity(threading, text.encode())
        assert text
    except Failed as failure:
        assert failure.code == 2 and text == ""
    api.ReleaseThreadingOptions(threading)


class Settings(ctypes.Structure):
    """The beginning of the settings of an environment."""

    _fields_ = [("version", ctypes.c_uint32), ("level", ctypes.c_int32), ("identity", ctypes.c_char_p), ("logger", ctypes.c_void_p),
                ("state", ctypes.c_void_p), ("threading", ctypes.c_void_p), ("config", ctypes.c_void_p), ("rest", ctypes.c_void_p * 8)]  # fmt: skip


def from_settings(api):
    env = api.CreateEnvWithOptions(ctypes.byref(Settings(24, 4, b"tests")))
    same = api.CreateEnv(3, b"other") == env
    ort = Ort(api, env)
    refused(2, "version", api.CreateEnvWithOptions, ctypes.byref(Settings(0, 4, b"tests")))
    refused(2, "log", api.CreateEnvWithOptions, ctypes.byref(Settings(24, 4, None)))
    refused(2, "null", api.CreateEnvWithOptions, None)
    refused(2, "null", api.SetPerSessionThreadPoolCallbacks, env, None)
    return same, ort.run(ort.session(ADD), {"x": X, "y": Y}, "z")[0].tolist()


def test_an_environment_from_settings(library):
    assert answer(library, from_settings) == [True, (X + Y).tolist()]
