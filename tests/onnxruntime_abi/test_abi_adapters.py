"""Adapters: files of values for inputs, which runs can use."""

import numpy as np
import pytest
from abi_models import FLOAT, OVERRIDABLE, WEIGHTED, W, X, Y, model, node, value
from onnx import helper
from session_support import ARGUMENT, FAIL, refused

# Without a weight.
BARE = model([node("Add", "x w", "z")], [value("x"), value("w")], [value("z")])


@pytest.fixture(scope="session")
def write_adapter(tmp_path_factory):
    """Writes arrays by name into a file with ONNX Runtime's Python package. Returns its path."""
    onnxruntime = pytest.importorskip("onnxruntime", reason="ONNX Runtime's package for Python writes the file")

    def write(**arrays):
        path, adapter = tmp_path_factory.mktemp("adapter") / "a.onnx_adapter", onnxruntime.AdapterFormat()
        adapter.set_adapter_version(1)
        adapter.set_model_version(1)
        adapter.set_parameters({k: onnxruntime.OrtValue.ortvalue_from_numpy(v) for k, v in arrays.items()})
        adapter.export_adapter(str(path))
        return path

    return write


@pytest.fixture(scope="session")
def adapter(write_adapter):
    """Returns a file with Y for the input w."""
    return write_adapter(w=Y)


def options_with(ort, *handles):
    """Returns options of a run with adapters."""
    options = ort.new("RunOptions", ort.api.CreateRunOptions())
    for handle in handles:
        ort.api.RunOptionsAddActiveLoraAdapter(options, ort.new("LoraAdapter", handle))
    return options


def read(ort, path):
    return ort.api.CreateLoraAdapter(str(path).encode(), None)


def from_array(ort, data):
    return ort.api.CreateLoraAdapterFromArray(data, len(data), None)


def result(ort, contents, options=None, **inputs):
    return ort.array(ort.values(ort.session(contents), {"x": X, **inputs}, ["z"], options=options)[0]).tolist()


@pytest.mark.parametrize("contents", [OVERRIDABLE, BARE], ids=["overridable", "bare"])
def test_an_adapter_gives_an_input(ort, adapter, contents):
    data = adapter.read_bytes()
    for handle in read(ort, adapter), from_array(ort, data):
        assert result(ort, contents, options_with(ort, handle)) == (X + Y).tolist()
    if contents == OVERRIDABLE:
        assert result(ort, contents) == (X + W).tolist()


def test_an_adapter_goes_before_the_inputs_of_a_run(ort, adapter):
    options = options_with(ort, read(ort, adapter))
    assert result(ort, BARE, options, w=W) == (X + Y).tolist()


def test_the_last_adapter_counts(ort, adapter, write_adapter):
    twice = write_adapter(w=2 * Y)
    for paths, expected in (((adapter, twice), X + 2 * Y), ((twice, adapter), X + Y)):
        assert result(ort, BARE, options_with(ort, *(read(ort, path) for path in paths))) == expected.tolist()


def test_an_adapter_gives_all_inputs(ort, write_adapter):
    options = options_with(ort, read(ort, write_adapter(x=X, w=W)))
    assert ort.array(ort.values(ort.session(BARE), {}, ["z"], options=options)[0]).tolist() == (X + W).tolist()


def test_types_that_adapters_have(ort, write_adapter):
    for dtype in (np.float16, np.float64, np.int8, np.uint16, np.int64):
        inputs = [value("x"), value("w", helper.np_dtype_to_tensor_dtype(np.dtype(dtype)))]
        cast = model([node("Cast", "w", "w32", to=FLOAT), node("Add", "x w32", "z")], inputs, [value("z")])
        options = options_with(ort, read(ort, write_adapter(w=Y.astype(dtype))))
        assert result(ort, cast, options) == (X + Y).tolist()


def test_an_adapter_must_fit(ort, write_adapter):
    for array, words in ((np.ones((3, 3), np.float32), "invalid dimensions for input: w"),
                         (np.ones((2, 3)), r"tensor\(double\).*expected: \(tensor\(float\)\)")):  # fmt: skip
        options = options_with(ort, read(ort, write_adapter(w=array)))
        refused(ARGUMENT, words, result, ort, BARE, options)


def test_bound_runs_have_no_adapters(ort, adapter):
    """The original library behaves like this, also for runs with a callback."""
    session, options = ort.session(OVERRIDABLE), options_with(ort, read(ort, adapter))
    binding = ort.new("IoBinding", ort.api.CreateIoBinding(session))
    ort.api.BindInput(binding, b"x", ort.tensor(X))
    z = ort.tensor(np.zeros_like(X))
    ort.api.BindOutput(binding, b"z", z)
    ort.api.RunWithBinding(session, options, binding)
    assert ort.array(z).tolist() == (X + W).tolist()


def test_options_keep_what_they_need(ort, adapter):
    data = bytearray(adapter.read_bytes())
    options = options_with(ort, from_array(ort, bytes(data)))
    del data
    assert result(ort, BARE, options) == (X + Y).tolist()


