"""The packed weights of quantised modules, as modules that hold integers and their scales."""

import torch
from torch import nn

from ..errors import ExportError
from .grid import RANGES

_OPERATORS = torch.ops.quantized_decomposed


class Weight(nn.Module):
    """A quantised tensor that is part of a module."""

    def __init__(self, tensor: torch.Tensor):
        super().__init__()
        if tensor.dtype not in RANGES:
            raise ExportError(f"there is no form in ONNX for weights of {tensor.dtype}")
        self.range, self.axis = RANGES[tensor.dtype], None
        self.register_buffer("integers", tensor.int_repr())
        if tensor.qscheme() is torch.per_tensor_affine:
            self.scale, self.zero_point = tensor.q_scale(), tensor.q_zero_point()
            return
        self.axis = tensor.q_per_channel_axis()
        # The tensors of an unpacked table are in the memory of the packed one, so they are cloned.
        scales, zero_points = tensor.q_per_channel_scales().clone(), tensor.q_per_channel_zero_points().clone()
        self.register_buffer("scale", scales.float())
        is_table = tensor.qscheme() is torch.per_channel_affine_float_qparams
        self.register_buffer("zero_point", zero_points if is_table else zero_points.to(torch.int8))

    def floats(self, shape=None) -> torch.Tensor:
        """Returns the floats. shape: the shape of the result, if it differs from the tensor's"""
        integers = self.integers if shape in (None, self.integers.shape) else self.integers.reshape(shape)
        grid = *self.range, integers.dtype
        if self.axis is None:
            return _OPERATORS.dequantize_per_tensor(integers, self.scale, self.zero_point, *grid)
        return _OPERATORS.dequantize_per_channel(integers, self.scale, self.zero_point, self.axis, *grid)

    def table(self) -> torch.Tensor:
        """Returns the floats of a table, each row of which has a scale and a floating-point zero point."""
        return (self.integers.float() - self.zero_point.unsqueeze(-1)) * self.scale.unsqueeze(-1)

    def rows(self, indices: torch.Tensor) -> torch.Tensor:
        """Returns some rows of the table as floats."""
        zero_points, scales = self.zero_point[indices].unsqueeze(-1), self.scale[indices].unsqueeze(-1)
        return (self.integers[indices].float() - zero_points) * scales


class HalfWeight(nn.Module):
    """A weight that was rounded to float16."""

    def __init__(self, tensor: torch.Tensor):
        super().__init__()
        self.register_buffer("halves", tensor.half())

    def floats(self) -> torch.Tensor:
        return self.halves.float()


class Packed(nn.Module):
    """The weight and bias of a convolution or linear layer."""

    def __init__(self, packed: torch.ScriptObject, is_linear: bool):
        super().__init__()
        weight, bias = packed.unpack()
        self.is_half = not weight.is_quantized
        self.weight = HalfWeight(weight) if self.is_half else Weight(weight)
        self.register_buffer("bias", None if bias is None else bias.detach())
        # All of PyTorch's engines do except this one. A packed weight does not store its engine.
        self.heeds_reduce_range = torch.backends.quantized.engine != "qnnpack"
        if not is_linear:
            self.stride, self.padding, self.dilation = packed.stride(), packed.padding(), packed.dilation()
            self.output_padding, self.groups = packed.output_padding(), packed.groups()


class PackedCell(nn.Module):
    """The weights of one layer of a recurrent network, in one direction."""

    def __init__(self, packed: torch.ScriptObject):
        super().__init__()
        (_, _, _, flags, products), _ = packed.__getstate__()
        self.input, self.hidden = (Packed(product, is_linear=True) for product in products)
        self.reduce_range = bool(flags and flags[0])


def unpacked(packed) -> nn.Module:
    """Returns the module for a packed weight, or for a quantised tensor."""
    if isinstance(packed, torch.Tensor):
        return Weight(packed)
    kind = packed._type().qualified_name().split(".", 3)[-1]
    if kind == "rnn.CellParamsBase":
        return PackedCell(packed)
    if kind == "quantized.EmbeddingPackedParamsBase":
        return Weight(torch.ops.quantized.embedding_bag_unpack(packed))
    if kind == "quantized.LinearPackedParamsBase":
        return Packed(packed, is_linear=True)
    if kind in ("quantized.Conv2dPackedParamsBase", "quantized.Conv3dPackedParamsBase"):
        return Packed(packed, is_linear=False)
    raise ExportError(f"there is no form in ONNX for weights of {kind}")
