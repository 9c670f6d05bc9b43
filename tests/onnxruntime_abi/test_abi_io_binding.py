"""Bindings of values to the inputs and outputs of a session."""

import ctypes

import numpy as np
import pytest
from abi_models import ADD, X, Y
from session_support import ARGUMENT, FAIL, RUNTIME, items, refused


class Binding:
    """A binding with the functions of its session."""

    def __init__(self, ort, session=None):
        self.ort, self.api = ort, ort.api
        self.session = session or ort.session(ADD)
        self.handle = ort.new("IoBinding", ort.api.CreateIoBinding(self.session))

    def bind(self, **inputs):
        for name, array in inputs.items():
            self.api.BindInput(self.handle, name.encode(), array if isinstance(array, int) else self.ort.tensor(array))
        return self

    def run(self, options=None):
        self.api.RunWithBinding(self.session, options, self.handle)
        return [self.ort.array(v).tolist() for v in self.values()]

    def values(self):
        address, count = self.api.GetBoundOutputValues(self.handle, self.ort.allocator)
        values = [self.ort.new("Value", v) for v in items(address, count)]
        if address:
            self.api.AllocatorFree(self.ort.allocator, address)
        return values

    def names(self):
        characters, lengths, count = self.api.GetBoundOutputNames(self.handle, self.ort.allocator)
        result, at = [], 0
        for length in items(lengths, count, ctypes.c_size_t):
            result.append(ctypes.string_at(characters + at, length).decode())
            at += length
        for address in (characters, lengths):
            if address:
                self.api.AllocatorFree(self.ort.allocator, address)
        return result


@pytest.fixture
def binding(ort):
    return Binding(ort).bind(x=X, y=Y)


def test_an_output_on_the_device_of_the_session(ort, binding):
    ort.api.BindOutputToDevice(binding.handle, b"z", ort.cpu)
    assert binding.names() == ["z"]
    for _ in range(3):
        assert binding.run() == [(X + Y).tolist()]


def test_the_memory_of_an_output_is_used_again(ort, binding):
    ort.api.BindOutputToDevice(binding.handle, b"z", ort.cpu)
    binding.run()
    (first,) = binding.values()
    binding.bind(x=X * 2).run()
    (second,) = binding.values()
    assert first != second
    assert ort.api.GetTensorMutableData(first) == ort.api.GetTensorMutableData(second)
    assert ort.array(first).tolist() == (X * 2 + Y).tolist()


def test_other_shapes_need_the_output_bound_again(ort, binding):
    ort.api.BindOutputToDevice(binding.handle, b"z", ort.cpu)
    binding.run()
    x = np.ones((4, 3), np.float32)
    binding.bind(x=x, y=x)
    refused(ARGUMENT, r"shape \{2,3\}.*\{4,3\}", binding.run)
    ort.api.BindOutputToDevice(binding.handle, b"z", ort.cpu)
    assert binding.run() == [(x + x).tolist()]


def test_an_output_in_memory_of_the_caller(ort, binding):
    memory = np.zeros((2, 3), np.float32)
    ort.api.BindOutput(binding.handle, b"z", ort.tensor(memory))
    binding.run()
    assert memory.tolist() == (X + Y).tolist()
    ort.api.BindOutput(binding.handle, b"z", ort.tensor(np.zeros((5, 3), np.float32)))
    refused(ARGUMENT, r"shape \{5,3\}", binding.run)


def test_an_output_that_is_an_input(ort, binding):
    x = ort.tensor(X.copy())
    binding.bind(x=x)
    ort.api.BindOutput(binding.handle, b"z", x)
    for step in (1, 2, 3):
        assert binding.run() == [(X + step * Y).tolist()]


def test_bound_values_may_go_first(ort):
    binding, x = Binding(ort), ort.tensor(X)
    binding.bind(x=x, y=Y)
    ort.release("Value", x)
    ort.api.BindOutputToDevice(binding.handle, b"z", ort.cpu)
    assert binding.run() == [(X + Y).tolist()]
    (result,) = binding.values()
    ort.release("IoBinding", binding.handle)
    ort.release("Session", binding.session)
    assert ort.array(result).tolist() == (X + Y).tolist()


def test_names_are_checked(ort, binding):
    refused(FAIL, "input name in the mapping: nope", ort.api.BindInput, binding.handle, b"nope", ort.tensor(X))
    ort.api.BindOutputToDevice(binding.handle, b"nope", ort.cpu)
    refused(ARGUMENT, "invalid output name: nope", binding.run)
    refused(RUNTIME, "", ort.api.BindInput, binding.handle, None, ort.tensor(X))


def test_nothing_is_bound(ort, binding):
    assert (binding.names(), binding.values()) == ([], [])
    refused(ARGUMENT, "at least one output", binding.run)
    ort.api.BindOutputToDevice(binding.handle, b"z", ort.cpu)
    ort.api.ClearBoundInputs(binding.handle)
    refused(FAIL, "", binding.run)
    ort.api.ClearBoundOutputs(binding.handle)
    assert (binding.names(), binding.values()) == ([], [])


def test_values_before_the_first_run(ort, binding):
    ort.api.BindOutputToDevice(binding.handle, b"z", ort.cpu)
    address, count = ort.api.GetBoundOutputValues(binding.handle, ort.allocator)
    assert count == 1
    value = ort.new("Value", items(address, 1)[0])
    ort.api.AllocatorFree(ort.allocator, address)
    assert value


def test_inputs_are_checked_when_it_runs(ort, binding):
    ort.api.BindOutputToDevice(binding.handle, b"z", ort.cpu)
    binding.bind(x=np.ones((2, 4), np.float32))
    refused(ARGUMENT, "invalid dimensions for input: x", binding.run)
    binding.bind(x=X.astype(np.int64))
    refused(ARGUMENT, "unexpected input data type", binding.run)


def test_synchronization_and_options(ort, binding):
    ort.api.BindOutputToDevice(binding.handle, b"z", ort.cpu)
    ort.api.SynchronizeBoundInputs(binding.handle)
    options = ort.new("RunOptions", ort.api.CreateRunOptions())
    assert binding.run(options) == [(X + Y).tolist()]
    ort.api.SynchronizeBoundOutputs(binding.handle)
    ort.api.RunOptionsSetTerminate(options)
    refused(FAIL, "terminate flag", binding.run, options)
