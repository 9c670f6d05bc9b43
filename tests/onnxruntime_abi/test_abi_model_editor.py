"""Models that are built in memory, and sessions whose models are changed."""

import ctypes
from ctypes import byref, c_int64

import numpy as np
import pytest
from abi_models import ADD, X, Y
from editor import Editor
from session_support import (
    ARGUMENT,
    FAIL,
    INVALID_GRAPH,
    MAP,
    NO_FILE,
    NOT_IMPLEMENTED,
    OPTIONAL,
    PROTOBUF,
    SEQUENCE,
    SPARSE,
    dims,
    pointers,
    refused,
    strings,
    text,
)


@pytest.fixture
def editor(ort):
    return Editor(ort)


def test_a_model_is_made_and_run(ort, editor):
    session = editor.session(editor.add_model())
    assert ort.run(session, {"x": Y}, "z")[0].tolist() == (Y + X).tolist()
    assert [ort.owned_text(ort.api.SessionGetInputName(session, 0, ort.allocator)) for _ in "12"] == ["x", "x"]


def test_one_model_makes_many_sessions(ort, editor):
    model = editor.add_model()
    sessions = [editor.session(model) for _ in range(2)]
    ort.release("Model", model)
    for session in sessions:
        assert ort.run(session, {"x": Y}, "z")[0].tolist() == (Y + X).tolist()


@pytest.mark.parametrize("external", [True, False])
def test_large_weights(ort, editor, external):
    weight = np.eye(64, dtype=np.float32)
    graph = editor.graph([editor.value("x", shape=(-1, 64))], [editor.value("z", shape=(-1, 64))],
                         [editor.node("MatMul", ["x", "w"], ["z"])], {"w": ort.tensor(weight)}, external)  # fmt: skip
    session = editor.session(editor.model(graph))
    assert np.array_equal(ort.run(session, {"x": weight * 3}, "z")[0], weight * 3)


def test_small_weights_are_copied(ort, editor):
    graph = ort.new("Graph", editor.table.CreateGraph())
    refused(ARGUMENT, "larger than 127 bytes", editor.table.AddInitializerToGraph, graph, b"w", ort.tensor(X), True)


def test_nodes_have_attributes(ort, editor):
    axis = ort.api.CreateOpAttr(b"axis", byref(c_int64(0)), 1, 1)
    graph = editor.graph(
        [editor.value("x")], [editor.value("z")], [editor.node("Softmax", ["x"], ["z"], attributes=[axis])]
    )
    result = ort.run(editor.session(editor.model(graph)), {"x": X}, "z")[0]
    np.testing.assert_allclose(result, np.exp(X) / np.exp(X).sum(0), rtol=1e-5)


def test_models_with_faults(ort, editor):
    def relu(operator="Relu", domains=(("", 17),)):
        graph = editor.graph([editor.value("x")], [editor.value("z")], [editor.node(operator, ["x"], ["z"])])
        return editor.session(editor.model(graph, domains))

    refused(INVALID_GRAPH, "Foo", relu, "Foo")
    refused(ARGUMENT, "opset for the ONNX domain", relu, domains=(("a.b", 1),))


def test_names_and_types_are_needed(ort, editor):
    create, info = editor.table.CreateValueInfo, editor.tensor_type(1, 2)
    refused(ARGUMENT, "name.*(null|empty)", create, b"", info)
    refused(ARGUMENT, "name.*(null|empty)", create, None, info)
    refused(ARGUMENT, "type_info.*null", create, b"x", None)
    graph = ort.new("Graph", editor.table.CreateGraph())
    refused(ARGUMENT, "null entries", editor.table.SetGraphInputs, graph, pointers([None]), 1)
    refused(ARGUMENT, "null entries", editor.table.SetGraphOutputs, graph, pointers([None]), 1)


def test_a_model_has_one_graph(ort, editor):
    model = editor.add_model()
    other = editor.graph([editor.value("x")], [editor.value("z")], [editor.node("Relu", ["x"], ["z"])])
    refused(ARGUMENT, "one graph|a graph already", editor.table.AddGraphToModel, model, other)


def test_types_of_all_kinds(ort, editor):
    table, tensor = editor.table, editor.tensor_type
    shape = ort.new("TensorTypeAndShapeInfo", ort.api.CreateTensorTypeAndShapeInfo())
    made = {SEQUENCE: table.CreateSequenceTypeInfo(tensor(1, 2)), MAP: table.CreateMapTypeInfo(7, tensor(1)),
            OPTIONAL: table.CreateOptionalTypeInfo(tensor(1, 2)), SPARSE: table.CreateSparseTensorTypeInfo(shape)}  # fmt: skip
    for kind, info in made.items():
        assert ort.api.GetOnnxTypeFromTypeInfo(ort.new("TypeInfo", info)) == kind


