"""Models of one node whose dims or numbers make an operator need more memory than a limit of 64 MiB. They are derived
from the configurations of tests/differential."""

import random

import numpy as np
from drawn_models import draws
from onnx import AttributeProto, TensorProto, numpy_helper

SIZES = (2**14, 2**18, 2**22, 2**26)
INTEGERS = (TensorProto.INT64, TensorProto.INT32)


def dims_of(model):
    types = [info.type.tensor_type for info in model.graph.input]
    declared = {dim.dim_value for type_ in types for dim in type_.shape.dim}
    return sorted((declared | {dim for tensor in model.graph.initializer for dim in tensor.dims}) - {0})


def with_dims(model, replaced):
    """Returns the model with other dims of its inputs, and of initializers if that leaves them without elements."""
    result = type(model).FromString(model.SerializeToString())
    for info in result.graph.input:
        for dim in info.type.tensor_type.shape.dim:
            dim.dim_value = replaced.get(dim.dim_value, dim.dim_value)
    for tensor in result.graph.initializer:
        dims = [replaced.get(dim, dim) for dim in tensor.dims]
        if 0 in dims:
            kind, name = tensor.data_type, tensor.name
            tensor.Clear()
            tensor.data_type, tensor.name = kind, name
            tensor.dims.extend(dims)
        elif tensor.data_type in INTEGERS:  # sizes and splits
            values = numpy_helper.to_array(tensor).copy()
            for before, after in replaced.items():
                if after < 2**31 or tensor.data_type == TensorProto.INT64:
                    values[values == before] = after
            tensor.CopyFrom(numpy_helper.from_array(values, tensor.name))
    for info in result.graph.output:
        info.type.tensor_type.ClearField("shape")
    return result


def copy_of(model):
    return type(model).FromString(model.SerializeToString())


def with_attribute(model, at, size):
    """Returns the model with larger integers in its node's attribute `at`."""
    result = copy_of(model)
    attribute = result.graph.node[0].attribute[at]
    if attribute.type == AttributeProto.INT:
        attribute.i = size
    else:
        values = [max(value, size if i == len(attribute.ints) - 1 else value) for i, value in enumerate(attribute.ints)]
        attribute.ints[:] = values
    return without_output_shapes(result)


def with_numbers(model, at, size):
    """Returns the model with a larger last number in initializer `at`."""
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
    """Returns up to `most` models of the operator."""
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
