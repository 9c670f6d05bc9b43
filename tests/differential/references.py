"""What a configuration's outputs should be: ONNX Runtime's, else onnx.reference's, else ONNX Runtime's in float32."""

import collections
import dataclasses
import warnings

import numpy as np
import onnx
import onnxruntime
from onnx import helper

from onnx.defs import OpSchema, get_all_schemas_with_history
from onnx.reference import ReferenceEvaluator
from values import numpy_dtype, type_name

onnxruntime.set_default_logger_severity(4)
FLOATS = ("float16", "bfloat16", "double")


def session_options():
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    return options


OPTIONS = session_options()
# The newest opset that this ONNX Runtime calls official.
NEWEST = 26
# onnx.reference ignores sequence_lens and more of the first ones, does not stack scan outputs of Loop, and gives an
# axis more to what an optional holds.
UNRELIABLE = ("RNN", "GRU", "LSTM", "Loop", "Optional", "OptionalGetElement")
HISTORY = collections.defaultdict(list)
for entry in sorted(get_all_schemas_with_history(), key=lambda schema: schema.since_version):
    HISTORY[entry.domain, entry.name].append(entry)
SINGLE = "ONNX Runtime in float32"


def onnx_runtime(configuration):
    session = onnxruntime.InferenceSession(
        configuration.model().SerializeToString(), OPTIONS, providers=["CPUExecutionProvider"]
    )
    return session.run(None, configuration.feeds())


def reference(configuration):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return ReferenceEvaluator(configuration.model()).run(None, configuration.feeds())


def versions(schema):
    """The versions of an operator that this ONNX Runtime may know, ascending."""
    return [v for v in HISTORY[schema.domain, schema.name] if v.since_version <= NEWEST and not v.deprecated]


def in_version(configuration, schema):
    """The same computation in another version of the operator; None where that has not all of the attributes."""
    inputs, attributes = configuration.modern or (configuration.inputs, configuration.attributes)
    dropped = ("consumed_inputs", "is_test", "output_sequence")
    attributes = {**old_defaults(configuration.schema, schema), **attributes}
    attributes = {name: value for name, value in attributes.items() if name not in dropped}
    if not attributes.keys() <= schema.attributes.keys():
        return None
    return dataclasses.replace(
        configuration, schema=schema, inputs=inputs, attributes=attributes, opset=schema.since_version, modern=None
    )


def other_versions(configuration):
    """In later versions for early ones, whose meaning is the same where the family gave no other form; in the one
    before for late ones, which only took in more types."""
    known, since = versions(configuration.schema), configuration.schema.since_version
    later = [v for v in reversed(known) if v.since_version > since] if since < 13 else []
    before = [v for v in known if v.since_version < since][-1:] if since >= 22 else []
    return [other for other in (in_version(configuration, v) for v in later[:2] + before) if other]


def old_defaults(old, new):
    """The defaults of the old version: some have other digits than the new version's."""
    shared = [name for name in old.attributes if name in new.attributes]
    defaults = {name: old.attributes[name].default_value for name in shared}
    return {name: helper.get_attribute_value(value) for name, value in defaults.items() if value.name}


def in_float32(configuration):
    """The same in float32 for a configuration in another floating type."""
    inputs = [x.astype(np.float32) if x is not None and type_name(x) in FLOATS else x for x in configuration.inputs]
    types = {v: "float" if t in FLOATS else t for v, t in configuration.types.items()}
    return dataclasses.replace(configuration, inputs=inputs, types=types)


def attempts(configuration):
    """(name, function) in order of trust."""
    floats = set(configuration.types.values()) & set(FLOATS) and not has_type_attribute(configuration)
    if configuration.modern is None:
        yield "ONNX Runtime", lambda: onnx_runtime(configuration)
        if floats:
            yield SINGLE, lambda: onnx_runtime(in_float32(configuration))
    for other in other_versions(configuration):
        yield "ONNX Runtime, other version", lambda: onnx_runtime(other)
        if floats:
            yield SINGLE, lambda: onnx_runtime(in_float32(other))
    if configuration.schema.name not in UNRELIABLE and not cuts_off(configuration):
        yield "onnx.reference", lambda: reference(configuration)


