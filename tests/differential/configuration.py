"""One node with its attributes and inputs, as a model and as a folder for `run_model check`."""

import dataclasses
import json

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from values import element_type, type_name

IR_VERSION = 10


@dataclasses.dataclass
class Configuration:
    """What a family makes. An input that is None is omitted. `types` are the bound type variables."""

    schema: object
    inputs: list
    attributes: dict
    outputs: int = 1
    types: dict = dataclasses.field(default_factory=dict)
    opset: int = 0
    # The same computation in a later version of the operator, for references that lack this one.
    modern: object = None
    # Multiplies the tolerance: for results that inherit rounding of larger intermediate values.
    slack: float = 1
    # Integers may differ by 1: how interpolated values are rounded is open.
    open_rounding: bool = False
    # The inputs from this one on are constants of the model.
    constants_from: int = 100
    # (operator, attributes) that make a container of input 0, and a tensor of output 0.
    wrap: tuple = ()
    unwrap: tuple = ()

    def __post_init__(self):
        self.opset = self.opset or self.schema.since_version

    def output_type(self, i):
        outputs = self.schema.outputs
        variable = outputs[min(i, len(outputs) - 1)].type_str
        return variable[7:-1] if variable.startswith("tensor(") else self.types[variable]

    def given(self, constant):
        """The inputs by name that are constants, or those that are not."""
        values = {
            f"x{i}": (value, i >= self.constants_from) for i, value in enumerate(self.inputs) if value is not None
        }
        return {name: value for name, (value, is_constant) in values.items() if is_constant == constant}

    def feeds(self):
        return self.given(constant=False)

    def model(self):
        names = ["" if value is None else f"x{i}" for i, value in enumerate(self.inputs)]
        results = [f"y{i}" for i in range(self.outputs)]
        nodes = [self._node(names, results)]
        if self.wrap:
            nodes.insert(0, helper.make_node(self.wrap[0], ["x0"], ["wrapped"], **self.wrap[1]))
            nodes[1].input[0] = "wrapped"
        if self.unwrap:
            nodes[-1].output[0] = "container"
            nodes.append(helper.make_node(self.unwrap[0], ["container"], ["y0"], **self.unwrap[1]))
        given = [
            helper.make_tensor_value_info(name, element_type(type_name(value)), value.shape)
            for name, value in self.feeds().items()
        ]
        made = [
            helper.make_tensor_value_info(name, element_type(self.output_type(i)), None)
            for i, name in enumerate(results)
        ]
        opsets = [helper.make_opsetid(self.schema.domain, self.opset)]
        constants = [tensor_proto(value, name) for name, value in self.given(constant=True).items()]
        graph = helper.make_graph(nodes, "configuration", given, made, constants)
        return helper.make_model(graph, opset_imports=opsets, ir_version=max(IR_VERSION, ir_version(self)))

    def _node(self, inputs, outputs):
        node = helper.make_node(self.schema.name, inputs, outputs, domain=self.schema.domain)
        for name, value in self.attributes.items():
            kind = int(self.schema.attributes[name].type.value)
            node.attribute.append(helper.make_attribute(name, value, attr_type=kind))
        return node

    def describe(self):
        inputs = ", ".join(self._describe_input(i, x) for i, x in enumerate(self.inputs))
        attributes = ", ".join(f"{name}={brief(value)}" for name, value in sorted(self.attributes.items()))
        return f"{self.schema.name}-{self.opset}({inputs}; {attributes}) -> {self.outputs}"

    def _describe_input(self, i, x):
        constant = "constant " if i >= self.constants_from else ""
        return "-" if x is None else f"{constant}{type_name(x)}{list(x.shape)}{small(x)}"


def brief(value):
    return f"<{type(value).__name__}>" if hasattr(value, "SerializeToString") else value


def small(x):
    """The values of a short integer tensor: axes, shapes."""
    return f"={x.tolist()}" if x.dtype == np.int64 and x.ndim <= 1 and x.size <= 8 else ""


def ir_version(configuration):
    """11 and later know float4, 13 and later the 2-bit integers and float8e8m0, 14 float6."""
    names = {type_name(x) for x in configuration.inputs if x is not None} | set(configuration.types.values())
    if names & {"float6e2m3", "float6e3m2"}:
        return 14
    return 13 if names & {"int2", "uint2", "float8e8m0"} else 11 if "float4e2m1" in names else 0


def tensor_proto(value, name):
    if value.dtype == object:
        data = [str(text).encode() for text in value.ravel()]
        return helper.make_tensor(name, TensorProto.STRING, value.shape, data)
    return numpy_helper.from_array(np.ascontiguousarray(value).reshape(value.shape), name)


def write_case(folder, configuration, expected, tolerance):
    """expected: arrays; tolerance: (rtol, atol)."""
    data = folder / "test_data_set_0"
    data.mkdir(parents=True)
    onnx.save(configuration.model(), folder / "model.onnx")
    (folder / "data.json").write_text(json.dumps({"rtol": tolerance[0], "atol": tolerance[1]}))
    for i, (name, value) in enumerate(configuration.feeds().items()):
        (data / f"input_{i}.pb").write_bytes(tensor_proto(value, name).SerializeToString())
    for i, value in enumerate(expected):
        (data / f"output_{i}.pb").write_bytes(tensor_proto(value, f"y{i}").SerializeToString())
