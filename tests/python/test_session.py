"""linnet.Session: runs, errors, threads, processes."""

import concurrent.futures
import multiprocessing
import pickle
import threading

import linnet
import ml_dtypes
import numpy as np
import onnx
import pytest
from model_bytes import endless
from onnx import TensorProto, helper, numpy_helper
from onnx_files import identity as identity_file
from sessions import identity, session, tensor

RNG = np.random.default_rng(3)


@pytest.fixture(scope="module")
def linear():
    """y = x w and its negative z."""
    w = RNG.standard_normal((3, 2)).astype(np.float32)
    nodes = [helper.make_node("MatMul", ["x", "w"], ["y"]), helper.make_node("Neg", ["y"], ["z"])]
    outputs = [tensor(name, TensorProto.FLOAT, ["N", 2]) for name in ("y", "z")]
    x = [tensor("x", TensorProto.FLOAT, ["N", 3])]
    return session(nodes, x, outputs, [numpy_helper.from_array(w, "w")]), lambda a: np.asarray(a) @ w


def test_outputs_come_by_name_in_the_order_asked_for(linear):
    x = RNG.standard_normal((4, 3)).astype(np.float32)
    outputs = linear[0].run({"x": x})
    assert list(outputs) == ["y", "z"]
    np.testing.assert_allclose(outputs["y"], linear[1](x), rtol=1e-5)
    np.testing.assert_array_equal(outputs["z"], -outputs["y"])
    assert list(linear[0].run({"x": x}, ["z", "y"])) == ["z", "y"]
    assert list(linear[0].run({"x": x}, ["z"])) == ["z"]


def test_the_interface_is_described(linear):
    assert linear[0].inputs == [linnet.ValueInfo("x", "float32", ("N", 3))]
    assert [info.name for info in linear[0].outputs] == ["y", "z"]


@pytest.mark.parametrize("change", [
    lambda x: x[::-1].copy()[::-1], lambda x: np.asfortranarray(x), lambda x: x.tolist(), lambda x: x.astype(">f4"),
    lambda x: memoryview(x), lambda x: np.lib.stride_tricks.as_strided(x, x.shape, x.strides),
], ids=["reversed", "fortran", "list", "big-endian", "memoryview", "strided"])  # fmt: skip
def test_any_form_of_an_array_is_read(linear, change):
    x = RNG.standard_normal((4, 3)).astype(np.float32)
    np.testing.assert_array_equal(linear[0].run({"x": change(x)})["y"], linear[0].run({"x": x})["y"])


def test_read_only_arrays_and_dlpack_are_read(linear):
    class OnlyDlpack:
        def __init__(self, array):
            self.array = array

        def __dlpack__(self, **kwargs):
            return self.array.__dlpack__(**kwargs)

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    x = RNG.standard_normal((4, 3)).astype(np.float32)
    expected = linear[0].run({"x": x})["y"]
    np.testing.assert_array_equal(linear[0].run({"x": OnlyDlpack(x)})["y"], expected)
    x.flags.writeable = False
    np.testing.assert_array_equal(linear[0].run({"x": x})["y"], expected)
    np.testing.assert_array_equal(np.from_dlpack(expected), expected)


@pytest.mark.parametrize("inputs, kind, text", [
    ({"x": np.ones((2, 3))}, linnet.TypeError, "input 'x' must be float32, got float64"),
    ({"x": np.ones((2, 4), np.float32)}, linnet.ShapeError, "must be float32[N,3], got float32[2,4]"),
    ({"x": np.ones(3, np.float32)}, ValueError, "must be float32[N,3], got float32[3]"),
    ({"x": ["a"]}, linnet.TypeError, "expected numbers, got str"),
    ({}, linnet.ModelError, "input 'x' is missing; the inputs are 'x'"),
    ({"x": np.ones((1, 3), np.float32), "w": 1}, linnet.ModelError, "there is no input 'w'"),
])  # fmt: skip
def test_inputs_that_do_not_fit_are_named(linear, inputs, kind, text):
    with pytest.raises(kind) as error:
        linear[0].run(inputs)
    assert text in str(error.value)
    linear[0].run({"x": np.ones((1, 3), np.float32)})


