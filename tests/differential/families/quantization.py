from by_operator import family
from configuration import Configuration
from values import FLOATS, element_type, is_integer

from .movement import positive


def layout(draw, shape):
    """Returns attributes and the scale's shape: per tensor, per axis or, if the version has it, blocked."""
    schema = draw.schema
    kind = draw.integer(0, 2)
    if kind == 0 or schema.since_version < 13:
        return {}, ()
    axis = draw.integer(-len(shape), len(shape) - 1)
    if kind == 1 or schema.since_version < 21:
        return {"axis": axis}, (shape[axis],)
    block = draw.integer(1, shape[axis])
    scale = list(shape)
    scale[axis] = -(-shape[axis] // block)
    return {"axis": axis, "block_size": block}, tuple(scale)


@family("QuantizeLinear")
def quantize_linear(draw):
    schema, shape = draw.schema, positive(draw.shape(1, 3))
    attributes, scale_shape = layout(draw, shape)
    variables = [i.type_str for i in schema.inputs]
    x_type = draw.type(variables[0])
    scale_type = variables[1][7:-1] if variables[1].startswith("tensor(") else draw.types.get(variables[1])
    if scale_type is None:
        scale_type = draw.type(variables[1], [x_type])
    # Wide enough to exceed the range of narrow types.
    limits = draw.choice(((-3, 3), (-90, 90))) if not is_integer(x_type) else (-100, 100)
    inputs = [draw.tensor(x_type, shape, *limits), draw.tensor(scale_type, scale_shape, 0.25, 1)]
    output = schema.outputs[0].type_str
    kind = draw.type(output)
    if "saturate" in schema.attributes and draw.flag():
        attributes["saturate"] = draw.integer(0, 1)
    if "output_dtype" in schema.attributes and draw.flag():
        attributes["output_dtype"] = element_type(kind)
    if "precision" in schema.attributes and scale_type in ("float16", "bfloat16") and x_type != "int32" and draw.flag():
        attributes["precision"] = element_type("float")
    # Without a zero point and a type, the output is uint8.
    if not (("output_dtype" in attributes or kind == "uint8") and draw.flag()):
        inputs.append(draw.tensor(kind, scale_shape, 0, 3 if is_integer(kind) and draw.flag() else 0))
    return Configuration(schema, inputs, attributes, types=draw.types)


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
