"""What a configuration's outputs should be, by a chain of references in order of trust. Each says what precision it
computed in."""

import collections
import copy
import dataclasses
import itertools
import re
import warnings

import microsoft_schemas  # noqa: F401
import numpy as np
import onnx
import onnxruntime
from by_operator import MICROSOFT, title
from containers import conform, elementary, tensor_proto, with_tensors
from onnx import helper, numpy_helper
from onnx.defs import OpSchema, get_all_schemas_with_history
from onnx.reference import ReferenceEvaluator
from onnx_runtime import OnnxRuntime
from own import OWN
from values import numpy_dtype, type_name

onnxruntime.set_default_logger_severity(4)
# The floating types, from the least exact to the most exact one.
FLOATS = ("bfloat16", "float16", "float", "double")

# The newest opsets that this ONNX Runtime calls official.
NEWEST = {"": 28, "ai.onnx.ml": 5, "ai.onnx.preview": 1, "ai.onnx.preview.training": 1, MICROSOFT: 1}
# onnx.reference ignores sequence_lens and more of the first ones, does not stack scan outputs of Loop and knows no axes
# of Scan.
UNRELIABLE = ("RNN", "GRU", "LSTM", "Loop", "Scan")
# What they compute depends on the type that it is computed in: in another one there is another answer.
OF_ITS_TYPE = (
    "BitCast", "Cast", "CastLike", "DequantizeLinear", "DynamicQuantizeLinear", "LabelEncoder", "NonMaxSuppression",
    "QLinearConv", "QLinearMatMul", "QuantizeLinear", "RoiAlign", "TreeEnsemble", "TreeEnsembleClassifier",
    "TreeEnsembleRegressor",
)  # fmt: skip
# Attributes that name a type.
TYPE_ATTRIBUTES = ("to", "dtype", "output_dtype", "output_datatype", "type", "value", "stash_type", "precision")

OWN_REFERENCE = "own reference"
# The outputs that ONNX Runtime writes only over inputs.
IN_PLACE = {"com.microsoft.SparseAttention": {"y1": "x3", "y2": "x4"}}
# They compute these in float32 whatever the type.
OF_FLOAT32 = {
    "ONNX Runtime": (
        "Attention", "BlackmanWindow", "DFT", "Gelu", "GroupNormalization", "HammingWindow", "HardSwish", "Shrink",
    ),
    "onnx.reference": (
        "Adagrad", "Adam", "Attention", "Erf", "FlexAttention", "Gelu", "GroupNormalization", "HardSwish",
        "LinearAttention", "Momentum",
    ),
}  # fmt: skip
HISTORY = collections.defaultdict(list)
for entry in sorted(get_all_schemas_with_history(), key=lambda schema: schema.since_version):
    HISTORY[entry.domain, entry.name].append(entry)


@dataclasses.dataclass
class Answer:
    """What a reference says. precision: the least exact type that it computed in."""

    name: str
    precision: str
    outputs: list


def onnx_runtime(configuration):
    places = IN_PLACE.get(title(configuration.schema))
    if places:
        configuration = dataclasses.replace(configuration, constants_from=100)
    model = configuration.model().SerializeToString()
    if places:
        return OnnxRuntime(model, optimized=False, threads=1).run_in_place(configuration.feeds(), places)
    return OnnxRuntime(model, optimized=False, threads=1).run(configuration.feeds())


def reference(configuration):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        # A copy: it inserts into the sequences that it is given.
        return ReferenceEvaluator(configuration.model()).run(None, copy.deepcopy(configuration.feeds()))


def own(configuration):
    with np.errstate(all="ignore"):
        return OWN[title(configuration.schema)](configuration)


def versions(schema):
    """The versions of an operator that this ONNX Runtime may know, ascending."""
    found = HISTORY[schema.domain, schema.name]
    return [v for v in found if v.since_version <= NEWEST[schema.domain] and not v.deprecated]


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


def allows(schema, variable, kind):
    constraints = {c.type_param_str: c.allowed_type_strs for c in schema.type_constraints}
    return any(kind in re.findall(r"\w+", text) for text in constraints.get(variable, ()))


