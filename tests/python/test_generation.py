"""linnet.Session: BeamSearch, GreedySearch and Sampling with every way to load and run a model."""

import concurrent.futures
import threading

import linnet
import numpy as np
import onnx
import pytest
from language_models import HIDDEN, gpt_decoder, t5_decoder, t5_encoder
from onnx import TensorProto, helper, numpy_helper

onnxruntime = pytest.importorskip("onnxruntime")

BEAMS = {"num_beams": 3, "num_return_sequences": 2}
IDS = np.array([[0, 3, 4], [5, 6, 7]], np.int32)
VOCABULARY = 20


def model(op, bodies, longest=12, captured=(), **attributes):
    """Returns a model of one node with `bodies`. Its other inputs are constants."""
    integers = {"max_length": longest, "min_length": 1, **(BEAMS if op == "BeamSearch" else {})}
    constants = [numpy_helper.from_array(np.array([value], np.int32), name) for name, value in integers.items()]
    if op == "BeamSearch":
        constants.append(numpy_helper.from_array(np.ones(1, np.float32), "length_penalty"))
    names = ["ids", *(constant.name for constant in constants)]
    attributes = {"eos_token_id": 1, "pad_token_id": 0} | bodies | attributes
    node = helper.make_node(op, names, ["y"], domain="com.microsoft", **attributes)
    graph = helper.make_graph(
        [node], "graph", [helper.make_tensor_value_info("ids", TensorProto.INT32, ["batch", "length"])],
        [helper.make_tensor_value_info("y", TensorProto.INT32, None)], constants + list(captured))
    opsets = [helper.make_opsetid(*opset) for opset in (("", 21), ("com.microsoft", 1))]
    return helper.make_model(graph, ir_version=10, opset_imports=opsets).SerializeToString()


def gpt(seed=0, **options):
    return {"decoder": gpt_decoder(seed, **options)}


def t5(seed=0, hidden=True):
    return {"encoder": t5_encoder(seed, starts=hidden), "decoder": t5_decoder(seed, hidden=hidden),
            "model_type": 1, "decoder_start_token_id": 0}


MODELS = {
    "beams of GPT-2": lambda: model("BeamSearch", gpt()),
    "beams of T5": lambda: model("BeamSearch", t5(), early_stopping=1),
    "beams of T5 without hidden states": lambda: model("BeamSearch", t5(hidden=False)),
    "greedy": lambda: model("GreedySearch", gpt()),
    "sampling": lambda: model("Sampling", gpt(), top_p=1e-6),
}  # fmt: skip


def of_onnx_runtime(proto, ids=IDS):
    return onnxruntime.InferenceSession(proto).run(None, {"ids": ids})[0].tolist()


def found(session, ids=IDS):
    return session.run({"ids": ids})["y"].tolist()


@pytest.fixture(params=MODELS)
def proto(request):
    return MODELS[request.param]()


@pytest.mark.parametrize("options", [{}, {"optimization": 0}, {"optimization": 1}, {"threads": 3}], ids=str)
def test_sequences_are_those_of_onnx_runtime(proto, options):
    session = linnet.Session(proto, **options)
    for ids in IDS, IDS[:1], IDS[:, 1:], np.repeat(IDS, 3, axis=1):
        assert found(session, ids) == of_onnx_runtime(proto, ids)


def test_contexts_run_at_once(proto):
    session, want = linnet.Session(proto), of_onnx_runtime(proto)
    contexts = [session.context() for _ in range(4)]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        runs = [pool.submit(found, contexts[i % 4] if i < 4 else session) for i in range(8)]
        assert all(run.result() == want for run in runs)


def test_a_saved_model_and_a_cached_one_find_the_same(proto, tmp_path):
    path, want = tmp_path / "model.onnx", of_onnx_runtime(proto)
    path.write_bytes(proto)
    for _ in range(3):
        assert found(linnet.Session(path, cache_dir=tmp_path / "cache")) == want


@pytest.mark.parametrize("op", ["BeamSearch", "GreedySearch", "Sampling"])
def test_weights_of_a_body_are_replaced(op):
    first, second = (model(op, gpt(seed), top_p=1e-6) if op == "Sampling" else model(op, gpt(seed)) for seed in (1, 2))
    session = linnet.Session(first, replaceable_weights=True)
    weights = {tensor.name: numpy_helper.to_array(tensor) for tensor in gpt(2)["decoder"].initializer}
    names = {tensor.name for tensor in gpt(2)["decoder"].initializer if not tensor.name.startswith("constant")}
    replaced = session.with_weights({name: weights[name] for name in names})
    assert found(replaced) == of_onnx_runtime(second) != found(session)


