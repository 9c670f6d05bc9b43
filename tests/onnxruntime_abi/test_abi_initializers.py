"""Weights from outside of a model: replaced, shared, and in files."""

import ctypes

import numpy as np
import pytest
from abi_models import W, X, Y, model_proto, node, value
from onnx import TensorProto
from session_support import ARGUMENT, FAIL, pointers, refused, strings

PLAIN = model_proto([node("Add", "x w", "z")], [value("x")], [value("z")], {"w": W}).SerializeToString()


def external(location="weights.bin", offset=None, length=None):
    """z = x + w, where w is in a file."""
    proto = model_proto([node("Add", "x w", "z")], [value("x")], [value("z")], {"w": W})
    tensor = proto.graph.initializer[0]
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    for key, entry in (("location", location), ("offset", offset), ("length", length)):
        if entry is not None:
            tensor.external_data.add(key=key, value=str(entry))
    return proto.SerializeToString()


def result(ort, session):
    return ort.run(session, {"x": X}, "z")[0].tolist()


def test_a_weight_is_replaced(ort):
    options, weight = ort.options(), Y.copy()
    ort.api.AddInitializer(options, b"w", ort.tensor(weight))
    session = ort.session(PLAIN, options)
    assert result(ort, session) == (X + Y).tolist()
    weight[:] = 5
    assert result(ort, session) == (X + 5).tolist()


def test_a_weight_in_memory_of_the_library(ort):
    options, weight = ort.options(), ort.empty((2, 3))
    ctypes.memmove(ort.api.GetTensorMutableData(weight), Y.ctypes.data, Y.nbytes)
    words = "must be owned by the user"
    refused(ARGUMENT, words, ort.api.AddInitializer, options, b"w", weight)
    refused(ARGUMENT, words, ort.api.AddExternalInitializers, options, strings(["w"]), pointers([weight]), 1)


def test_a_weight_is_added_once(ort):
    options, weight = ort.options(), ort.tensor(Y)
    ort.api.AddInitializer(options, b"w", weight)
    refused(ARGUMENT, "w", ort.api.AddInitializer, options, b"w", weight)


def test_weights_that_nothing_needs(ort):
    options = ort.options()
    ort.api.AddInitializer(options, b"other", ort.tensor(Y))
    assert result(ort, ort.session(PLAIN, options)) == (X + W).tolist()


@pytest.mark.only("linnet")
@pytest.mark.parametrize(
    "array", [Y[0], Y.astype(np.float64), np.ones((4, 4), np.float32)], ids=["row", "double", "large"]
)
def test_weights_have_a_type_and_a_shape(ort, array):
    """The original library reads the memory without a check."""
    options = ort.options()
    ort.api.AddInitializer(options, b"w", ort.tensor(array))
    refused(FAIL, "", ort.session, PLAIN, options)


@pytest.mark.only("linnet")
def test_the_value_of_a_weight_may_go_first(ort):
    """The original library crashes."""
    options, weight = ort.options(), ort.tensor(Y)
    ort.api.AddInitializer(options, b"w", weight)
    ort.release("Value", weight)
    assert result(ort, ort.session(PLAIN, options)) == (X + Y).tolist()


def test_a_weight_in_a_file_beside_the_model(ort, tmp_path):
    (tmp_path / "weights.bin").write_bytes(b"####" + W.tobytes())
    (tmp_path / "model.onnx").write_bytes(external(offset=4, length=24))
    session = ort.new("Session", ort.api.CreateSession(ort.env, str(tmp_path / "model.onnx").encode(), ort.options()))
    assert result(ort, session) == (X + W).tolist()


def test_a_file_in_a_folder_that_is_named(ort, tmp_path):
    (tmp_path / "weights.bin").write_bytes(W.tobytes())
    options = ort.options(session__model_external_initializers_file_folder_path=str(tmp_path))
    assert result(ort, ort.session(external(), options)) == (X + W).tolist()


def test_a_file_that_is_not_there(ort, tmp_path):
    options = ort.options(session__model_external_initializers_file_folder_path=str(tmp_path))
    refused(FAIL, "w", ort.session, external(), options)


