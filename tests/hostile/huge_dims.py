"""Models of one node whose tensors have no elements, or very many: products of their dims wrap where they are not
checked. Made of the configurations that tests/differential draws."""

import contextlib
import itertools
import random

from draw import Impossible, SeededDraw
from onnx import TensorProto, numpy_helper
from survey import configure, schemas

DIMS = (1, 2**31, 2**61, 2**62 - 1)
INTEGERS = (TensorProto.INT64, TensorProto.INT32)


def latest():
    return {(schema.domain, schema.name): schema for schema in schemas()}.values()


def draws(schema, count):
    """Configurations in which no input is constant, and in which some are."""
    found = []
    for seed in range(20 * count):
        with contextlib.suppress(Impossible):
            found.append(configure(SeededDraw(schema, seed)))
        if len(found) == count:
            break
    return found


def dims_of(model):
    types = [info.type.tensor_type for info in model.graph.input]
    declared = {dim.dim_value for type_ in types for dim in type_.shape.dim}
    return sorted((declared | {dim for tensor in model.graph.initializer for dim in tensor.dims}) - {0})


def with_dims(model, replaced):
    """The model with other dims of its inputs; initializers too, where that leaves them without elements."""
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


def with_output(model, kept):
    """The model with one output of its node, the others omitted."""
    result = type(model).FromString(model.SerializeToString())
    outputs = result.graph.node[0].output
    for i in range(len(outputs)):
        if i != kept:
            outputs[i] = ""
    kept_info = type(result.graph.output[kept]).FromString(result.graph.output[kept].SerializeToString())
    del result.graph.output[:]
    result.graph.output.append(kept_info)
    return result


def variants(schema, most):
    """Up to `most` models of the operator, different ones for different operators."""
    chance = random.Random(f"{schema.domain}.{schema.name}")
    found = []
    for configuration in draws(schema, 4):
        model = configuration.model()
        models = [model, *(with_output(model, i) for i in range(configuration.outputs) if configuration.outputs > 1)]
        dims = dims_of(model)
        changes = [{a: 0} for a in dims] + [{a: 0, b: huge} for a, b in itertools.permutations(dims, 2) for huge in DIMS]
        changes += [{a: 0, **{b: huge for b in dims if b != a}} for a in dims for huge in DIMS]
        changes += [{a: huge} for a in dims for huge in DIMS]
        found += itertools.product(models, changes)
    return [with_dims(*pair) for pair in chance.sample(found, min(most, len(found)))]
