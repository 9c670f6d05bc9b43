"""The functions that kernels of custom operators call while they run."""

import ctypes
import threading
from ctypes import byref, c_float, c_int64

import numpy as np
import pytest
from abi_models import TEXT, X, value
from custom_ops import Operator, copy, copy_first, custom_model, session_with
from session_support import ARGUMENT, FAIL, Ort, dims, in_threads, pointers, refused, strings, text


def run(ort, compute, feeds=None, contents=None, **settings):
    """Returns the first output of a custom operator. Raises the failure of compute."""
    operator = Operator(ort.api, compute, **settings)
    session = session_with(ort, contents or custom_model(), operator)
    result = ort.run(session, feeds or {"x": X}, "z")[0]
    if operator.failures:
        raise operator.failures[0]
    return result.tolist()


def test_an_output_is_made_once(ort):
    def compute(operator, context):
        first = copy_first(operator, context)
        assert operator.api.KernelContext_GetOutput(context, 0, dims(2, 3), 2) == first
        refused(ARGUMENT, r"shape \{2,3\}", operator.api.KernelContext_GetOutput, context, 0, dims(5, 3), 2)

    assert run(ort, compute) == X.tolist()


def test_an_output_that_is_not_made(ort):
    refused(ARGUMENT, "constructed tensor", run, ort, lambda operator, context: None)


def test_shapes_need_not_be_as_declared(ort):
    def compute(operator, context):
        output = operator.api.KernelContext_GetOutput(context, 0, dims(4), 1)
        (c_float * 4).from_address(operator.api.GetTensorMutableData(output))[:] = [1, 2, 3, 4]

    assert run(ort, compute) == [1, 2, 3, 4]
    refused(
        FAIL, "", run, ort, lambda operator, context: operator.api.KernelContext_GetOutput(context, 0, dims(-7, 3), 2)
    )


def test_inputs_are_in_the_memory_of_the_caller(ort):
    seen, array = [], X.copy()

    def compute(operator, context):
        source = operator.api.KernelContext_GetInput(context, 0)
        seen.append(operator.api.GetTensorMutableData(source))
        assert text(operator.api.MemoryInfoGetName(operator.api.GetTensorMemoryInfo(source))) == "Cpu"
        copy_first(operator, context)

    run(ort, compute, {"x": array})
    assert seen == [array.ctypes.data]


def test_an_output_in_memory_of_the_caller(ort):
    session, memory = session_with(ort, custom_model(), Operator(ort.api, lambda o, c: copy_first(o, c, 3))), np.zeros(
        (2, 3), np.float32
    )
    ort.values(session, {"x": X}, ["z"], [ort.tensor(memory)])
    assert memory.tolist() == (3 * X).tolist()


def test_the_output_that_the_caller_gave(ort):
    def compute(operator, context):
        given = operator.api.KernelContext_GetPreallocatedOutput(context, 0)
        seen.append(given is not None)
        output = copy_first(operator, context)
        assert given in (None, output)
        refused(ARGUMENT, "out of range", operator.api.KernelContext_GetPreallocatedOutput, context, 9)
        assert operator.api.KernelContext_GetOutput(context, 9, dims(2, 3), 2) is None

    seen, operator = [], Operator(ort.api, compute)
    session = session_with(ort, custom_model(), operator)
    ort.values(session, {"x": X}, ["z"])
    ort.values(session, {"x": X}, ["z"], [ort.empty((2, 3))])
    assert (seen, operator.failures) == ([False, True], [])


def test_memory_for_a_run(ort):
    def compute(operator, context):
        api = operator.api
        allocator = api.KernelContext_GetAllocator(context, ort.cpu)
        block = api.AllocatorAlloc(allocator, 1000)
        ctypes.memset(block, 1, 1000)
        api.AllocatorFree(allocator, block)
        api.ReleaseAllocator(allocator)
        ctypes.memset(api.KernelContext_GetScratchBuffer(context, ort.cpu, 1000), 1, 1000)
        copy_first(operator, context)

    assert run(ort, compute) == X.tolist()


def test_there_is_no_other_device(ort):
    def compute(operator, context):
        assert operator.api.KernelContext_GetGPUComputeStream(context) is None
        assert operator.api.KernelContext_GetSyncStream(context) is None
        refused(ARGUMENT, "resource", operator.api.KernelContext_GetResource, context, 1, 0)
        cuda = ort.new("MemoryInfo", operator.api.CreateMemoryInfo(b"Cuda", 0, 0, 0))
        refused(ARGUMENT, "no requested allocator", operator.api.KernelContext_GetAllocator, context, cuda)
        refused(ARGUMENT, "no requested allocator", operator.api.KernelContext_GetScratchBuffer, context, cuda, 8)
        copy_first(operator, context)

    assert run(ort, compute) == X.tolist()


def test_a_logger_for_a_run(ort):
    def compute(operator, context):
        logger = operator.api.KernelContext_GetLogger(context)
        operator.api.Logger_LogMessage(logger, 2, b"a message", b"file.cc", 7, b"function")
        assert operator.api.Logger_GetLoggingSeverityLevel(logger) == 4
        copy_first(operator, context)

    assert run(ort, compute) == X.tolist()


def test_strings_in_and_out(ort):
    def compute(operator, context):
        words = [word.upper() for word in ort.strings(operator.api.KernelContext_GetInput(context, 0))]
        output = operator.api.KernelContext_GetOutput(context, 0, dims(len(words)), 1)
        operator.api.FillStringTensor(output, strings(words), len(words))

    contents = custom_model(values={name: value(name, TEXT, ["N"]) for name in "xz"})
    words = np.array(["a", "", "h\u00e9llo", "x" * 100], object)
    assert run(ort, compute, {"x": words}, contents, inputs=(8,), outputs=(8,)) == ["A", "", "H\u00c9LLO", "X" * 100]