def test_values_say_their_names_and_types(ort, editor):
    value = ort.new("ValueInfo", editor.value("x", 7, (2, -1)))
    assert text(ort.api.GetValueInfoName(value)) == "x"
    assert ort.described(ort.api.CastTypeInfoToTensorInfo(ort.api.GetValueInfoTypeInfo(value))) == (7, [2, -1])
    for name in ("GetValueProducer", "GetValueNumConsumers", "GetInitializerValue", "GetExternalInitializerInfo",
                 "IsRequiredGraphInput", "IsOptionalGraphInput", "IsGraphOutput", "IsConstantInitializer",
                 "IsFromOuterScope"):  # fmt: skip
        refused(NOT_IMPLEMENTED, "", getattr(ort.api, f"ValueInfo_{name}"), value)


def test_nodes_say_what_they_are(ort, editor):
    api = ort.api
    node = ort.new("Node", editor.node("Add", ["x", "w"], ["z"], "sum", "", [api.CreateOpAttr(b"a", dims(3), 1, 1)]))
    assert [text(call(node)) for call in (api.Node_GetName, api.Node_GetOperatorType, api.Node_GetDomain)] == [
        "sum",
        "Add",
        "",
    ]
    counts = (api.Node_GetNumInputs, api.Node_GetNumOutputs, api.Node_GetNumAttributes)
    assert [call(node) for call in counts] == [2, 1, 1]
    for name in ("GetInputs", "GetOutputs", "GetImplicitInputs", "GetAttributes"):
        refused(NOT_IMPLEMENTED, "", getattr(api, f"Node_{name}"), node, pointers([None] * 4), 1)
    for name in ("GetSinceVersion", "GetNumImplicitInputs", "GetNumSubgraphs", "GetGraph"):
        refused(NOT_IMPLEMENTED, "", getattr(api, f"Node_{name}"), node)


def test_graphs_say_what_they_have(ort, editor):
    api = ort.api
    graph = ort.new("Graph", editor.graph([editor.value("x")], [editor.value("z")], [editor.node("Add", ["x", "w"], ["z"])],
                                          {"w": ort.tensor(X)}))  # fmt: skip
    counts = (api.Graph_GetNumInputs, api.Graph_GetNumOutputs, api.Graph_GetNumInitializers, api.Graph_GetNumNodes)
    assert [call(graph) for call in counts] == [1, 1, 1, 1]
    assert isinstance(text(api.Graph_GetName(graph)), str) and text(api.Graph_GetModelPath(graph)) == ""
    assert api.Graph_GetOnnxIRVersion(graph) >= 10
    refused(NOT_IMPLEMENTED, "", api.Graph_GetNumOperatorSets, graph)
    for name in ("GetInputs", "GetOutputs", "GetInitializers", "GetNodes"):
        refused(NOT_IMPLEMENTED, "", getattr(api, f"Graph_{name}"), graph, pointers([None]), 1)
    ort.new("ModelMetadata", api.Graph_GetModelMetadata(graph))


def test_places_in_files(ort):
    api = ort.api
    place = ort.new("ExternalInitializerInfo", api.CreateExternalInitializerInfo(b"file.bin", 8, 24))
    assert api.ExternalInitializerInfo_GetFilePath(place) == b"file.bin"
    assert (api.ExternalInitializerInfo_GetFileOffset(place), api.ExternalInitializerInfo_GetByteSize(place)) == (8, 24)


def edited(ort, editor):
    """Returns a session whose model can still be changed."""
    return ort.new("Session", editor.table.CreateModelEditorSessionFromArray(ort.env, ADD, len(ADD), ort.options()))


def test_a_model_is_extended(ort, editor):
    session = edited(ort, editor)
    assert editor.table.SessionGetOpsetForDomain(session, b"") == 17
    refused(FAIL, "domain not used", editor.table.SessionGetOpsetForDomain, session, b"no.where")
    graph = editor.graph(
        [editor.value("x"), editor.value("y")], [editor.value("q")], [editor.node("Relu", ["z"], ["q"])]
    )
    editor.table.ApplyModelToModelEditorSession(session, editor.model(graph))
    editor.table.FinalizeModelEditorSession(session, ort.options(), None)
    assert ort.run(session, {"x": X - 3, "y": Y}, "q")[0].tolist() == np.maximum(X - 3 + Y, 0).tolist()


def test_a_model_that_is_not_changed(ort, editor, tmp_path):
    (tmp_path / "add.onnx").write_bytes(ADD)
    path = str(tmp_path / "add.onnx").encode()
    session = ort.new("Session", editor.table.CreateModelEditorSession(ort.env, path, ort.options()))
    refused(FAIL, "not initialized", ort.run, session, {"x": X, "y": Y}, "z")
    editor.table.FinalizeModelEditorSession(session, ort.options(), None)
    assert ort.run(session, {"x": X, "y": Y}, "z")[0].tolist() == (X + Y).tolist()


def test_models_that_cannot_be_edited(ort, editor):
    refused(PROTOBUF, "protobuf", editor.table.CreateModelEditorSessionFromArray, ort.env, b"garbage", 7, ort.options())
    refused(NO_FILE, "doesn't exist", editor.table.CreateModelEditorSession, ort.env, b"/no/such", ort.options())


def test_domains_of_models(ort, editor):
    numbers = (ctypes.c_int32 * 2)(17, 3)
    ort.new("Model", editor.table.CreateModel(strings(["", "ai.onnx.ml"]), numbers, 2))
