"""The C API: files that the program reads for a load."""

import ctypes
from ctypes import byref, pointer

import numpy as np
import onnx
import pytest
from c_api import ARGUMENT, FILE_SIZE, INTERNAL, IO, LIMIT, OK, READ, UNSUPPORTED, Files, Options, refused
from c_models import LINEAR, W, X


class Stored:
    """Implements linnet_files with a dict. fail: reading this name returns `status` with `message`."""

    def __init__(self, api, files, most=2**62, fail=None, status=OK, message=None):
        self.api, self.files, self.most, self.fail, self.status, self.message = api, files, most, fail, status, message
        self.struct = Files(file_size=FILE_SIZE(self.size), read=READ(self.read))

    def size(self, _, name, size):
        contents = self.files.get(name.decode())
        if contents is None:
            return self.api.library.linnet_set_error(IO, b"there is none of that name")
        size[0] = len(contents)
        return OK

    def read(self, _, name, offset, to, size, done):
        if name.decode() == self.fail:
            return self.api.library.linnet_set_error(self.status, self.message) if self.message else self.status
        part = self.files[name.decode()][offset : offset + min(size, self.most)]
        ctypes.memmove(to, part, len(part))
        done[0] = len(part)
        return OK


@pytest.fixture
def files(tmp_path):
    proto = onnx.load_from_string(LINEAR)
    onnx.save(proto, tmp_path / "m.onnx", save_as_external_data=True, size_threshold=0, location="m.data")
    return {f"models/{path.name}": path.read_bytes() for path in tmp_path.iterdir()}


def load(api, stored, name=b"models/m.onnx", **options):
    return api.created("model_load", name, byref(Options(files=pointer(stored.struct), **options)))


@pytest.mark.parametrize("most", [3, 2**62])
def test_a_model_is_read_by_the_program(api, files, most):
    context = api.created("context_create", load(api, Stored(api, files, most)))
    api.run(context, [X])
    np.testing.assert_allclose(api.output(context), X @ W, rtol=1e-5)


def test_a_model_in_memory_has_external_data(api, files):
    data, stored = files["models/m.onnx"], Stored(api, files)
    options = byref(Options(files=pointer(stored.struct)))
    context = api.created("context_create", api.created("model_load_bytes", data, len(data), b"models", options))
    api.run(context, [X])
    np.testing.assert_allclose(api.output(context), X @ W, rtol=1e-5)


@pytest.mark.parametrize("name", ["models/m.onnx", "models/m.data"])
@pytest.mark.parametrize("status, message, got, words", [
    (IO, b"it is locked", IO, "it is locked"), (LIMIT, b"too much", LIMIT, "too much"),
    (UNSUPPORTED, None, UNSUPPORTED, "the callback returned status 2"), (ARGUMENT, b"no", INTERNAL, "no"), (77, None, INTERNAL, "77"),
])  # fmt: skip
def test_a_status_of_the_program_ends_the_load(api, files, name, status, message, got, words):
    refused(got, f"cannot read '{name}': .*{words}", load, api, Stored(api, files, fail=name, status=status, message=message))


def test_what_is_missing_or_short_is_named(api, files):
    refused(IO, "cannot read 'none': there is none of that name", load, api, Stored(api, files), b"none")
    refused(IO, "'models/m.onnx' ends at byte 0", load, api, Stored(api, files, fail="models/m.onnx"))


def test_the_struct_is_checked(api, files):
    for change in ({"size": 8}, {"size": ctypes.sizeof(Files) + 8}, {"file_size": FILE_SIZE()}, {"read": READ()}):
        stored = Stored(api, files)
        for field, value in change.items():
            setattr(stored.struct, field, value)
        refused(ARGUMENT, "options->files", load, api, stored)
