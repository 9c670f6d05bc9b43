"""Shapes and types that custom operators infer, and attributes as objects."""

import ctypes
from ctypes import byref, c_float, c_int64

import pytest
from abi_models import value
from custom_ops import Operator, copy_first, custom_model, session_with
from session_support import ARGUMENT, FAIL, RUNTIME, dims, refused
from test_abi_model_info import described

INT, INTS, FLOAT_VALUE, FLOATS, STRING_VALUE, STRINGS = range(1, 7)


def inferred(ort, infer, operator=None, **attributes):
    """Returns the type, dims and symbols of the output of a model that does not declare its shape."""
    values = {"x": value("x", shape=["N", 3]), "z": value("z", shape=None)}
    operator = operator or Operator(ort.api, copy_first, infer=infer)
    session = session_with(ort, custom_model(values=values, **attributes), operator)
    assert operator.failures == []
    return described(ort, session, "Output", 0)


def set_output(operator, context, sizes, symbols=None, kind=1, index=0):
    """Sets the shape of an output."""
    api = operator.api
    info = api.CreateTensorTypeAndShapeInfo()
    api.SetTensorElementType(info, kind)
    api.SetDimensions(info, dims(*sizes), len(sizes))
    if symbols:
        api.SetSymbolicDimensions(info, (ctypes.c_char_p * len(symbols))(*symbols), len(symbols))
    try:
        api.ShapeInferContext_SetOutputTypeShape(context, index, info)
    finally:
        api.ReleaseTensorTypeAndShapeInfo(info)


def test_the_shape_of_an_input_is_passed_on(ort):
    def infer(operator, context):
        assert operator.api.ShapeInferContext_GetInputCount(context) == 1
        shape = operator.api.ShapeInferContext_GetInputTypeShape(context, 0)
        seen.append(ort.described(shape))
        operator.api.ShapeInferContext_SetOutputTypeShape(context, 0, shape)

    seen = []
    assert inferred(ort, infer)[:3] == (1, [-1, 3], ["N", ""])
    assert seen[0] == (1, [-1, 3])


@pytest.mark.parametrize(("sizes", "symbols", "expected"), [
    ([2, 3], None, (1, [2, 3], ["", ""])), ([-1, 4], [b"M", b""], (1, [-1, 4], ["M", ""])), ([], None, (1, [], []))])  # fmt: skip
def test_shapes_of_outputs(ort, sizes, symbols, expected):
    assert inferred(ort, lambda operator, context: set_output(operator, context, sizes, symbols))[:3] == expected


def test_without_a_function_there_is_no_shape(ort):
    assert inferred(ort, None, Operator(ort.api, copy_first)) == (1, [], [], False)


def test_indices_are_checked(ort):
    def infer(operator, context):
        for index in (1, 9):
            refused(RUNTIME, "", operator.api.ShapeInferContext_GetInputTypeShape, context, index)
        set_output(operator, context, [2])

    assert inferred(ort, infer)[1] == [2]


def read(api, attribute, kind, size=64):
    """Returns the bytes of an attribute."""
    buffer = ctypes.create_string_buffer(size)
    written = api.ReadOpAttr(attribute, kind, buffer, size)
    return buffer.raw[:written]


def test_attributes_are_read(ort):
    def infer(operator, context):
        api = operator.api
        number = api.ShapeInferContext_GetAttribute(context, b"number")
        rows = c_int64.from_buffer_copy(read(api, number, INT)).value
        found.append([read(api, api.ShapeInferContext_GetAttribute(context, name), kind) for name, kind in
                      ((b"numbers", INTS), (b"factor", FLOAT_VALUE), (b"factors", FLOATS), (b"word", STRING_VALUE))])  # fmt: skip
        set_output(operator, context, [rows, 3])

    found = []
    shape = inferred(ort, infer, number=5, numbers=[7, 8], factor=0.5, factors=[0.25, 2.0], word="hello")[1]
    assert shape == [5, 3]
    assert found[0] == [bytes((c_int64 * 2)(7, 8)), bytes(c_float(0.5)), bytes((c_float * 2)(0.25, 2)), b"hello"]


def test_attributes_that_are_not_there(ort):
    def infer(operator, context):
        refused(ARGUMENT, "attribute does not exist", operator.api.ShapeInferContext_GetAttribute, context, b"absent")
        set_output(operator, context, [2])

    assert inferred(ort, infer)[1] == [2]


def attribute(ort, name, data, count, kind):
    return ort.new("OpAttr", ort.api.CreateOpAttr(name, data, count, kind))


def test_attributes_may_be_made(ort):
    api = ort.api
    cases = [(byref(c_int64(7)), 1, INT, bytes(c_int64(7))), (dims(1, 2, 3), 3, INTS, bytes(dims(1, 2, 3))),
             (byref(c_float(0.5)), 1, FLOAT_VALUE, bytes(c_float(0.5))),
             ((c_float * 2)(1, 2), 2, FLOATS, bytes((c_float * 2)(1, 2))), (b"hello", 5, STRING_VALUE, b"hello")]  # fmt: skip
    for data, count, kind, expected in cases:
        made = attribute(ort, b"name", data, count, kind)
        assert (api.OpAttr_GetType(made), ctypes.string_at(api.OpAttr_GetName(made))) == (kind, b"name")
        assert read(api, made, kind) == expected


def test_many_strings_in_an_attribute(ort):
    words = (ctypes.c_char_p * 3)(b"a", b"", b"ccc")
    made = attribute(ort, b"words", words, 3, STRINGS)
    assert read(ort.api, made, STRINGS) == b"a\0\0ccc\0"


def test_room_for_an_attribute_may_be_short(ort):
    made, buffer, size = attribute(ort, b"n", dims(1, 2, 3), 3, INTS), ctypes.create_string_buffer(8), ctypes.c_size_t()
    refused(ARGUMENT, "not large enough", ort.api.ReadOpAttr, made, INTS, buffer, 8, byref(size))
    assert size.value == 24
    assert bytes(buffer) == bytes(8)


MADE = {INT: (dims(7), 1), INTS: (dims(1, 2), 2), FLOAT_VALUE: ((c_float * 1)(0.5), 1), STRING_VALUE: (b"hello", 5)}


@pytest.mark.parametrize("kind", MADE)
def test_attributes_have_one_type(ort, kind):
    made = attribute(ort, b"n", *MADE[kind], kind)
    for other in {INT, FLOAT_VALUE} - {kind}:
        refused(ARGUMENT, "attribute has no|another type", read, ort.api, made, other)
    for other in {INTS, FLOATS, STRING_VALUE, STRINGS} - {kind}:
        assert read(ort.api, made, other) == b""
    for other in (0, 7, 8, 99):
        refused(ARGUMENT, "attribute type|another type", read, ort.api, made, other)


def test_types_of_attributes_that_are_not_there(ort):
    for kind in (0, 7, 99):
        refused(FAIL, "not supported", ort.api.CreateOpAttr, b"name", dims(1), 1, kind)
