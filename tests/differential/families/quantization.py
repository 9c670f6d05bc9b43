from configuration import Configuration
from values import FLOATS, element_type

from .movement import positive
from .by_operator import family


def layout(draw, shape):
    """attributes and the scale's shape: per tensor, per axis or, where the version has it, blocked."""
    schema = draw.schema
    kind = draw.integer(0, 2)
    if kind == 0 or schema.since_version < 13:
        return {}, ()
    axis = draw.integer(0, len(shape) - 1)
    if kind == 1 or schema.since_version < 21:
        return {"axis": axis}, (shape[axis],)
    block = draw.integer(1, shape[axis])
    scale = list(shape)
    scale[axis] = -(-shape[axis] // block)
    return {"axis": axis, "block_size": block}, tuple(scale)


@family("QuantizeLinear")
def quantize_linear(draw):
    shape = positive(draw.shape(1, 3))
    attributes, scale_shape = layout(draw, shape)
    variables = [i.type_str for i in draw.schema.inputs]
    x_type = draw.type(variables[0])
    scale_type = variables[1][7:-1] if variables[1].startswith("tensor(") else draw.types.get(variables[1])
    if scale_type is None:
        scale_type = draw.type(variables[1], [x_type])
    x, scale = draw.tensor(x_type, shape), draw.tensor(scale_type, scale_shape, 0.25, 1)
    output = draw.type(draw.schema.outputs[0].type_str)
    return Configuration(draw.schema, [x, scale, draw.tensor(output, scale_shape, 0, 0)], attributes, types=draw.types)


@family("DequantizeLinear")
def dequantize_linear(draw):
    shape = positive(draw.shape(1, 3))
    attributes, scale_shape = layout(draw, shape)
    variables = [i.type_str for i in draw.schema.inputs]
    kind = draw.type(variables[0])
    scale_type = draw.type(variables[1])
    inputs = [draw.tensor(kind, shape), draw.tensor(scale_type, scale_shape, 0.25, 1)]
    if kind != "int32" and draw.flag():
        inputs.append(draw.tensor(kind, scale_shape, 0, 0 if "float" in kind else 2))
    if "output_dtype" in draw.schema.attributes:
        attributes["output_dtype"] = element_type(draw.type("T3", [scale_type] if scale_type in FLOATS else None))
    return Configuration(draw.schema, inputs, attributes, types=draw.types)
