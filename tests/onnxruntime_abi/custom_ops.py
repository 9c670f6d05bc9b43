"""Custom operators whose functions are Python functions."""

import ctypes
from ctypes import CFUNCTYPE, c_int32, c_size_t, c_uint32, c_void_p

from abi_models import model, node, value
from session_support import dims
from table import Failed

REQUIRED, OPTIONAL_INPUT, VARIADIC = range(3)
# The fields of an operator after its version: name, result, and parameters after the operator itself.
FIELDS = [
    ("create", c_void_p, [c_void_p, c_void_p]), ("name", c_void_p, []), ("provider", c_void_p, []),
    ("input_type", c_int32, [c_size_t]), ("input_count", c_size_t, []),
    ("output_type", c_int32, [c_size_t]), ("output_count", c_size_t, []),
    ("compute", None, [c_void_p]), ("destroy", None, []),
    ("input_kind", c_int32, [c_size_t]), ("output_kind", c_int32, [c_size_t]),
    ("input_memory", c_int32, [c_size_t]),
    ("variadic_input_minimum", c_int32, []), ("variadic_input_alike", c_int32, []),
    ("variadic_output_minimum", c_int32, []), ("variadic_output_alike", c_int32, []),
    ("create_v2", c_void_p, [c_void_p, c_void_p, c_void_p]), ("compute_v2", c_void_p, [c_void_p]),
    ("infer", c_void_p, [c_void_p]), ("start", c_int32, []), ("end", c_int32, []),
]  # fmt: skip
UNUSED = ["may_inplace", "release_may_inplace", "alias_map", "release_alias_map"]
PROTOTYPES = {name: CFUNCTYPE(result, c_void_p, *parameters) for name, result, parameters in FIELDS}
# The first version that has a field. All other fields exist in every version.
SINCE = {"input_memory": 13, "variadic_input_minimum": 14, "variadic_input_alike": 14,
         "variadic_output_minimum": 14, "variadic_output_alike": 14, "create_v2": 16, "compute_v2": 16, "infer": 17,
         "start": 17, "end": 17}  # fmt: skip


class Layout(ctypes.Structure):
    """The memory layout of an operator."""

    _fields_ = [("version", c_uint32), *PROTOTYPES.items(), *((name, c_void_p) for name in UNUSED)]


class Operator:
    """An operator. compute(operator, context) and create(operator, info) access the table through operator.api."""

    def __init__(
        self, api, compute, name="Mine", inputs=(1,), outputs=(1,), version=30, create=None, infer=None, **settings
    ):
        self.api, self.functions = api, {"compute": compute, "create": create, "infer": infer}
        self.inputs, self.outputs, self.texts = inputs, outputs, []
        self.calls, self.tables, self.failures = [], [], []
        self.settings = {"name": name, "provider": None, "input_count": len(inputs), "output_count": len(outputs),
                         "input_memory": 0, "start": 1, "end": 2**31 - 1, "variadic_input_minimum": 1, "variadic_input_alike": 1,
                         "variadic_output_minimum": 1, "variadic_output_alike": 1, "input_kinds": None, "output_kinds": None,
                         "v2": True, **settings}  # fmt: skip
        for key in ("name", "provider"):
            self.settings[key] = self.text(self.settings[key])
        self.layout = Layout(version, **{field: self.function(field) for field in self.fields(version)})

    def text(self, string):
        """Returns the address of a string that lives as long as the operator, or null."""
        if string is None:
            return None
        self.texts.append(ctypes.create_string_buffer(string.encode()))
        return ctypes.addressof(self.texts[-1])

    def fields(self, version):
        """Returns the fields that an operator of a version has."""
        absent = set() if self.settings["v2"] else {"create_v2", "compute_v2"}
        if self.functions["infer"] is None:
            absent.add("infer")
        return [name for name in PROTOTYPES if SINCE.get(name, 0) <= version and name not in absent]

    def function(self, field):
        """Returns the callback for a field, which records its calls."""
        answer = getattr(self, field, None) or (lambda *arguments: self.settings[field])

        def call(this, *arguments):
            self.calls.append(field)
            return answer(this, *arguments)

        return PROTOTYPES[field](call)

    def input_type(self, _, index):
        return self.inputs[index]

    def output_type(self, _, index):
        return self.outputs[index]

    def input_kind(self, _, index):
        kinds = self.settings["input_kinds"]
        return kinds[index] if kinds else REQUIRED

    def output_kind(self, _, index):
        kinds = self.settings["output_kinds"]
        return kinds[index] if kinds else REQUIRED

    def guarded(self, name, argument):
        """Calls a function of the test. Returns the status of its failure, or null."""
        try:
            if self.functions[name]:
                self.functions[name](self, argument)
        except Failed as failure:
            return self.api.function("CreateStatus")(failure.code, failure.text.encode())
        except BaseException as failure:
            self.failures.append(failure)
            return self.api.function("CreateStatus")(1, repr(failure).encode())
        return None

    def create(self, _, table, info):
        self.tables.append(table)
        self.release(self.guarded("create", info))
        return 7

    def create_v2(self, _, table, info, kernel):
        self.tables.append(table)
        c_void_p.from_address(kernel).value = 7
        return self.guarded("create", info)

    def compute(self, kernel, context):
        assert kernel == 7
        self.release(self.guarded("compute", context))

    def compute_v2(self, kernel, context):
        assert kernel == 7
        return self.guarded("compute", context)

    def infer(self, _, context):
        return self.guarded("infer", context)

    def destroy(self, kernel):
        assert kernel == 7

    def release(self, status):
        if status:
            self.api.ReleaseStatus(status)


def copy_first(operator, context, factor=1):
    """Computes the first output as the first input times a factor."""
    return copy(operator.api, operator.api.KernelContext_GetInput(context, 0), context, factor)


def copy(api, source, context, factor=1):
    """Writes a tensor of floats to the first output."""
    info = api.GetTensorTypeAndShape(source)
    count, rank = api.GetTensorShapeElementCount(info), api.GetDimensionsCount(info)
    shape = dims(*[0] * rank)
    api.GetDimensions(info, shape, rank)
    api.ReleaseTensorTypeAndShapeInfo(info)
    target = api.KernelContext_GetOutput(context, 0, shape, rank)
    read = (ctypes.c_float * count).from_address(api.GetTensorMutableData(source))
    write = (ctypes.c_float * count).from_address(api.GetTensorMutableData(target))
    write[:] = [v * factor for v in read]
    return target


def custom_model(
    operator="Mine", inputs="x", outputs="z", shape=("N", 3), domain="my.domain", version=1, values=None, **attributes
):
    """A model of one node of a custom operator."""
    values = values or {name: value(name, shape=shape) for name in [*inputs.split(), *outputs.split()]}
    return model([node(operator, inputs, outputs, domain=domain, name="my node", **attributes)],
                 [values[name] for name in dict.fromkeys(inputs.split())], [values[name] for name in outputs.split()],
                 domains={domain: version})  # fmt: skip


def session_with(ort, contents, *operators, domain="my.domain"):
    """Returns a session whose options have the operators in a domain."""
    handle = ort.new("CustomOpDomain", ort.api.CreateCustomOpDomain(domain.encode()))
    for operator in operators:
        ort.api.CustomOpDomain_Add(handle, ctypes.byref(operator.layout))
        ort.arrays.append(operator)
    options = ort.options()
    ort.api.AddCustomOpDomain(options, handle)
    return ort.session(contents, options)
