#!/usr/bin/env python3
"""Makes examples/deform_block.onnx and its reference data with the exporter plugin.

    python3 examples/make_deform_block.py      needs PyTorch, torchvision, onnx and a built run_model

The model is a block of a detection network: Conv and Asinh, then a modulated deformable convolution whose offsets and
mask come from separate convolutions, then my_add (2a + b) as the residual connection.
"""

import sys
from pathlib import Path

import torch
import torchvision
from onnx import numpy_helper

EXAMPLES = Path(__file__).resolve().parent
sys.path.insert(0, str(EXAMPLES.parent / "frontends" / "torch"))
import linnet_torch  # noqa: E402


class DeformBlock(torch.nn.Module):
    def __init__(self, channels=16):
        super().__init__()
        self.stem = torch.nn.Conv2d(3, channels, 3, stride=2, padding=1)
        self.offset = torch.nn.Conv2d(channels, 2 * 3 * 3, 3, padding=1)
        self.mask = torch.nn.Conv2d(channels, 3 * 3, 3, padding=1)
        self.deform = torchvision.ops.DeformConv2d(channels, channels, 3, padding=1)

    def forward(self, image):
        x = torch.asinh(4 * self.stem(image))
        y = self.deform(x, self.offset(x), torch.sigmoid(self.mask(x)))
        return linnet_torch.MyAddFunction.apply(y, x)


def save_tensor(path: Path, name: str, tensor: torch.Tensor) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(numpy_helper.from_array(tensor.numpy(), name).SerializeToString())


def main() -> None:
    torch.manual_seed(0)
    block, image = DeformBlock().eval(), torch.randn(1, 3, 32, 32)
    with torch.no_grad():
        output = block(image)
    folder = EXAMPLES / "deform_block" / "test_data_set_0"
    save_tensor(folder / "input_0.pb", "image", image)
    save_tensor(folder / "output_0.pb", "output", output)
    linnet_torch.export(block, image, EXAMPLES / "deform_block.onnx")


if __name__ == "__main__":
    main()
