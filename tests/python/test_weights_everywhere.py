"""Replaced weights, in any part of a model and with any reader, compared bit by bit with a model that was made with the
new weights."""

import linnet
import numpy as np
import onnx
import pytest
from crosses import cells
from onnx import numpy_helper
from weight_cells import BRANCHES, FORMS, NESTINGS, SHAPE, build, initializers

STORAGES = ("inside", "external", "cached")


def written(model, folder, storage):
    if storage != "external":
        return model.SerializeToString()
    onnx.save(onnx.ModelProto.FromString(model.SerializeToString()), folder / "model.onnx", save_as_external_data=True,
              location="w.bin", size_threshold=0)
    return folder / "model.onnx"


def outputs(session, nesting):
    x = np.random.default_rng(5).standard_normal(SHAPE).astype(np.float32)
    feeds = [{"x": x, "c": np.array(c)} for c in (True, False)] if nesting in BRANCHES else [{"x": x}]
    return [session.run(feed)["out"].tobytes() for feed in feeds]


def arrays(model):
    return {name: numpy_helper.to_array(tensor) for name, tensor in initializers(model).items()}


@pytest.mark.parametrize("nesting, form, storage, optimization", cells(NESTINGS, FORMS, STORAGES, (2, 1, 0)))
def test_a_replaced_weight_is_that_of_a_model_made_with_it(nesting, form, storage, optimization, tmp_path):
    before, after = build(nesting, form, 1), build(nesting, form, 2)
    options = {"threads": 1, "optimization": optimization}
    if storage == "cached":
        options["cache_dir"] = tmp_path / "cache"
    want = [outputs(linnet.Session(model.SerializeToString(), **options), nesting) for model in (before, after)]
    assert want[0] != want[1]
    first = linnet.Session(written(before, tmp_path, storage), replaceable_weights=True, **options)
    assert outputs(first, nesting) == want[0]
    second = first.with_weights(arrays(after))
    assert [outputs(session, nesting) for session in (second, first)] == want[::-1]
    assert outputs(second.with_weights(arrays(before)), nesting) == want[0]


@pytest.mark.parametrize("nesting", [n for n in NESTINGS if n not in ("top", "function", "used_in_both")])
def test_one_of_several_nested_weights_is_replaced(nesting):
    model = build(nesting, "product", 1)
    changed = build(nesting, "product", 1)
    initializers(changed)["b"].CopyFrom(numpy_helper.from_array(np.full(16, 0.25, np.float32), "b"))
    if nesting == "if_own_of_both":
        for attribute in changed.graph.node[0].attribute:
            attribute.g.initializer[1].CopyFrom(initializers(changed)["b"])
    first = linnet.Session(model.SerializeToString(), replaceable_weights=True)
    want = outputs(linnet.Session(changed.SerializeToString()), nesting)
    assert outputs(first.with_weights({"b": np.full(16, 0.25, np.float32)}), nesting) == want
    with pytest.raises(linnet.ShapeError, match=r"'b' is float32\[16\], not float32\[3\]"):
        first.with_weights({"b": np.zeros(3, np.float32)})
    with pytest.raises(linnet.ModelError, match="no initializer 'f_m'"):
        first.with_weights({"f_m": np.zeros(SHAPE, np.float32)})
