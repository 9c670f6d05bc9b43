"""Sessions of ONNX Runtime and of Linnet in its place: loading, providers, descriptions of models, errors."""

import copy
import pickle
import warnings

import numpy as np
import onnx
import pytest
from model_bytes import identity, model
from onnx import TensorProto, helper, numpy_helper

X = np.arange(6, dtype=np.float32).reshape(2, 3)


def kind(ort, name):
    return getattr(ort.capi.onnxruntime_pybind11_state, name)


class Named:
    def __init__(self, path):
        self.path = path

    def __fspath__(self):
        return str(self.path)


@pytest.fixture
def path(tmp_path):
    (tmp_path / "model.onnx").write_bytes(identity())
    return tmp_path / "model.onnx"


def test_paths_of_all_kinds_and_bytes_load(ort, path):
    for given in (path, str(path), Named(path)):
        session = ort.InferenceSession(given)
        assert (session._model_path, session._model_bytes) == (str(path), None)
        np.testing.assert_array_equal(session.run(None, {"x": X})[0], X)
    session = ort.InferenceSession(identity())
    assert (session._model_path, session._model_bytes) == (None, identity())


def test_arguments_are_taken_by_position_and_unknown_ones_ignored(ort, path):
    for session in (
        ort.InferenceSession(str(path), None),
        ort.InferenceSession(identity(), ort.SessionOptions()),
        ort.InferenceSession(identity(), None, ["CPUExecutionProvider"], [{}]),
        ort.InferenceSession(path_or_bytes=identity(), ess_options=ort.SessionOptions(), nonsense=1),
        ort.InferenceSession(identity(), disabled_optimizers=["ConstantFolding"]),
    ):
        np.testing.assert_array_equal(session.run(None, {"x": X})[0], X)


@pytest.mark.parametrize("given", [
    bytearray(identity()), memoryview(identity()), onnx.load_from_string(identity()), None, 3,
], ids=["bytearray", "memoryview", "proto", "none", "int"])  # fmt: skip
def test_other_kinds_of_models_are_type_errors(ort, given):
    with pytest.raises(TypeError, match="Unable to load from type"):
        ort.InferenceSession(given)


def test_what_does_not_load_says_why(ort, tmp_path):
    for given in (str(tmp_path / "nothing.onnx"), tmp_path / "nothing.onnx"):
        with pytest.raises(kind(ort, "NoSuchFile"), match=r"^\[ONNXRuntimeError\] : 3 : NO_SUCHFILE : .*nothing.onnx"):
            ort.InferenceSession(given)
    (tmp_path / "bad.onnx").write_bytes(b"not a model")
    for given in (b"not a model", str(tmp_path / "bad.onnx"), str(tmp_path / "bad.onnx").encode()):
        with pytest.raises(kind(ort, "InvalidProtobuf"), match=r"^\[ONNXRuntimeError\] : 7 : INVALID_PROTOBUF : "):
            ort.InferenceSession(given)
    with pytest.raises(kind(ort, "InvalidArgument")):
        ort.InferenceSession(b"")
    mistyped = model([helper.make_node("And", ["x", "x"], ["y"])], [("x", 1, [1])], [("y", 1, [1])])
    with pytest.raises(kind(ort, "InvalidGraph"), match=r"^\[ONNXRuntimeError\] : 10 : INVALID_GRAPH : .*And"):
        ort.InferenceSession(mistyped)


def test_inputs_and_outputs_are_described(ort):
    session = ort.InferenceSession(identity(shape=["N", None, 3]))
    (arg,) = session.get_inputs()
    assert (arg.name, arg.type, arg.shape) == ("x", "tensor(float)", ["N", None, 3])
    assert str(arg) == "NodeArg(name='x', type='tensor(float)', shape=['N', None, 3])"
    assert str(session.get_outputs()[0]) == "NodeArg(name='y', type='tensor(float)', shape=['N', None, 3])"
    assert ort.InferenceSession(identity(shape=None)).get_inputs()[0].shape == []
    with pytest.raises(AttributeError):
        arg.name = "z"
    with pytest.raises(TypeError):
        ort.NodeArg()


@pytest.mark.parametrize("dtype, text", [
    (1, "float"), (2, "uint8"), (3, "int8"), (4, "uint16"), (5, "int16"), (6, "int32"), (7, "int64"), (8, "string"),
    (9, "bool"), (10, "float16"), (11, "double"), (12, "uint32"), (13, "uint64"), (16, "bfloat16"),
    (17, "float8e4m3fn"), (18, "float8e4m3fnuz"), (19, "float8e5m2"), (20, "float8e5m2fnuz"),
])  # fmt: skip
def test_types_are_written_as_text(ort, dtype, text):
    assert ort.InferenceSession(identity(dtype)).get_inputs()[0].type == f"tensor({text})"


