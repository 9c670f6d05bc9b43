"""A model with open dims, and the inputs of different sizes for its tests."""

import random
from dataclasses import dataclass
from functools import cached_property

import linnet_of_build  # noqa: F401
import linnet
import numpy as np
import onnx
from onnx import helper
from onnx_runtime import OnnxRuntime

SIZES, FILE_BINDINGS = (0, 1, 1, 2, 2, 3, 5, 7, 11, 13), 16


@dataclass
class OpenModel:
    model: onnx.ModelProto
    feeds: list  # dicts of arrays by name, one for each binding
    rtol: float = 0  # for floats, relative to the largest value of an output

    @cached_property
    def bytes(self):
        return self.model.SerializeToString()

    @cached_property
    def with_all_values(self):
        """Returns the model with all values of its graph as outputs."""
        result = onnx.ModelProto()
        result.CopyFrom(self.model)
        made = [name for node in result.graph.node for name in node.output if name]
        del result.graph.output[:]
        result.graph.output.extend(helper.make_empty_tensor_value_info(name) for name in made)
        return result

    def answers(self, model):
        """Returns ONNX Runtime's outputs by name for each of the feeds, or None for feeds that it refuses."""
        reference = OnnxRuntime(model.SerializeToString(), optimized=False, threads=1)
        return [_answer(reference.outputs, feeds) for feeds in self.feeds]

    def with_numbers(self, model, feeds):
        """Returns Linnet's outputs for the feeds if the file contains their sizes, or None if it refuses them."""
        made = onnx.ModelProto()
        made.CopyFrom(model)
        for value in made.graph.input:
            value.CopyFrom(helper.make_tensor_value_info(value.name, value.type.tensor_type.elem_type, feeds[value.name].shape))
        for value in made.graph.output:
            value.CopyFrom(helper.make_empty_tensor_value_info(value.name))
        return _answer(lambda x: linnet.Session(made.SerializeToString(), threads=1).run(x), feeds)

    def agree(self, got, want):
        got, want = np.asarray(got), np.asarray(want)
        if got.dtype != want.dtype or got.shape != want.shape:
            return False
        if got.dtype.kind != "f" or not self.rtol:
            return np.array_equal(got, want, equal_nan=got.dtype.kind == "f")
        finite = np.isfinite(want)
        scale = np.abs(want[finite]).max(initial=1e-3)
        return np.array_equal(np.isnan(got), np.isnan(want)) and np.allclose(
            got[finite], want[finite], self.rtol, self.rtol * scale
        )


def _answer(run, feeds):
    try:
        return run(feeds)
    except Exception:  # noqa: BLE001 - each engine raises different exceptions
        return None


def of_files(arguments):
    """Yields (path, model) of each file among the arguments. Others are sizes of open dims: N=1,2,5 or N=P+T."""
    sizes = dict(argument.split("=") for argument in arguments if "=" in argument)
    return ((path, of_file(path, sizes)) for path in arguments if "=" not in path)


def of_file(path, sizes):
    """Integers are ids below 100, or ones if the name contains "mask"."""
    model, chosen, numbers = onnx.load(path), random.Random(0), np.random.default_rng(0)
    weights = {tensor.name for tensor in model.graph.initializer}
    inputs = [value for value in model.graph.input if value.name not in weights]
    dims = sorted({dim.dim_param for value in inputs for dim in value.type.tensor_type.shape.dim if dim.dim_param})
    feeds = []
    for _ in range(FILE_BINDINGS):
        binding = {dim: chosen.choice(_sizes(sizes.get(dim))) for dim in dims}
        sums = {dim: sizes[dim].split("+") for dim in dims if _is_sum(sizes.get(dim))}
        binding |= {dim: sum(binding[name] for name in names) for dim, names in sums.items()}
        feeds.append({value.name: _array(value, binding, numbers) for value in inputs})
    return OpenModel(model, feeds)


def _is_sum(text):
    return text is not None and not text[0].isdigit()


def _sizes(text):
    return SIZES if text is None or _is_sum(text) else [int(size) for size in text.split(",")]


def _array(value, sizes, numbers):
    kind = value.type.tensor_type
    shape = [sizes.get(dim.dim_param, dim.dim_value or 1) for dim in kind.shape.dim]
    dtype = helper.tensor_dtype_to_np_dtype(kind.elem_type)
    if "mask" in value.name:
        return np.ones(shape, dtype)
    return (numbers.standard_normal(shape) if dtype.kind == "f" else numbers.integers(0, 100, shape)).astype(dtype)
