"""One node with its attributes and inputs, as a model and as a folder for `run_model check`."""

import dataclasses
import json

import numpy as np
import onnx
from containers import EMPTY, elementary, tensor_proto, tensors, type_proto, value_proto
from onnx import helper
from values import type_name

IR_VERSION = 10
# The opset of bodies in operators of other domains.
ONNX_OPSET = 21


@dataclasses.dataclass
class Configuration:
    """The result of a family. An input that is `None` is omitted; a list is a sequence, a dict a map. `types` contains
    the bound type variables."""

    schema: object
    inputs: list
    attributes: dict
    outputs: int = 1
    types: dict = dataclasses.field(default_factory=dict)
    opset: int = 0
    # The same computation in a later version of the operator, for references that lack this version.
    modern: object = None
    # The rounding errors of results (tolerances.py): units in their last place, and in that of the largest summand,
    # which is `magnitude` if the outputs do not show it.
    ulps: float = 4
    roundings: float = 2
    magnitude: float = 0
    # The inputs from this one on are constants of the model.
    constants_from: int = 100

    def __post_init__(self):
        self.opset = self.opset or self.schema.since_version
        # Arithmetic converts tensors of rank 0 to NumPy scalars.
        self.inputs = [np.asarray(x) if isinstance(x, np.generic) else x for x in self.inputs]

    def output_type(self, i):
        variable = formal(self.schema.outputs, i)
        return variable[7:-1] if variable.startswith("tensor(") else self.types[variable]

    def input_type(self, i):
        bound = self.types.get(formal(self.schema.inputs, i), "")
        is_tensor = isinstance(self.inputs[i], np.ndarray) and not bound.startswith("optional(")
        return type_name(self.inputs[i]) if is_tensor else bound

    def given(self, constant):
        """Returns by name the inputs that are constants, or those that are not."""
        values = {
            f"x{i}": (value, i >= self.constants_from and isinstance(value, np.ndarray))
            for i, value in enumerate(self.inputs)
            if value is not None
        }
        return {name: value for name, (value, is_constant) in values.items() if is_constant == constant}

    def feeds(self):
        return {name: None if value is EMPTY else value for name, value in self.given(constant=False).items()}

    def model(self):
        names = ["" if value is None else f"x{i}" for i, value in enumerate(self.inputs)]
        results = [f"y{i}" for i in range(self.outputs)]
        node = helper.make_node(self.schema.name, names, results, domain=self.schema.domain)
        for name, value in self.attributes.items():
            kind = int(self.schema.attributes[name].type.value)
            node.attribute.append(helper.make_attribute(name, value, attr_type=kind))
        given = [
            helper.make_value_info(name, type_proto(self.input_type(int(name[1:])), getattr(value, "shape", None)))
            for name, value in self.feeds().items()
        ]
        made = [helper.make_value_info(name, type_proto(self.output_type(i))) for i, name in enumerate(results)]
        opsets = [helper.make_opsetid(self.schema.domain, self.opset)]
        opsets += [helper.make_opsetid("", ONNX_OPSET)] if self.schema.domain else []
        constants = [tensor_proto(value, name) for name, value in self.given(constant=True).items()]
        graph = helper.make_graph([node], "configuration", given, made, constants)
        return helper.make_model(graph, opset_imports=opsets, ir_version=max(IR_VERSION, ir_version(self)))

    def describe(self):
        inputs = ", ".join(self._describe_input(i, x) for i, x in enumerate(self.inputs))
        attributes = ", ".join(f"{name}={brief(value)}" for name, value in sorted(self.attributes.items()))
        return f"{self.schema.name}-{self.opset}({inputs}; {attributes}) -> {self.outputs}"

    def _describe_input(self, i, x):
        constant = "constant " if i >= self.constants_from else ""
        if x is None or not isinstance(x, np.ndarray):
            return "-" if x is None else f"{self.input_type(i)}{with_shapes(x)}"
        return f"{constant}{type_name(x)}{list(x.shape)}{small(x)}"


def formal(parameters, i):
    """Returns the type variable, or the type, of the i-th input or output."""
    return parameters[min(i, len(parameters) - 1)].type_str


def with_shapes(value):
    return value if isinstance(value, dict) else [list(x.shape) for x in tensors(value)]


def brief(value):
    return f"<{type(value).__name__}>" if hasattr(value, "SerializeToString") else value


def small(x):
    """Returns the values of a short integer tensor, such as axes or a shape."""
    return f"={x.tolist()}" if x.dtype == np.int64 and x.ndim <= 1 and x.size <= 8 else ""


def ir_version(configuration):
    """IR version 11 and later have float4, 13 and later the 2-bit integers and float8e8m0, 14 float6."""
    names = {type_name(x) for value in configuration.inputs for x in tensors(value)}
    names |= {elementary(kind) for kind in configuration.types.values()}
    if names & {"float6e2m3", "float6e3m2"}:
        return 14
    return 13 if names & {"int2", "uint2", "float8e8m0"} else 11 if "float4e2m1" in names else 0


def write_case(folder, configuration, outputs, tolerance):
    """outputs: the expected ones; tolerance: (rtol, atol)."""
    data = folder / "test_data_set_0"
    data.mkdir(parents=True)
    onnx.save(configuration.model(), folder / "model.onnx")
    (folder / "data.json").write_text(json.dumps({"rtol": tolerance[0], "atol": tolerance[1]}))
    for i, (name, value) in enumerate(configuration.given(constant=False).items()):
        proto = value_proto(value, configuration.input_type(int(name[1:])), name)
        (data / f"input_{i}.pb").write_bytes(proto.SerializeToString())
    for i, value in enumerate(outputs):
        proto = value_proto(value, configuration.output_type(i), f"y{i}")
        (data / f"output_{i}.pb").write_bytes(proto.SerializeToString())
