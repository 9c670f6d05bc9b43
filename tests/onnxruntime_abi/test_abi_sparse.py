"""Sparse tensors."""

import ctypes
from ctypes import c_float, c_int32

import numpy as np
import pytest
from abi_models import X
from session_support import ARGUMENT, FAIL, NOT_IMPLEMENTED, RUNTIME, SPARSE, dims, items, refused

COO, CSR, BLOCKS = 1, 2, 4
COO_INDICES, CSR_INNER, CSR_OUTER, BLOCK_INDICES = range(4)
VALUES = (c_float * 3)(1, 2, 3)


def empty(ort, *shape, kind=1):
    return ort.new("Value", ort.api.CreateSparseTensorAsOrtValue(ort.allocator, dims(*shape), len(shape), kind))


def over_values(ort, count=3, shape=(3, 3)):
    """Returns a sparse tensor over values of the caller, still without indices."""
    return ort.new("Value", ort.api.CreateSparseTensorWithValuesAsOrtValue(
        ort.cpu, VALUES, dims(*shape), len(shape), dims(count), 1, 1))  # fmt: skip


def values(ort, tensor):
    """Returns the shape of the values, and the values."""
    info = ort.new("TensorTypeAndShapeInfo", ort.api.GetSparseTensorValuesTypeAndShape(tensor))
    kind, shape = ort.described(info)
    assert kind == 1
    return shape, items(ort.api.GetSparseTensorValues(tensor), int(np.prod(shape)), c_float)


def indices(ort, tensor, which):
    """Returns the shape of the indices, and the indices."""
    info = ort.new("TensorTypeAndShapeInfo", ort.api.GetSparseTensorIndicesTypeShape(tensor, which))
    kind, shape = ort.described(info)
    count, data = ort.api.GetSparseTensorIndices(tensor, which)
    return shape, items(data, count, ctypes.c_int64 if kind == 7 else c_int32)


@pytest.mark.parametrize(("flat", "shape"), [((0, 4, 8), [3]), ((0, 0, 1, 1, 2, 2), [3, 2])])
@pytest.mark.parametrize("copied", [True, False])
def test_coordinates(ort, flat, shape, copied):
    if copied:
        tensor = empty(ort, 3, 3)
        ort.api.FillSparseTensorCoo(tensor, ort.cpu, dims(3), 1, VALUES, dims(*flat), len(flat))
    else:
        tensor, held = over_values(ort), dims(*flat)
        ort.api.UseCooIndices(tensor, held, len(flat))
    assert ort.api.GetSparseTensorFormat(tensor) == COO
    assert values(ort, tensor) == ([3], [1, 2, 3])
    assert indices(ort, tensor, COO_INDICES) == (shape, list(flat))
    assert (ort.api.GetSparseTensorValues(tensor) == ctypes.addressof(VALUES)) != copied


@pytest.mark.parametrize("copied", [True, False])
def test_compressed_rows(ort, copied):
    inner, outer = dims(0, 2, 1), dims(0, 2, 3, 3)
    if copied:
        tensor = empty(ort, 3, 3)
        ort.api.FillSparseTensorCsr(tensor, ort.cpu, dims(3), 1, VALUES, inner, 3, outer, 4)
    else:
        tensor = over_values(ort)
        ort.api.UseCsrIndices(tensor, inner, 3, outer, 4)
    assert ort.api.GetSparseTensorFormat(tensor) == CSR
    assert values(ort, tensor) == ([3], [1, 2, 3])
    assert indices(ort, tensor, CSR_INNER) == ([3], [0, 2, 1])
    assert indices(ort, tensor, CSR_OUTER) == ([4], [0, 2, 3, 3])


def test_blocks(ort):
    tensor, places = empty(ort, 4, 4), (c_int32 * 4)(0, 0, 0, 1)
    numbers = (c_float * 8)(*range(8))
    ort.api.FillSparseTensorBlockSparse(tensor, ort.cpu, dims(2, 2, 2), 3, numbers, dims(2, 2), 2, places)
    assert ort.api.GetSparseTensorFormat(tensor) == BLOCKS
    assert values(ort, tensor) == ([2, 2, 2], list(range(8)))
    assert indices(ort, tensor, BLOCK_INDICES) == ([2, 2], [0, 0, 0, 1])


def test_blocks_in_memory_of_the_caller(ort):
    numbers, places = (c_float * 8)(*range(8)), (c_int32 * 4)(0, 0, 0, 1)
    handle = ort.api.CreateSparseTensorWithValuesAsOrtValue(ort.cpu, numbers, dims(4, 4), 2, dims(2, 2, 2), 3, 1)
    tensor = ort.new("Value", handle)
    ort.api.UseBlockSparseIndices(tensor, dims(2, 2), 2, places)
    assert ort.api.GetSparseTensorFormat(tensor) == BLOCKS
    assert values(ort, tensor) == ([2, 2, 2], list(range(8)))
    assert indices(ort, tensor, BLOCK_INDICES) == ([2, 2], [0, 0, 0, 1])


def test_a_fresh_sparse_tensor(ort):
    tensor = empty(ort, 3, 3)
    assert (ort.api.IsSparseTensor(tensor), ort.api.IsTensor(tensor), ort.api.GetValueType(tensor)) == (1, 0, SPARSE)
    assert ort.api.GetSparseTensorFormat(tensor) == 0
    assert ort.api.HasValue(tensor) == 1


