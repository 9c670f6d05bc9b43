"""The descriptions of a session's inputs, outputs and model."""

import ctypes

import numpy as np
import pytest
from abi_models import ADD, FLOAT, INT64, OVERRIDABLE, TEXT, WEIGHTED, model, model_proto, node, one, value
from onnx import TensorProto, helper, load
from session_support import ARGUMENT, FAIL, TENSOR, dims, items, refused, text

SHAPED = model([node("Identity", name, f"out_{name}") for name in ("scalar", "mixed", "unknown", "fixed")],
               [value("scalar", FLOAT, []), value("mixed", INT64, ["N", None, 4, "M"]), value("unknown", TEXT, None),
                value("fixed", TensorProto.BFLOAT16, [0, 7])],
               [value(f"out_{name}", kind, None) for name, kind in (("scalar", FLOAT), ("mixed", INT64), ("unknown", TEXT),
                                                                    ("fixed", TensorProto.BFLOAT16))])  # fmt: skip


def names(ort, session, side):
    """Returns the names of the inputs, outputs or overridable initializers."""
    count = getattr(ort.api, f"SessionGet{side}Count")(session)
    return [ort.owned_text(getattr(ort.api, f"SessionGet{side}Name")(session, i, ort.allocator)) for i in range(count)]


def described(ort, session, side, index):
    """Returns the type, dims and symbols of an input or output, and whether it has a shape."""
    info = ort.new("TypeInfo", getattr(ort.api, f"SessionGet{side}TypeInfo")(session, index))
    assert ort.api.GetOnnxTypeFromTypeInfo(info) == TENSOR
    tensor = ort.api.CastTypeInfoToTensorInfo(info)
    kind, shape = ort.described(tensor)
    symbols = (ctypes.c_char_p * (len(shape) + 1))()
    ort.api.GetSymbolicDimensions(tensor, symbols, len(shape))
    return kind, shape, [s.decode() for s in list(symbols)[: len(shape)]], ort.api.TensorTypeAndShape_HasShape(tensor)


EXPECTED = [
    (1, [], [], True),
    (7, [-1, -1, 4, -1], ["N", "", "", "M"], True),
    (8, [], [], False),
    (16, [0, 7], ["", ""], True),
]


def test_inputs_and_outputs_are_described(ort):
    session = ort.session(SHAPED)
    assert names(ort, session, "Input") == ["scalar", "mixed", "unknown", "fixed"]
    assert names(ort, session, "Output") == ["out_scalar", "out_mixed", "out_unknown", "out_fixed"]
    assert [described(ort, session, "Input", i) for i in range(4)] == EXPECTED
    assert [described(ort, session, "Output", i) for i in range(4)] == EXPECTED


def test_overridable_initializers_are_no_inputs(ort):
    session = ort.session(OVERRIDABLE)
    assert (names(ort, session, "Input"), names(ort, session, "OverridableInitializer")) == (["x"], ["w"])
    assert described(ort, session, "OverridableInitializer", 0)[:2] == (1, [2, 3])
    assert names(ort, ort.session(WEIGHTED), "OverridableInitializer") == []


@pytest.mark.parametrize("index", [2, 1000, 2**64 - 1])
@pytest.mark.parametrize("side", ["Input", "Output", "OverridableInitializer"])
def test_indices_are_checked(ort, index, side):
    session = ort.session(ADD)
    refused(FAIL, "out of", getattr(ort.api, f"SessionGet{side}Name"), session, index, ort.allocator)
    refused(FAIL, "out of", getattr(ort.api, f"SessionGet{side}TypeInfo"), session, index)


def test_names_are_fresh_each_time(ort):
    session = ort.session(ADD)
    addresses = [ort.api.SessionGetInputName(session, 0, ort.allocator) for _ in range(2)]
    assert addresses[0] != addresses[1]
    assert [ort.owned_text(address) for address in addresses] == ["x", "x"]


def test_the_inner_information_is_part_of_the_outer(ort):
    info = ort.new("TypeInfo", ort.api.SessionGetInputTypeInfo(ort.session(ADD), 0))
    assert ort.api.CastTypeInfoToTensorInfo(info) == ort.api.CastTypeInfoToTensorInfo(info)
    for name in ("Sequence", "Map", "Optional"):
        assert getattr(ort.api, f"CastTypeInfoTo{name}{'TypeInfo'}")(info) is None
    assert ort.api.GetDenotationFromTypeInfo(info)[1] == 0