def test_similar_names_are_proposed():
    node = helper.make_node("Relu", ["tokens"], ["logits"])
    values = [[helper.make_tensor_value_info(name, 1, [2])] for name in ("tokens", "logits")]
    graph = helper.make_graph([node], "g", *values)
    relu = linnet.Session(helper.make_model(graph, ir_version=8).SerializeToString())
    x = np.ones(2, np.float32)
    for call in (lambda: relu.run({"tokens": x, "token": x}), lambda: relu.prepare({"Tokens": (2,)})):
        with pytest.raises(linnet.ModelError, match="the inputs are 'tokens'; did you mean 'tokens'?"):
            call()
    with pytest.raises(linnet.ModelError, match="; did you mean 'logits'?"):
        relu.run({"tokens": x}, ["logit"])
    with pytest.raises(ValueError, match="; did you mean 'drop_identity'?"):
        linnet.Session("m.onnx", disabled_rewrites=["drop_identiti"])


def test_what_does_not_load_says_why(tmp_path, linear):
    with pytest.raises(linnet.IoError, match="nothing.onnx"):
        linnet.Session(tmp_path / "nothing.onnx")
    with pytest.raises(linnet.ModelError):
        linnet.Session(b"not a model")
    with pytest.raises(linnet.ModelError, match="no output 'q'; the outputs are 'y', 'z'"):
        linear[0].run({"x": np.ones((1, 3), np.float32)}, ["q"])
    with pytest.raises(linnet.LimitError, match="limit of 100"):
        identity(TensorProto.FLOAT, [1000], max_memory=100).run({"x": np.ones(1000, np.float32)})


def test_threads_share_a_session(linear):
    xs = [RNG.standard_normal((n, 3)).astype(np.float32) for n in range(1, 33)]
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda x: linear[0].run({"x": x})["y"], xs * 4))
    for x, y in zip(xs * 4, results):
        np.testing.assert_array_equal(y, linear[0].run({"x": x})["y"])


def test_a_session_is_pickled_by_what_it_was_made_of(linear):
    x = np.ones((2, 3), np.float32)
    again = pickle.loads(pickle.dumps(linear[0]))
    np.testing.assert_array_equal(again.run({"x": x})["y"], linear[0].run({"x": x})["y"])


def double(x):
    return SHARED.run({"x": x})["y"].tolist()


SHARED = identity(TensorProto.FLOAT, ["N"])


def test_a_forked_child_runs_the_parents_session():
    SHARED.run({"x": np.ones(5, np.float32)})
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map(double, [np.full(2, i, np.float32) for i in range(4)]) == [[i, i] for i in range(4)]


def test_cached_sessions_are_loaded_once(tmp_path):
    path = tmp_path / "model.onnx"
    graph = helper.make_graph([helper.make_node("Neg", ["x"], ["y"])], "g", [tensor("x", 1, [1])], [tensor("y", 1, [1])])
    onnx.save(helper.make_model(graph, ir_version=10, producer_name="me", doc_string="what it does",
                                opset_imports=[helper.make_opsetid("", 21)]), path)  # fmt: skip
    assert linnet.cached(path) is linnet.cached(path)
    assert linnet.cached(path) is not linnet.cached(path, threads=1)
    metadata = linnet.cached(path).metadata
    assert (metadata.producer_name, metadata.description, metadata.graph_name) == ("me", "what it does", "g")


def test_threads_that_ask_at_once_load_once(tmp_path):
    path = identity_file(tmp_path / "model.onnx", TensorProto.FLOAT, ["N"])
    barrier = threading.Barrier(8)

    def load(_):
        barrier.wait()
        return linnet.cached(path)

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert len({*map(id, pool.map(load, range(8)))}) == 1


