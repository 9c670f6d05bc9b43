"""Input and output values of linnet.Session, and the ownership of their memory."""

import concurrent.futures
import gc
import sys
import threading
import weakref
from decimal import Decimal
from fractions import Fraction

import linnet
import numpy as np
import pytest
from model_bytes import endless
from onnx import TensorProto, helper, numpy_helper
from sessions import ARRAYS, identity, session, tensor


@pytest.mark.parametrize("x", ARRAYS, ids=lambda x: f"{x.dtype}-{x.shape}")
def test_every_dtype_comes_back(x):
    dtype = helper.np_dtype_to_tensor_dtype(x.dtype)
    y = identity(dtype, list(x.shape)).run({"x": x})["y"]
    assert y.dtype == x.dtype and y.shape == x.shape
    assert y.tobytes() == x.tobytes()


def test_strings_come_back():
    x = np.array([["a", "ü"], ["", "long enough not to lie in place"]], object)
    y = identity(TensorProto.STRING, [2, 2]).run({"x": x})["y"]
    assert y.dtype == object and y.tolist() == x.tolist()
    assert identity(TensorProto.STRING, [2]).run({"x": [b"ab", b"c"]})["y"].tolist() == ["ab", "c"]


def test_many_strings_come_back():
    texts = ["no", "yes", "perhaps", "nü", "", "axb", "ayb", "n0", "x" * 40]
    x = np.array([texts[i * i % 9] + str(i % 7) * (i % 3) for i in range(1000)], object)
    assert identity(TensorProto.STRING, [1000]).run({"x": x})["y"].tolist() == x.tolist()


def test_containers_are_lists_dicts_and_none():
    kind = helper.make_tensor_type_proto(TensorProto.FLOAT, None)
    sequence, optional = helper.make_sequence_type_proto(kind), helper.make_optional_type_proto(kind)
    for proto, value in ((sequence, [np.ones(2, np.float32), np.zeros((1, 3), np.float32)]), (sequence, []),
                         (optional, None), (optional, np.ones(3, np.float32))):  # fmt: skip
        infos = [helper.make_value_info(name, proto) for name in ("x", "y")]
        y = session([helper.make_node("Identity", ["x"], ["y"])], infos[:1], infos[1:]).run({"x": value})["y"]
        assert type(y) is type(value)
        for got, want in zip(y if isinstance(y, list) else [y], value if isinstance(value, list) else [value]):
            np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("op", ["SequenceAt", "SequenceErase", "SequenceInsert", "OptionalGetElement"])
def test_elements_that_go_through_do_not_share_memory(op):
    kind = helper.make_tensor_type_proto(TensorProto.FLOAT, None)
    sequence, optional = helper.make_sequence_type_proto(kind), helper.make_optional_type_proto(kind)
    elements, x = [np.full((2, 500), i, np.float32) for i in range(3)], np.full((2, 500), 7, np.float32)
    given = {"s": elements, "p": np.array(1), "x": x} if op == "SequenceInsert" else {"s": elements, "p": np.array(1)}
    types = {"s": sequence, "p": helper.make_tensor_type_proto(TensorProto.INT64, []), "x": kind}
    result = sequence if op in ("SequenceErase", "SequenceInsert") else kind
    if op == "OptionalGetElement":
        given, types["s"] = {"s": elements[0]}, optional
    names = ["s", "x", "p"] if op == "SequenceInsert" else list(given)
    ends = [helper.make_value_info(name, types[name]) for name in names], [helper.make_value_info("y", result)]
    y = session([helper.make_node(op, names, ["y"])], *ends).run(given)["y"]
    before = [array.copy() for array in (y if isinstance(y, list) else [y])]
    for array in (*elements, x):
        array[:] = -1
    for got, want in zip(y if isinstance(y, list) else [y], before):
        np.testing.assert_array_equal(got, want)