TENSOR = helper.make_tensor_type_proto(TensorProto.FLOAT, [2])
SCALAR = helper.make_tensor_type_proto(TensorProto.FLOAT, [])


@pytest.mark.parametrize("type_proto, text, shape", [
    (helper.make_sequence_type_proto(TENSOR), "seq(tensor(float))", []),
    (helper.make_optional_type_proto(TENSOR), "optional(tensor(float))", [2]),
    (helper.make_optional_type_proto(helper.make_sequence_type_proto(TENSOR)), "optional(seq(tensor(float)))", []),
])  # fmt: skip
def test_types_of_containers_are_written_as_text(ort, type_proto, text, shape):
    values = [helper.make_value_info(name, type_proto) for name in "xy"]
    arg = ort.InferenceSession(model([helper.make_node("Identity", ["x"], ["y"])], values[:1], values[1:])).get_inputs()[0]
    assert (arg.type, arg.shape) == (text, shape)


def test_metadata_is_what_the_file_says(ort):
    bytes_ = identity(producer_name="me", producer_version="1.2", domain="d", model_version=7, doc_string="doc",
                      graph_doc="of graph")  # fmt: skip
    proto = onnx.load_from_string(bytes_)
    helper.set_model_props(proto, {"names": "{0: 'a'}", "character": "abc\ndef"})
    meta = ort.InferenceSession(proto.SerializeToString()).get_modelmeta()
    assert meta.custom_metadata_map == {"names": "{0: 'a'}", "character": "abc\ndef"}
    assert (meta.producer_name, meta.domain, meta.version) == ("me", "d", 7)
    assert (meta.description, meta.graph_name, meta.graph_description) == ("doc", "graph", "of graph")


def floats(*values):
    return np.array(values, np.float32)


def overridable(ir=10, shape=(2,)):
    """y = x + w, where w is an initializer and an input."""
    inputs = [("x", 1, ["N"]), ("w", 1, list(shape))]
    return model([helper.make_node("Add", ["x", "w"], ["y"])], inputs, [("y", 1, ["M"])],
                 [numpy_helper.from_array(floats(1, 1), "w")], ir=ir)  # fmt: skip


def test_initializers_that_are_inputs_are_listed_apart(ort):
    session = ort.InferenceSession(overridable())
    assert [arg.name for arg in session.get_inputs()] == ["x"]
    assert [str(arg) for arg in session.get_overridable_initializers()] == [
        "NodeArg(name='w', type='tensor(float)', shape=[2])"
    ]
    assert session.run(None, {"x": np.ones(2, np.float32)})[0].tolist() == [2, 2]
    assert ort.InferenceSession(overridable(ir=3)).get_overridable_initializers() == []


def test_initializers_are_overridden_for_one_run(ort):
    session = ort.InferenceSession(overridable())
    x = floats(1, 2)
    for _ in range(2):
        assert session.run(None, {"x": x, "w": floats(5, 6)})[0].tolist() == [6, 8]
        assert session.run(None, {"w": floats(0, 0), "x": x})[0].tolist() == [1, 2]
        assert session.run(None, {"x": x})[0].tolist() == [2, 3]
        assert session.run(None, {"x": x, "w": None})[0].tolist() == [2, 3]
    resized = ort.InferenceSession(overridable(shape=["K"]))
    assert resized.run(None, {"x": floats(1), "w": floats(5, 6, 7)})[0].tolist() == [6, 7, 8]
    assert resized.run(None, {"x": floats(1)})[0].tolist() == [2, 2]


def test_initializers_are_overridden_by_values_and_bindings(ort):
    session = ort.InferenceSession(overridable())
    x, w = (ort.OrtValue.ortvalue_from_numpy(floats(*v)) for v in ((1, 2), (5, 6)))
    assert session.run_with_ort_values(None, {"x": x, "w": w})[0].numpy().tolist() == [6, 8]
    binding, held = session.io_binding(), floats(3, 3)
    binding.bind_cpu_input("x", floats(1, 2))
    binding.bind_output("y")
    binding.bind_ortvalue_input("w", w)
    session.run_with_iobinding(binding)
    assert binding.copy_outputs_to_cpu()[0].tolist() == [6, 8]
    binding.bind_input("w", "cpu", 0, np.float32, [2], held.ctypes.data)
    session.run_with_iobinding(binding)
    assert binding.copy_outputs_to_cpu()[0].tolist() == [4, 5]


