"""Exports torchvision's detection models for the whole-model tests, with a Python that has PyTorch and torchvision.

usage: export_detection.py FOLDER [NAME...]

For each model, writes NAME.onnx (seeded random weights; input image float32[3,H,W], outputs boxes, labels, scores and
other results of the model) and NAME.npz with image0 and image1: images of different sizes. Skips a model whose files
are newer than this script and export_zoo.py.
"""

import export_zoo

# Images are scaled to a shorter side of 96, and few boxes are kept, because the export runs the model, too.
SMALL = {"min_size": 96, "max_size": 160}
REGIONS = {"rpn_pre_nms_top_n_test": 100, "rpn_post_nms_top_n_test": 30}
# No other constant of a model has this value, so that a test can find and raise it.
LEAST_SCORE = 0.0125
TWO_STAGES = {**SMALL, **REGIONS, "box_score_thresh": LEAST_SCORE, "box_detections_per_img": 10}
ONE_STAGE = {"score_thresh": 0.01, "detections_per_img": 20, "topk_candidates": 100}
# The exporter unrolls SSD's computation for each class.
FEW_CLASSES = {**ONE_STAGE, "num_classes": 8}
SETTINGS = {
    "fasterrcnn_resnet50_fpn": TWO_STAGES,
    "fasterrcnn_mobilenet_v3_large_320_fpn": {**TWO_STAGES, "rpn_score_thresh": 0.0},
    "maskrcnn_resnet50_fpn": TWO_STAGES,
    "keypointrcnn_resnet50_fpn": TWO_STAGES,
    "retinanet_resnet50_fpn": {**SMALL, **ONE_STAGE},
    "ssd300_vgg16": FEW_CLASSES,
    "ssdlite320_mobilenet_v3_large": FEW_CLASSES,
    "fcos_resnet50_fpn": {**SMALL, **ONE_STAGE},
}
# Every version of Resize, NonMaxSuppression and RoiAlign that the exporter writes.
OPSETS = {"maskrcnn_resnet50_fpn": 16, "keypointrcnn_resnet50_fpn": 13, "retinanet_resnet50_fpn": 16}
SIZES = ((120, 180), (160, 104))


def image(height, width):
    """Returns a smooth image, like a photograph. With noise, a rounding error in a box would change its contents."""
    import torch

    coarse = torch.rand(1, 3, height // 16 + 1, width // 16 + 1)
    return torch.nn.functional.interpolate(coarse, (height, width), mode="bicubic")[0].clamp(0, 1)


def season_norms(model):
    """Makes BatchNorm take the statistics of the next run. The residual branches are damped, as in trained networks,
    because deep sums of equal branches increase rounding errors to 1e-3."""
    import torch

    for name, norm in model.named_modules():
        if isinstance(norm, torch.nn.BatchNorm2d):
            norm.weight.uniform_(0.5, 1.5).mul_(0.3 if name.endswith("bn3") else 1)
            norm.bias.uniform_(0, 1)
            norm.momentum = 1
            norm.train()


def standardize(layer, y):
    """Makes the layer's outputs have scale 1 and, if it has a bias, mean 0 per channel. Returns them for y."""
    mean = y.mean([axis for axis in range(y.dim()) if axis != 1], keepdim=True)
    scale = (y - mean).std()
    layer.weight.div_(scale)
    if layer.bias is None:
        return y / scale
    layer.bias.sub_(mean.flatten()).div_(scale)
    return (y - mean) / scale


def season(model, images):
    """Gives BatchNorm the statistics of images, and the layers after the body outputs of scale 1. With initial weights,
    all scores would be almost equal and all boxes would be anchors."""
    import torch

    kinds = (torch.nn.Conv2d, torch.nn.Linear, torch.nn.ConvTranspose2d)
    body = getattr(model.backbone, "body", model.backbone)
    layers = {layer for layer in model.modules() if isinstance(layer, kinds)} - set(body.modules())

    def standardize_once(layer, _, y):
        if layer not in layers:
            return y
        layers.remove(layer)
        return standardize(layer, y)

    season_norms(model)
    hooks = [layer.register_forward_hook(standardize_once) for layer in layers]
    model(images)
    for hook in hooks:
        hook.remove()
    model.eval()


def export(folder, name):
    import numpy as np
    import torch
    from torchvision.models import detection

    torch.manual_seed(list(SETTINGS).index(name))
    torch.set_num_threads(1)
    with torch.no_grad():
        model = getattr(detection, name)(weights=None, weights_backbone=None, **SETTINGS[name]).eval()
        images = [image(*size) for size in SIZES]
        season(model, images)
        outputs = list(model(images[:1])[0])
        axes = {"image": {1: "H", 2: "W"}, **{output: {0: "found"} for output in outputs}}
        io = {"input_names": ["image"], "output_names": outputs, "dynamic_axes": axes}
        io["opset_version"] = OPSETS.get(name, 11)
        export_zoo.save(folder / f"{name}.onnx", lambda file: torch.onnx.export(model, (images[:1],), file, **io))
    arrays = {f"image{i}": image.numpy() for i, image in enumerate(images)}
    export_zoo.save(folder / f"{name}.npz", lambda file: np.savez(file, **arrays))


if __name__ == "__main__":
    export_zoo.main(__doc__, SETTINGS, export, [__file__, export_zoo.__file__])