def test_outputs_are_written_to_given_arrays(linear):
    x = RNG.standard_normal((4, 3)).astype(np.float32)
    want = linear[0].run({"x": x})
    z = np.zeros((4, 2), np.float32)
    outputs = linear[0].run({"x": x}, out={"z": z})
    assert outputs["z"] is z
    np.testing.assert_array_equal(z, want["z"])
    np.testing.assert_array_equal(outputs["y"], want["y"])
    b = np.zeros(2, ml_dtypes.bfloat16)
    identity(TensorProto.BFLOAT16, [2]).run({"x": np.ones(2, ml_dtypes.bfloat16)}, out={"y": b})
    assert b.tolist() == [1, 1]


@pytest.mark.parametrize("out, kind, text", [
    ({"z": np.zeros((4, 2))}, linnet.TypeError, "the array for output 'z' must be an array of float32"),
    ({"z": [[0.0, 0.0]] * 4}, linnet.TypeError, "the array for output 'z' must be an array of float32"),
    ({"z": np.zeros((2, 4), np.float32).T}, linnet.TypeError, "must be writable and in C order"),
    ({"z": np.broadcast_to(np.float32(0), (4, 2))}, linnet.TypeError, "must be writable and in C order"),
    ({"z": np.zeros((3, 2), np.float32)}, linnet.ShapeError, "output 'z' is float32[4,2]"),
    ({"q": np.zeros((4, 2), np.float32)}, linnet.ModelError, "no output 'q'"),
])  # fmt: skip
def test_arrays_for_outputs_that_do_not_fit_are_named(linear, out, kind, text):
    x = np.ones((4, 3), np.float32)
    with pytest.raises(kind) as error:
        linear[0].run({"x": x}, out=out)
    assert text in str(error.value)
    linear[0].run({"x": x})


def test_an_output_may_be_written_over_a_whole_input():
    x = np.arange(5, dtype=np.float32)
    assert identity(TensorProto.FLOAT, [5]).run({"x": x}, out={"y": x})["y"] is x
    np.testing.assert_array_equal(x, np.arange(5))
    with pytest.raises(linnet.ShapeError, match="overlaps"):
        identity(TensorProto.FLOAT, [4]).run({"x": x[:4]}, out={"y": x[1:]})
    with pytest.raises(linnet.TypeError, match="have no form in NumPy's memory"):
        identity(TensorProto.STRING, [1]).run({"x": ["a"]}, out={"y": np.array([""], object)})


def test_a_run_is_cancelled_from_another_thread():
    model = linnet.Session(endless())
    feed = {"go": np.array(True), "x": np.ones(4, np.float32)}
    cancellation = linnet.Cancellation()
    threading.Timer(0.2, cancellation.cancel).start()
    for _ in range(2):  # once cancelled, later runs end at once
        with pytest.raises(linnet.CancelledError):
            model.run(feed, cancellation=cancellation)
    assert cancellation.cancelled
    assert model.run(feed | {"go": np.array(False)}, cancellation=linnet.Cancellation())["y"].tolist() == [1] * 4


def test_a_profile_lists_what_ran(linear):
    x = np.ones((2, 3), np.float32)
    node = helper.make_node("Neg", ["x"], ["y"], "negative")
    value = [tensor(name, TensorProto.FLOAT, ["N", 3]) for name in "xy"]
    profiled = session([node], value[:1], value[1:], profile=True, optimization=0)
    for _ in range(3):
        profiled.run({"x": x})
    assert [(event.name, event.op_type, event.domain) for event in profiled.profile] == [("negative", "Neg", "")] * 3
    begins = [event.begin for event in profiled.profile]
    assert begins == sorted(begins) and all(event.duration >= 0 for event in profiled.profile)
    linear[0].run({"x": x})
    assert linear[0].profile == []


def test_a_saved_model_runs_as_before(linear, tmp_path):
    x = np.ones((2, 3), np.float32)
    linear[0].save(tmp_path / "saved.onnx")
    again = linnet.Session(tmp_path / "saved.onnx").run({"x": x})
    np.testing.assert_array_equal(again["z"], linear[0].run({"x": x})["z"])
    with pytest.raises(linnet.IoError, match="nowhere"):
        linear[0].save(tmp_path / "nowhere" / "saved.onnx")