def test_type_information_outlives_the_session(ort):
    session = ort.session(ADD)
    info = ort.new("TypeInfo", ort.api.SessionGetInputTypeInfo(session, 0))
    ort.release("Session", session)
    assert ort.described(ort.api.CastTypeInfoToTensorInfo(info)) == (1, [-1, 3])


def test_unknown_dims_have_no_count(ort):
    info = ort.new("TypeInfo", ort.api.SessionGetInputTypeInfo(ort.session(ADD), 0))
    refused(FAIL, "overflow|counted", ort.api.GetTensorShapeElementCount, ort.api.CastTypeInfoToTensorInfo(info))


def test_a_denotation_is_kept(ort):
    proto = model_proto([node("Relu", "x", "z")], [value("x")], [value("z")])
    proto.graph.input[0].type.denotation = "IMAGE"
    info = ort.new("TypeInfo", ort.api.SessionGetInputTypeInfo(ort.session(proto.SerializeToString()), 0))
    address, length = ort.api.GetDenotationFromTypeInfo(info)
    assert ctypes.string_at(address, length) == b"IMAGE"


def test_shapes_of_outputs_are_inferred(ort):
    proto = model([node("MatMul", "x w", "z")], [value("x", shape=["N", 2])], [value("z", shape=None)],
                  {"w": np.zeros((2, 5), np.float32)})  # fmt: skip
    assert described(ort, ort.session(proto), "Output", 0) == (1, [-1, 5], ["N", ""], True)


@pytest.mark.parametrize("by_name", [True, False])
def test_free_dims_may_be_fixed(ort, by_name):
    proto = model_proto([node("Relu", "x", "z")], [value("x", shape=["N", 3])], [value("z", shape=["N", 3])])
    proto.graph.input[0].type.tensor_type.shape.dim[0].denotation = "ROWS"
    options = ort.options()
    if by_name:
        ort.api.AddFreeDimensionOverrideByName(options, b"N", 4)
    else:
        ort.api.AddFreeDimensionOverride(options, b"ROWS", 4)
    session = ort.session(proto.SerializeToString(), options)
    assert described(ort, session, "Input", 0)[:2] == (1, [4, 3])
    refused(2, "Got: 2 Expected: 4", ort.run, session, {"x": np.ones((2, 3), np.float32)}, "z")
    assert ort.run(session, {"x": np.ones((4, 3), np.float32)}, "z")[0].shape == (4, 3)


DENOTED = model_proto([node("Relu", "x", "z")], [value("x", shape=["N", 3])], [value("z", shape=["N", 3])])
for dim, word in zip(DENOTED.graph.input[0].type.tensor_type.shape.dim, ("ROWS", "COLUMNS")):
    dim.denotation = word


def shapes_of(ort, contents, *overrides):
    """Returns the shapes of the first input and output for overrides of dims: (by what, name, size)."""
    options = ort.options()
    for by, name, size in overrides:
        getattr(ort.api, f"AddFreeDimensionOverride{by}")(options, name.encode(), size)
    session = ort.session(contents, options)
    return [described(ort, session, side, 0)[1] for side in ("Input", "Output")]


@pytest.mark.parametrize(
    ("overrides", "size"),
    [
        ([("", "rows", 4)], 4), ([("", "Columns", 3)], -1), ([("", "x", 4)], -1), ([("", "", 4)], -1),
        ([("", "ROWS", 0)], 0), ([("", "ROWS", 4), ("", "ROWS", 6)], 4), ([("ByName", "N", 4), ("ByName", "N", 6)], 4),
        ([("", "ROWS", 4), ("ByName", "N", 4)], 4), ([("ByName", "n", 4)], -1),
    ],
)  # fmt: skip
def test_denotations_have_sizes(ort, overrides, size):
    assert shapes_of(ort, DENOTED.SerializeToString(), *overrides) == [[size, 3]] * 2


def test_denotations_of_dims_without_a_symbol(ort):
    proto = type(DENOTED)()
    proto.CopyFrom(DENOTED)
    proto.graph.input[0].type.tensor_type.shape.dim[0].ClearField("dim_param")
    assert shapes_of(ort, proto.SerializeToString(), ("", "ROWS", 4))[0] == [4, 3]


def test_sizes_that_contradict(ort):
    contents = DENOTED.SerializeToString()
    refused(ARGUMENT, "invalid free dimension override", shapes_of, ort, contents, ("", "COLUMNS", 7))
    for overrides in ([("", "ROWS", 4), ("ByName", "N", 5)], [("ByName", "N", 5), ("", "ROWS", 4)]):
        refused(ARGUMENT, "conflicting free dimension overrides", shapes_of, ort, contents, *overrides)


