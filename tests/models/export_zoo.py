"""Exports torchvision models for the whole-model tests, with a Python that has PyTorch and torchvision.

usage: export_zoo.py FOLDER [NAME...]

For each model, writes NAME.onnx (opset 16, input x float32[N,3,S,S], output y, seeded random weights) and NAME.npz with
x1, y1 and x3, y3: inputs for batch 1 and 3, and PyTorch's outputs for them in float64 with the same weights. Skips a
model whose files are newer than this script.
"""

import os
import sys
from pathlib import Path

NAMES = (
    "resnet18 resnet50 vgg16 mobilenet_v2 mobilenet_v3_small efficientnet_b0 squeezenet1_1 densenet121 "
    "shufflenet_v2_x1_0 inception_v3 googlenet regnet_y_400mf convnext_tiny deeplabv3_mobilenet_v3_large fcn_resnet50"
).split()
BATCHES = (1, 3)
# inception_v3 accepts hardly smaller images. The other two are usually run at 520, which takes minutes in float64.
SIZES = {"inception_v3": 299, "deeplabv3_mobilenet_v3_large": 260, "fcn_resnet50": 160}


def build(name):
    """Returns torchvision's model with random weights."""
    from torchvision import models

    if name.startswith(("deeplab", "fcn")):
        return getattr(models.segmentation, name)(weights=None, weights_backbone=None)
    if name in ("inception_v3", "googlenet"):
        return getattr(models, name)(weights=None, init_weights=True)
    return getattr(models, name)(weights=None)


def output(y):
    """Returns the output tensor: segmentation models return a dictionary."""
    return y["out"] if isinstance(y, dict) else y


def season(model, x):
    """Gives the model properties of a trained one: BatchNorm statistics of data, layers that affect the result, outputs
    of scale 1.

    Otherwise, the running statistics are 0 and 1, ConvNeXt's blocks are scaled by 1e-6, and some outputs are so small
    that any absolute tolerance accepts them.
    """
    import torch

    norms = [module for module in model.modules() if isinstance(module, torch.nn.BatchNorm2d)]
    for norm in norms:
        norm.weight.uniform_(0.5, 1.5)
        norm.bias.uniform_(0, 1)
        norm.momentum = 1
        norm.train()
    for name, parameter in model.named_parameters():
        if name.endswith("layer_scale"):
            parameter.uniform_(0.2, 1)
    if norms:
        model(x)
        model.eval()
    last = [module for module in model.modules() if isinstance(module, (torch.nn.Conv2d, torch.nn.Linear))][-1]
    scale = output(model(x[:1])).std()
    last.weight.div_(scale)
    last.bias.div_(scale)


def save(path, write):
    """Calls write(file) with a temporary name, so that an interrupted export does not leave a file that looks
    complete."""
    unfinished = path.with_name("unfinished_" + path.name)
    write(str(unfinished))
    unfinished.replace(path)


def export(folder, name):
    import numpy as np
    import torch

    torch.manual_seed(NAMES.index(name))
    torch.set_num_threads(1)
    size = SIZES.get(name, 224)
    with torch.no_grad():
        model = build(name).eval()
        season(model, torch.randn(4, 3, size, size))
        inputs = {batch: torch.randn(batch, 3, size, size) for batch in BATCHES}
        io = {"input_names": ["x"], "output_names": ["y"], "dynamic_axes": {"x": {0: "N"}, "y": {0: "N"}}}
        save(folder / f"{name}.onnx", lambda file: torch.onnx.export(model, inputs[1], file, opset_version=16, **io))
        model.double()
        exact = {f"y{batch}": output(model(x.double())).numpy() for batch, x in inputs.items()}
    arrays = {f"x{batch}": x.numpy() for batch, x in inputs.items()} | exact
    save(folder / f"{name}.npz", lambda file: np.savez(file, **arrays))


def main(usage, names, export, scripts):
    """Exports the models on the command line, by default all `names`, that are missing or older than the scripts."""
    if len(sys.argv) < 2:
        sys.exit(usage)
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    newest = max(os.stat(script).st_mtime for script in scripts)
    for name in sys.argv[2:] or names:
        files = [folder / f"{name}.onnx", folder / f"{name}.npz"]
        if not all(file.exists() and file.stat().st_mtime > newest for file in files):
            export(folder, name)


if __name__ == "__main__":
    main(__doc__, NAMES, export, [__file__])
