"""A sample's bits must not depend on its batch: not on the size, its position, or the other samples.

Tested with Session(batch_invariant=True). If masks hide the padding of a sequence, its length must not matter either.
"""

import linnet
import linnet.onnxruntime
import numpy as np
import pytest
from networks import NETWORKS, Network
from onnx import TensorProto, helper, numpy_helper

BATCHES = (2, 3, 7, 8, 16)
SAMPLES = 3
RANDOM = np.random.default_rng(0)


def floats(*shape):
    return RANDOM.standard_normal(shape).astype(np.float32)


def chain(x_shape, *layers, dtype=np.float32):
    """Returns the bytes of a model of x[N, ...], float32. Its layers, (operator, constants, attributes), run in
    `dtype`."""
    nodes, constants, value = [], [], "x"
    if dtype != np.float32:
        layers = (("Cast", [], {"to": TensorProto.FLOAT16}), *layers, ("Cast", [], {"to": TensorProto.FLOAT}))
    for i, (op_type, weights, attributes) in enumerate(layers):
        names = [f"w{i}_{k}" for k in range(len(weights))]
        constants += [numpy_helper.from_array(w.astype(dtype), name) for w, name in zip(weights, names)]
        nodes.append(helper.make_node(op_type, [value, *names], [f"v{i}"], **attributes))
        value = f"v{i}"
    graph = helper.make_graph(
        nodes, "chain", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", *x_shape])],
        [helper.make_tensor_value_info(value, TensorProto.FLOAT, None)], constants)  # fmt: skip
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10).SerializeToString()