def test_denotations_are_saved(ort, tmp_path):
    proto = type(DENOTED)()
    proto.CopyFrom(DENOTED)
    proto.graph.input[0].type.denotation, proto.graph.output[0].type.denotation = "IMAGE", "TENSOR"
    options = ort.options()
    ort.api.SetSessionGraphOptimizationLevel(options, 1)
    ort.api.SetOptimizedModelFilePath(options, str(tmp_path / "m.onnx").encode())
    ort.session(proto.SerializeToString(), options)
    graph = load(tmp_path / "m.onnx").graph
    assert (graph.input[0].type.denotation, graph.output[0].type.denotation) == ("IMAGE", "TENSOR")
    assert [dim.denotation for dim in graph.input[0].type.tensor_type.shape.dim] == ["ROWS", "COLUMNS"]


def test_memory_and_devices_of_inputs_and_outputs(ort):
    session = ort.session(ADD)
    for side, count in (("Inputs", 2), ("Outputs", 1)):
        infos, devices = dims(0, 0), dims(0, 0)
        getattr(ort.api, f"SessionGetMemoryInfoFor{side}")(session, infos, count)
        assert [text(ort.api.MemoryInfoGetName(info)) for info in list(infos)[:count]] == ["Cpu"] * count
        getattr(ort.api, f"SessionGetEpDeviceFor{side}")(session, devices, count)
        assert all(ort.api.EpDevice_EpName(d) == b"CPUExecutionProvider" for d in list(devices)[:count] if d)


def metadata(ort, contents):
    return ort.new("ModelMetadata", ort.api.SessionGetModelMetadata(ort.session(contents)))


def read(ort, handle):
    """Returns the strings of a model's metadata."""
    kinds = ("ProducerName", "GraphName", "Domain", "Description", "GraphDescription")
    return [ort.owned_text(getattr(ort.api, f"ModelMetadataGet{kind}")(handle, ort.allocator)) for kind in kinds]


def test_metadata_of_a_model(ort):
    proto = model_proto([node("Relu", "x", "z")], [value("x")], [value("z")], properties={"k1": "v1", "k2": "", "\u00fc": "\u00e4"},
                        producer_name="producer", domain="a.b", doc_string="about", model_version=17)  # fmt: skip
    proto.graph.doc_string = "about the graph"
    handle = metadata(ort, proto.SerializeToString())
    assert read(ort, handle) == ["producer", "graph", "a.b", "about", "about the graph"]
    assert ort.api.ModelMetadataGetVersion(handle) == 17
    keys, count = ort.api.ModelMetadataGetCustomMetadataMapKeys(handle, ort.allocator)
    assert sorted(ort.owned_text(key) for key in items(keys, count)) == ["k1", "k2", "\u00fc"]
    ort.api.AllocatorFree(ort.allocator, keys)
    values = [
        ort.api.ModelMetadataLookupCustomMetadataMap(handle, ort.allocator, key.encode())
        for key in ("k1", "k2", "\u00fc")
    ]
    assert [ort.owned_text(v) for v in values] == ["v1", "", "\u00e4"]
    assert ort.api.ModelMetadataLookupCustomMetadataMap(handle, ort.allocator, b"zz") is None


def test_metadata_that_is_not_there(ort):
    handle = metadata(ort, one("Relu"))
    assert read(ort, handle) == ["", "graph", "", "", ""]
    assert ort.api.ModelMetadataGetVersion(handle) == 2**63 - 1
    assert ort.api.ModelMetadataGetCustomMetadataMapKeys(handle, ort.allocator) == (None, 0)


def test_information_on_tensors_may_be_made(ort):
    api = ort.api
    info = ort.new("TensorTypeAndShapeInfo", api.CreateTensorTypeAndShapeInfo())
    api.SetTensorElementType(info, 7)
    api.SetDimensions(info, dims(-1, 4), 2)
    api.SetSymbolicDimensions(info, (ctypes.c_char_p * 2)(b"N", b""), 2)
    assert ort.described(info) == (7, [-1, 4])
    symbols = (ctypes.c_char_p * 2)()
    api.GetSymbolicDimensions(info, symbols, 2)
    assert list(symbols) == [b"N", b""]
    assert helper and api.TensorTypeAndShape_HasShape(info)