def test_maps_come_back():
    features = helper.make_tensor_value_info("x", TensorProto.FLOAT, [None, 2])
    for keys in ({"classlabels_int64s": [2**40, -1]}, {"classlabels_strings": ["a", "ü"]}):
        node = helper.make_node("ZipMap", ["x"], ["y"], domain="ai.onnx.ml", **keys)
        named = list(keys.values())[0]
        kind = TensorProto.INT64 if isinstance(named[0], int) else TensorProto.STRING
        value = helper.make_tensor_type_proto(TensorProto.FLOAT, None)
        maps = helper.make_sequence_type_proto(helper.make_map_type_proto(kind, value))
        x = np.array([[0.5, -2], [np.inf, 1e-3]], np.float32)
        y = session([node], [features], [helper.make_value_info("y", maps)]).run({"x": x})["y"]
        assert y == [dict(zip(named, row.tolist())) for row in x]


def test_outputs_own_their_memory():
    model = identity(TensorProto.FLOAT, ["N"])
    x = np.arange(5, dtype=np.float32)
    first = model.run({"x": x})["y"]
    x[:] = -1
    model.run({"x": x})
    del model
    assert first.tolist() == [0, 1, 2, 3, 4]


def test_inputs_are_let_go_of():
    model = identity(TensorProto.FLOAT, ["N"])
    x = np.arange(5, dtype=np.float32)
    references = sys.getrefcount(x)
    model.run({"x": x})
    assert sys.getrefcount(x) == references
    x.resize(7)


def test_outputs_that_are_constants_are_the_callers():
    """This applies to constants of the model, and to those of a plan's shapes."""
    nodes = [helper.make_node("Shape", ["x"], ["y"]), helper.make_node("Identity", ["c"], ["d"])]
    model = session(nodes, [tensor("x", TensorProto.FLOAT, ["N"])],
                    [tensor("y", TensorProto.INT64, [1]), tensor("d", TensorProto.INT64, [1])],
                    [numpy_helper.from_array(np.array([7]), "c")])  # fmt: skip
    x = np.ones(3, np.float32)
    for _ in range(2):
        outputs = model.run({"x": x})
        assert (outputs["y"].tolist(), outputs["d"].tolist()) == ([3], [7])
        outputs["y"][:] = outputs["d"][:] = 0


def test_arrays_may_be_freed_while_they_are_read_and_are_not_resized():
    """A run holds the memory of its inputs until it ends."""
    model = linnet.Session(endless())
    x, cancellation = np.ones(1000, np.float32), linnet.Cancellation()
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        run = pool.submit(model.run, {"go": np.array(True), "x": x}, cancellation=cancellation)
        try:
            threading.Event().wait(0.2)
            with pytest.raises(ValueError, match="resize"):
                x.resize(2000000)
            freed = weakref.ref(x)
            del x
            gc.collect()
            assert freed() is not None
        finally:
            cancellation.cancel()
        with pytest.raises(linnet.CancelledError):
            run.result()
    del run
    gc.collect()
    assert freed() is None


def test_a_buffer_is_not_resized_while_it_is_read():
    model = linnet.Session(endless())
    memory, cancellation = bytearray(np.ones(1000, np.float32)), linnet.Cancellation()
    x = np.frombuffer(memory, np.float32)
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        run = pool.submit(model.run, {"go": np.array(True), "x": x}, cancellation=cancellation)
        try:
            threading.Event().wait(0.2)
            del x
            with pytest.raises(BufferError):
                memory.clear()
        finally:
            cancellation.cancel()
        with pytest.raises(linnet.CancelledError):
            run.result()
    assert bytes(memory) == np.ones(1000, np.float32).tobytes()


class Pretender(np.ndarray):
    """An array whose shape and dtype in Python differ from those of its memory."""

    @property
    def shape(self):
        return (1000, 1000)

    @property
    def dtype(self):
        return np.dtype(np.float32)

    def astype(self, dtype):
        return self

    def view(self, dtype):
        return self


def pretending(array):
    return array.view(Pretender)