EACH = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_size_t)


@pytest.mark.parametrize("batches", [0, 1, 2, 100])
@pytest.mark.parametrize("threads", [1, 2])
def test_work_is_shared_by_threads(ort, threads, batches):
    def compute(operator, context):
        seen, lock = [], threading.Lock()

        def each(state, index):
            with lock:
                seen.append((state, index))

        operator.api.KernelContext_ParallelFor(context, EACH(each), 50, batches, 33)
        assert sorted(seen) == [(33, i) for i in range(50)]
        copy_first(operator, context)

    operator, options = Operator(ort.api, compute), ort.options()
    ort.api.SetIntraOpNumThreads(options, threads)
    domain = ort.new("CustomOpDomain", ort.api.CreateCustomOpDomain(b"my.domain"))
    ort.api.CustomOpDomain_Add(domain, byref(operator.layout))
    ort.api.AddCustomOpDomain(options, domain)
    ort.run(ort.session(custom_model(), options), {"x": X}, "z")
    assert operator.failures == []


def test_no_work_is_done_at_once(ort):
    def compute(operator, context):
        operator.api.KernelContext_ParallelFor(context, EACH(lambda *a: 1 / 0), 0, 0, None)
        copy_first(operator, context)

    assert run(ort, compute) == X.tolist()


def operation(ort, info, name, inputs, kinds, outputs=1, version=14, attributes=(), constraints=("T",)):
    """Returns a standard operator that a kernel calls."""
    numbers = (ctypes.c_int32 * len(kinds))(*kinds)
    return ort.new("Op", ort.api.CreateOp(info, name.encode(), b"", version, strings(constraints), numbers, len(kinds),
                                          pointers(attributes), len(attributes), inputs, outputs))  # fmt: skip


@pytest.fixture
def invoked(ort):
    """Runs a kernel that makes operations when it is created, and receives them when it runs."""

    def start(make, compute, **arguments):
        made = []
        return run(ort, lambda operator, context: compute(operator, context, made[0]),
                   create=lambda operator, info: made.append(make(info)), **arguments)  # fmt: skip

    return start


def test_a_kernel_calls_an_operator(ort, invoked):
    def compute(operator, context, add):
        source = operator.api.KernelContext_GetInput(context, 0)
        target = operator.api.KernelContext_GetOutput(context, 0, dims(2, 3), 2)
        operator.api.InvokeOp(context, add, pointers([source, source]), 2, pointers([target]), 1)
        operator.api.InvokeOp(context, add, pointers([target, source]), 2, pointers([target]), 1)

    assert invoked(lambda info: operation(ort, info, "Add", 2, [1]), compute) == (3 * X).tolist()


def test_a_called_operator_has_attributes(ort, invoked):
    axis = ort.new("OpAttr", ort.api.CreateOpAttr(b"axis", byref(c_int64(0)), 1, 1))

    def compute(operator, context, softmax):
        source = operator.api.KernelContext_GetInput(context, 0)
        target = operator.api.KernelContext_GetOutput(context, 0, dims(2, 3), 2)
        operator.api.InvokeOp(context, softmax, pointers([source]), 1, pointers([target]), 1)

    result = invoked(lambda info: operation(ort, info, "Softmax", 1, [1], version=13, attributes=[axis]), compute)
    expected = np.exp(X) / np.exp(X).sum(0)
    np.testing.assert_allclose(result, expected, rtol=1e-5)


def test_a_called_operator_with_values_of_its_own(ort, invoked):
    def compute(operator, context, gemm):
        source = operator.api.KernelContext_GetInput(context, 0)
        other = ort.tensor(np.eye(3, dtype=np.float32) * 4)
        target = operator.api.KernelContext_GetOutput(context, 0, dims(2, 3), 2)
        operator.api.InvokeOp(context, gemm, pointers([source, other]), 2, pointers([target]), 1)

    assert invoked(lambda info: operation(ort, info, "MatMul", 2, [1], version=13), compute) == (4 * X).tolist()


def test_operators_that_cannot_be_called(ort):
    def create(operator, info):
        refused(FAIL, "kernel not found", operation, ort, info, "Nothing", 1, [1])
        refused(FAIL, "not supported", operation, ort, info, "Add", 2, [8])
        refused(FAIL, "not supported", operation, ort, info, "Add", 2, [1], version=99)

    assert run(ort, copy_first, create=create) == X.tolist()


def test_a_called_operator_that_fails(ort, invoked):
    def compute(operator, context, add):
        source, other = operator.api.KernelContext_GetInput(context, 0), ort.tensor(np.ones((7, 7), np.float32))
        target = copy(operator.api, source, context)
        refused(FAIL, "", operator.api.InvokeOp, context, add, pointers([source, other]), 2, pointers([target]), 1)

    assert invoked(lambda info: operation(ort, info, "Add", 2, [1]), compute) == X.tolist()


def test_runs_of_one_kernel_at_once(ort):
    session = session_with(ort, custom_model(), Operator(ort.api, lambda o, c: copy_first(o, c, 2)))

    def work(i):
        mine = Ort(ort.api, ort.env)
        for _ in range(30):
            assert mine.run(session, {"x": X * i}, "z")[0].tolist() == (2 * X * i).tolist()
        mine.close()

    in_threads(3, work)