def in_type(configuration, kind):
    """The same with all of its floats in another type; None where that is not the same computation."""
    schema = configuration.schema
    inputs = {entry.type_str for entry in schema.inputs}
    # A numeric operator of ai.onnx.ml makes floats of integers, too.
    makes_floats = schema.domain == "ai.onnx.ml" and not inputs & {entry.type_str for entry in schema.outputs}
    integers = ("int32", "int64") if makes_floats else ()
    changed = {v: (*FLOATS, *(integers if v in inputs else ())) for v in configuration.types}
    # Which variables change: all that may be this type.
    changed = {v: names for v, names in changed.items() if allows(schema, v, kind)}
    types = {
        v: re.sub(rf"\b({'|'.join(changed[v])})\b", kind, t) if v in changed else t
        for v, t in configuration.types.items()
    }
    depends = schema.name in OF_ITS_TYPE or any(name in configuration.attributes for name in TYPE_ATTRIBUTES)
    if depends or types == configuration.types:
        return None
    values = [
        with_tensors(lambda x, v=v: converted(x, changed[v], kind), value) if v in changed else value
        for v, value in zip(formals(schema), configuration.inputs)
    ]
    attributes = {name: tensor_in(value, kind) for name, value in configuration.attributes.items()}
    modern = configuration.modern
    if modern:
        modern = (
            [converted(x, FLOATS, kind) if v in changed else x for v, x in zip(formals(schema), modern[0])],
            modern[1],
        )
    return dataclasses.replace(configuration, inputs=values, types=types, attributes=attributes, modern=modern)


def formals(schema):
    """The type variables of the inputs; the last one's go on."""
    found = [entry.type_str for entry in schema.inputs]
    return itertools.chain(found, itertools.repeat(found[-1] if found else ""))


def converted(x, names, kind):
    """In that type, if it is of one of those named."""
    return x.astype(numpy_dtype(kind)) if x is not None and type_name(x) in names else x


def tensor_in(value, kind):
    """A tensor of floats in that type; any other value as it is."""
    if not isinstance(value, onnx.TensorProto):
        return value
    x = numpy_helper.to_array(value)
    return tensor_proto(converted(x, FLOATS, kind), "") if type_name(x) in FLOATS else value


def element_types(configuration):
    return {elementary(kind) for kind in configuration.types.values()}


def least_exact(configuration):
    """The type that a reference computes in which takes the configuration as it is."""
    found = element_types(configuration)
    return next((kind for kind in FLOATS if kind in found), "double")


def exactness(name, operator, kind):
    """The precision of a reference that is given this type."""
    return "float" if kind == "double" and operator in OF_FLOAT32[name] else kind


def forms(configuration):
    """(how it is called, configuration, precision): in double, in float32, as it is; the most exact first."""
    given = least_exact(configuration)
    in_double, in_float = in_type(configuration, "double"), in_type(configuration, "float")
    found = [(" in double", in_double, "double"), (" in float32", in_float, "float"), ("", configuration, given)]
    # What is given in float32 or double is its own form.
    return [(text, form, kind) for text, form, kind in found if form and (not text or kind != given)]


def attempts(configuration):
    """(name, precision, function) in order of trust: what is as exact as Linnet, whoever says it, before the rest."""
    enough = FLOATS.index("double" if "double" in element_types(configuration) else "float")
    found = list(engines(configuration))
    return sorted(found, key=lambda entry: FLOATS.index(entry[1]) < enough)


def ends_onnx_runtime(configuration):
    """Whether ONNX Runtime ends the process: it reads an input that is not there."""
    operators = ("com.microsoft.QLinearSigmoid", "com.microsoft.QLinearLeakyRelu")
    return title(configuration.schema) in operators and len(configuration.inputs) < 5


def engines(configuration):
    """ONNX Runtime in every form, what is our own, onnx.reference."""
    schema, ranked = configuration.schema, forms(configuration)
    for text, form, kind in ranked:
        precision = exactness("ONNX Runtime", schema.name, kind)
        if form.modern is None and not ends_onnx_runtime(form):
            yield f"ONNX Runtime{text}", precision, lambda form=form: onnx_runtime(form)
    for text, form, kind in ranked:
        precision = exactness("ONNX Runtime", schema.name, kind)
        for other in other_versions(form):
            yield f"ONNX Runtime{text}, other version", precision, lambda other=other: onnx_runtime(other)
    if title(schema) in OWN:
        yield OWN_REFERENCE, "double", lambda: own(configuration)
    if schema.name not in UNRELIABLE:
        for text, form, kind in ranked:
            yield (
                f"onnx.reference{text}",
                exactness("onnx.reference", schema.name, kind),
                lambda form=form: reference(form),
            )


def answers(configuration, failed=None):
    """The answers of the references that have one; the reasons of the others go to `failed`."""
    for name, precision, run in attempts(configuration):
        try:
            outputs = [conform(configuration.output_type(i), y) for i, y in enumerate(run())]
        except Exception as error:  # Each reference has its own exceptions for what it lacks.
            if failed is not None:
                failed.append(f"{name}: {str(error).splitlines()[0] if str(error) else type(error).__name__}")
            continue
        yield Answer(name, precision, outputs)


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
