"""Run: names, values, outputs given by the caller, and the answers to wrong arguments."""

import numpy as np
import pytest
from abi_models import ADD, FLOAT, IDENTITY, OVERRIDABLE, WEIGHTED, W, X, Y, model, node, value
from onnx import helper
from session_support import ARGUMENT, FAIL, pointers, refused, strings

MANY = model([node("Add", "x y", "s"), node("Sub", "x y", "d"), node("Mul", "s d", "p"), node("Identity", "x", "i")],
             [value("x", shape=["N", 3]), value("y", shape=["N", 3])],
             [value(name, shape=["N", 3]) for name in "sdpi"] + [value("x", shape=["N", 3])])  # fmt: skip


def run(ort, session, names, values, outputs, given=None, options=None):
    """Returns the values of a run with exactly these arrays."""
    results = pointers(given or [None] * len(outputs))
    ort.api.Run(session, options, strings(names), pointers(values), len(names), strings(outputs), len(outputs), results)
    for result in list(results)[: len(outputs)]:
        if result not in (given or []):
            ort.new("Value", result)
    return list(results)[: len(outputs)]


@pytest.fixture
def add(ort):
    return ort.session(ADD), ort.tensor(X), ort.tensor(Y)


@pytest.mark.parametrize("outputs", [["s"], ["p", "s"], ["i", "d", "p", "s"], ["x"], ["s", "s"], ["d", "x", "d"]])
def test_any_outputs_in_any_order(ort, outputs):
    expected = {"s": X + Y, "d": X - Y, "p": (X + Y) * (X - Y), "i": X, "x": X}
    results = ort.run(ort.session(MANY), {"y": Y, "x": X}, *outputs)
    assert [r.tolist() for r in results] == [expected[name].tolist() for name in outputs]


def test_any_number_of_rows(ort):
    session = ort.session(ADD)
    for rows in (0, 1, 2, 7, 2, 0):
        x = np.ones((rows, 3), np.float32)
        assert ort.run(session, {"x": x, "y": x}, "z")[0].tolist() == (2 * x).tolist()


def test_results_are_apart_from_inputs_weights_and_each_other(ort):
    session = ort.session(model([node("Identity", "x", "z"), node("Identity", "w", "v")], [value("x")],
                                [value("z"), value("v"), value("w")], {"w": W}))  # fmt: skip
    x = ort.tensor(X)
    results = [*ort.values(session, {"x": x}, ["z", "v", "w"]), *ort.values(session, {"x": x}, ["z", "v", "w"])]
    places = [ort.api.GetTensorMutableData(v) for v in [x, *results]]
    assert len(set(places)) == 7
    assert [ort.array(v).tolist() for v in results] == [X.tolist(), W.tolist(), W.tolist()] * 2


def test_results_outlive_their_session(ort):
    session = ort.session(WEIGHTED)
    (result,) = ort.values(session, {"x": X}, ["z"])
    ort.release("Session", session)
    assert ort.array(result).tolist() == (X + W).tolist()


def test_names_are_checked(ort, add):
    session, x, y = add
    refused(ARGUMENT, "invalid input name: w", run, ort, session, ["x", "w"], [x, y], ["z"])
    refused(ARGUMENT, "invalid input name: w", run, ort, session, ["x", "y", "w"], [x, y, y], ["z"])
    refused(ARGUMENT, "invalid output name: q", run, ort, session, ["x", "y"], [x, y], ["q"])
    refused(ARGUMENT, "invalid output name: q", run, ort, session, ["x", "y"], [x, y], ["z", "q"])
    refused(ARGUMENT, "input name cannot be empty", run, ort, session, ["", "y"], [x, y], ["z"])
    refused(ARGUMENT, "output name cannot be empty", run, ort, session, ["x", "y"], [x, y], [""])
    refused(ARGUMENT, "at least one output", run, ort, session, ["x", "y"], [x, y], [])


