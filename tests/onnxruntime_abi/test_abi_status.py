"""Statuses."""

import ctypes

import pytest
from session_support import refused


@pytest.mark.parametrize("code", [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 77, -1])
def test_a_status_keeps_its_code_and_a_copy_of_its_text(api, code):
    text = bytearray(b"what happened\0")
    status = api.function("CreateStatus")(code, (ctypes.c_char * len(text)).from_buffer(text).raw)
    text[:4] = b"####"
    assert status
    assert api.GetErrorCode(status) == code
    assert api.GetErrorMessage(status) == b"what happened"
    assert api.GetErrorMessage(status) == b"what happened"
    api.ReleaseStatus(status)


@pytest.mark.parametrize("text", [b"", b"a", "h\u00e9".encode(), b"x" * 4096], ids=len)
def test_texts_of_any_length(api, text):
    status = api.function("CreateStatus")(1, text)
    assert api.GetErrorMessage(status) == text
    api.ReleaseStatus(status)


def test_a_failure_does_not_change_later_calls(ort):
    for _ in range(3):
        refused(2, "not valid", ort.api.SetSessionGraphOptimizationLevel, ort.options(), 7)
        ort.api.SetSessionGraphOptimizationLevel(ort.options(), 1)
