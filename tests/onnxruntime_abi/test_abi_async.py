"""Runs with a callback."""

import ctypes
import threading
from ctypes import POINTER, c_size_t, c_void_p

import numpy as np
import pytest
from abi_models import ADD, X, Y
from session_support import ARGUMENT, pointers, refused, strings
from table import Failed

CALLBACK = ctypes.CFUNCTYPE(None, c_void_p, POINTER(c_void_p), c_size_t, c_void_p)


class Pending:
    """A run with a callback, and the arguments of the callback."""

    def __init__(self, ort, session, inputs, outputs, given=None):
        self.ort, self.done, self.calls = ort, threading.Event(), []
        self.callback = CALLBACK(self.call_back)
        self.names, self.results = strings(list(inputs)), pointers(given or [None] * len(outputs))
        self.values, self.outputs = pointers([ort.tensor(v) for v in inputs.values()]), strings(outputs)
        ort.api.RunAsync(session, None, self.names, self.values, len(inputs), self.outputs, len(outputs), self.results,
                         self.callback, 1234)  # fmt: skip

    def call_back(self, state, results, count, status):
        self.calls.append(
            (state, ctypes.addressof(results.contents) if results else None, count, threading.get_ident())
        )
        self.status = status
        self.done.set()

    def wait(self):
        """Returns the results after the callback. Raises its status."""
        assert self.done.wait(60)
        self.ort.api.check(self.status)
        return [self.ort.new("Value", value) for value in self.results if value]


@pytest.fixture
def session(ort):
    options = ort.options()
    ort.api.SetIntraOpNumThreads(options, 2)
    return ort.session(ADD, options)


def test_the_callback_has_the_results(ort, session):
    pending = Pending(ort, session, {"x": X, "y": Y}, ["z"])
    (result,) = pending.wait()
    assert ort.array(result).tolist() == (X + Y).tolist()
    ((state, results, count, thread),) = pending.calls
    assert (state, results, count) == (1234, ctypes.addressof(pending.results), 1)
    assert thread != threading.get_ident()


def test_results_in_memory_of_the_caller(ort, session):
    memory = np.zeros((2, 3), np.float32)
    given = ort.tensor(memory)
    pending = Pending(ort, session, {"x": X, "y": Y}, ["z"], [given])
    assert pending.done.wait(60)
    ort.api.check(pending.status)
    assert pending.results[0] == given
    assert memory.tolist() == (X + Y).tolist()


@pytest.mark.parametrize(("inputs", "outputs", "words"), [
    ({"x": X, "y": Y}, ["q"], "invalid output name: q"), ({"x": X, "w": Y}, ["z"], "invalid input name: w"),
    ({"x": X[0], "y": Y}, ["z"], "invalid rank")],
    ids=["output", "input", "shape"])  # fmt: skip
def test_the_callback_has_the_status(ort, session, inputs, outputs, words):
    pending = Pending(ort, session, inputs, outputs)
    refused(ARGUMENT, words, pending.wait)
    assert [call[2] for call in pending.calls] == [0]
    assert pending.results[0] is None


def test_one_thread_is_too_few(ort):
    refused(ARGUMENT, "at least one thread", Pending, ort, ort.session(ADD), {"x": X, "y": Y}, ["z"])


def test_many_runs_at_once(ort, session):
    runs = [Pending(ort, session, {"x": X * i, "y": Y}, ["z"]) for i in range(50)]
    for i, pending in enumerate(runs):
        (result,) = pending.wait()
        assert ort.array(result).tolist() == (X * i + Y).tolist()
        assert len(pending.calls) == 1


def test_the_callback_may_run_again(ort, session):
    done, results = threading.Event(), []

    def call_back(*arguments):
        try:
            results.append(ort.run(session, {"x": X, "y": Y}, "z")[0].tolist())
        except Failed as failure:
            results.append(failure)
        done.set()

    callback = CALLBACK(call_back)
    outputs, values, names = pointers([None]), pointers([ort.tensor(X), ort.tensor(Y)]), strings(["x", "y"])
    ort.api.RunAsync(session, None, names, values, 2, strings(["z"]), 1, outputs, callback, None)
    assert done.wait(60)
    ort.new("Value", outputs[0])
    assert results == [(X + Y).tolist()]
