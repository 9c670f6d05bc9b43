"""The PyTorch operators that Linnet adds: deform_conv2d, and my_add as TORCH_LIBRARY operator and autograd.Function."""

import math
from typing import Optional

import torch
from torch import Tensor
from torch.nn.modules.utils import _pair

from . import library
from .symbolics import my_add_rule


def my_add(a: Tensor, b: Tensor) -> Tensor:
    """Returns 2a + b by the operator linnet::my_add, with PyTorch's broadcasting and type promotion."""
    library.require()
    return torch.ops.linnet.my_add(a, b)


def deform_conv2d(
    input: Tensor,
    offset: Tensor,
    weight: Tensor,
    bias: Optional[Tensor] = None,
    stride=1,
    padding=0,
    dilation=1,
    mask: Optional[Tensor] = None,
) -> Tensor:
    """Computes torchvision.ops.deform_conv2d by the operator linnet::deform_conv2d, without torchvision; forward only.

    Source: https://pytorch.org/vision/stable/generated/torchvision.ops.deform_conv2d.html
    """
    library.require()
    return _deform_conv2d(input, offset, weight, bias, mask, _pair(stride), _pair(padding), _pair(dilation))


class DeformConv2d(torch.nn.Module):
    """Replaces torchvision.ops.DeformConv2d without torchvision, with the same constructor, parameters and state dict.

    Source: https://pytorch.org/vision/stable/generated/torchvision.ops.DeformConv2d.html
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size,
        stride=1,
        padding=0,
        dilation=1,
        groups: int = 1,
        bias: bool = True,
    ):
        super().__init__()
        library.require()
        if in_channels % groups != 0 or out_channels % groups != 0:
            raise ValueError(f"{in_channels} and {out_channels} channels do not divide into {groups} groups")
        self.in_channels, self.out_channels, self.groups = in_channels, out_channels, groups
        self.kernel_size, self.stride = _pair(kernel_size), _pair(stride)
        self.padding, self.dilation = _pair(padding), _pair(dilation)
        self.weight = torch.nn.Parameter(torch.empty(out_channels, in_channels // groups, *self.kernel_size))
        self.bias = torch.nn.Parameter(torch.empty(out_channels)) if bias else None
        self.reset_parameters()

    def reset_parameters(self) -> None:
        torch.nn.init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            bound = 1 / math.sqrt(self.weight[0].numel())
            torch.nn.init.uniform_(self.bias, -bound, bound)

    def forward(self, input: Tensor, offset: Tensor, mask: Optional[Tensor] = None) -> Tensor:
        return _deform_conv2d(input, offset, self.weight, self.bias, mask, self.stride, self.padding, self.dilation)

    def extra_repr(self) -> str:
        return (
            f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}, "
            f"padding={self.padding}, dilation={self.dilation}, groups={self.groups}, bias={self.bias is not None}"
        )


def _deform_conv2d(
    input: Tensor,
    offset: Tensor,
    weight: Tensor,
    bias: Optional[Tensor],
    mask: Optional[Tensor],
    stride: tuple[int, int],
    padding: tuple[int, int],
    dilation: tuple[int, int],
) -> Tensor:
    offset_groups = offset.shape[1] // (2 * weight.shape[2] * weight.shape[3])
    return torch.ops.linnet.deform_conv2d(
        input,
        weight,
        offset,
        input.new_zeros([input.shape[0], 1]) if mask is None else mask,
        input.new_zeros([weight.shape[0]]) if bias is None else bias,
        *(stride[0], stride[1], padding[0], padding[1], dilation[0], dilation[1]),
        input.shape[1] // weight.shape[1],
        offset_groups,
        mask is not None,
    )


def register_deform_conv2d() -> bool:
    """Registers torchvision::deform_conv2d (schema and forward CPU kernel) unless it is registered. Returns whether it
    did.

    This is for programs that load TorchScript files without torchvision. PyTorch refuses a second registration of an
    operator, so torchvision cannot be imported afterwards.
    """
    return library.require().linnet_torch_register_deform_conv2d()


class MyAddFunction(torch.autograd.Function):
    """Computes 2a + b as autograd.Function, in pure Python: `MyAddFunction.apply(a, b)`.

    It is exported as custom::my_add; linnet_torch.export(my_add=...) selects another form.
    """

    @staticmethod
    def forward(ctx, a, b):
        ctx.shapes = a.shape, b.shape
        return 2 * a + b

    @staticmethod
    def backward(ctx, grad):
        a_shape, b_shape = ctx.shapes
        return (2 * grad).sum_to_size(a_shape), grad.sum_to_size(b_shape)

    symbolic = staticmethod(my_add_rule("custom"))
