"""The C API on a program of PyTorch."""

from ctypes import byref

import numpy as np
import pt2_archive
import pytest
from c_api import ARGUMENT, Tensor, refused

X = np.random.default_rng(0).standard_normal((3, 3)).astype(np.float32)


@pytest.fixture
def open_context(api):
    made = []

    def open_context(program, **options):
        model = api.load(pt2_archive.zip_bytes(pt2_archive.members(model=program)), **options)
        made.append((api.created("context_create", model), model))
        return made[-1][0]

    yield open_context
    for context, model in made:
        api.context_free(context)
        api.model_free(model)


def test_program_runs(api, open_context):
    context = open_context(pt2_archive.program())
    api.run(context, [X])
    np.testing.assert_allclose(api.output(context), pt2_archive.expected(X)[0], 1e-5, 1e-5)


def test_buffer_that_a_program_changes_is_a_state(api, open_context):
    context = open_context(pt2_archive.counter())
    scale, next_scale, undefined = 1, 1, Tensor()
    api.context_bind_state(context, next_scale, scale, byref(undefined), 0)
    for times in (1, 2, 3):
        api.run(context, [X])
        np.testing.assert_allclose(api.output(context), pt2_archive.expected(X, times)[1], 1e-5, 1e-5)
    refused(ARGUMENT, "no overridable initializer 4 of 1", api.context_bind_state, context, 0, 5, byref(undefined), 0)
