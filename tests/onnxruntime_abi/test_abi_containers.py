"""Sequences, maps, optional values, and values of other kinds."""

import numpy as np
import pytest
from abi_models import FLOAT, W, X, Y, model, node, value
from onnx import TensorProto, helper
from session_support import ARGUMENT, FAIL, MAP, OPTIONAL, RUNTIME, SEQUENCE, TENSOR, dims, pointers, refused

SPLIT = model([node("SplitToSequence", "x", "q", axis=0)], [value("x", shape=["N", 3])],
              [helper.make_tensor_sequence_value_info("q", FLOAT, None)])  # fmt: skip
JOIN = model([node("ConcatFromSequence", "q", "z", axis=0)], [helper.make_tensor_sequence_value_info("q", FLOAT, None)],
             [value("z", shape=["N", 3])])  # fmt: skip


def sequence(ort, *arrays):
    values = pointers([ort.tensor(array) for array in arrays])
    return ort.new("Value", ort.api.CreateValue(values, len(arrays), SEQUENCE))


def element(ort, container, index):
    return ort.new("Value", ort.api.GetValue(container, index, ort.allocator))


def make_map(ort, keys, values):
    return ort.new("Value", ort.api.CreateValue(pointers([ort.tensor(keys), ort.tensor(values)]), 2, MAP))


def test_a_sequence_has_copies_of_its_elements(ort):
    values = sequence(ort, X, Y, W)
    assert (ort.api.GetValueType(values), ort.api.GetValueCount(values), ort.api.IsTensor(values)) == (SEQUENCE, 3, 0)
    elements = [element(ort, values, i) for i in range(3)]
    ort.release("Value", values)
    assert [ort.array(e).tolist() for e in elements] == [X.tolist(), Y.tolist(), W.tolist()]


def test_elements_are_copied_out(ort):
    values = sequence(ort, X)
    first, second = element(ort, values, 0), element(ort, values, 0)
    assert ort.api.GetTensorMutableData(first) != ort.api.GetTensorMutableData(second)


def test_sequences_of_strings(ort):
    words = np.array(["a", "b\u00fc"], object)
    values = sequence(ort, words, words[:1])
    assert [ort.array(element(ort, values, i)).tolist() for i in range(2)] == [words.tolist(), ["a"]]


@pytest.mark.parametrize("index", [2, 5, -1])
def test_elements_that_are_not_there(ort, index):
    refused(FAIL, "", element, ort, sequence(ort, X, Y), index)


def test_elements_have_one_type(ort):
    refused(FAIL, "same data type", sequence, ort, X, X.astype(np.int64))
    refused(FAIL, "at least 1", sequence, ort)
    tensor, pairs, nested = ort.tensor(X), make_map(ort, KEYS[0], CONTENTS[0]), sequence(ort, X)
    refused(FAIL, "different from others", ort.api.CreateValue, pointers([tensor, pairs]), 2, SEQUENCE)
    refused(FAIL, "either tensor or map", ort.api.CreateValue, pointers([nested]), 1, SEQUENCE)


def test_kinds_that_cannot_be_made(ort):
    values = pointers([ort.tensor(X)])
    for kind in (0, TENSOR, 4, 5, OPTIONAL, 7, -1):
        refused(FAIL, "not of type sequence or map", ort.api.CreateValue, values, 1, kind)


def test_a_sequence_is_no_tensor(ort):
    values = sequence(ort, X)
    refused(RUNTIME, "", ort.api.GetTensorMutableData, values)
    refused(FAIL, "not a tensor", ort.api.GetTensorTypeAndShape, values)
    refused(RUNTIME, "", ort.api.GetTensorMemoryInfo, values)
    refused(ARGUMENT, "contain a tensor", ort.api.GetTensorSizeInBytes, values)
    refused(FAIL, "not of type sequence or map", ort.api.GetValueCount, ort.tensor(X))
    refused(FAIL, "not of type sequence or map", element, ort, ort.tensor(X), 0)


