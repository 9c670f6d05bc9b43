"""run_model bench with states."""

import json

import pytest
from code_models import save_decoder
from onnx import TensorProto, helper
from onnx_files import save_model


@pytest.fixture(scope="module")
def decoder(tmp_path_factory):
    path = tmp_path_factory.mktemp("states") / "decoder.onnx"
    save_decoder(path)
    return path


def bench(run_model, model, *flags):
    return json.loads(run_model("bench", model, *flags, "--json", "-").stdout)


def test_steps_grow_without_allocating(run_model, decoder):
    flags = ["--dim", "P=4", "--steps", 1000, "-r", 20, "--warmup", 8, "--threads", 1]
    assert bench(run_model, decoder, "--state", "present.*=past.*", *flags)["allocations_per_run"] == 0


def test_states_are_reset(run_model, decoder):
    result = bench(run_model, decoder, "--state", "present.*=past.*", "--dim", "P=4", "--steps", 6, "-r", 30)
    assert result["iterations"] == 30


def test_inputs_grow_along(run_model, tmp_path):
    nodes = [helper.make_node("Concat", ["past", "x"], ["present"], axis=1)]
    nodes.append(helper.make_node("Add", ["present", "mask"], ["y"]))
    facts = {"x": ["B", 1], "past": ["B", "P"], "mask": ["B", "T"], "present": ["B", "T"], "y": ["B", "T"]}
    values = {name: (name, TensorProto.FLOAT, dims) for name, dims in facts.items()}
    sides = [[values[name] for name in names] for names in (["x", "past", "mask"], ["y", "present"])]
    model = save_model(tmp_path / "growing.onnx", nodes, *sides)
    flags = ["--state", "present=past", "--dim", "P=3", "--dim", "T=4", "--dim", "B=2", "--steps", 5, "-r", 12]
    assert bench(run_model, model, "--grow", "mask", *flags)["iterations"] == 12


@pytest.mark.parametrize("flags, text", [
    (["--state", "present"], "must be OUTPUT=INPUT"),
    (["--state", "z*=past*"], "no output is like 'z*'"),
    (["--state", "present.*=z.*"], "no input 'z.0.key'"),
    (["--state", "present.*=past.*", "--grow", "z"], "no input 'z'"),
    (["--steps", 3], "--state"),
])  # fmt: skip
def test_what_makes_no_sense_is_told(run_model, decoder, flags, text):
    assert text in run_model("bench", decoder, *flags, code=1).stderr
