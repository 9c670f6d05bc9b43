"""Sessions that many threads use, and threads that the caller creates."""

import ctypes
import threading

import numpy as np
import pytest
from abi_models import ADD, X, Y, model, node, value
from alone import answer
from session_support import FAIL, Ort, in_threads, refused

WIDE = model([node("MatMul", "x w", "y"), node("Relu", "y", "z")], [value("x", shape=["N", 256])],
             [value("z", shape=["N", 256])], {"w": np.eye(256, dtype=np.float32)})  # fmt: skip


def test_runs_of_one_session_at_once(ort):
    session, shared = ort.session(ADD), ort.tensor(Y)

    def work(i):
        mine = Ort(ort.api, ort.env)
        for step in range(100):
            x = np.full((1 + (i + step) % 4, 3), i + step, np.float32)
            assert mine.run(session, {"x": x, "y": x}, "z")[0].tolist() == (x + x).tolist()
            assert mine.run(session, {"x": X * i, "y": shared}, "z")[0].tolist() == (X * i + Y).tolist()
        mine.close()

    in_threads(4, work)


def test_sessions_are_made_at_once(ort):
    def work(i):
        for _ in range(10):
            mine = Ort(ort.api, ort.env)
            assert mine.run(mine.session(ADD), {"x": X, "y": Y * i}, "z")[0].tolist() == (X + Y * i).tolist()
            mine.close()

    in_threads(4, work)


def test_environments_are_made_at_once(ort):
    def work(_):
        for _ in range(50):
            ort.api.ReleaseEnv(ort.api.CreateEnv(4, b"tests"))

    in_threads(4, work)


def test_statuses_are_made_at_once(ort):
    def work(_):
        for _ in range(200):
            refused(2, "not valid", ort.api.SetSessionGraphOptimizationLevel, options, 7)

    options = ort.options()
    in_threads(4, work)


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_results_do_not_depend_on_the_number_of_threads(ort, threads):
    options = ort.options()
    ort.api.SetIntraOpNumThreads(options, threads)
    x = np.random.default_rng(3).standard_normal((300, 256)).astype(np.float32)
    assert np.array_equal(ort.run(ort.session(WIDE, options), {"x": x}, "z")[0], np.maximum(x, 0))


WORKER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
CREATE = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, WORKER, ctypes.c_void_p)
JOIN = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Threads:
    """Creates and joins the threads of a pool."""

    def __init__(self):
        self.made, self.options, self.joined = [], [], []
        self.create, self.join = CREATE(self.make), JOIN(self.end)

    def make(self, options, worker, argument):
        thread = threading.Thread(target=worker, args=(argument,))
        self.made.append(thread)
        self.options.append(options)
        thread.start()
        return len(self.made)

    def end(self, handle):
        self.made[handle - 1].join()
        self.joined.append(handle)


def own_threads(api, number):
    ort, threads = Ort(api, api.CreateEnv(4, b"tests")), Threads()
    options = ort.options()
    api.SetIntraOpNumThreads(options, number)
    api.SessionOptionsSetCustomCreateThreadFn(options, threads.create)
    api.SessionOptionsSetCustomThreadCreationOptions(options, 55)
    api.SessionOptionsSetCustomJoinThreadFn(options, threads.join)
    session = ort.session(WIDE, options)
    result = ort.run(session, {"x": np.ones((64, 256), np.float32)}, "z")[0]
    made = len(threads.made)
    ort.close()
    return made, threads.options, sorted(threads.joined), bool((result == 1).all())


@pytest.mark.parametrize("number", [1, 2, 4])
def test_the_caller_makes_the_threads_of_a_session(library, number):
    made, options, joined, right = answer(library, own_threads, number)
    assert (made, right) == (number - 1, True)
    assert options == [55] * made
    assert joined == list(range(1, number))


def own_global_threads(api):
    threads, threading_options = Threads(), api.CreateThreadingOptions()
    api.SetGlobalIntraOpNumThreads(threading_options, 3)
    api.SetGlobalInterOpNumThreads(threading_options, 1)
    api.SetGlobalCustomCreateThreadFn(threading_options, threads.create)
    api.SetGlobalCustomThreadCreationOptions(threading_options, 66)
    api.SetGlobalCustomJoinThreadFn(threading_options, threads.join)
    env = api.CreateEnvWithGlobalThreadPools(4, b"tests", threading_options)
    ort = Ort(api, env)
    options = ort.options()
    api.DisablePerSessionThreads(options)
    result = ort.run(ort.session(WIDE, options), {"x": np.ones((64, 256), np.float32)}, "z")[0]
    ort.close()
    made = len(threads.made)
    api.ReleaseEnv(env)
    return made, threads.options, sorted(threads.joined), bool((result == 1).all())


def test_the_caller_makes_the_threads_of_all_sessions(library):
    assert answer(library, own_global_threads) == [2, [66, 66], [1, 2], True]


def test_a_function_that_makes_threads_needs_one_that_joins(ort):
    threads, options = Threads(), ort.options()
    ort.api.SetIntraOpNumThreads(options, 2)
    ort.api.SessionOptionsSetCustomCreateThreadFn(options, threads.create)
    refused(FAIL, "join", ort.session, ADD, options)
