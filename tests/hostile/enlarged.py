"""Models of one node, with dims or numbers that make an operator need more memory than a limit of 64 MiB. Made of the
configurations that tests/differential draws."""

import random

import numpy as np
from huge_dims import INTEGERS, dims_of, draws, with_dims
from onnx import AttributeProto, numpy_helper

SIZES = (2**14, 2**18, 2**22, 2**26)


def copy_of(model):
    return type(model).FromString(model.SerializeToString())


def with_attribute(model, at, size):
    """The model with larger integers in its node's attribute `at`."""
    result = copy_of(model)
    attribute = result.graph.node[0].attribute[at]
    if attribute.type == AttributeProto.INT:
        attribute.i = size
    else:
        values = [max(value, size if i == len(attribute.ints) - 1 else value) for i, value in enumerate(attribute.ints)]
        attribute.ints[:] = values
    return without_output_shapes(result)


def with_numbers(model, at, size):
    """The model with a larger last number in initializer `at`."""
    result = copy_of(model)
    tensor = result.graph.initializer[at]
    values = numpy_helper.to_array(tensor).copy()
    values.flat[values.size - 1] = size
    tensor.CopyFrom(numpy_helper.from_array(values, tensor.name))
    return without_output_shapes(result)


def without_output_shapes(model):
    for info in model.graph.output:
        info.type.tensor_type.ClearField("shape")
    return model


def variants(schema, most):
    """Up to `most` models of the operator."""
    chance = random.Random(f"{schema.domain}.{schema.name}")
    found = []
    for configuration in draws(schema, 3):
        model = configuration.model()
        found += [(with_dims, model, {dim: size}) for dim in dims_of(model) for size in SIZES]
        for i, attribute in enumerate(model.graph.node[0].attribute):
            if attribute.type in (AttributeProto.INT, AttributeProto.INTS):
                found += [(with_attribute, model, i, size) for size in SIZES]
        for i, tensor in enumerate(model.graph.initializer):
            if tensor.data_type in INTEGERS and np.prod(tensor.dims, dtype=int) > 0:
                found += [(with_numbers, model, i, size) for size in SIZES]
    return [change(*arguments) for change, *arguments in chance.sample(found, min(most, len(found)))]
