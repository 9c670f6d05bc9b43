"""The C API: callbacks of a program for threads, memory and profiling, and deadlines of single runs."""

import ctypes
import threading
from concurrent.futures import ThreadPoolExecutor
from ctypes import byref, pointer

import numpy as np
import pytest
from c_api import (
    ALLOCATE,
    ARGUMENT,
    DEALLOCATE,
    INTERNAL,
    LIMIT,
    ON_NODE,
    PARALLEL_FOR,
    Allocator,
    Executor,
    RunOptions,
    as_tensor,
    refused,
)
from model_bytes import endless, model
from onnx import TensorProto, helper, numpy_helper

RANDOM = np.random.default_rng(0)
X = RANDOM.standard_normal((64, 96)).astype(np.float32)
WEIGHTS = [RANDOM.standard_normal((96, 96)).astype(np.float32) for _ in range(2)]
PRODUCTS = model(
    [helper.make_node("MatMul", ["x", "a"], ["v"], name="first"), helper.make_node("Softmax", ["v"], ["w"], name="second"),
     helper.make_node("MatMul", ["w", "b"], ["y"], name="third")],
    [("x", TensorProto.FLOAT, ["N", 96])], [("y", TensorProto.FLOAT, ["N", 96])],
    [numpy_helper.from_array(weight, name) for weight, name in zip(WEIGHTS, "ab")])  # fmt: skip


def expected(api):
    context = api.created("context_create", api.load(PRODUCTS))
    api.run(context, [X])
    return api.output(context).tobytes()


class Pool:
    """An executor that uses Python's threads."""

    def __init__(self, workers, leave_out=0):
        self.loops, self.threads, self.workers, self.leave_out = 0, set(), workers, leave_out
        self.callback = PARALLEL_FOR(self.parallel_for)
        self.executor = Executor(workers=workers, parallel_for=self.callback)

    def parallel_for(self, _, chunks, call, data):
        self.loops += 1
        with ThreadPoolExecutor(self.workers) as pool:
            for worker in range(self.workers):
                pool.submit(self.work, worker, chunks - self.leave_out, call, data)

    def work(self, worker, chunks, call, data):
        self.threads.add(threading.get_ident())
        for chunk in range(worker, chunks, self.workers):
            call(data, chunk, worker)


@pytest.mark.parametrize("workers", [1, 3])
def test_an_executor_of_the_program_computes_the_same_bits(api, workers):
    pool = Pool(workers)
    loaded = api.load(PRODUCTS, executor=pointer(pool.executor))
    for context in (api.created("context_create", loaded), api.created("context_create", loaded)):
        api.run(context, [X])
        assert api.output(context).tobytes() == expected(api)
    assert pool.loops > 0
    assert threading.get_ident() not in pool.threads


def test_an_executor_that_leaves_out_chunks_is_an_error(api):
    pool = Pool(2)
    context = api.created("context_create", api.load(PRODUCTS, executor=pointer(pool.executor)))
    pool.leave_out = 1
    refused(INTERNAL, "the executor called", api.run, context, [X])
    pool.leave_out = 0
    api.run(context, [X])
    assert api.output(context).tobytes() == expected(api)


class Heap:
    """An allocator that tracks its blocks, and refuses to allocate more than `most`."""

    def __init__(self, most=1000):
        self.blocks, self.count, self.most = {}, 0, most
        self.callbacks = ALLOCATE(self.allocate), DEALLOCATE(self.deallocate)
        self.allocator = Allocator(allocate=self.callbacks[0], deallocate=self.callbacks[1])

    def allocate(self, _, size, alignment):
        if len(self.blocks) >= self.most:
            return None
        self.count += 1
        memory = ctypes.create_string_buffer(size + alignment)
        address = -(-ctypes.addressof(memory) // alignment) * alignment
        self.blocks[address] = (memory, size, alignment)
        return address

    def deallocate(self, _, address, size, alignment):
        assert self.blocks.pop(address)[1:] == (size, alignment)


def test_an_allocator_of_the_program_has_all_values(api):
    heap = Heap()
    loaded = api.load(PRODUCTS, allocator=pointer(heap.allocator))
    context = api.created("context_create", loaded)
    api.run(context, [X])
    assert api.output(context).tobytes() == expected(api)
    assert heap.count > 0
    api.context_free(context)
    api.model_free(loaded)
    assert heap.blocks == {}


def test_memory_that_the_program_refuses_is_a_limit(api):
    heap = Heap(most=0)
    context = api.created("context_create", api.load(PRODUCTS, allocator=pointer(heap.allocator)))
    refused(LIMIT, "", api.run, context, [X])
    heap.most = 1000
    api.run(context, [X])
    assert api.output(context).tobytes() == expected(api)


def test_every_node_is_shown_in_order(api):
    events = []
    show = ON_NODE(lambda _, event: events.append((event[0].name, event[0].op_type, event[0].begin_ns, event[0].end_ns)))
    context = api.created("context_create", api.load(PRODUCTS, optimization=2))
    api.run(context, [X], on_node=show)
    assert [event[:2] for event in events] == [(b"first", b"MatMul"), (b"second", b"Softmax"), (b"third", b"MatMul")]
    times = [time for event in events for time in event[2:]]
    assert times == sorted(times)
    api.run(context, [X])
    assert len(events) == 3


def test_a_run_has_a_deadline_of_its_own(api):
    context = api.created("context_create", api.load(endless()))
    feeds = [np.array(True), np.ones(2, np.float32)]
    refused(LIMIT, "deadline", lambda: api.run(context, feeds, deadline_ms=30))
    api.run(context, [np.array(False), np.ones(2, np.float32)], deadline_ms=60000)
    refused(ARGUMENT, "deadline_ms", lambda: api.run(context, feeds, deadline_ms=-1))


@pytest.mark.parametrize("options, words", [
    ({"executor": pointer(Executor(workers=0, parallel_for=PARALLEL_FOR(lambda *_: None)))}, "workers"),
    ({"executor": pointer(Executor(workers=1))}, "parallel_for"),
    ({"executor": pointer(Executor(size=4, workers=1))}, "executor->size"),
    ({"allocator": pointer(Allocator())}, "allocator"),
], ids=["workers", "function", "size", "allocator"])  # fmt: skip
def test_callbacks_are_checked(api, options, words):
    refused(ARGUMENT, words, lambda: api.load(PRODUCTS, **options))


def test_options_of_earlier_versions_are_taken(api):
    """The struct lacks the later fields."""
    context = api.created("context_create", api.load(PRODUCTS))
    options = RunOptions(size=RunOptions.deadline_ms.offset)
    tensor = as_tensor(X)
    api.context_run(context, byref(tensor), 1, byref(options))
    assert api.output(context).tobytes() == expected(api)
