"""Tensors: in memory of the caller, of an allocator, of any type and shape."""

import ctypes

import numpy as np
import pytest
from abi_models import X
from session_support import (
    ARGUMENT,
    ELEMENT_TYPES,
    FAIL,
    NOT_IMPLEMENTED,
    STRING,
    TENSOR,
    Allocator,
    dims,
    items,
    refused,
    text,
)

SHAPES = [(), (0,), (1,), (2, 3), (2, 0, 3), (1, 1, 1, 1, 1, 1, 1, 1)]


@pytest.mark.parametrize("kind", ELEMENT_TYPES, ids=lambda kind: np.dtype(kind).name)
@pytest.mark.parametrize("shape", SHAPES)
def test_tensors_of_all_types_and_shapes(ort, kind, shape):
    array = np.zeros(shape, kind)
    value = ort.tensor(array)
    assert ort.type_and_shape(value) == (ELEMENT_TYPES[kind], list(shape))
    assert ort.api.GetTensorSizeInBytes(value) == array.nbytes
    info = ort.api.GetTensorTypeAndShape(value)
    assert ort.api.GetTensorShapeElementCount(info) == array.size
    ort.api.ReleaseTensorTypeAndShapeInfo(info)
    assert (ort.api.IsTensor(value), ort.api.GetValueType(value), ort.api.HasValue(value)) == (1, TENSOR, 1)
    assert ort.api.IsSparseTensor(value) == 0


def test_a_tensor_refers_to_the_memory_of_the_caller(ort):
    array = X.copy()
    value = ort.tensor(array)
    assert ort.api.GetTensorMutableData(value) == ort.api.GetTensorData(value) == array.ctypes.data
    array[1, 1] = 77
    assert ort.array(value)[1, 1] == 77


def test_memory_need_not_be_aligned(ort):
    memory = np.zeros(25, np.uint8)
    value = ort.tensor_over(memory.ctypes.data + 1, 24, (2, 3), 1)
    assert ort.api.GetTensorMutableData(value) == memory.ctypes.data + 1


def test_memory_may_be_larger_but_not_smaller(ort):
    memory = np.zeros(12, np.float32)
    assert ort.shape(ort.tensor_over(memory.ctypes.data, 48, (2, 3), 1)) == [2, 3]
    refused(ARGUMENT, "not enough space: expected 24, got 12", ort.tensor_over, memory.ctypes.data, 12, (2, 3), 1)
    refused(ARGUMENT, "not enough space: expected 24, got 23", ort.tensor_over, memory.ctypes.data, 23, (2, 3), 1)


def test_no_memory_suffices_for_no_elements(ort):
    assert ort.shape(ort.tensor_over(None, 0, (0, 3), 1)) == [0, 3]


@pytest.mark.parametrize("shape", [(-1, 3), (2, -3), (-(2**63),)])
def test_negative_dims_are_refused(ort, shape):
    memory = np.zeros(12, np.float32)
    refused(ARGUMENT, "negative value in shape", ort.tensor_over, memory.ctypes.data, 48, shape, 1)
    refused(FAIL, r"shape.*must be >= 0", ort.empty, shape)


@pytest.mark.parametrize("shape", [(2**40, 2**40), (2**62, 4)])
def test_sizes_that_overflow_are_refused(ort, shape):
    memory = np.zeros(12, np.float32)
    refused(FAIL, "overflow", ort.tensor_over, memory.ctypes.data, 48, shape, 1)
    refused(FAIL, "overflow", ort.empty, shape)


@pytest.mark.parametrize("kind", [0, 14, 15, 27, 99, -1])
def test_types_that_are_not_there_are_refused(ort, kind):
    memory = np.zeros(64, np.float32)
    refused(NOT_IMPLEMENTED, "is not supported", ort.tensor_over, memory.ctypes.data, 256, (2,), kind)
    refused(NOT_IMPLEMENTED, "is not supported", ort.empty, (2,), kind)