def test_the_model_must_have_the_inputs(ort, adapter):
    options = options_with(ort, read(ort, adapter))
    refused(ARGUMENT, "invalid input name: w", result, ort, WEIGHTED, options)


def test_adapters_that_cannot_be_read(ort, adapter, tmp_path):
    data = adapter.read_bytes()
    refused(ARGUMENT, "", read, ort, "/no/such/file")
    for size in (0, 4, 20, len(data) // 2):
        refused(FAIL, "", from_array, ort, data[:size])
    (tmp_path / "text").write_text("This is text, and no adapter.")
    refused(FAIL, "does not appear to be a valid lora parameter format", read, ort, tmp_path / "text")
    refused(FAIL, "device allocator", ort.api.CreateLoraAdapter, str(adapter).encode(), ort.allocator)


def buffer(*parameters, version=1):
    """Returns the bytes of an adapter with parameters (name, dims, type, values). Parameters with the same object share
    its bytes."""
    flatbuffers = pytest.importorskip("flatbuffers", reason="the package that ONNX Runtime's needs makes the bytes")
    builder, raws = flatbuffers.Builder(), {}

    def table(*fields):
        """Adds a table of integers and offsets. None omits a field."""
        builder.StartObject(len(fields))
        for i, (prepend, value) in enumerate(fields):
            if value is not None:
                prepend(i, value, 0)
        return builder.EndObject()

    tables = []
    integer, offset = builder.PrependInt32Slot, builder.PrependUOffsetTRelativeSlot
    for name, dims, kind, raw in parameters:
        name = name if name is None else builder.CreateString(name)
        dims = dims if dims is None else builder.CreateNumpyVector(np.array(dims, np.int64))
        if raw is not None and id(raw) not in raws:
            raws[id(raw)] = builder.CreateByteVector(raw)
        tables.append(table((offset, name), (offset, dims), (integer, kind), (offset, raws.get(id(raw)))))
    builder.StartVector(4, len(tables), 4)
    for made in reversed(tables):
        builder.PrependUOffsetTRelative(made)
    listed = builder.EndVector()
    builder.Finish(table((integer, version), (integer, 1), (integer, 1), (offset, listed)), file_identifier=b"TORT")
    return bytes(builder.Output())


def test_bytes_of_the_tests(ort):
    """The result of buffer() is an adapter. Of two parameters with the same name, the first is used."""
    data = buffer(("w", (2, 3), 1, Y.tobytes()), ("w", (2, 3), 1, W.tobytes()))
    assert result(ort, BARE, options_with(ort, from_array(ort, data))) == (X + Y).tolist()
    ort.new("LoraAdapter", from_array(ort, buffer()))


@pytest.mark.parametrize(
    ("parameter", "words"),
    [
        (("w", (2, 3), 0, bytes(24)), "'w': data_type '0' is not"), (("w", (2, 3), 8, bytes(24)), "'w': data_type '8' is"),
        (("w", (24,), 9, bytes(24)), "'w': data_type '9' is not"), (("w", (2, 3), 22, bytes(3)), "'w': data_type '22' is"),
        (("w", (2, 3), -1, bytes(24)), "'w': data_type '-1' is not"), (("w", (2, 3), 11, bytes(24)), r"'w'.*\(24\)"),
        (("w", (2, 3), 1, bytes(23)), r"'w': raw_data size \(23\) does not match expected size \(24\)"),
        (("w", (4, 3), 1, bytes(24)), r"'w': raw_data size \(24\) does not match expected size \(48\)"),
        (("w", (2, -3), 1, bytes(24)), ""), (("w", (2**31, 2**31, 2**31), 1, bytes(24)), ""),
        (("w", (2**62,), 1, b""), ""), ((None, (2, 3), 1, bytes(24)), "name is missing"),
        (("w", None, 1, bytes(4)), "'w': dims"),
        (("w", (), 1, bytes(4)), "'w': dims"), (("w", (2, 3), 1, None), "'w': raw_data"),
    ],
)  # fmt: skip
def test_parameters_with_faults(ort, parameter, words):
    refused(FAIL, words, from_array, ort, buffer(parameter))


def test_versions_of_the_format(ort):
    for version in (-1, 0, 2):
        refused(FAIL, "unsupported lora format version", from_array, ort, buffer(version=version))


@pytest.mark.only("linnet")
def test_values_that_parameters_share(ort):
    """They would make an adapter much larger than its file."""
    values = bytes(4000)
    parameters = [(f"w{i}", (1000,), 1, values) for i in range(100)]
    refused(FAIL, "'w[1-9]': its values are those of another", from_array, ort, buffer(*parameters))


@pytest.mark.only("linnet")
def test_no_adapter(ort):
    """The original library crashes in the run."""
    options = ort.new("RunOptions", ort.api.CreateRunOptions())
    ort.api.RunOptionsAddActiveLoraAdapter(options, None)
    assert result(ort, OVERRIDABLE, options) == (X + W).tolist()