def test_a_file_that_is_too_short(ort, tmp_path):
    (tmp_path / "weights.bin").write_bytes(W.tobytes()[:20])
    options = ort.options(session__model_external_initializers_file_folder_path=str(tmp_path))
    refused(FAIL, "", ort.session, external(length=24), options)


@pytest.mark.parametrize("location", ["../weights.bin", "/etc/hostname", "a/../../weights.bin"])
def test_files_outside_of_the_folder_are_refused(ort, tmp_path, location):
    (tmp_path / "weights.bin").write_bytes(W.tobytes())
    (tmp_path / "folder").mkdir()
    options = ort.options(session__model_external_initializers_file_folder_path=str(tmp_path / "folder"))
    refused(FAIL, "path validation failed|path", ort.session, external(location), options)


def test_weights_of_files_as_values(ort):
    options = ort.options()
    ort.api.AddExternalInitializers(options, strings(["w"]), pointers([ort.tensor(Y)]), 1)
    assert result(ort, ort.session(external(), options)) == (X + Y).tolist()


def test_files_in_memory(ort):
    options, contents = ort.options(), ctypes.create_string_buffer(b"####" + W.tobytes(), 28)
    add = ort.api.AddExternalInitializersFromFilesInMemory
    add(options, strings(["weights.bin"]), pointers([ctypes.addressof(contents)]), (ctypes.c_size_t * 1)(28), 1)
    assert result(ort, ort.session(external(offset=4, length=24), options)) == (X + W).tolist()
    refused(ARGUMENT, "already been added: weights.bin", add, options, strings(["weights.bin"]),
            pointers([ctypes.addressof(contents)]), (ctypes.c_size_t * 1)(28), 1)  # fmt: skip


def test_a_file_in_memory_that_is_too_short(ort):
    options, contents = ort.options(), ctypes.create_string_buffer(b"####", 4)
    ort.api.AddExternalInitializersFromFilesInMemory(
        options, strings(["weights.bin"]), pointers([ctypes.addressof(contents)]), (ctypes.c_size_t * 1)(4), 1)  # fmt: skip
    refused(FAIL, "out of bounds|has 4 bytes", ort.session, external(offset=0, length=24), options)
    refused(FAIL, "others.bin not found", ort.session, external("others.bin"), options)


def test_external_weights_must_fit(ort):
    for name, array, contents, words in (("q", Y, external(), "initializer with name q"), ("w", Y, PLAIN, "non-external"),
                                         ("w", Y[:1], external(), "dimensions do not match"),
                                         ("w", Y.astype(np.int32), external(), "type does not match")):  # fmt: skip
        options = ort.options()
        ort.api.AddExternalInitializers(options, strings([name]), pointers([ort.tensor(array)]), 1)
        refused(FAIL, words, ort.session, contents, options)


def test_sessions_share_a_container_of_packed_weights(ort, tmp_path):
    weight = np.random.default_rng(1).standard_normal((64, 64)).astype(np.float32)
    proto = model_proto(
        [node("MatMul", "x w", "z")], [value("x", shape=["N", 64])], [value("z", shape=["N", 64])], {"w": weight}
    )
    contents, path = proto.SerializeToString(), tmp_path / "m.onnx"
    path.write_bytes(contents)
    container = ort.new("PrepackedWeightsContainer", ort.api.CreatePrepackedWeightsContainer())
    options, shared = ort.options(), ort.tensor(weight)
    ort.api.AddInitializer(options, b"w", shared)
    sessions = [ort.api.CreateSessionFromArrayWithPrepackedWeightsContainer(ort.env, contents, len(contents), options, container),
                ort.api.CreateSessionWithPrepackedWeightsContainer(ort.env, str(path).encode(), options, container)]  # fmt: skip
    x = np.eye(64, dtype=np.float32)
    for session in sessions:
        assert np.array_equal(ort.run(ort.new("Session", session), {"x": x}, "z")[0], weight)
