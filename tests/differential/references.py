"""What a configuration's outputs should be: ONNX Runtime's, else onnx.reference's, else ONNX Runtime's in float32."""

import collections
import dataclasses
import re
import warnings

import numpy as np
import onnx
import onnxruntime
from containers import conform, elementary, tensor_proto, tensors, with_tensors
from onnx import helper, numpy_helper

from onnx.defs import OpSchema, get_all_schemas_with_history
from onnx.reference import ReferenceEvaluator
from onnx_runtime import OnnxRuntime
from values import type_name

onnxruntime.set_default_logger_severity(4)
FLOATS = ("float16", "bfloat16", "double")


# The newest opsets that this ONNX Runtime calls official.
NEWEST = {"": 26, "ai.onnx.ml": 5, "ai.onnx.preview": 1, "ai.onnx.preview.training": 1}
# onnx.reference ignores sequence_lens and more of the first ones, and does not stack scan outputs of Loop.
UNRELIABLE = ("RNN", "GRU", "LSTM", "Loop")
HISTORY = collections.defaultdict(list)
for entry in sorted(get_all_schemas_with_history(), key=lambda schema: schema.since_version):
    HISTORY[entry.domain, entry.name].append(entry)
SINGLE = "ONNX Runtime in float32"


def onnx_runtime(configuration):
    model = configuration.model().SerializeToString()
    return OnnxRuntime(model, optimized=False, threads=1).run(configuration.feeds())


def reference(configuration):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return ReferenceEvaluator(configuration.model()).run(None, configuration.feeds())


def versions(schema):
    """The versions of an operator that this ONNX Runtime may know, ascending."""
    return [v for v in HISTORY[schema.domain, schema.name] if v.since_version <= NEWEST[schema.domain] and not v.deprecated]


def in_version(configuration, schema):
    """The same computation in another version of the operator; None where that has not all of the attributes."""
    inputs, attributes = configuration.modern or (configuration.inputs, configuration.attributes)
    dropped = ("consumed_inputs", "is_test", "output_sequence")
    attributes = {**old_defaults(configuration.schema, schema), **attributes}
    attributes = {name: value for name, value in attributes.items() if name not in dropped}
    if not attributes.keys() <= schema.attributes.keys():
        return None
    attributes = {name: whole(schema.attributes[name], value) for name, value in attributes.items()}
    return dataclasses.replace(
        configuration, schema=schema, inputs=inputs, attributes=attributes, opset=schema.since_version, modern=None
    )


def whole(attribute, value):
    """The value as an integer where the attribute became one and it is whole."""
    became = attribute.type == OpSchema.AttrType.INT and isinstance(value, float) and value.is_integer()
    return int(value) if became else value


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


def single(configuration):
    """The types that float32 can stand for: floats, and numbers that an ai.onnx.ml operator makes floats of."""
    schema = configuration.schema
    kept = {t.type_str for t in schema.outputs}
    numbers = schema.domain == "ai.onnx.ml" and not {t.type_str for t in schema.inputs} & kept
    return (*FLOATS, "int32", "int64") if numbers else FLOATS


def in_float32(configuration):
    """The same in float32 for a configuration in another type."""
    converted = single(configuration)

    def change(x):
        return x.astype(np.float32) if type_name(x) in converted else x

    inputs = [with_tensors(change, value) for value in configuration.inputs]
    variables = {entry.type_str for entry in configuration.schema.inputs}
    named = {v: converted if v in variables else FLOATS for v in configuration.types}
    types = {v: re.sub(rf"\b({'|'.join(named[v])})\b", "float", t) for v, t in configuration.types.items()}
    attributes = {name: single_attribute(value) for name, value in configuration.attributes.items()}
    return dataclasses.replace(configuration, inputs=inputs, types=types, attributes=attributes)


def single_attribute(value):
    """A tensor of floats in float32; any other value as it is."""
    if not isinstance(value, onnx.TensorProto):
        return value
    x = numpy_helper.to_array(value)
    return tensor_proto(x.astype(np.float32), "") if type_name(x) in FLOATS else value


def attempts(configuration):
    """(name, function) in order of trust."""
    floats = element_types(configuration) & set(single(configuration)) and not has_type_attribute(configuration)
    if configuration.modern is None:
        yield "ONNX Runtime", lambda: onnx_runtime(configuration)
        if floats:
            yield SINGLE, lambda: onnx_runtime(in_float32(configuration))
    for other in other_versions(configuration):
        yield "ONNX Runtime, other version", lambda: onnx_runtime(other)
        if floats:
            yield SINGLE, lambda: onnx_runtime(in_float32(other))
    if configuration.schema.name not in UNRELIABLE:
        yield "onnx.reference", lambda: reference(configuration)


def element_types(configuration):
    return {elementary(kind) for kind in configuration.types.values()}


def has_type_attribute(configuration):
    return any(name in configuration.attributes for name in ("to", "dtype", "output_dtype", "value", "stash_type"))


def expected(configuration):
    """(name of the reference, outputs) or (None, the reasons why none answers)."""
    reasons = []
    for name, run in attempts(configuration):
        try:
            return name, [conform(configuration.output_type(i), y) for i, y in enumerate(configuration.adjust(run()))]
        except Exception as error:  # Each reference has its own exceptions for what it lacks.
            reasons.append(f"{name}: {str(error).splitlines()[0] if str(error) else type(error).__name__}")
    return None, reasons


# What a result rounded to the type may differ by, relative to the largest value and to itself.
ROUNDING = {"float": 2e-6, "double": 1e-11, "float16": 1.1e-3, "bfloat16": 9e-3, "complex64": 2e-6, "complex128": 1e-11}


def tolerance(configuration, outputs, name=""):
    """(rtol, atol) for the outputs: the widest that one of them needs."""
    rtol, atol = 0.0, 1.0 if configuration.open_rounding else 0.0
    types = {elementary(configuration.output_type(i)) for i in range(len(outputs))} | element_types(configuration)
    # Some references compute in float32 where the operator has float32 attributes or a stash_type.
    kinds = {attribute.type for attribute in configuration.schema.attributes.values()}
    single = name == SINGLE or "stash_type" in configuration.schema.attributes or OpSchema.AttrType.FLOAT in kinds
    types |= {"float"} if single else set()
    for i, value in enumerate(outputs):
        relative = max((ROUNDING.get(t, 0) for t in types if t in ROUNDING), default=0)
        if elementary(configuration.output_type(i)) not in ROUNDING:
            continue
        relative *= 4 * configuration.slack
        finite = np.abs(np.concatenate([np.zeros(0), *(x.ravel().astype(np.complex128) for x in tensors(value))]))
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
