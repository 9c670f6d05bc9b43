"""linnet.Session: initializers that runs override, weights that are replaced, and cached prepared models."""

import pickle

import linnet
import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper
from processors import multiplies_bfloat16
from sessions import ARRAYS, session, tensor


def vector(*values):
    return np.array(values, np.float32)


def sum_of_inputs(**options):
    """y = (x + w) c, where w is also an input."""
    value = [tensor(name, TensorProto.FLOAT, [2]) for name in ("x", "w", "y")]
    nodes = [helper.make_node("Add", ["x", "w"], ["s"]), helper.make_node("Mul", ["s", "c"], ["y"])]
    initializers = [numpy_helper.from_array(vector(*v), name) for name, v in (("w", (1, 1)), ("c", (1, 10)))]
    return session(nodes, value[:2], value[2:], initializers, **options)


def test_initializers_that_callers_may_override_are_listed():
    add = sum_of_inputs()
    assert add.metadata.overridable == [linnet.ValueInfo("w", "float32", (2,))]
    assert [info.name for info in add.inputs] == ["x"]
    with pytest.raises(linnet.ModelError, match="no input 'w'"):
        add.run({"x": vector(1, 2), "w": vector(0, 0)})


def test_a_run_overrides_initializers():
    add = sum_of_inputs(overridable_initializers=True)
    assert [info.name for info in add.inputs] == ["x"]
    for _ in range(2):
        assert add.run({"x": vector(1, 2)})["y"].tolist() == [2, 30]
        assert add.run({"w": vector(5, 6), "x": vector(1, 2)})["y"].tolist() == [6, 80]
    for more, kind, text in (({"c": vector(1, 2)}, linnet.ModelError, "no input 'c'"),
                             ({"w": vector(1)}, linnet.ShapeError, "'w' must be float32"),
                             ({"w": np.ones(2)}, linnet.TypeError, "initializer 'w' must be float32")):  # fmt: skip
        with pytest.raises(kind, match=text):
            add.run({"x": vector(1, 2)} | more)
    with pytest.raises(linnet.ModelError, match="input 'x' is missing"):
        add.run({"w": vector(1, 2)})
    assert add.run({"x": vector(1, 2)})["y"].tolist() == [2, 30]


def test_weights_are_replaced_in_a_session_of_its_own():
    first = sum_of_inputs(replaceable_weights=True, overridable_initializers=True, threads=1)
    weights = {"c": vector(2, 2), "w": vector(0, 0)}
    second = first.with_weights(weights)
    third = second.with_weights({"w": np.array([1, 2], ">f4")})
    weights["c"][:] = 9
    x = {"x": vector(1, 2)}
    for again in (lambda session: session, lambda session: pickle.loads(pickle.dumps(session))):
        assert [again(s).run(x)["y"].tolist() for s in (first, second, third)] == [[2, 30], [2, 4], [4, 8]]
    assert second.run(x | {"w": vector(1, 1)})["y"].tolist() == [4, 6]
    del first
    assert third.inputs == second.inputs and third.run(x)["y"].tolist() == [4, 8]


@pytest.mark.parametrize("weights, kind, text", [
    ({"q": vector(1, 2)}, linnet.ModelError, "no initializer 'q'"),
    ({"c": vector(1)}, linnet.ShapeError, r"'c' is float32\[2\], not float32\[1\]"),
    ({"c": np.ones(2)}, linnet.TypeError, r"'c' is float32\[2\], not float64\[2\]"),
    ({"c": np.array(["a", "b"])}, linnet.TypeError, "'c' is float32"),
    ({"c": np.zeros(2, "datetime64[s]")}, linnet.TypeError, "initializer 'c' cannot be of dtype datetime64"),
])  # fmt: skip
def test_weights_that_do_not_fit_are_named(weights, kind, text):
    model = sum_of_inputs(replaceable_weights=True)
    with pytest.raises(kind, match=text):
        model.with_weights(weights)
    assert model.run({"x": vector(1, 2)})["y"].tolist() == [2, 30]
    with pytest.raises(linnet.UnsupportedError, match="replaceable_weights"):
        sum_of_inputs().with_weights({"c": vector(1, 2)})


def test_weights_of_every_dtype_are_replaced():
    for array in [x for x in ARRAYS if x.size] + [np.array(["a", "ü"], object)]:
        w = helper.make_tensor("w", TensorProto.STRING, [2], [b"", b""]) if array.dtype == object else (
            numpy_helper.from_array(np.zeros_like(array), "w"))  # fmt: skip
        y = helper.make_tensor_value_info("y", w.data_type, list(array.shape))
        model = session([helper.make_node("Identity", ["w"], ["y"])], [], [y], [w], replaceable_weights=True)
        got = model.with_weights({"w": array}).run({})["y"]
        assert got.dtype == array.dtype and got.tolist() == array.tolist() or got.tobytes() == array.tobytes()


def test_a_prepared_model_is_kept(tmp_path):
    weights = np.random.default_rng(0).standard_normal((64, 48), np.float32)
    graph = helper.make_graph([helper.make_node("MatMul", ["x", "w"], ["y"])], "g", [tensor("x", 1, [2, 64])],
                              [tensor("y", 1, [2, 48])], [numpy_helper.from_array(weights, "w")])  # fmt: skip
    model = helper.make_model(graph, ir_version=10, opset_imports=[helper.make_opsetid("", 21)]).SerializeToString()
    inputs = {"x": np.random.default_rng(1).standard_normal((2, 64), np.float32)}
    expected = linnet.Session(model).run(inputs)["y"]
    for _ in range(2):
        assert np.array_equal(linnet.Session(model, cache_dir=tmp_path / "cache").run(inputs)["y"], expected)
        assert len([*(tmp_path / "cache").glob("*/*.packs")]) == 1


def test_precision_rounds_factors_to_bfloat16():
    """y = x, which has one bit more than bfloat16."""
    values = [numpy_helper.from_array(np.ones((1, 1), np.float32), "w")]
    node = helper.make_node("MatMul", ["x", "w"], ["y"])
    ends = [tensor("x", TensorProto.FLOAT, [1, 1])], [tensor("y", TensorProto.FLOAT, [1, 1])]
    x = vector(1 + 2**-8).reshape(1, 1)
    assert session([node], *ends, values).run({"x": x})["y"].tolist() == [[1 + 2**-8]]
    for precision, y in (("float32", 1 + 2**-8), ("bfloat16", 1 if multiplies_bfloat16() else 1 + 2**-8)):
        assert session([node], *ends, values, precision=precision).run({"x": x})["y"].tolist() == [[y]]
    with pytest.raises(ValueError, match="precision must be float32 or bfloat16, got 'half'"):
        session([node], *ends, values, precision="half")


def test_fast_int4_rounds_rows_to_int8():
    """y = the sum of x, whose values are multiplied by 9 - 8. The scale of the row is 1."""
    values = numpy_helper.from_array(np.full((1, 1, 8), 0x99, np.uint8), "b"), numpy_helper.from_array(vector(1), "s")
    node = helper.make_node("MatMulNBits", ["x", "b", "s"], ["y"], domain="com.microsoft", K=16, N=1, block_size=16)
    ends = [tensor("x", TensorProto.FLOAT, [16])], [tensor("y", TensorProto.FLOAT, [1])]
    x = vector(127, 0.25, *[0] * 14)
    assert session([node], *ends, values).run({"x": x})["y"].tolist() == [127.25]
    assert session([node], *ends, values, fast_int4=True).run({"x": x})["y"].tolist() == [127]