def test_a_body_may_use_what_is_around_it():
    around = ("q0", "tokens", "out")
    body = gpt(left_out=around)
    weights = {tensor.name: tensor for tensor in gpt()["decoder"].initializer}
    for op in "BeamSearch", "GreedySearch":
        captured = model(op, body, captured=[weights[name] for name in around])
        assert found(linnet.Session(captured)) == of_onnx_runtime(captured) == found(linnet.Session(model(op, gpt())))
        # Values that are not constants, after omitted inputs.
        given = onnx.load_from_string(captured)
        for name in around:
            del given.graph.initializer[-1]
            given.graph.input.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, weights[name].dims))
        feeds = {name: numpy_helper.to_array(weights[name]) for name in around}
        session = linnet.Session(given.SerializeToString())
        assert session.run({"ids": IDS} | feeds)["y"].tolist() == of_onnx_runtime(captured)


def test_what_sampling_draws_without_a_seed_is_the_contexts():
    proto = model("Sampling", gpt(), top_p=1.0)
    assert found(linnet.Session(proto, seed=3)) == found(linnet.Session(proto, seed=3))
    assert found(linnet.Session(proto, seed=3)) != found(linnet.Session(proto, seed=4))


def endless(op):
    """A search that takes days, with a decoder that ignores positions."""
    decoder = gpt_decoder()
    for initializer in decoder.initializer:
        if initializer.name == "positions":
            initializer.CopyFrom(numpy_helper.from_array(np.zeros((1_000_000, HIDDEN), np.float32), "positions"))
    return model(op, {"decoder": decoder}, longest=900_000, eos_token_id=-1)


@pytest.mark.parametrize("op", ["BeamSearch", "GreedySearch", "Sampling"])
def test_a_long_search_keeps_limits(op):
    proto = endless(op)
    with pytest.raises(linnet.LimitError):
        linnet.Session(proto, deadline_ms=200).run({"ids": IDS})
    with pytest.raises(linnet.LimitError):
        linnet.Session(proto, max_memory=40 << 20).run({"ids": IDS})
    cancellation = linnet.Cancellation()
    threading.Timer(0.2, cancellation.cancel).start()
    with pytest.raises(linnet.CancelledError):
        linnet.Session(proto).run({"ids": IDS}, cancellation=cancellation)


def in_branches(proto):
    """Puts the node into both branches of an If."""
    found = onnx.load_from_string(proto)
    graph, (node,) = found.graph, found.graph.node
    branches = {}
    for name in ("then_branch", "else_branch"):
        inner = onnx.NodeProto()
        inner.CopyFrom(node)
        inner.output[0] = f"{name}_y"
        branches[name] = helper.make_graph([inner], name, [], [helper.make_tensor_value_info(f"{name}_y", TensorProto.INT32, None)])
    del graph.node[:]
    graph.node.append(helper.make_node("If", ["condition"], ["y"], **branches))
    graph.input.append(helper.make_tensor_value_info("condition", TensorProto.BOOL, [1]))
    return found.SerializeToString()


def in_a_function(proto):
    """Puts the node into a function that the graph calls."""
    found = onnx.load_from_string(proto)
    (node,) = found.graph.node
    opsets = list(found.opset_import)
    function = helper.make_function("own", "Search", list(node.input), list(node.output), [node], opsets)
    call = helper.make_node("Search", list(node.input), list(node.output), domain="own")
    del found.graph.node[:]
    found.graph.node.append(call)
    found.functions.append(function)
    found.opset_import.append(helper.make_opsetid("own", 1))
    return found.SerializeToString()


def test_searches_run_in_branches_and_functions(proto, tmp_path):
    want = of_onnx_runtime(proto)
    for i, (nested, more) in enumerate(((in_branches(proto), {"condition": np.array([True])}), (in_a_function(proto), {}))):
        path = tmp_path / f"{i}.onnx"
        path.write_bytes(nested)
        for options in {}, {"optimization": 0}, {"cache_dir": tmp_path}, {"cache_dir": tmp_path}:
            assert linnet.Session(path, **options).run({"ids": IDS} | more)["y"].tolist() == want