@pytest.mark.parametrize(("kind", "size"), [(21, 3), (22, 3), (17, 5), (20, 5), (23, 3), (24, 2), (25, 2), (26, 5)])
def test_small_numbers_are_packed(ort, kind, size):
    memory = np.zeros(8, np.uint8)
    value = ort.tensor_over(memory.ctypes.data, size, (5,), kind)
    assert ort.type_and_shape(value) == (kind, [5])
    assert ort.api.GetTensorSizeInBytes(value) == size
    refused(ARGUMENT, "not enough space", ort.tensor_over, memory.ctypes.data, size - 1, (5,), kind)


@pytest.mark.parametrize("shape", SHAPES)
def test_tensors_of_the_allocator(ort, shape):
    value = ort.empty(shape)
    assert ort.type_and_shape(value) == (1, list(shape))
    data = ort.api.GetTensorMutableData(value)
    if np.prod(shape):
        assert data % 64 == 0
        ctypes.memset(data, 0, 4 * int(np.prod(shape)))


def test_tensors_are_in_memory_of_the_processor(ort):
    for value in (ort.tensor(X), ort.empty((2, 3))):
        info = ort.api.GetTensorMemoryInfo(value)
        assert text(ort.api.MemoryInfoGetName(info)) == "Cpu"
        assert ort.api.MemoryInfoGetDeviceType(info) == 0


def test_an_element_by_its_place(ort):
    value = ort.tensor(X)
    for place in np.ndindex(2, 3):
        at = ort.api.TensorAt(value, dims(*place), 2)
        assert items(at, 1, ctypes.c_float) == [X[place]]
    for place in ((2, 0), (0, 3), (-1, 0)):
        refused(ARGUMENT, "invalid location range", ort.api.TensorAt, value, dims(*place), 2)
    refused(ARGUMENT, "location dimensions do not match", ort.api.TensorAt, value, dims(1), 1)
    refused(ARGUMENT, "does not support strings", ort.api.TensorAt, ort.tensor(np.array(["a"], object)), dims(0), 1)


def test_type_and_shape_without_an_object_of_their_own(ort):
    kind, shape, rank = ort.api.GetTensorElementTypeAndShapeDataReference(ort.tensor(X))
    assert (kind, items(shape, rank, ctypes.c_int64)) == (1, [2, 3])
    kind, _, rank = ort.api.GetTensorElementTypeAndShapeDataReference(ort.tensor(np.float32(1)))
    assert (kind, rank) == (1, 0)


def test_shapes_may_be_read_in_part(ort):
    info = ort.new("TensorTypeAndShapeInfo", ort.api.GetTensorTypeAndShape(ort.tensor(X)))
    sizes = dims(7, 7, 7)
    ort.api.GetDimensions(info, sizes, 1)
    assert list(sizes) == [2, 7, 7]
    ort.api.GetDimensions(info, sizes, 3)
    assert list(sizes) == [2, 3, 7]


def test_memory_that_the_tensor_gives_back(ort):
    array, freed = X.copy(), []
    allocator = Allocator(32)
    allocator.free = type(allocator.free)(lambda this, data: freed.append(data))
    allocator.info = type(allocator.info)(lambda this: ort.cpu)
    value = ort.api.CreateTensorWithDataAndDeleterAsOrtValue(
        ctypes.byref(allocator), array.ctypes.data, array.nbytes, dims(2, 3), 2, 1)  # fmt: skip
    assert ort.api.GetTensorMutableData(value) == array.ctypes.data
    assert freed == []
    ort.api.ReleaseValue(value)
    assert freed == [array.ctypes.data]


def test_strings_of_the_caller_are_objects_of_its_library(ort):
    memory = np.zeros(64, np.uint8)
    refused(ARGUMENT, "not enough space: expected 64, got 24", ort.tensor_over, memory.ctypes.data, 24, (2,), STRING)


def test_a_value_may_be_null_when_it_is_released(api):
    for name in api.slots:
        if name.startswith("Release") and name not in (
            "ReleaseAvailableProviders",
            "ReleaseAllocator",
            "ReleaseSharedAllocator",
        ):
            getattr(api, name)(None)
