"""run_model --save-outputs: the names and contents of its files."""

import urllib.parse

import numpy as np
import pytest
from onnx import TensorProto, helper
from onnx_files import save_model

# Names that exporters use.
NAMES = ["/encoder/layer.0/Add_output_0", "StatefulPartitionedCall:0", "../logits", "größe", "plain"]


@pytest.fixture
def model(tmp_path):
    """A model with outputs of these names. Output i is x + i."""
    nodes = [helper.make_node("Constant", [], [f"c{i}"], value_float=float(i)) for i in range(len(NAMES))]
    nodes += [helper.make_node("Add", ["x", f"c{i}"], [name]) for i, name in enumerate(NAMES)]
    values = [(name, TensorProto.FLOAT, [2]) for name in NAMES]
    return save_model(tmp_path / "m.onnx", nodes, [("x", TensorProto.FLOAT, [2])], values)


def test_members_have_the_names_of_outputs(run_model, model):
    outputs = run_model.outputs(model, {}, "--fill", "zeros")
    assert {name: list(value) for name, value in outputs.items()} == {name: [i, i] for i, name in enumerate(NAMES)}


@pytest.mark.parametrize("slash", ["", "/"])
def test_files_of_a_folder_have_these_names_as_in_urls(run_model, model, tmp_path, slash):
    folder = tmp_path / "outputs"
    if not slash:
        folder.mkdir()
    run_model(model, "--fill", "zeros", "--save-outputs", f"{folder}{slash}")
    outputs = {urllib.parse.unquote(path.stem): list(np.load(path)) for path in folder.iterdir()}
    assert outputs == {name: [i, i] for i, name in enumerate(NAMES)}


def test_members_are_inputs_again(run_model, model, tmp_path):
    run_model(model, "--fill", "ramp", "--save-outputs", tmp_path / "y.npz")
    y = run_model.outputs(model, {}, "-i", f"x={tmp_path}/y.npz:{NAMES[0]}")["plain"]
    np.testing.assert_array_equal(y, [4, 5])
