"""Compares torchvision's detection models with random weights with ONNX Runtime. Their shapes depend on the
detections."""

import subprocess

import numpy as np
import onnx
import pytest
from comparison import assert_bitwise_equal_for_any_thread_count, assert_close
from export_detection import LEAST_SCORE, SETTINGS, SIZES
from onnx_runtime import OnnxRuntime
from test_zoo import TESTS, TORCH_PYTHON, ZOO, torchvision  # noqa: F401

WORKERS = 2
# It also applies to coordinates in pixels, and is greater where ONNX Runtime's own rounding has a greater effect,
# because the contents of a box change with the box.
TOLERANCE = 1e-3
FOLDER = ZOO / "detection"


@pytest.fixture(scope="module")
def exported(torchvision):  # noqa: F811
    """Returns the folder of all exported models. They are independent, so several processes export them."""
    names = list(SETTINGS)
    command = [TORCH_PYTHON, "-W", "ignore", TESTS / "export_detection.py", FOLDER]
    exports = [subprocess.Popen([*command, *names[i::WORKERS]]) for i in range(WORKERS)]
    assert [export.wait() for export in exports] == [0] * WORKERS
    return FOLDER


class Case:
    """A model, one image, and the detections of run_model and of ONNX Runtime with and without fused operators."""

    def __init__(self, model, index, run_model, onnx_runtime, unfused):
        self.model, self.feeds = model, {"image": np.load(model.with_suffix(".npz"))[f"image{index}"]}
        self.got = run_model.outputs(model, self.feeds)
        self.expected, self.unfused = onnx_runtime.outputs(self.feeds), unfused.outputs(self.feeds)


@pytest.fixture(scope="module", params=SETTINGS)
def cases(request, exported, run_model):
    """Returns the model's cases, one per image."""
    model = exported / f"{request.param}.onnx"
    sessions = OnnxRuntime(model), OnnxRuntime(model, optimized=False)
    return [Case(model, i, run_model, *sessions) for i in range(len(SIZES))]


def test_finds_different_things_on_each_image(cases):
    """Guards the other tests: empty outputs, or boxes and scores that are all equal, would agree with anything."""
    for case in cases:
        boxes, scores = case.expected["boxes"], case.expected["scores"]
        assert len(scores) >= 10 and boxes.std(0).min() > 1
        assert scores[0] - scores[-1] > 1e-3
    assert np.abs(cases[0].expected["boxes"] - cases[1].expected["boxes"]).max() > 10


def test_agrees_with_onnx_runtime(cases):
    """Expects the same number of detections in the same order, about as exact as ONNX Runtime's."""
    for case in cases:
        assert case.got.keys() == case.expected.keys()
        for name, expected in case.expected.items():
            own = np.abs(case.unfused[name] - expected).max()
            assert_close({name: case.got[name]}, {name: expected}, max(TOLERANCE, 4 * own), TOLERANCE)


def raise_least_score(model):
    """Changes the two-stage model so that it finds nothing."""
    constants = [node.attribute[0] for node in model.graph.node if node.op_type == "Constant"]
    values = [(attribute, onnx.numpy_helper.to_array(attribute.t)) for attribute in constants]
    (least,) = (attribute for attribute, value in values if value.shape == () and value == np.float32(LEAST_SCORE))
    least.t.CopyFrom(onnx.numpy_helper.from_array(np.float32(2)))


def test_agrees_where_nothing_is_found(exported, run_model, tmp_path):
    name = "maskrcnn_resnet50_fpn"
    model = onnx.load(exported / f"{name}.onnx")
    raise_least_score(model)
    onnx.save(model, tmp_path / "model.onnx")
    feeds = {"image": np.load(exported / f"{name}.npz")["image0"]}
    expected = OnnxRuntime(tmp_path / "model.onnx").outputs(feeds)
    assert expected["masks"].shape == (0, 1, *SIZES[0])
    assert_close(run_model.outputs(tmp_path / "model.onnx", feeds), expected)


# One model of each kind. The others differ in the backbone, which the zoo covers.
@pytest.mark.parametrize("name", ["maskrcnn_resnet50_fpn", "ssdlite320_mobilenet_v3_large"])
def test_is_bitwise_equal_for_any_thread_count(exported, run_model, name):
    feeds = {"image": np.load(exported / f"{name}.npz")["image1"]}
    assert_bitwise_equal_for_any_thread_count(run_model, exported / f"{name}.onnx", feeds)
