"""torchvision's operators on boxes and regions of images, and a small detector that uses them."""

from pathlib import Path

import pytest
import torch
from exported import assert_close
from installation import HAS_DYNAMO
from linnet_torch import branches

try:
    import torchvision
except (ImportError, RuntimeError):  # a library for another PyTorch leaves operators without schemas
    pytest.skip("torchvision is not installed for this PyTorch", allow_module_level=True)

FORMATS = ["torchscript", pytest.param("pt2", marks=pytest.mark.skipif(not HAS_DYNAMO, reason="an older layout"))]


def numpy_of(inputs):
    return {name: tensor.numpy() for name, tensor in inputs.items()}


def program_of(folder, module, inputs, dynamic):
    """Saves a program of torch.export in which axis 0 of the named inputs is open."""
    sizes = {name: {0: torch.export.Dim("N")} if name in dynamic else None for name in inputs}
    program = torch.export.export(module, tuple(inputs.values()), dynamic_shapes=sizes, strict=False)
    torch.export.save(program, folder / "model.pt2")
    return folder / "model.pt2"


def script_of(exporter, module, inputs, dynamic):
    library = next(Path(torchvision.__file__).parent.glob("_C*.so"), None)
    if library is None:
        pytest.skip("torchvision has no library of operators")
    flags = [word for name in dynamic for word in ("--dynamic", f"{name}:0=N")]
    return exporter.export(module, inputs, "--load-library", str(library), *flags, scripted=True, check=False)


@pytest.fixture(params=FORMATS)
def check(request, tmp_path, run_model):
    """Exports a module with the first of several inputs and checks that Linnet's results equal PyTorch's for all."""

    def run(module, examples, dynamic):
        if request.param == "pt2":
            file = program_of(tmp_path, module, examples[0], dynamic)
        else:
            file = script_of(request.getfixturevalue("exporter"), module, examples[0], dynamic)
        for inputs in examples:
            (got,) = run_model.outputs(file, numpy_of(inputs)).values()
            assert_close(got, module(*inputs.values()).numpy())

    return run


def boxes_of(count):
    corners = 12 * torch.rand(count, 2)
    return torch.cat([corners, corners + 1 + 8 * torch.rand(count, 2)], 1)


class Suppression(torch.nn.Module):
    def __init__(self, threshold):
        super().__init__()
        self.threshold = threshold

    def forward(self, boxes, scores):
        return torch.ops.torchvision.nms(boxes, scores, self.threshold)


def candidates(count, equal_scores=False):
    scores = torch.rand(count)
    return {"boxes": boxes_of(count), "scores": (4 * scores).round() / 4 if equal_scores else scores}


@pytest.mark.parametrize("threshold", [0.0, 0.5, 1.0])
def test_suppression(check, threshold):
    torch.manual_seed(1)
    examples = [candidates(40), candidates(40, equal_scores=True), candidates(1), candidates(0)]
    check(Suppression(threshold), examples, ["boxes", "scores"])


def test_overlap_that_is_the_threshold(check):
    """The float32 next to 0.6 is above 0.6, so boxes with exactly that overlap are suppressed."""
    boxes = torch.tensor([[0.0, 0, 10, 1], [0, 0, 6, 1], [20, 0, 30, 1], [20, 0, 25, 1]])
    exact = {"boxes": boxes, "scores": torch.tensor([0.9, 0.8, 0.7, 0.6])}
    assert Suppression(0.6)(*exact.values()).tolist() == [0, 2, 3]
    torch.manual_seed(1)
    check(Suppression(0.6), [candidates(20), exact], ["boxes", "scores"])


class Aligned(torch.nn.Module):
    def __init__(self, scale, samples, aligned):
        super().__init__()
        self.scale, self.samples, self.aligned = scale, samples, aligned

    def forward(self, images, regions):
        return torch.ops.torchvision.roi_align(images, regions, self.scale, 3, 2, self.samples, self.aligned)


class Pooled(torch.nn.Module):
    def forward(self, images, regions):
        return torch.ops.torchvision.roi_pool(images, regions, 0.5, 4, 2)[0]


def regions_of(count):
    """Returns images and regions, some of which extend beyond their image."""
    images = torch.randint(0, 2, (count, 1)).float()
    return {"images": torch.randn(2, 3, 10, 9), "regions": torch.cat([images, boxes_of(count)], 1)}


