"""The models of tutorials that the exporter targets."""

import linnet_torch
import torch


class Asinh(torch.nn.Module):
    def forward(self, x):
        return torch.asinh(x)


class Deform(torch.nn.Module):
    """Computes the offsets of a deformable convolution with a convolution. `mask` adds a second one for the modulation.

    layer: the class of the deformable one, DeformConv2d of linnet_torch or torchvision
    """

    def __init__(self, layer=linnet_torch.DeformConv2d, mask=False, bias=True, offset_groups=1, channels=6, **options):
        super().__init__()
        kernel = options.pop("kernel_size", 3)
        points = offset_groups * kernel * kernel
        geometry = {name: options[name] for name in ("stride", "padding", "dilation") if name in options}
        self.offset = torch.nn.Conv2d(channels, 2 * points, kernel, **geometry)
        self.mask = torch.nn.Conv2d(channels, points, kernel, **geometry) if mask else None
        self.conv = layer(channels, 4, kernel, bias=bias, **options)

    def forward(self, x):
        return self.conv(x, self.offset(x), self.mask(x).sigmoid() if self.mask is not None else None)


class ModulatedDeform(torch.nn.Module):
    """Replaces a 3x3 convolution, as in Deformable ConvNets v2 (Zhu et al., 2019).

    An additional convolution computes offsets and modulation.
    """

    def __init__(self, conv):
        from torchvision.ops import DeformConv2d

        super().__init__()
        geometry = {"stride": conv.stride, "padding": conv.padding, "dilation": conv.dilation}
        self.field = torch.nn.Conv2d(conv.in_channels, 27, 3, **geometry)
        torch.nn.init.normal_(self.field.weight, std=0.01)  # near 0, as at the start of training
        self.conv = DeformConv2d(conv.in_channels, conv.out_channels, 3, bias=False, **geometry)

    def forward(self, x):
        rows, columns, mask = self.field(x).chunk(3, 1)
        return self.conv(x, torch.cat((rows, columns), 1), mask.sigmoid())


def resnet50_dcn():
    """Returns torchvision's resnet50 with deformable 3x3 convolutions from the third stage on."""
    import torchvision

    module = torchvision.models.resnet50()
    for stage in (module.layer2, module.layer3, module.layer4):
        for block in stage:
            block.conv2 = ModulatedDeform(block.conv2)
    return module


class MyAddOperator(torch.nn.Module):
    def forward(self, a, b):
        return linnet_torch.my_add(a, b)


class MyAddAutograd(torch.nn.Module):
    def forward(self, a, b):
        return linnet_torch.MyAddFunction.apply(a, b)


class Perceive(torch.nn.Module):
    """The layers of image networks: convolutions, normalisation, pooling, upsampling, a residual sum, a classifier."""

    def __init__(self):
        super().__init__()
        self.stem = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3, 2, 1), torch.nn.BatchNorm2d(8), torch.nn.Hardswish())
        self.depthwise = torch.nn.Conv2d(8, 8, 3, padding=1, groups=8)
        self.head = torch.nn.Linear(8, 5)

    def forward(self, x):
        x = self.stem(x)
        y = torch.nn.functional.max_pool2d(torch.relu(self.depthwise(x)), 2)
        y = torch.nn.functional.interpolate(y, scale_factor=2.0, mode="bilinear", align_corners=False) + x
        return self.head(y.mean((2, 3))).log_softmax(1), y


class Attend(torch.nn.Module):
    """The layers of language networks: embedding, attention, normalisation, GELU."""

    def __init__(self):
        super().__init__()
        self.embedding = torch.nn.Embedding(11, 8)
        self.project = torch.nn.Linear(8, 24)
        self.norm = torch.nn.LayerNorm(8)

    def forward(self, tokens):
        x = self.embedding(tokens)
        q, k, v = self.project(x).chunk(3, -1)
        weights = torch.softmax(q @ k.transpose(-1, -2) / 8**0.5, -1)
        return torch.nn.functional.gelu(self.norm(x + weights @ v)), weights.argmax(-1)


class Branch(torch.nn.Module):
    """Branches that depend on values, for scripting."""

    def __init__(self):
        super().__init__()
        self.offset = torch.nn.Conv2d(3, 18, 3)
        self.conv = linnet_torch.DeformConv2d(3, 4, 3)

    def forward(self, x):
        y = self.conv(x, self.offset(x))
        if bool(x.sum() > 0):
            y = torch.ops.linnet.my_add(y, torch.selu(y))
        else:
            y = self.conv(2 * x, self.offset(x))
        return y.mean(1)
