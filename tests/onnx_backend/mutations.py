"""Damaged copies of the backend suite's cases, with inputs, outputs, attributes and numbers that no exporter writes."""

import random

import numpy as np
import onnx
from onnx import AttributeProto, TensorProto, helper, numpy_helper

NUMBERS = (0, 1, -1, 7, -(2**31), 2**31, 2**40, -(2**63), 2**63 - 1)
INTEGERS = (TensorProto.INT32, TensorProto.INT64)


def drop_input(model, node, rng):
    del node.input[rng.randrange(len(node.input)) :]


def omit_input(model, node, rng):
    node.input[rng.randrange(len(node.input))] = ""


def repeat_input(model, node, rng):
    node.input.append(rng.choice(node.input))


def swap_inputs(model, node, rng):
    i, j = rng.randrange(len(node.input)), rng.randrange(len(node.input))
    node.input[i], node.input[j] = node.input[j], node.input[i]


def omit_output(model, node, rng):
    node.output[rng.randrange(len(node.output))] = ""
    kept = [info for info in model.graph.output if info.name in node.output]
    del model.graph.output[:]
    model.graph.output.extend(kept)


def add_output(model, node, rng):
    node.output.append("one_more")


def drop_attribute(model, node, rng):
    del node.attribute[rng.randrange(len(node.attribute))]


def change_number(model, node, rng):
    attribute = rng.choice(node.attribute)
    attribute.i = rng.choice(NUMBERS)
    if attribute.ints:
        attribute.ints[rng.randrange(len(attribute.ints))] = rng.choice(NUMBERS)
    if attribute.floats:
        attribute.floats[rng.randrange(len(attribute.floats))] = float("nan")


def change_count(model, node, rng):
    """Changes the number of values in an attribute."""
    attribute = rng.choice(node.attribute)
    del attribute.ints[rng.randrange(4) :]
    attribute.ints.extend([rng.choice(NUMBERS)] * rng.randrange(3))


def change_attribute_type(model, node, rng):
    attribute = rng.choice(node.attribute)
    value = rng.choice(["x", 3, 0.5, [1, 2], [0.5], ["x"], np.zeros((2, 0))])
    if isinstance(value, np.ndarray):
        value = numpy_helper.from_array(value)
    attribute.CopyFrom(helper.make_attribute(attribute.name, value))


def change_text(model, node, rng):
    attribute = rng.choice([a for a in node.attribute if a.type == AttributeProto.STRING])
    attribute.s = rng.choice([b"", b"\xff", attribute.s * 2])


def change_shape(model, node, rng):
    """Changes the declared shape of a graph input."""
    dims = rng.choice(model.graph.input).type.tensor_type.shape.dim
    dims[rng.randrange(len(dims))].dim_value = rng.choice(NUMBERS)


def change_rank(model, node, rng):
    dims = rng.choice(model.graph.input).type.tensor_type.shape.dim
    del dims[rng.randrange(len(dims))]


def change_type(model, node, rng):
    rng.choice(model.graph.input).type.tensor_type.elem_type = rng.randrange(24)


def change_opset(model, node, rng):
    model.opset_import[0].version = rng.choice([1, 6, 7, 9, 11, 13, 18, 24])


def fix_input(model, node, rng):
    """Replaces an integer input by a constant with numbers that are invalid there."""
    inputs = [info for info in model.graph.input if info.type.tensor_type.elem_type in INTEGERS]
    info = rng.choice(inputs)
    shape = [dim.dim_value for dim in info.type.tensor_type.shape.dim]
    dtype = helper.tensor_dtype_to_np_dtype(info.type.tensor_type.elem_type)
    limits = np.iinfo(dtype)
    numbers = [min(max(rng.choice(NUMBERS), limits.min), limits.max) for _ in range(int(np.prod(shape)))]
    model.graph.initializer.append(numpy_helper.from_array(np.array(numbers, dtype).reshape(shape), info.name))
    model.graph.input.remove(info)


MUTATIONS = (
    drop_input,
    omit_input,
    repeat_input,
    swap_inputs,
    omit_output,
    add_output,
    drop_attribute,
    change_number,
    change_count,
    change_attribute_type,
    change_text,
    change_shape,
    change_rank,
    change_type,
    change_opset,
    fix_input,
)


def mutate(model, mutation, rng):
    """Returns a damaged copy, or `None` if the mutation does not apply to the model."""
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    try:
        mutation(copy, rng.choice(copy.graph.node), rng)
    except (IndexError, ValueError):  # an empty list, or a value out of a field's range
        return None
    return copy


def write_mutations(cases, folder, rounds):
    """Writes up to `rounds` damaged copies of every case, as folder/<case>/<number>_<mutation>."""
    for case in cases:
        rng = random.Random(case.name)
        for number in range(rounds):
            mutation = rng.choice(MUTATIONS)
            model = mutate(onnx.load(case / "model.onnx"), mutation, rng)
            if model is None:
                continue
            target = folder / case.name / f"{number}_{mutation.__name__}"
            target.mkdir(parents=True)
            (target / "model.onnx").write_bytes(model.SerializeToString())
            (target / "test_data_set_0").symlink_to(case / "test_data_set_0")
