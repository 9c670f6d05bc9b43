"""Adapters: files of values for inputs, which runs take up."""

import pytest
from abi_models import OVERRIDABLE, WEIGHTED, W, X, Y, model, node, value
from session_support import ARGUMENT, FAIL, refused

# Without a weight of its own.
BARE = model([node("Add", "x w", "z")], [value("x"), value("w")], [value("z")])


@pytest.fixture(scope="session")
def adapter(tmp_path_factory):
    """A file with Y for the input w, which ONNX Runtime's package for Python writes."""
    onnxruntime = pytest.importorskip("onnxruntime", reason="ONNX Runtime's package for Python writes the file")
    path, adapter = tmp_path_factory.mktemp("adapter") / "a.onnx_adapter", onnxruntime.AdapterFormat()
    adapter.set_adapter_version(1)
    adapter.set_model_version(1)
    adapter.set_parameters({"w": onnxruntime.OrtValue.ortvalue_from_numpy(Y)})
    adapter.export_adapter(str(path))
    return path


def options_with(ort, handle):
    """Options of a run with an adapter."""
    options = ort.new("RunOptions", ort.api.CreateRunOptions())
    ort.api.RunOptionsAddActiveLoraAdapter(options, ort.new("LoraAdapter", handle))
    return options


def result(ort, contents, options=None, **inputs):
    return ort.array(ort.values(ort.session(contents), {"x": X, **inputs}, ["z"], options=options)[0]).tolist()


@pytest.mark.parametrize("contents", [OVERRIDABLE, BARE], ids=["overridable", "bare"])
def test_an_adapter_gives_an_input(ort, adapter, contents):
    data = adapter.read_bytes()
    for handle in (ort.api.CreateLoraAdapter(str(adapter).encode(), None),
                   ort.api.CreateLoraAdapterFromArray(data, len(data), None)):  # fmt: skip
        assert result(ort, contents, options_with(ort, handle)) == (X + Y).tolist()
    if contents == OVERRIDABLE:
        assert result(ort, contents) == (X + W).tolist()


def test_an_adapter_goes_before_the_inputs_of_a_run(ort, adapter):
    options = options_with(ort, ort.api.CreateLoraAdapter(str(adapter).encode(), None))
    assert result(ort, BARE, options, w=W) == (X + Y).tolist()


def test_the_model_must_have_the_inputs(ort, adapter):
    options = options_with(ort, ort.api.CreateLoraAdapter(str(adapter).encode(), None))
    refused(ARGUMENT, "invalid input name: w", result, ort, WEIGHTED, options)


def test_adapters_that_cannot_be_read(ort, adapter):
    data = adapter.read_bytes()
    refused(ARGUMENT, "", ort.api.CreateLoraAdapter, b"/no/such/file", None)
    for size in (0, 4, 20, len(data) // 2):
        refused(FAIL, "", ort.api.CreateLoraAdapterFromArray, data[:size], size, None)
    refused(FAIL, "device allocator", ort.api.CreateLoraAdapter, str(adapter).encode(), ort.allocator)


@pytest.mark.only("linnet")
def test_no_adapter(ort):
    """The real library crashes in the run."""
    options = ort.new("RunOptions", ort.api.CreateRunOptions())
    ort.api.RunOptionsAddActiveLoraAdapter(options, None)
    assert result(ort, OVERRIDABLE, options) == (X + W).tolist()
