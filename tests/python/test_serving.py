"""The needs of servers: readiness, memory, deadlines, asynchronous runs, closing, and rows of different shapes."""

import asyncio

import linnet
import numpy as np
import pytest
from model_bytes import endless, model
from onnx import TensorProto, helper, numpy_helper

W = np.random.default_rng(0).standard_normal((8, 8)).astype(np.float32)


def products(dim="N"):
    """y = x w"""
    return model([helper.make_node("MatMul", ["x", "w"], ["y"])], [("x", TensorProto.FLOAT, [dim, 8])],
                 [("y", TensorProto.FLOAT, None)], [numpy_helper.from_array(W, "w")])  # fmt: skip


def test_prepared_shapes_run_as_any():
    session = linnet.Session(products())
    assert session.memory == linnet.Memory(0, 0, 0, 0)
    session.prepare({"x": (5, 8)})
    memory = session.memory
    assert memory.packed > 0
    x = np.ones((5, 8), np.float32)
    np.testing.assert_allclose(session.run({"x": x})["y"], x @ W, rtol=1e-5)
    assert session.memory.packed == memory.packed
    assert session.memory.values > 0


def test_shapes_that_the_model_fixes_need_not_be_named():
    linnet.Session(products(3)).prepare()
    with pytest.raises(linnet.ShapeError, match="'x' needs a shape of ints"):
        linnet.Session(products()).prepare()
    with pytest.raises(linnet.ModelError, match="no input 'z'; the inputs are 'x'"):
        linnet.Session(products()).prepare({"z": (1, 8)})
    with pytest.raises(linnet.ShapeError):
        linnet.Session(products()).prepare({"x": (1, 9)})
    with pytest.raises(ValueError, match="a dim of 'x'"):
        linnet.Session(products()).prepare({"x": (-1, 8)})


def test_a_run_ends_at_its_own_deadline():
    session = linnet.Session(endless())
    with pytest.raises(linnet.LimitError, match="deadline"):
        session.run({"go": np.array(True), "x": np.ones(2, np.float32)}, deadline_ms=50)
    assert "y" in session.run({"go": np.array(False), "x": np.ones(2, np.float32)}, deadline_ms=60_000)
    with pytest.raises(ValueError, match="deadline_ms"):
        session.run({"go": np.array(False), "x": np.ones(2, np.float32)}, deadline_ms=-1)
    with pytest.raises(linnet.LimitError, match="deadline"):
        session.context().run({"go": np.array(True), "x": np.ones(2, np.float32)}, deadline_ms=20)


def test_asynchronous_runs_give_what_runs_give():
    session = linnet.Session(products())
    inputs = [np.full((n, 8), n, np.float32) for n in range(1, 9)]

    async def all_at_once():
        return await asyncio.gather(*(session.run_async({"x": x}) for x in inputs))

    for x, outputs in zip(inputs, asyncio.run(all_at_once())):
        assert (outputs["y"] == session.run({"x": x})["y"]).all()


def test_errors_of_asynchronous_runs_are_those_of_runs():
    with pytest.raises(linnet.ModelError):
        asyncio.run(linnet.Session(products()).run_async({"z": W}))


def test_cancelling_a_task_ends_its_run():
    session = linnet.Session(endless())

    async def cancelled():
        run = asyncio.create_task(session.run_async({"go": np.array(True), "x": np.ones(2, np.float32)}))
        await asyncio.sleep(0.05)
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run

    asyncio.run(cancelled())  # waits for the threads of the loop


def test_a_closed_session_says_so():
    with linnet.Session(products()) as session:
        session.run({"x": W})
    for use in (lambda: session.run({"x": W}), session.context, lambda: session.memory, session.prepare, lambda: session.inputs,
                lambda: session.with_weights({})):  # fmt: skip
        with pytest.raises(linnet.ModelError, match="the session is closed"):
            use()
    session.close()


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64])
def test_integers_of_fewer_bits_are_taken_for_int64(dtype):
    session = linnet.Session(model([helper.make_node("Identity", ["x"], ["y"])], [("x", TensorProto.INT64, ["N"])],
                                   [("y", TensorProto.INT64, ["N"])]))  # fmt: skip
    most = np.iinfo(dtype)
    x = np.array([0, 1, most.max, most.min], dtype)
    y = session.run({"x": x})["y"]
    assert y.dtype == np.int64
    assert y.tolist() == x.tolist()


@pytest.mark.parametrize("dtype", [np.uint64, np.float32, np.bool_])
def test_other_dtypes_are_not(dtype):
    session = linnet.Session(model([helper.make_node("Identity", ["x"], ["y"])], [("x", TensorProto.INT64, ["N"])],
                                   [("y", TensorProto.INT64, ["N"])]))  # fmt: skip
    with pytest.raises(linnet.TypeError, match="must be int64"):
        session.run({"x": np.zeros(2, dtype)})


def test_rows_of_different_lengths_are_padded():
    """y = the sum of the values that the mask keeps. z = the negative of the padded x."""
    nodes = [helper.make_node("Mul", ["x", "mask"], ["kept"]),
             helper.make_node("ReduceSum", ["kept", "axes"], ["y"], keepdims=0), helper.make_node("Neg", ["x"], ["z"])]  # fmt: skip
    shapes = [(name, TensorProto.FLOAT, ["N", "S"]) for name in ("x", "mask")]
    outputs = [("y", TensorProto.FLOAT, None), ("z", TensorProto.FLOAT, None)]
    session = linnet.Session(model(nodes, shapes, outputs, [numpy_helper.from_array(np.array([1]), "axes")]))
    rows = [np.arange(1, n + 1, dtype=np.float32) for n in (3, 1, 4, 1, 5)]
    masks = [np.ones_like(row) for row in rows]
    got = linnet.batched(session, {"x": rows, "mask": masks}, 2, pad={"x": 7, "mask": 0})
    assert got["y"].tolist() == [row.sum() for row in rows]
    assert [row.tolist() for row in got["z"]] == [
        [-1, -2, -3], [-1, -7, -7], [-1, -2, -3, -4], [-1, -7, -7, -7], [-1, -2, -3, -4, -5],
    ]  # fmt: skip
    for wrong in ([], [rows[0], np.ones((1, 1), np.float32)]):
        with pytest.raises(linnet.ShapeError, match="rows of one rank to pad"):
            linnet.batched(session, {"x": wrong, "mask": wrong}, 2, pad={"x": 7, "mask": 0})