def convolution(channels, out, kernel, group=1):
    depth = channels // group * np.prod(kernel)
    weights = floats(out, channels // group, *kernel) * np.float32(depth**-0.5)
    return "Conv", [weights, floats(out)], {"pads": [k // 2 for k in kernel] * 2, "group": group}


# Sizes for which the choice between Winograd's tiles and direct convolution also depends on the number of samples.
CONVOLUTIONS = {
    f"{channels}x{size}x{size}_{'x'.join(map(str, kernel))}_{group}": (channels, size, kernel, group)
    for channels, size, kernel, group in [
        (64, 14, (3, 3), 1), (192, 7, (3, 3), 1), (512, 7, (3, 3), 1), (256, 3, (3, 3), 1), (128, 9, (5, 5), 1),
        (192, 17, (1, 7), 1), (192, 8, (3, 1), 1), (256, 7, (3, 3), 8), (96, 7, (3, 3), 96), (160, 5, (1, 1), 1),
    ]
}  # fmt: skip


@pytest.mark.parametrize("dtype", [np.float32, np.float16], ids=["float32", "float16"])
@pytest.mark.parametrize("name", CONVOLUTIONS)
def test_convolutions(name, dtype):
    channels, size, kernel, group = CONVOLUTIONS[name]
    assert_batch_invariant(chain([channels, size, size], convolution(channels, channels, kernel, group), dtype=dtype))


@pytest.mark.parametrize("dtype", [np.float32, np.float16], ids=["float32", "float16"])
@pytest.mark.parametrize("rows", [(), (1,), (5,), (33,)], ids=str)
def test_products(rows, dtype):
    layers = [("MatMul", [floats(257, 300) / 16], {}), ("Tanh", [], {}), ("MatMul", [floats(300, 17) / 16], {})]
    assert_batch_invariant(chain([*rows, 257], *layers, dtype=dtype))


@pytest.mark.parametrize("level", [0, 1, 4])
@pytest.mark.parametrize("rows", [1, 5, 16])
def test_products_by_weights_of_four_bits(rows, level):
    k, n, block = 96, 40, 32
    constants = [
        numpy_helper.from_array(RANDOM.integers(0, 256, (n, k // block, block // 2), np.uint8), "b"),
        numpy_helper.from_array(np.abs(floats(n * k // block)), "scales"),
    ]
    node = helper.make_node("MatMulNBits", ["x", "b", "scales"], ["y"], domain="com.microsoft", K=k, N=n, bits=4,
                            block_size=block, accuracy_level=level)  # fmt: skip
    value = helper.make_tensor_value_info
    graph = helper.make_graph([node], "graph", [value("x", TensorProto.FLOAT, ["N", rows, k])],
                              [value("y", TensorProto.FLOAT, None)], constants)  # fmt: skip
    imports = [helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)]
    assert_batch_invariant(helper.make_model(graph, opset_imports=imports, ir_version=10).SerializeToString())


@pytest.mark.parametrize("direction", ["forward", "bidirectional"])
@pytest.mark.parametrize("op_type, gates", [("LSTM", 4), ("GRU", 3), ("RNN", 1)])
def test_recurrence(op_type, gates, direction):
    hidden, width, directions = 24, 20, 2 if direction == "bidirectional" else 1
    weights = [floats(directions, gates * hidden, size) / 5 for size in (width, hidden)]
    turn = ("Transpose", [], {"perm": [1, 0, 2]})
    back = ("Transpose", [], {"perm": [2, 0, 1, 3]})
    recurrent = (op_type, weights, {"hidden_size": hidden, "direction": direction})
    assert_batch_invariant(chain([11, width], turn, recurrent, back))


@pytest.mark.parametrize("make", NETWORKS)
def test_networks(make):
    """They are rewritten like complete models."""
    network, output = make()
    for value in network.inputs:
        value.type.tensor_type.shape.dim[0].dim_param = "N"
    value = helper.make_tensor_value_info(output, TensorProto.FLOAT, None)
    graph = helper.make_graph(network.nodes, "network", network.inputs, [value], network.constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    assert_batch_invariant(model.SerializeToString())


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.float64], ids=["float32", "float16", "float64"])
@pytest.mark.parametrize("depth", [64, 2000])
@pytest.mark.parametrize("op_type, x, addend", [
    ("MatMul", ["N"], ["N", 33]), ("MatMul", ["N", 1], ["N", 1, 33]), ("MatMul", ["N", 5], ["N", 5, 33]),
    ("MatMul", ["N"], [33]), ("Gemm", ["N"], ["N", 33]), ("Gemm", ["N"], ["N", 1]), ("Gemm", ["N"], [1, 33]), ("Gemm", ["N"], [33]),
])  # fmt: skip
def test_products_with_an_addend_that_is_not_constant(op_type, x, addend, depth, dtype):
    """An addend of one row is no bias if it has more rows in a larger batch."""
    value, kind = helper.make_tensor_value_info, helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    product = (["x", "w", "c"], ["y"]) if op_type == "Gemm" else (["x", "w"], ["p"])
    nodes = [helper.make_node(op_type, *product)]
    if op_type == "MatMul":
        nodes.append(helper.make_node("Add", ["p", "c"], ["y"]))
    # An addend without a batch is computed from a constant and a sum that is always 0.
    inputs, weights = [value("x", kind, [*x, depth])], {"w": floats(depth, 33) / 8}
    if "N" in addend:
        inputs.append(value("c", kind, addend))
    else:
        weights |= {"c0": floats(*addend), "zero": np.float32(0)}
        nodes = [helper.make_node("ReduceMin", ["x"], ["least"], keepdims=0), helper.make_node("Mul", ["least", "zero"], ["none"]),
                 helper.make_node("Add", ["c0", "none"], ["c"]), *nodes]  # fmt: skip
    constants = [numpy_helper.from_array(np.asarray(array, dtype), name) for name, array in weights.items()]
    graph = helper.make_graph(nodes, "sum", inputs, [value("y", kind, None)], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8).SerializeToString()
    for optimization in (2, 0):
        assert_batch_invariant(model, optimization=optimization)


def branch(channels, size):
    """y = a convolution of x, in a branch of If that runs unless x has a NaN."""
    (_, (weights, bias), attributes), value = convolution(channels, channels, (3, 3)), helper.make_tensor_value_info
    body = helper.make_graph([helper.make_node("Conv", ["x", "w", "b"], ["z"], **attributes)], "body", [],
                             [value("z", TensorProto.FLOAT, None)])  # fmt: skip
    other = helper.make_graph([helper.make_node("Neg", ["x"], ["n"])], "other", [], [value("n", TensorProto.FLOAT, None)])
    nodes = [helper.make_node("ReduceMax", ["x"], ["most"], keepdims=0), helper.make_node("IsNaN", ["most"], ["nan"]),
             helper.make_node("If", ["nan"], ["y"], then_branch=other, else_branch=body)]  # fmt: skip
    constants = [numpy_helper.from_array(weights, "w"), numpy_helper.from_array(bias, "b")]
    graph = helper.make_graph(nodes, "graph", [value("x", TensorProto.FLOAT, ["N", channels, size, size])],
                              [value("y", TensorProto.FLOAT, None)], constants)  # fmt: skip
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10).SerializeToString()


def test_a_convolution_in_a_branch():
    assert_batch_invariant(branch(256, 3))


def test_with_a_cache_that_a_session_without_the_option_filled(tmp_path):
    model = chain([256, 3, 3], convolution(256, 256, (3, 3)))
    linnet.Session(model, threads=2, cache_dir=tmp_path).run({"x": floats(8, 256, 3, 3)})
    for _ in range(2):  # the first fills the cache, the second reads it
        assert_batch_invariant(model, cache_dir=tmp_path)


def test_with_replaced_weights():
    model = chain([256, 3, 3], convolution(256, 256, (3, 3)))
    replaced = linnet.Session(model, threads=2, batch_invariant=True, replaceable_weights=True)
    assert_session_is_invariant(replaced.with_weights({"w0_0": floats(256, 256, 3, 3) / 50}))


def test_the_deterministic_option_of_onnx_runtime():
    options = linnet.onnxruntime.SessionOptions()
    options.use_deterministic_compute = True
    session = linnet.onnxruntime.InferenceSession(chain([256, 3, 3], convolution(256, 256, (3, 3))), options)
    x = floats(16, 256, 3, 3)
    alone = session.run(None, {"x": x[:1]})[0]
    assert all(session.run(None, {"x": x[:batch]})[0][0].tobytes() == alone.tobytes() for batch in BATCHES)


def samples_of(session, count):
    """Returns random values for `count` samples of each input."""
    values = {}
    for info in session.inputs:
        shape = [count, *(dim if isinstance(dim, int) else 10 for dim in info.shape[1:])]
        ids = info.dtype.startswith("int")
        values[info.name] = (RANDOM.integers(0, 2, shape) if ids else floats(*shape)).astype(info.dtype)
    return values


def assert_batch_invariant(model, **options):
    assert_session_is_invariant(linnet.Session(model, threads=2, batch_invariant=True, **options))


def assert_session_is_invariant(session):
    most = samples_of(session, max(BATCHES))
    alone = [session.run({name: value[i : i + 1] for name, value in most.items()}) for i in range(SAMPLES)]
    for batch in BATCHES:
        for place in {0, batch // 2, batch - 1}:
            for i in range(SAMPLES):
                feeds = {name: RANDOM.permutation(value)[:batch] for name, value in most.items()}
                for name, value in feeds.items():
                    value[place] = most[name][i]
                for name, output in session.run(feeds).items():
                    same = output[place].tobytes() == alone[i][name][0].tobytes()
                    assert same, f"sample {i} at {place} of {batch}: {abs(output[place] - alone[i][name][0]).max()}"


LENGTHS = (1, 5, 8, 13, 16, 31, 33, 64, 100)
PADDINGS = (1, 3, 8, 16, 27, 70)
HIDDEN = np.float32(-np.inf), np.finfo(np.float32).min, np.float32(-1e4)


def encoder(fused):
    """Two layers of attention over x[N, S, 24], whose mask[N, 1, 1, S] is added to the scores."""
    n = Network()
    n.input("x", TensorProto.FLOAT, ["N", "S", 24])
    n.input("mask", TensorProto.FLOAT, ["N", 1, 1, "S"])
    x, heads, merged = "x", n.vector([0, 0, 3, 8], np.int64), n.vector([0, 0, 24], np.int64)
    for _ in range(2):
        q, k, v = (
            n.op("Transpose", n.op("Reshape", n.op("MatMul", x, n.constant(24, 24, scale=0.3)), heads), perm=perm)
            for perm in ([0, 2, 1, 3], [0, 2, 3, 1] if not fused else [0, 2, 1, 3], [0, 2, 1, 3])
        )
        if fused:
            y = n.op("Attention", q, k, v, "mask")
        else:
            scores = n.op("Softmax", n.op("Add", n.op("MatMul", q, k), "mask"), axis=-1)
            y = n.op("MatMul", scores, v)
        y = n.op("Reshape", n.op("Transpose", y, perm=[0, 2, 1, 3]), merged)
        x = n.op("Add", x, n.op("MatMul", y, n.constant(24, 24, scale=0.3)))
        x = n.op("LayerNormalization", x, n.constant(24), n.constant(24), axis=-1)
    value = helper.make_tensor_value_info(x, TensorProto.FLOAT, None)
    graph = helper.make_graph(n.nodes, "encoder", n.inputs, [value], n.constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23)], ir_version=10).SerializeToString()


@pytest.mark.parametrize("hidden", HIDDEN, ids=str)
@pytest.mark.parametrize("fused", [False, True], ids=["written_out", "attention"])
@pytest.mark.parametrize("optimization", [0, 2])
def test_padding_behind_a_mask_changes_nothing(fused, hidden, optimization):
    session = linnet.Session(encoder(fused), threads=2, batch_invariant=True, optimization=optimization)

    def run(x, padding):
        rows, length, _ = x.shape
        mask = np.zeros((rows, 1, 1, length + padding), np.float32)
        mask[..., length:] = hidden
        padded = np.concatenate([x, floats(rows, padding, 24)], axis=1)
        (y,) = session.run({"x": padded, "mask": mask}).values()
        return y[:, :length].tobytes()

    for length in LENGTHS:
        x = floats(2, length, 24)
        expected = run(x, 0)
        for padding in PADDINGS:
            assert run(x, padding) == expected, f"{length} and {padding}"