def test_the_type_of_a_sequence(ort):
    info = ort.new("TypeInfo", ort.api.GetTypeInfo(sequence(ort, X)))
    assert ort.api.GetOnnxTypeFromTypeInfo(info) == SEQUENCE
    inner = ort.new("TypeInfo", ort.api.GetSequenceElementType(ort.api.CastTypeInfoToSequenceTypeInfo(info)))
    assert ort.api.GetOnnxTypeFromTypeInfo(inner) == TENSOR
    assert ort.described(ort.api.CastTypeInfoToTensorInfo(inner)) == (1, [])
    assert not ort.api.CastTypeInfoToTensorInfo(info) and not ort.api.CastTypeInfoToMapTypeInfo(info)


def test_the_elements_of_a_models_sequence_have_no_shape(ort):
    """This holds whatever is inferred of them."""
    info = ort.new("TypeInfo", ort.api.SessionGetOutputTypeInfo(ort.session(SPLIT), 0))
    inner = ort.new("TypeInfo", ort.api.GetSequenceElementType(ort.api.CastTypeInfoToSequenceTypeInfo(info)))
    assert ort.described(ort.api.CastTypeInfoToTensorInfo(inner)) == (1, [])


KEYS = [np.array([3, 1, 2]), np.array(["c", "a", "b"], object)]
CONTENTS = [
    np.array([0.5, 1.5, 2.5], np.float32),
    np.array([7, 8, 9]),
    np.array([1.0, 2, 3]),
    np.array(["x", "y", "z"], object),
]


@pytest.mark.parametrize("keys", KEYS, ids=["numbers", "strings"])
@pytest.mark.parametrize("contents", CONTENTS, ids=["float", "int64", "double", "strings"])
def test_maps_have_keys_and_values(ort, keys, contents):
    pairs = make_map(ort, keys, contents)
    assert (ort.api.GetValueType(pairs), ort.api.GetValueCount(pairs)) == (MAP, 2)
    found = dict(zip(*(ort.array(element(ort, pairs, i)).tolist() for i in range(2))))
    assert found == dict(zip(keys.tolist(), contents.tolist()))


def test_the_type_of_a_map(ort):
    info = ort.new("TypeInfo", ort.api.GetTypeInfo(make_map(ort, KEYS[0], CONTENTS[0])))
    assert ort.api.GetOnnxTypeFromTypeInfo(info) == MAP
    inner = ort.api.CastTypeInfoToMapTypeInfo(info)
    assert ort.api.GetMapKeyType(inner) == 7
    contents = ort.new("TypeInfo", ort.api.GetMapValueType(inner))
    assert ort.api.GetOnnxTypeFromTypeInfo(contents) == TENSOR
    assert ort.api.GetTensorElementType(ort.api.CastTypeInfoToTensorInfo(contents)) == 1


def test_maps_that_cannot_be_made(ort):
    keys, values = KEYS[0], CONTENTS[0]
    refused(FAIL, "unequal number", make_map, ort, keys, values[:2])
    refused(FAIL, "key type is not supported", make_map, ort, values, values)
    refused(FAIL, "value type is not supported", make_map, ort, keys, values.astype(np.int8))
    refused(FAIL, "at least 1", ort.api.CreateValue, pointers([None]), 0, MAP)
    for count in (1, 3):
        refused(FAIL, "must be 2", ort.api.CreateValue, pointers([ort.tensor(keys)] * 3), count, MAP)
    refused(FAIL, "invalid index", element, ort, make_map(ort, keys, values), 2)


def test_maps_are_sorted_and_keep_the_first_of_equal_keys(ort):
    pairs = make_map(ort, np.array([4, 1, 4]), CONTENTS[0])
    assert [ort.array(element(ort, pairs, i)).tolist() for i in range(2)] == [[1, 4], [1.5, 0.5]]
    refused(FAIL, "", ort.api.GetTensorMutableData, pairs)
    refused(FAIL, "not a tensor", ort.api.GetTensorTypeAndShape, pairs)


def test_sequences_of_maps(ort):
    maps = [make_map(ort, KEYS[0], CONTENTS[0]) for _ in range(2)]
    values = ort.new("Value", ort.api.CreateValue(pointers(maps), 2, SEQUENCE))
    assert ort.api.GetValueCount(values) == 2
    assert ort.api.GetValueType(element(ort, values, 1)) == MAP


