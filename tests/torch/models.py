"""The models of the tutorials that the exporter is for."""

import linnet_torch
import torch
import torchvision


class Asinh(torch.nn.Module):
    def forward(self, x):
        return torch.asinh(x)


class Deform(torch.nn.Module):
    """A convolution computes the offsets of a deformable one; `mask` adds a second one for the modulation."""

    def __init__(self, mask=False, bias=True, offset_groups=1, channels=6, **options):
        super().__init__()
        kernel = options.pop("kernel_size", 3)
        points = offset_groups * kernel * kernel
        geometry = {name: options[name] for name in ("stride", "padding", "dilation") if name in options}
        self.offset = torch.nn.Conv2d(channels, 2 * points, kernel, **geometry)
        self.mask = torch.nn.Conv2d(channels, points, kernel, **geometry) if mask else None
        self.conv = torchvision.ops.DeformConv2d(channels, 4, kernel, bias=bias, **options)

    def forward(self, x):
        return self.conv(x, self.offset(x), self.mask(x).sigmoid() if self.mask is not None else None)


class MyAddOperator(torch.nn.Module):
    def forward(self, a, b):
        return linnet_torch.my_add(a, b)


class MyAddAutograd(torch.nn.Module):
    def forward(self, a, b):
        return linnet_torch.MyAddFunction.apply(a, b)