def test_other_values_of_initializers_are_those_of_folded_and_packed_ones_too(ort):
    """Tests a Conv's weights, and a shape that determines others."""
    rng = np.random.default_rng(2)
    x, w, other = (rng.standard_normal(shape).astype(np.float32) for shape in ((1, 3, 8, 8), (4, 3, 3, 3), (4, 3, 3, 3)))
    nodes = [helper.make_node("Conv", ["x", "w"], ["c"]), helper.make_node("Reshape", ["c", "s"], ["y"])]
    inputs = [("x", 1, list(x.shape)), ("w", 1, list(w.shape)), ("s", 7, [2])]
    initializers = [numpy_helper.from_array(w, "w"), numpy_helper.from_array(np.array([4, 36]), "s")]
    session = ort.InferenceSession(model(nodes, inputs, [("y", 1, ["A", "B"])], initializers))
    (plain,) = session.run(None, {"x": x})
    (overridden,) = session.run(None, {"x": x, "w": other, "s": np.array([36, 4])})
    again = ort.InferenceSession(model(nodes, inputs, [("y", 1, ["A", "B"])], [
        numpy_helper.from_array(other, "w"), numpy_helper.from_array(np.array([36, 4]), "s")]))  # fmt: skip
    np.testing.assert_allclose(overridden, again.run(None, {"x": x})[0], rtol=1e-5, atol=1e-5)
    np.testing.assert_array_equal(session.run(None, {"x": x})[0], plain)


def test_other_values_of_initializers_must_fit(ort):
    session = ort.InferenceSession(overridable())
    x = floats(1)
    for w in (floats(5, 5, 5), floats(5, 5)[None], np.ones(2)):
        with pytest.raises(kind(ort, "InvalidArgument"), match=r"^\[ONNXRuntimeError\] : 2 : INVALID_ARGUMENT : "):
            session.run(None, {"x": x, "w": w})
    with pytest.raises(ValueError, match=r"Required inputs \(\['x'\]\) are missing from input feed \(\['w'\]\)"):
        session.run(None, {"w": floats(1, 1)})
    with pytest.raises(kind(ort, "InvalidArgument"), match="Invalid input name: q$"):
        session.run(None, {"x": x, "w": floats(1, 1), "q": x})
    assert session.run(None, {"x": x, "w": floats(5, 6)})[0].tolist() == [6, 7]


def providers_and_warnings(ort, **arguments):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        session = ort.InferenceSession(identity(), **arguments)
    return session.get_providers(), session.get_provider_options(), [w.category for w in caught]


CPU = (["CPUExecutionProvider"], {"CPUExecutionProvider": {}})


@pytest.mark.parametrize("arguments", [
    {}, {"providers": []}, {"providers": None}, {"providers": ["CPUExecutionProvider"]},
    {"providers": ("CPUExecutionProvider",)}, {"provider_options": [{}]},
    {"providers": [("CPUExecutionProvider", {"arena_extend_strategy": "kSameAsRequested"})]},
    {"providers": ["CPUExecutionProvider"], "provider_options": [{"use_arena": 1}]},
])  # fmt: skip
def test_the_cpu_is_the_provider(ort, arguments):
    assert providers_and_warnings(ort, **arguments) == (*CPU, [])


@pytest.mark.parametrize("providers", [
    ["CUDAExecutionProvider", "CPUExecutionProvider"], ["CUDAExecutionProvider"], ["TensorrtExecutionProvider"],
    [("CUDAExecutionProvider", {"device_id": 0}), "CPUExecutionProvider"], ["FooExecutionProvider"],
    ["CPUExecutionProvider", "CPUExecutionProvider"],
])  # fmt: skip
def test_other_providers_are_a_warning(ort, providers):
    assert providers_and_warnings(ort, providers=providers) == (*CPU, [UserWarning])


def test_providers_are_set_later(ort):
    session = ort.InferenceSession(identity())
    with pytest.warns(UserWarning, match="'CUDAExecutionProvider' is not in available provider names"):
        session.set_providers(["CUDAExecutionProvider"])
    assert session.get_providers() == CPU[0]
    np.testing.assert_array_equal(session.run(None, {"x": X})[0], X)
    session.disable_fallback()
    session.enable_fallback()


def test_sessions_and_options_are_not_pickled(ort):
    for value in (ort.InferenceSession(identity()), ort.SessionOptions()):
        with pytest.raises(TypeError):
            pickle.dumps(value)
    with pytest.raises(TypeError):
        copy.copy(ort.SessionOptions())