def test_an_array_is_what_its_memory_holds():
    copy, (m, n) = identity(TensorProto.FLOAT, None), (2, 3)
    x = np.arange(m * n, dtype=np.float32).reshape(m, n)
    np.testing.assert_array_equal(copy.run({"x": pretending(x)})["y"], x)
    np.testing.assert_array_equal(copy.run({"x": pretending(x.astype(">f4"))})["y"], x)
    np.testing.assert_array_equal(copy.run({"x": pretending(np.asfortranarray(x))})["y"], x)
    for dtype in (np.uint8, np.float64, object):
        with pytest.raises(linnet.TypeError, match="float32"):
            copy.run({"x": pretending(np.zeros(4, dtype))})
    nibbles = identity(TensorProto.UINT4, None)
    with pytest.raises(linnet.TypeError, match="uint4"):
        nibbles.run({"x": pretending(np.zeros(4, np.uint8))})


def test_memory_for_outputs_is_what_the_array_has():
    copy, x = identity(TensorProto.FLOAT, [2, 3]), np.ones((2, 3), np.float32)
    small, right = np.zeros(4, np.uint8), np.zeros((2, 3), np.float32)
    with pytest.raises(linnet.TypeError, match="must be an array of float32"):
        copy.context().run({"x": x}, out={"y": pretending(small)})
    with pytest.raises(linnet.ShapeError):
        identity(TensorProto.FLOAT, [1000, 1000]).context().run(
            {"x": np.ones((1000, 1000), np.float32)}, out={"y": pretending(right)})  # fmt: skip
    copy.context().run({"x": x}, out={"y": pretending(right)})
    np.testing.assert_array_equal(right, x)


def test_outputs_are_writable_arrays_in_c_order():
    for shape in ([], [0], [3, 0, 2], [2, 3], [1] * 16):
        model = identity(TensorProto.INT16, shape)
        x = np.arange(np.prod(shape, dtype=int), dtype=np.int16).reshape(shape)
        y = model.run({"x": x})["y"]
        assert type(y) is np.ndarray and y.shape == x.shape and y.dtype is x.dtype
        assert y.flags.writeable and y.flags.c_contiguous and y.flags.aligned and not np.shares_memory(x, y)
        references = sys.getrefcount(y)
        z = y.reshape(-1)
        z[:] = 7
        del model, z
        gc.collect()
        assert sys.getrefcount(y) == references and (y == 7).all()


def unaligned(array):
    memory = np.zeros(array.nbytes + 1, np.uint8)
    result = memory[1:].view(array.dtype).reshape(array.shape)
    result[...] = array
    return result


def read_only(array):
    result = array.copy()
    result.flags.writeable = False
    return result


@pytest.mark.parametrize("form", [unaligned, read_only, np.asfortranarray, lambda x: x[::-1][::-1], lambda x: x.copy()])
def test_arrays_of_every_form_are_inputs(form):
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    np.testing.assert_array_equal(identity(TensorProto.FLOAT, [3, 4]).run({"x": form(x)})["y"], x)


@pytest.mark.parametrize("form", [read_only, np.asfortranarray, lambda x: np.zeros((3, 8), np.float32)[:, ::2]])
def test_outputs_are_written_to_writable_arrays_in_c_order(form):
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    with pytest.raises(linnet.TypeError, match="must be writable and in C order"):
        identity(TensorProto.FLOAT, [3, 4]).run({"x": x}, out={"y": form(np.zeros_like(x))})


def test_bytes_that_are_no_bools_are_true():
    shapes = [tensor(name, TensorProto.BOOL, [40]) for name in "xw"]
    nodes = [helper.make_node("NonZero", ["x"], ["places"]), helper.make_node("And", ["x", "w"], ["both"]),
             helper.make_node("Not", ["x"], ["off"]), helper.make_node("Identity", ["x"], ["copy"])]  # fmt: skip
    outputs = [tensor("places", TensorProto.INT64, None), *(tensor(name, TensorProto.BOOL, [40]) for name in ("both", "off", "copy"))]
    model = session(nodes, shapes, outputs)
    given = np.arange(40, dtype=np.uint8) * (np.arange(40) % 3 != 0)
    before, truth = given.copy(), given != 0
    y = model.run({"x": given.view(bool), "w": np.ones(40, bool)})
    np.testing.assert_array_equal(given, before)
    np.testing.assert_array_equal(y["places"], truth.nonzero())
    for name, want in (("both", truth), ("off", ~truth), ("copy", truth)):
        np.testing.assert_array_equal(y[name].view(np.uint8), want.astype(np.uint8), name)


