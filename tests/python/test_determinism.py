"""The bits of a model's outputs must be the same for any number of threads, in each run, and for any location of inputs
in memory.

Each operator is tested with configurations of tests/differential (every type, odd dims) and cases of
benchmarks/operators (dims that use several threads): LINNET_DETERMINISM_CASES of each, by default 2.
"""

import os
import random
import sys
from dataclasses import replace

import linnet
import numpy as np
import pytest
from locations import ROOT
from networks import NETWORKS, inputs_of
from tiny_llama import CACHES, HEAD, SHARED, VOCABULARY, TinyLlama, make_weights

sys.path += [str(ROOT / "benchmarks" / "operators"), str(ROOT / "benchmarks" / "compare")]
sys.path += [str(ROOT / "tests" / folder) for folder in ("differential", "hostile")]
pytest.importorskip("onnxruntime")

import drawn_models  # noqa: E402
from cases import CASES, GROUPS  # noqa: E402
from node_model import build, describe  # noqa: E402

# The middle size of element-wise operators uses only one thread. These vectors are odd, and use several threads.
MIDDLE, LONGER = (30000,), (100003,)
THREADS = (1, 2, 3, 4, 5, 7, 8, 16)
OF_EACH = int(os.environ.get("LINNET_DETERMINISM_CASES", "2"))
CACHE_LINE = 64
# Operators are divided among tests, which may run at the same time.
PARTS = 4


def placed(value, elements):
    """Returns the same value in memory that starts this many elements after the beginning of a cache line."""
    if not isinstance(value, np.ndarray) or value.dtype == object:
        return value
    memory = np.zeros(value.nbytes + 2 * CACHE_LINE, np.uint8)
    begin = -memory.ctypes.data % CACHE_LINE + elements * value.dtype.itemsize
    result = memory[begin : begin + value.nbytes].view(value.dtype).reshape(value.shape)
    result[...] = value
    return result


def bits(value):
    """Returns an object that compares equal if all bits are equal."""
    if isinstance(value, dict):
        return [(key, bits(part)) for key, part in value.items()]
    if isinstance(value, (list, tuple)):
        return [bits(part) for part in value]
    if not isinstance(value, np.ndarray):
        return value if value is None or isinstance(value, (str, int)) else np.asarray(value).tobytes()
    return value.dtype, value.shape, value.tolist() if value.dtype == object else value.tobytes()


def answers(model, feeds, threads):
    """Returns the outputs of a run, and of another one whose inputs are at other addresses. Random values have the same
    seed."""
    found = []
    for elements in (0, 1):
        session = linnet.Session(model, threads=threads, seed=1)
        found.append(bits(session.run({name: placed(value, elements) for name, value in feeds.items()})))
    return found


def different(model, feeds):
    """Returns the numbers of threads whose outputs differ from those of one thread, or nothing if the model is
    refused."""
    try:
        want = answers(model, feeds, 1)[0]
    except linnet.Error:
        return []
    return [threads for threads in THREADS if answers(model, feeds, threads) != [want, want]]


def lengthened(case):
    longer = [replace(x, dims=LONGER) if getattr(x, "dims", ()) == MIDDLE else x for x in case.inputs]
    return replace(case, inputs=tuple(longer))


def chosen(things, name):
    return random.Random(name).sample(things, min(OF_EACH, len(things)))


@pytest.mark.parametrize("group", GROUPS)
def test_operators_of_dims_that_are_worth_threads(group):
    by_operator = {}
    for case in CASES:
        if case.group == group and case.size != "large":
            by_operator.setdefault(case.operator, []).append(case)
    wrong = []
    for operator, cases in by_operator.items():
        larger = [case for case in cases if case.size == "middle"]
        for case in chosen(larger or cases, operator):
            node = build(lengthened(case))
            found = different(node.model.SerializeToString(), node.feeds)
            wrong += [f"{describe(case)}: {found}"] if found else []
    assert by_operator and not wrong, "\n".join(wrong)


@pytest.mark.parametrize("part", range(PARTS))
def test_drawn_configurations(part):
    schemas = sorted(drawn_models.latest(), key=lambda schema: (schema.domain, schema.name))[part::PARTS]
    wrong = []
    for schema in schemas:
        for configuration in drawn_models.draws(schema, OF_EACH):
            found = different(configuration.model().SerializeToString(), configuration.feeds())
            wrong += [f"{configuration.describe()}: {found}"] if found else []
    assert schemas and not wrong, "\n".join(wrong)


@pytest.mark.parametrize("network", NETWORKS)
def test_networks(network, tmp_path):
    made, output = network()
    made.save(tmp_path / "m.onnx", output)
    assert different((tmp_path / "m.onnx").read_bytes(), inputs_of(made)) == []


def test_a_decoder_with_a_cache(tmp_path):
    past, new = 20, 12
    random = np.random.default_rng(5)
    feeds = {
        "input_ids": random.integers(0, VOCABULARY, (1, new)),
        "attention_mask": np.ones((1, past + new), np.int64),
        "position_ids": np.arange(past, past + new)[None],
    }
    for name in CACHES:
        feeds[f"past_key_values.{name}"] = random.standard_normal((1, SHARED, past, HEAD)).astype(np.float32)
    assert different(TinyLlama(make_weights()).save(tmp_path / "m.onnx").read_bytes(), feeds) == []