def test_the_type_of_a_sparse_tensor(ort):
    tensor = over_values(ort)
    ort.api.UseCooIndices(tensor, dims(0, 1, 2), 3)
    info = ort.new("TypeInfo", ort.api.GetTypeInfo(tensor))
    assert ort.api.GetOnnxTypeFromTypeInfo(info) == SPARSE
    assert ort.described(ort.api.CastTypeInfoToTensorInfo(info)) == (1, [3, 3])
    assert ort.type_and_shape(tensor) == (1, [3, 3])


def test_dense_and_sparse_are_apart(ort):
    tensor, sparse = ort.tensor(X), empty(ort, 3, 3)
    for call in (
        ort.api.GetSparseTensorFormat,
        ort.api.GetSparseTensorValues,
        ort.api.GetSparseTensorValuesTypeAndShape,
    ):
        refused(RUNTIME, "", call, tensor)
    refused(RUNTIME, "", ort.api.FillSparseTensorCoo, tensor, ort.cpu, dims(3), 1, VALUES, dims(0, 1, 2), 3)
    refused(RUNTIME, "", ort.api.UseCooIndices, tensor, dims(0, 1, 2), 3)
    refused(ARGUMENT, "contain a tensor", ort.api.GetTensorSizeInBytes, sparse)
    refused(RUNTIME, "", ort.api.GetTensorData, sparse)
    refused(FAIL, "does not contain sparse data", values, ort, sparse)
    refused(FAIL, "does not contain sparse data", indices, ort, sparse, COO_INDICES)


def fill_rows(ort, inner, outer, *shape):
    ort.api.FillSparseTensorCsr(empty(ort, *(shape or (3, 3))), ort.cpu, dims(3), 1, VALUES,
                                dims(*inner), len(inner), dims(*outer), len(outer))  # fmt: skip


def fill_coordinates(ort, *flat):
    ort.api.FillSparseTensorCoo(empty(ort, 3, 3), ort.cpu, dims(3), 1, VALUES, dims(*flat), len(flat))


def test_coordinates_must_fit(ort):
    refused(ARGUMENT, "indices count|number of indices", fill_coordinates, ort, 0, 1)
    refused(ARGUMENT, "indices count|number of indices", fill_coordinates, ort, 0, 1, 2, 3)
    for last in (9, -1):
        refused(ARGUMENT, f"out of bounds: {last}", fill_coordinates, ort, 0, 1, last)
    refused(ARGUMENT, r"out of bounds: \(3, 2\)", fill_coordinates, ort, 0, 0, 1, 1, 3, 2)
    fill_coordinates(ort, 2, 1, 0)
    fill_coordinates(ort, 1, 1, 1)


def test_compressed_rows_must_fit(ort):
    refused(ARGUMENT, "last element|indices", fill_rows, ort, (0, 2), (0, 2, 3, 3))
    refused(ARGUMENT, "last element|indices", fill_rows, ort, (0, 2, 1), (0, 2, 3, 4))
    refused(ARGUMENT, "out of bounds: 9", fill_rows, ort, (0, 2, 9), (0, 2, 3, 3))
    refused(ARGUMENT, "monotonically", fill_rows, ort, (0, 2, 1), (0, 3, 2, 3))
    refused(FAIL, "", fill_rows, ort, (0, 2, 1), (0, 2, 3))
    refused(FAIL, "", fill_rows, ort, (0, 2, 1), (0, 2, 3, 3), 3, 3, 3)


@pytest.mark.parametrize(("numbers", "places"), [((2, 2), (2, 2)), ((2, 2, 2), (2,)), ((2, 2, 2), (1, 2))])
def test_blocks_must_fit(ort, numbers, places):
    refused(FAIL, "", ort.api.FillSparseTensorBlockSparse, empty(ort, 4, 4), ort.cpu, dims(*numbers), len(numbers),
            (c_float * 8)(), dims(*places), len(places), (c_int32 * 8)())  # fmt: skip


def test_a_sparse_tensor_is_filled_once(ort):
    tensor = empty(ort, 3, 3)
    ort.api.FillSparseTensorCoo(tensor, ort.cpu, dims(3), 1, VALUES, dims(0, 1, 2), 3)
    refused(FAIL, "already", ort.api.FillSparseTensorCoo, tensor, ort.cpu, dims(3), 1, VALUES, dims(0, 1, 2), 3)


def test_indices_of_another_format(ort):
    tensor = over_values(ort)
    ort.api.UseCooIndices(tensor, dims(0, 1, 2), 3)
    for which in (CSR_INNER, CSR_OUTER, BLOCK_INDICES):
        refused(FAIL, "", ort.api.GetSparseTensorIndices, tensor, which)
        refused(FAIL, "", ort.api.GetSparseTensorIndicesTypeShape, tensor, which)


@pytest.mark.parametrize("kind", [0, 14, 99])
def test_types_that_are_not_there(ort, kind):
    refused(NOT_IMPLEMENTED, "not supported", lambda: empty(ort, 3, 3, kind=kind))
    refused(ARGUMENT, "negative", empty, ort, -3, 3)