def test_a_subclass_may_be_pickled(ort, path):
    global Pickled

    class Pickled(ort.InferenceSession):
        def __getstate__(self):
            return {"model_path": self._model_path}

        def __setstate__(self, state):
            self.__init__(state["model_path"])

    again = pickle.loads(pickle.dumps(Pickled(str(path))))
    assert isinstance(again, ort.InferenceSession)
    np.testing.assert_array_equal(again.run(None, {"x": X})[0], X)


def test_missing_and_unknown_names(ort):
    both = model([helper.make_node("Add", ["x", "y"], ["z"])], [("x", 1, ["N"]), ("y", 1, ["N"])], [("z", 1, ["N"])])
    session = ort.InferenceSession(both)
    x = np.ones(2, np.float32)
    with pytest.raises(ValueError) as error:
        session.run(None, {"x": x})
    assert str(error.value) == "Required inputs (['y']) are missing from input feed (['x'])."
    for call in (lambda: session.run(None, {"x": x, "y": x, "q": x}), lambda: session.run(["q"], {"x": x, "y": x})):
        with pytest.raises(kind(ort, "InvalidArgument"), match=r"^\[ONNXRuntimeError\] : 2 : INVALID_ARGUMENT : .*q$"):
            call()
    with pytest.raises(TypeError):
        session.run("z", {"x": x, "y": x})
    with pytest.raises(AttributeError):
        session.run(None, [x, x])
    assert session.run(None, {"x": x, "y": x})[0].tolist() == [2, 2]


@pytest.mark.parametrize("x", [X[0], X[None], np.ones((2, 4), np.float32)], ids=["vector", "cube", "columns"])
def test_wrong_shapes_are_refused(ort, x):
    with pytest.raises(kind(ort, "InvalidArgument"), match=r"^\[ONNXRuntimeError\] : 2 : INVALID_ARGUMENT : .*x"):
        ort.InferenceSession(identity()).run(None, {"x": x})


@pytest.mark.parametrize("x, actual", [(X.astype(np.float64), "double"), (X.astype(np.int64), "int64"),
                                       (X > 1, "bool"), (X.astype(str), "string")])  # fmt: skip
def test_no_dtype_is_cast(ort, x, actual):
    with pytest.raises(kind(ort, "InvalidArgument")) as error:
        ort.InferenceSession(identity()).run(None, {"x": x})
    assert f"Unexpected input data type. Actual: (tensor({actual})) , expected: (tensor(float))" in str(error.value)


def test_a_run_that_fails_names_the_node_and_leaves_the_session_usable(ort):
    session = ort.InferenceSession(model(
        [helper.make_node("Reshape", ["x", "shape"], ["y"], "wrong")],
        [("x", 1, ["N"]), ("shape", 7, ["R"])], [("y", 1, None)]))  # fmt: skip
    x = np.ones(4, np.float32)
    with pytest.raises(kind(ort, "Fail"), match=r"^\[ONNXRuntimeError\] : 1 : FAIL : .*Reshape.*wrong"):
        session.run(None, {"x": x, "shape": np.array([3])})
    assert session.run(None, {"x": x, "shape": np.array([2, 2])})[0].shape == (2, 2)


def test_exceptions_derive_from_exception(ort):
    names = ["Fail", "InvalidArgument", "NoSuchFile", "NoModel", "EngineError", "RuntimeException", "InvalidProtobuf",
             "ModelLoaded", "NotImplemented", "InvalidGraph", "EPFail", "ModelLoadCanceled", "ModelRequiresCompilation",
             "NotFound", "DeviceReset"]  # fmt: skip
    for name in names:
        assert kind(ort, name).__bases__ == (Exception,)
        assert getattr(ort.capi._pybind_state, name) is kind(ort, name)


@pytest.mark.parametrize("declared", [["batch", "words", 5], ["batch", None, None], None, [2, "words", 5]])
def test_outputs_are_described_as_they_are_declared(ort, declared):
    """Declared shapes are used if they cannot be inferred, as for a Reshape to a computed shape."""
    session = ort.InferenceSession(model([helper.make_node("Reshape", ["x", "s"], ["y"])],
                                         [("x", 1, ["N"]), ("s", 7, [3])], [("y", 1, declared)]))  # fmt: skip
    assert session.get_outputs()[0].shape == (declared or [None, None, None])
    add = model([helper.make_node("Neg", ["x"], ["y"])], [("x", 1, ["N", 3])], [("y", 1, ["rows", None])])
    assert ort.InferenceSession(add).get_outputs()[0].shape == ["rows", 3]
