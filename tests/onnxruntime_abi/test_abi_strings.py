"""Tensors of strings."""

import ctypes

import numpy as np
import pytest
from abi_models import TEXT, X, one
from session_support import ARGUMENT, FAIL, STRING, refused, strings

WORDS = np.array(["a", "", "ccc", "h\u00e9llo w\u00f6rld", "\U0001f600", "x" * 1000], object).reshape(2, 3)


@pytest.mark.parametrize("array", [WORDS, WORDS[:0], np.array("one", object), np.array(["", ""], object)],
                         ids=["matrix", "none", "scalar", "empty"])  # fmt: skip
def test_strings_are_copied_in_and_out(ort, array):
    value = ort.string_tensor(array)
    assert ort.type_and_shape(value) == (STRING, list(array.shape))
    assert ort.array(value).tolist() == array.tolist()
    assert ort.api.GetStringTensorDataLength(value) == sum(len(s.encode()) for s in array.ravel())


def test_fresh_strings_are_empty(ort):
    assert ort.strings(ort.empty((3,), STRING)) == ["", "", ""]


@pytest.mark.parametrize("count", [0, 1, 2, 4])
def test_all_strings_are_filled_at_once(ort, count):
    value = ort.empty((3,), STRING)
    refused(ARGUMENT, "doesn't equal tensor size", ort.api.FillStringTensor, value, strings(["a"] * count), count)


def test_strings_one_by_one(ort):
    value = ort.string_tensor(np.array(["a", "b", "c"], object))
    ort.api.FillStringTensorElement(value, "zz\u00fc".encode(), 1)
    assert ort.api.GetStringTensorElementLength(value, 1) == 4
    buffer = ctypes.create_string_buffer(b"######")
    ort.api.GetStringTensorElement(value, 4, 1, buffer)
    assert buffer.raw[:5] == "zz\u00fc".encode() + b"#"
    refused(FAIL, "too small", ort.api.GetStringTensorElement, value, 3, 1, buffer)


def test_indices_are_checked(ort):
    value, buffer = ort.string_tensor(np.array(["a", "b"], object)), ctypes.create_string_buffer(8)
    for index in (2, 7, 2**64 - 1):
        refused(ARGUMENT, "out of bounds", ort.api.GetStringTensorElement, value, 8, index, buffer)
        refused(ARGUMENT, "out of bounds", ort.api.GetStringTensorElementLength, value, index)
        refused(ARGUMENT, "out of bounds", ort.api.FillStringTensorElement, value, b"x", index)
        refused(ARGUMENT, "out of bounds", ort.api.GetResizedStringTensorElementBuffer, value, index, 3)


def test_all_contents_at_once(ort):
    value = ort.string_tensor(np.array(["a", "", "ccc"], object))
    buffer, offsets = ctypes.create_string_buffer(b"######"), (ctypes.c_size_t * 4)(9, 9, 9, 9)
    ort.api.GetStringTensorContent(value, buffer, 4, offsets, 3)
    assert (buffer.raw[:5], list(offsets)) == (b"accc#", [0, 1, 1, 9])
    for count in (0, 2, 4):
        refused(FAIL, "offsets buffer is not equal", ort.api.GetStringTensorContent, value, buffer, 6, offsets, count)
    refused(FAIL, "buffer is too small", ort.api.GetStringTensorContent, value, buffer, 3, offsets, 3)


def test_a_string_is_written_in_place(ort):
    value = ort.string_tensor(np.array(["a", "b"], object))
    for text in (b"HELLO", b"x", b"y" * 100):
        ctypes.memmove(ort.api.GetResizedStringTensorElementBuffer(value, 1, len(text)), text, len(text))
        assert ort.strings(value) == ["a", text.decode()]


def test_bytes_that_are_no_text_are_kept(ort):
    value = ort.empty((1,), STRING)
    text = b"a\0b\xff"
    ctypes.memmove(ort.api.GetResizedStringTensorElementBuffer(value, 0, 4), text, 4)
    buffer = ctypes.create_string_buffer(4)
    ort.api.GetStringTensorElement(value, 4, 0, buffer)
    assert buffer.raw == text


def test_numbers_are_no_strings(ort):
    value, buffer, offsets = ort.tensor(X), ctypes.create_string_buffer(64), (ctypes.c_size_t * 8)()
    api = ort.api
    refused(FAIL, "type mismatch", api.GetStringTensorDataLength, value)
    refused(FAIL, "type mismatch", api.FillStringTensor, value, strings(["a"] * 6), 6)
    refused(FAIL, "type mismatch", api.GetStringTensorContent, value, buffer, 64, offsets, 6)
    refused(FAIL, "type mismatch", api.GetStringTensorElement, value, 8, 0, buffer)
    refused(FAIL, "type mismatch", api.FillStringTensorElement, value, b"a", 0)
    refused(ARGUMENT, "not supported", api.GetTensorSizeInBytes, ort.string_tensor(WORDS))


def test_strings_pass_through_a_model(ort):
    session = ort.session(one("Identity", kind=TEXT, shape=["N", 3]))
    assert ort.run(session, {"x": WORDS}, "z")[0].tolist() == WORDS.tolist()


class Text(ctypes.Structure):
    """A string of the C++ library, as C++ clients access it in the memory of a tensor."""

    _fields_ = [("data", ctypes.c_char_p), ("size", ctypes.c_size_t), ("rest", ctypes.c_char * 16)]


def test_clients_in_cplusplus_see_strings_in_place(ort):
    value = ort.string_tensor(WORDS)
    texts = (Text * 6).from_address(ort.api.GetTensorMutableData(value))
    assert [ctypes.string_at(t.data, t.size).decode() for t in texts] == WORDS.ravel().tolist()
