"""Compares states of linnet.Context with outputs that are passed back as inputs."""

import concurrent.futures
import threading

import linnet
import numpy as np
import pytest
from model_bytes import endless, model
from onnx import TensorProto, helper

RNG = np.random.default_rng(7)
ROWS = RNG.standard_normal((12, 1, 2, 1, 4)).astype(np.float32)
NOTHING = np.zeros((1, 2, 0, 4), np.float32)


@pytest.fixture(scope="module")
def decoder():
    """Rows x attend to past ones and themselves: y. present contains all rows."""
    nodes = [
        helper.make_node("Concat", ["past", "x"], ["present"], axis=2),
        helper.make_node("Attention", ["x", "present", "present"], ["y"]),
    ]
    inputs = [("x", TensorProto.FLOAT, [1, 2, "T", 4]), ("past", TensorProto.FLOAT, [1, 2, "P", 4])]
    outputs = [("y", TensorProto.FLOAT, [1, 2, "T", 4]), ("present", TensorProto.FLOAT, [1, 2, "S", 4])]
    return linnet.Session(model(nodes, inputs, outputs, opset=23))


@pytest.fixture
def context(decoder):
    context = decoder.context()
    context.bind_state("present", "past", NOTHING, capacity=4)
    return context


def by_hand(decoder, rows, past=NOTHING):
    """Returns the y of each row, and the last value of present."""
    ys = []
    for x in rows:
        outputs = decoder.run({"x": x, "past": past})
        ys.append(outputs["y"])
        past = outputs["present"]
    return ys, past


def assert_bits(a, b):
    for one, other in zip(a, b, strict=True):
        assert one.shape == other.shape and one.tobytes() == other.tobytes()


def steps(context, rows):
    return [context.run({"x": x})["y"] for x in rows]


def test_states_are_what_outputs_fed_back_by_hand_are(decoder, context):
    ys, present = by_hand(decoder, ROWS)
    assert_bits(steps(context, ROWS), ys)
    assert_bits([context.state("past")], [present])


def test_a_run_gives_all_outputs_but_states(context):
    assert list(context.run({"x": ROWS[0]})) == ["y"]
    assert list(context.run({"x": ROWS[0]}, ["y"])) == ["y"]
    y = np.empty((1, 2, 1, 4), np.float32)
    assert context.run({"x": ROWS[0]}, out={"y": y})["y"] is y
    with pytest.raises(linnet.ModelError, match="output 'present' is a state"):
        context.run({"x": ROWS[0]}, ["present"])
    with pytest.raises(linnet.ModelError, match="'past'"):
        context.run({"x": ROWS[0], "past": NOTHING})


def test_a_state_that_was_read_stays_as_it_was(context):
    steps(context, ROWS[:3])
    state = context.state("past")
    before = state.copy()
    steps(context, ROWS[3:])
    assert_bits([state], [before])
    state[:] = 0
    assert context.state("past").any()


def test_states_are_truncated_set_and_reset(decoder, context):
    ys, present = by_hand(decoder, ROWS[:6])
    steps(context, ROWS)
    context.truncate_states(3)
    assert_bits(steps(context, ROWS[3:6]), ys[3:])
    context.reset_states()
    assert_bits(steps(context, ROWS[:6]), ys)
    context.set_state("past", present)
    assert_bits(steps(context, ROWS[6:8]), by_hand(decoder, ROWS[6:8], present)[0])
    with pytest.raises(linnet.ShapeError):
        context.truncate_states(99)
    assert context.state("past").shape[2] == 8


def test_forks_go_their_own_ways_in_threads_of_their_own(decoder, context):
    steps(context, ROWS[:4])
    past = context.state("past")
    orders = [np.roll(ROWS, k, axis=0) for k in range(6)]
    with concurrent.futures.ThreadPoolExecutor() as pool:
        found = list(pool.map(lambda rows: steps(context.fork(), rows), orders))
    for rows, ys in zip(orders, found, strict=True):
        assert_bits(ys, by_hand(decoder, rows, past)[0])
    assert_bits([context.state("past")], [past])


def test_threads_wait_for_each_other(context):
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda x: context.run({"x": x}), ROWS))
    rows = context.state("past")[0].transpose(1, 0, 2)
    assert sorted(row.tobytes() for row in rows) == sorted(x.tobytes() for x in ROWS)


def test_a_failed_run_leaves_the_states(decoder, context):
    steps(context, ROWS[:4])
    for wrong in {"x": ROWS[0][:, :1]}, {"x": ROWS[0].astype(np.float64)}, {}, {"x": ROWS[0], "q": ROWS[0]}:
        with pytest.raises(linnet.Error):
            context.run(wrong)
    assert_bits(steps(context, ROWS[4:6]), by_hand(decoder, ROWS[:6])[0][4:])


@pytest.mark.parametrize(
    "arguments, error, message",
    [
        (("present", "past", NOTHING), linnet.ModelError, "past"),
        (("nothing", "past", NOTHING), linnet.ModelError, "no output 'nothing'"),
        (("y", "nothing", NOTHING), linnet.ModelError, "no input 'nothing'"),
    ],
)
def test_wrong_states_are_refused(context, arguments, error, message):
    with pytest.raises(error, match=message):
        context.bind_state(*arguments)
    assert list(context.run({"x": ROWS[0]})) == ["y"]


def test_wrong_values_are_refused(decoder):
    context = decoder.context()
    for wrong in NOTHING[0], NOTHING[:, :1]:
        with pytest.raises(linnet.ShapeError, match="past"):
            context.bind_state("present", "past", wrong)
    with pytest.raises(linnet.TypeError, match="past"):
        context.bind_state("present", "past", NOTHING.astype(np.float64))
    for call in lambda: context.state("past"), lambda: context.set_state("past", NOTHING):
        with pytest.raises(linnet.ModelError, match="past"):
            call()
    assert list(context.run({"x": ROWS[0], "past": NOTHING})) == ["y", "present"]


def test_a_context_outlives_its_session():
    values = [(name, TensorProto.FLOAT, [2]) for name in "xst"]
    add = helper.make_node("Add", ["x", "s"], ["t"])
    context = linnet.Session(model([add], values[:2], values[2:])).context()
    context.bind_state("t", "s", np.zeros(2, np.float32))
    for _ in range(5):
        assert context.run({"x": np.array([1, 2], np.float32)}) == {}
    np.testing.assert_array_equal(context.state("s"), [5, 10])


def test_a_run_is_cancelled_and_the_context_goes_on():
    context = linnet.Session(endless(), threads=1).context()
    cancellation = linnet.Cancellation()
    threading.Timer(0.2, cancellation.cancel).start()
    x = np.ones(3, np.float32)
    with pytest.raises(linnet.CancelledError):
        context.run({"go": np.array(True), "x": x}, cancellation=cancellation)
    np.testing.assert_array_equal(context.run({"go": np.array(False), "x": x})["y"], x)