@pytest.mark.parametrize("dtype, fits, wrong", [
    ("int8", [-128, 127, 1.0, True], [128, -129, 1.5, float("nan"), 2**70, Fraction(1, 2)]),
    ("uint8", [0, 255], [-1, 256]), ("int4", [-8, 7], [8, -9, 0.5, 2**70]), ("uint4", [0, 15], [16, -1]),
    ("int64", [-(2**63), 2**63 - 1, 2**53 + 1], [2**63, 0.25]), ("uint64", [0, 1, 2**63, 2**64 - 1], [2**64, -1]),
])  # fmt: skip
def test_an_integer_that_the_dtype_does_not_hold_is_a_value_error(dtype, fits, wrong):
    runner = identity(getattr(TensorProto, dtype.upper()), None)
    assert runner.run({"x": fits})["y"].tolist() == [int(number) for number in fits]
    for number in wrong:
        for value in (number, [fits[0], number], [[number]]):
            with pytest.raises(ValueError, match="^input 'x' does not fit: ") as caught:
                runner.run({"x": value})
            assert isinstance(caught.value, linnet.Error)


@pytest.mark.parametrize("dtype", ["FLOAT", "DOUBLE", "FLOAT16", "BFLOAT16", "INT8", "INT4", "UINT64", "BOOL"])
def test_what_is_no_number_is_a_type_error(dtype):
    runner = identity(getattr(TensorProto, dtype), None)
    for value in (None, [None], [[1, None]], "1", ["1"], [b"1"], [0, "1"], [object()], {1}, [1j], (i for i in range(3))):
        with pytest.raises(linnet.TypeError, match="^input 'x' does not fit: "):
            runner.run({"x": value})


def test_numbers_of_any_kind_become_floats():
    runner = identity(TensorProto.FLOAT, None)
    numbers = [1, True, 2.5, 2**70, Fraction(1, 4), Decimal("0.5"), np.int8(3), np.float64(1e300)]
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(runner.run({"x": numbers})["y"], np.float32([1, 1, 2.5, 2**70, 0.25, 0.5, 3, np.inf]))


def dict_vectorizer(**vocabulary):
    """Returns a session that converts maps to floats."""
    kind = TensorProto.STRING if "string_vocabulary" in vocabulary else TensorProto.INT64
    maps = helper.make_map_type_proto(kind, helper.make_tensor_type_proto(TensorProto.FLOAT, []))
    node = helper.make_node("DictVectorizer", ["x"], ["y"], domain="ai.onnx.ml", **vocabulary)
    return session([node], [helper.make_value_info("x", maps)], [tensor("y", TensorProto.FLOAT, None)])


def test_keys_and_values_of_maps_are_of_their_types():
    feed = {"a": 1.0, "b": 2}
    named = dict_vectorizer(string_vocabulary=["a", "b"])
    np.testing.assert_array_equal(named.run({"x": feed})["y"].ravel(), [1, 2])
    for wrong in ({"a": None}, {"a": "1"}, {"a": 1.0, 1: 2.0}, {1: 1.0}, {"a": 1.0, None: 2.0}):
        with pytest.raises(linnet.TypeError, match="^input 'x', (keys|values), "):
            named.run({"x": wrong})
    with pytest.raises(ValueError, match="^input 'x', keys, does not fit: .*surrogates"):
        named.run({"x": {"\ud800": 1.0}})
    numbered = dict_vectorizer(int64_vocabulary=[1, 2])
    np.testing.assert_array_equal(numbered.run({"x": {1: 1.0, 2: 3}})["y"].ravel(), [1, 3])
    for wrong in ({1.5: 1.0}, {2**63: 1.0}):
        with pytest.raises(ValueError, match="^input 'x', keys, does not fit"):
            numbered.run({"x": wrong})