def cuts_off(configuration):
    """onnx.reference gives the float results of ai.onnx.ml for integers as integers."""
    source = configuration.types.get("T", configuration.types.get("T1", ""))
    return configuration.schema.domain == "ai.onnx.ml" and source.startswith("int")


def has_type_attribute(configuration):
    return any(name in configuration.attributes for name in ("to", "dtype", "output_dtype", "value", "stash_type"))


def expected(configuration):
    """(name of the reference, outputs) or (None, the reasons why none answers)."""
    reasons = []
    for name, run in attempts(configuration):
        try:
            return name, [conform(configuration, i, y) for i, y in enumerate(run())]
        except Exception as error:  # Each reference has its own exceptions for what it lacks.
            reasons.append(f"{name}: {str(error).splitlines()[0] if str(error) else type(error).__name__}")
    return None, reasons


def conform(configuration, i, value):
    """The output in the type that the schema gives it."""
    dtype = numpy_dtype(configuration.output_type(i))
    value = np.asarray(value)
    if value.dtype != dtype and value.dtype.kind in "US":
        return value.astype(object)
    if value.dtype == np.uint8 and dtype.name.startswith("float8"):
        return value.view(dtype)  # ONNX Runtime's Python interface gives the bytes of float8.
    if value.dtype != dtype and (dtype == object or value.dtype == np.uint8):
        raise TypeError(f"expected {dtype}, got {value.dtype}")
    with np.errstate(all="ignore"):
        return value.astype(dtype)


# What a result rounded to the type may differ by, relative to the largest value and to itself.
ROUNDING = {"float": 2e-6, "double": 1e-11, "float16": 1.1e-3, "bfloat16": 9e-3, "complex64": 2e-6, "complex128": 1e-11}


def tolerance(configuration, outputs, name=""):
    """(rtol, atol) for the outputs: the widest that one of them needs."""
    rtol, atol = 0.0, 1.0 if configuration.open_rounding else 0.0
    types = {configuration.output_type(i) for i in range(len(outputs))} | set(configuration.types.values())
    # Some references compute in float32 where the operator has float32 attributes or a stash_type.
    kinds = {attribute.type for attribute in configuration.schema.attributes.values()}
    single = name == SINGLE or "stash_type" in configuration.schema.attributes or OpSchema.AttrType.FLOAT in kinds
    types |= {"float"} if single else set()
    for i, value in enumerate(outputs):
        relative = max((ROUNDING.get(t, 0) for t in types if t in ROUNDING), default=0)
        if configuration.output_type(i) not in ROUNDING:
            continue
        relative *= 4 * configuration.slack
        finite = np.abs(value.astype(np.complex128))
        finite = finite[np.isfinite(finite)]
        rtol = max(rtol, relative)
        atol = max(atol, relative * float(min(finite.max() if finite.size else 0, 1e3)))
    return rtol, atol


def complaint(configuration):
    """What ONNX's checker has against a configuration; None where it is valid."""
    model = configuration.model()
    context = onnx.checker.C.CheckerContext()
    context.ir_version = model.ir_version
    context.opset_imports = {entry.domain: entry.version for entry in model.opset_import}
    try:
        onnx.checker.check_node(model.graph.node[0], context)
        onnx.shape_inference.infer_shapes(model, check_type=True, strict_mode=True)
    except Exception as error:
        return None if is_tolerable(configuration, str(error)) else str(error)
    return None


def is_tolerable(configuration, text):
    """Deprecated operators are still part of old models, and MeanVarianceNormalization's function body has a float32
    constant although its schema allows other types."""
    return "is deprecated" in text or configuration.schema.name == "MeanVarianceNormalization"