def test_sequences_pass_through_models(ort):
    split, join = ort.session(SPLIT), ort.session(JOIN)
    (parts,) = ort.values(split, {"x": X}, ["q"])
    assert ort.api.GetValueCount(parts) == 2
    assert ort.array(element(ort, parts, 1)).tolist() == X[1:].tolist()
    assert ort.run(join, {"q": parts}, "z")[0].tolist() == X.tolist()
    assert ort.run(join, {"q": sequence(ort, Y, X)}, "z")[0].tolist() == [*Y.tolist(), *X.tolist()]


def test_kinds_of_inputs_are_checked(ort):
    refused(ARGUMENT, "name: 'x' expected to be of type: 2 but received a tensor sequence",
            ort.values, ort.session(SPLIT), {"x": sequence(ort, X)}, ["q"])  # fmt: skip
    refused(ARGUMENT, "expected to be of type: 3 but received a tensor", ort.values, ort.session(JOIN), {"q": X}, ["z"])
    refused(ARGUMENT, "", ort.values, ort.session(JOIN), {"q": sequence(ort, X.astype(np.int64))}, ["z"])


def zipmap(**attributes):
    kind = TensorProto.INT64 if "classlabels_int64s" in attributes else TensorProto.STRING
    map_type = helper.make_map_type_proto(kind, helper.make_tensor_type_proto(FLOAT, None))
    output = helper.make_value_info("m", helper.make_sequence_type_proto(map_type))
    return model([node("ZipMap", "x", "m", domain="ai.onnx.ml", **attributes)], [value("x", shape=["N", 3])], [output],
                 domains={"ai.onnx.ml": 1})  # fmt: skip


@pytest.mark.parametrize(("attributes", "keys"), [
    ({"classlabels_int64s": [5, 6, 7]}, [5, 6, 7]), ({"classlabels_strings": ["a", "b", "c"]}, ["a", "b", "c"])])  # fmt: skip
def test_maps_come_out_of_models(ort, attributes, keys):
    session = ort.session(zipmap(**attributes))
    info = ort.new("TypeInfo", ort.api.SessionGetOutputTypeInfo(session, 0))
    assert ort.api.GetOnnxTypeFromTypeInfo(info) == SEQUENCE
    (maps,) = ort.values(session, {"x": X}, ["m"])
    assert (ort.api.GetValueCount(maps), ort.api.GetValueType(maps)) == (2, SEQUENCE)
    pairs = element(ort, maps, 1)
    assert ort.array(element(ort, pairs, 0)).tolist() == keys
    assert ort.array(element(ort, pairs, 1)).tolist() == X[1].tolist()


def optional_model():
    kind = helper.make_optional_type_proto(helper.make_tensor_type_proto(FLOAT, [2, 3]))
    return model(
        [node("Identity", "x", "o")], [helper.make_value_info("x", kind)], [helper.make_value_info("o", kind)], opset=18
    )


def test_optional_values(ort):
    session = ort.session(optional_model())
    info = ort.new("TypeInfo", ort.api.SessionGetOutputTypeInfo(session, 0))
    assert ort.api.GetOnnxTypeFromTypeInfo(info) == OPTIONAL
    inner = ort.new("TypeInfo", ort.api.GetOptionalContainedTypeInfo(ort.api.CastTypeInfoToOptionalTypeInfo(info)))
    assert ort.described(ort.api.CastTypeInfoToTensorInfo(inner)) == (1, [2, 3])
    (result,) = ort.values(session, {"x": X}, ["o"])
    assert (ort.api.GetValueType(result), ort.api.HasValue(result)) == (TENSOR, 1)
    assert ort.array(result).tolist() == X.tolist()


def test_values_of_types_of_others_cannot_be_made(ort):
    data = dims(1)
    refused(FAIL, "domain", ort.api.CreateOpaqueValue, b"domain", b"name", data, 8)
    refused(FAIL, "domain", ort.api.GetOpaqueValue, b"domain", b"name", ort.tensor(X), data, 8)