def test_inner_values_are_no_outputs(ort):
    session = ort.session(model([node("Relu", "x", "m"), node("Neg", "m", "z")], [value("x")], [value("z")]))
    refused(ARGUMENT, "invalid output name: m", run, ort, session, ["x"], [ort.tensor(X)], ["m"])


def test_inputs_may_be_missing(ort, add):
    session, x, y = add
    refused(FAIL, "y", run, ort, session, ["x"], [x], ["z"])
    refused(FAIL, "x|y", run, ort, session, [], [], ["z"])
    refused(ARGUMENT, "null input supplied for input y", run, ort, session, ["x", "y"], [x, None], ["z"])


def test_the_last_of_equal_names_counts(ort, add):
    session, x, y = add
    (result,) = run(ort, session, ["x", "y", "x"], [x, y, y], ["z"])
    assert ort.array(result).tolist() == (Y + Y).tolist()


SHAPES = [((3,), r"invalid rank for input: x\s+Got: 1 Expected: 2"), ((1, 2, 3), r"invalid rank for input: x\s+Got: 3 Expected: 2"),
          ((2, 4), r"invalid dimensions for input: x.*\n.*index: 1 Got: 4 Expected: 3"),
          ((), r"invalid rank for input: x\s+Got: 0 Expected: 2")]  # fmt: skip


@pytest.mark.parametrize(("shape", "words"), SHAPES, ids=["vector", "rank 3", "columns", "scalar"])
def test_shapes_are_checked(ort, add, shape, words):
    refused(ARGUMENT, words, run, ort, add[0], ["x", "y"], [ort.tensor(np.ones(shape, np.float32)), add[2]], ["z"])


@pytest.mark.parametrize("shape", [(), (1,), (2,), (2, 3)])
def test_an_input_that_is_declared_as_a_scalar_has_any_shape(ort, shape):
    """Clients pass vectors of one element, and the original library does not check the shape in this case."""
    session = ort.session(model([node("Identity", "x", "z")], [value("x", FLOAT, [])], [value("z", FLOAT, None)]))
    assert ort.run(session, {"x": np.ones(shape, np.float32)}, "z")[0].shape == shape


@pytest.mark.parametrize(("kind", "name"), [(np.int64, "int64"), (np.float64, "double"), (np.float16, "float16"), (np.bool_, "bool"),
                                            (np.uint8, "uint8"), (object, "string")])  # fmt: skip
def test_types_are_checked(ort, add, kind, name):
    words = rf"unexpected input data type.*actual: \(tensor\({name}\)\)\s*, expected: \(tensor\(float\)\)"
    x = np.full((2, 3), "a", object) if kind is object else X.astype(kind)
    refused(ARGUMENT, words, run, ort, add[0], ["x", "y"], [ort.tensor(x), add[2]], ["z"])


def test_a_kernel_that_fails_names_its_node(ort, add):
    refused(FAIL, "while running Add node. Name:'sum'.*", run, ort, add[0], ["x", "y"],
            [ort.tensor(np.ones((3, 3), np.float32)), add[2]], ["z"])  # fmt: skip


def test_sizes_of_one_symbol_need_not_agree(ort):
    assert ort.run(ort.session(ADD), {"x": X[:1], "y": Y}, "z")[0].tolist() == (X[:1] + Y).tolist()


def test_outputs_in_memory_of_the_caller(ort):
    session, x, memory = ort.session(ADD), X.copy(), np.zeros((2, 3), np.float32)
    values, given = [ort.tensor(x), ort.tensor(Y)], ort.tensor(memory)
    for factor in (1, 2):
        x[:] = X * factor
        assert run(ort, session, ["x", "y"], values, ["z"], [given]) == [given]
        assert memory.tolist() == (x + Y).tolist()


def test_some_outputs_in_memory_of_the_caller(ort):
    session, memory = ort.session(MANY), np.zeros((2, 3), np.float32)
    given = ort.tensor(memory)
    results = run(ort, session, ["x", "y"], [ort.tensor(X), ort.tensor(Y)], ["s", "d", "p"], [None, given, None])
    assert results[1] == given and memory.tolist() == (X - Y).tolist()
    assert ort.array(results[2]).tolist() == ((X + Y) * (X - Y)).tolist()