@pytest.mark.parametrize(
    ("scale", "samples", "aligned"), [(1.0, -1, False), (0.5, 2, False), (0.5, -1, True), (0.25, 3, True)]
)
def test_aligned_regions(check, scale, samples, aligned):
    torch.manual_seed(2)
    check(Aligned(scale, samples, aligned), [regions_of(5), regions_of(1), regions_of(0)], ["regions"])


def has_kernel(name):
    return torch._C._dispatch_has_kernel_for_dispatch_key(name, "CPU")


@pytest.mark.skipif(not has_kernel("torchvision::roi_pool"), reason="this torchvision has no kernel for it")
def test_pooled_regions(check):
    torch.manual_seed(3)
    check(Pooled(), [regions_of(5), regions_of(2), regions_of(0)], ["regions"])


class Places(torch.nn.Module):
    def forward(self, images, regions):
        return torch.ops.torchvision.roi_pool(images, regions, 0.5, 4, 2)[1]


def test_places_of_pooled_pixels_are_refused(exporter):
    library = next(Path(torchvision.__file__).parent.glob("_C*.so"))
    message = exporter.refusal(Places(), regions_of(3), "--load-library", str(library), scripted=True)
    assert "there is no ONNX value: that of torchvision::roi_pool" in message


def detector():
    """Returns a Faster R-CNN over one small feature map."""
    from torchvision.models.detection import FasterRCNN, anchor_utils

    backbone = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3, stride=8, padding=1), torch.nn.ReLU())
    backbone.out_channels = 8
    anchors = anchor_utils.AnchorGenerator(((8, 16, 32),), ((0.5, 1.0, 2.0),))
    pooler = torchvision.ops.MultiScaleRoIAlign(["0"], output_size=3, sampling_ratio=2)
    sizes = {"min_size": 64, "max_size": 96, "rpn_pre_nms_top_n_test": 60, "rpn_post_nms_top_n_test": 20}
    model = FasterRCNN(
        backbone, 3, rpn_anchor_generator=anchors, box_roi_pool=pooler, box_score_thresh=0.2, **sizes
    ).eval()
    torch.nn.init.normal_(model.roi_heads.box_predictor.cls_score.weight, std=0.1)
    return model


@pytest.mark.skipif(not HAS_DYNAMO, reason="an older layout")
def test_detector(tmp_path, run_model):
    torch.manual_seed(4)
    module, image = detector(), torch.rand(3, 48, 64)
    with torch.no_grad(), branches.left_out():
        program = torch.export.export(module, ([image],), strict=False)
        torch.export.save(program, tmp_path / "model.pt2")
        for picture in (image, torch.rand(3, 48, 64)):
            got = run_model.outputs(tmp_path / "model.pt2", {"images_0": picture.numpy()}).values()
            want = module([picture])[0].values()
            assert len(next(iter(want)))
            for one, other in zip(got, want):
                assert_close(one, other.numpy(), 1e-4)


class Pasted(torch.nn.Module):
    def forward(self, maps, boxes):
        return torchvision.models.detection.transform.paste_masks_in_image(maps, boxes, (24, 32))


class Keypoints(torch.nn.Module):
    def forward(self, maps, boxes):
        points, scores = torchvision.models.detection.roi_heads.heatmaps_to_keypoints(maps, boxes)
        return torch.cat([points, scores[..., None]], 2)


@pytest.mark.skipif(not HAS_DYNAMO, reason="an older layout")
@pytest.mark.parametrize(("module", "channels"), [(Pasted(), 1), (Keypoints(), 3)])
def test_loops_over_boxes(tmp_path, run_model, module, channels):
    """Compares the file, which contains no loops, with torchvision's own loops."""
    torch.manual_seed(5)
    examples = [{"maps": torch.rand(count, channels, 7, 7), "boxes": boxes_of(count) - 2} for count in (5, 1, 0)]
    with branches.left_out():
        file = program_of(tmp_path, module, examples[0], ["maps", "boxes"])
    for inputs in examples:
        (got,) = run_model.outputs(file, numpy_of(inputs)).values()
        assert_close(got, module(*inputs.values()).numpy())