def test_given_outputs_are_checked(ort, add):
    session, x, y = add
    given = ort.tensor(np.zeros((2, 3), np.int32))
    refused(
        ARGUMENT,
        r"unexpected output data type.*actual: \(tensor\(int32\)\)",
        run,
        ort,
        session,
        ["x", "y"],
        [x, y],
        ["z"],
        [given],
    )
    given = ort.tensor(np.zeros((3, 3), np.float32))
    refused(ARGUMENT, r"output.*'z'.*shape \{3,3\}.*\{2,3\}", run, ort, session, ["x", "y"], [x, y], ["z"], [given])


@pytest.mark.parametrize(("shape", "words"), [
    ((6,), r"invalid rank for output: z\s+Got: 1 Expected: 2"), ((2, 3, 1), r"invalid rank for output: z\s+Got: 3 Expected: 2"),
    ((3, 2), r"invalid dimensions for output: z.*\n.*index: 1 Got: 2 Expected: 3")],
    ids=["vector", "rank 3", "transposed"])  # fmt: skip
def test_given_outputs_have_the_declared_shape(ort, add, shape, words):
    session, x, y = add
    refused(ARGUMENT, words, run, ort, session, ["x", "y"], [x, y], ["z"], [ort.empty(shape)])


def test_given_outputs_have_the_declared_kind(ort, add):
    session, x, y = add
    sequence = ort.new("Value", ort.api.CreateValue(pointers([x]), 1, 2))
    refused(
        ARGUMENT,
        "'z' expected to be of type: 2 but received a tensor sequence",
        run,
        ort,
        session,
        ["x", "y"],
        [x, y],
        ["z"],
        [sequence],
    )


def test_an_output_may_be_an_input(ort):
    x = ort.tensor(X.copy())
    run(ort, ort.session(ADD), ["x", "y"], [x, ort.tensor(Y)], ["z"], [x])
    assert ort.array(x).tolist() == (X + Y).tolist()


def test_a_failed_run_leaves_the_outputs(ort, add):
    results = pointers([None])
    refused(ARGUMENT, "", ort.api.Run, add[0], None, strings(["x"]), pointers([ort.tensor(np.ones(3, np.float32))]), 1,
            strings(["z"]), 1, results)  # fmt: skip
    assert results[0] is None


def test_weights_may_be_replaced_by_inputs(ort):
    session = ort.session(OVERRIDABLE)
    assert ort.run(session, {"x": X}, "z")[0].tolist() == (X + W).tolist()
    assert ort.run(session, {"x": X, "w": Y}, "z")[0].tolist() == (X + Y).tolist()
    assert ort.run(session, {"x": X}, "z")[0].tolist() == (X + W).tolist()


def test_an_input_that_is_an_output(ort):
    session = ort.session(model([node("Relu", "x", "z")], [value("x")], [value("x"), value("z")]))
    assert [r.tolist() for r in ort.run(session, {"x": X}, "x", "z")] == [X.tolist()] * 2


def test_a_model_without_inputs(ort):
    session = ort.session(model([node("Identity", "w", "z")], [], [value("z")], {"w": W}))
    assert ort.run(session, {}, "z")[0].tolist() == W.tolist()


def test_results_are_inputs_of_the_next_run(ort):
    session, x = ort.session(IDENTITY), ort.tensor(X)
    for _ in range(3):
        (x,) = ort.values(session, {"x": x}, ["z"])
    assert ort.array(x).tolist() == X.tolist()


def test_optional_inputs_may_be_left_out(ort):
    clip = helper.make_node("Clip", ["x", "", "top"], ["z"])
    session = ort.session(model([clip], [value("x"), value("top", FLOAT, [])], [value("z")]))
    assert ort.run(session, {"x": X, "top": np.float32(2)}, "z")[0].tolist() == np.minimum(X, 2).tolist()
