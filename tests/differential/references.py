"""The expected outputs of a configuration, from a chain of references in order of trust. Each reports the precision in
which it computed."""

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
# The floating-point types, from the least to the most exact.
FLOATS = ("bfloat16", "float16", "float", "double")

# The newest opsets that this ONNX Runtime treats as official.
NEWEST = {"": 28, "ai.onnx.ml": 5, "ai.onnx.preview": 1, "ai.onnx.preview.training": 1, MICROSOFT: 1}
# onnx.reference ignores sequence_lens and other features of the first three, does not stack scan outputs of Loop and
# does not support axes of Scan.
UNRELIABLE = ("RNN", "GRU", "LSTM", "Loop", "Scan")
# Their results depend on the type in which they are computed, so they cannot be computed in another one.
OF_ITS_TYPE = (
    "BitCast", "Cast", "CastLike", "DequantizeLinear", "DynamicQuantizeLinear", "LabelEncoder", "NonMaxSuppression",
    "QLinearConv", "QLinearMatMul", "QuantizeLinear", "RoiAlign", "TreeEnsemble", "TreeEnsembleClassifier",
    "TreeEnsembleRegressor",
)  # fmt: skip
# Attributes that name a type.
TYPE_ATTRIBUTES = ("to", "dtype", "output_dtype", "output_datatype", "type", "value", "stash_type", "precision")

OWN_REFERENCE = "own reference"
# The outputs that ONNX Runtime only writes over inputs.
IN_PLACE = {"com.microsoft.SparseAttention": {"y1": "x3", "y2": "x4"}}
# The references compute these in float32 for every type.
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
    """The answer of a reference. precision: the least exact type in which it computed."""

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
        # A copy, because it inserts into the sequences that it is given.
        return ReferenceEvaluator(configuration.model()).run(None, copy.deepcopy(configuration.feeds()))


def own(configuration):
    with np.errstate(all="ignore"):
        return OWN[title(configuration.schema)](configuration)


def versions(schema):
    """Returns the versions of an operator that this ONNX Runtime may support, in ascending order."""
    found = HISTORY[schema.domain, schema.name]
    return [v for v in found if v.since_version <= NEWEST[schema.domain] and not v.deprecated]


def in_version(configuration, schema):
    """Returns the same computation in another version of the operator, or `None` if that lacks some attributes."""
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
    """Returns the value as an integer if the attribute became one and the value is integral."""
    became = attribute.type == OpSchema.AttrType.INT and isinstance(value, float) and value.is_integer()
    return int(value) if became else value


def other_versions(configuration):
    """Returns the computation in later versions for early ones, which have the same meaning unless the family gave
    another form, and in the previous version for late ones, which only added types."""
    known, since = versions(configuration.schema), configuration.schema.since_version
    later = [v for v in reversed(known) if v.since_version > since] if since < 13 else []
    before = [v for v in known if v.since_version < since][-1:] if since >= 22 else []
    return [other for other in (in_version(configuration, v) for v in later[:2] + before) if other]


def old_defaults(old, new):
    """Returns the defaults of the old version, some of which have other digits than those of the new version."""
    shared = [name for name in old.attributes if name in new.attributes]
    defaults = {name: old.attributes[name].default_value for name in shared}
    return {name: helper.get_attribute_value(value) for name, value in defaults.items() if value.name}


def allows(schema, variable, kind):
    constraints = {c.type_param_str: c.allowed_type_strs for c in schema.type_constraints}
    return any(kind in re.findall(r"\w+", text) for text in constraints.get(variable, ()))


def in_type(configuration, kind):
    """Returns the configuration with all floats in another type, or `None` if that is not the same computation."""
    schema = configuration.schema
    inputs = {entry.type_str for entry in schema.inputs}
    # A numeric operator of ai.onnx.ml also converts integers to floats.
    makes_floats = schema.domain == "ai.onnx.ml" and not inputs & {entry.type_str for entry in schema.outputs}
    integers = ("int32", "int64") if makes_floats else ()
    changed = {v: (*FLOATS, *(integers if v in inputs else ())) for v in configuration.types}
    # All variables that may have this type change.
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
    """Yields the type variables of the inputs. The last one repeats."""
    found = [entry.type_str for entry in schema.inputs]
    return itertools.chain(found, itertools.repeat(found[-1] if found else ""))


def converted(x, names, kind):
    """Returns x in that type, if it has one of the given types."""
    return x.astype(numpy_dtype(kind)) if x is not None and type_name(x) in names else x


def tensor_in(value, kind):
    """Returns a tensor of floats in that type, and any other value unchanged."""
    if not isinstance(value, onnx.TensorProto):
        return value
    x = numpy_helper.to_array(value)
    return tensor_proto(converted(x, FLOATS, kind), "") if type_name(x) in FLOATS else value


def element_types(configuration):
    return {elementary(kind) for kind in configuration.types.values()}


def least_exact(configuration):
    """Returns the type in which a reference computes if the configuration is unchanged."""
    found = element_types(configuration)
    return next((kind for kind in FLOATS if kind in found), "double")


def exactness(name, operator, kind):
    """Returns the precision of a reference for inputs of this type."""
    return "float" if kind == "double" and operator in OF_FLOAT32[name] else kind


def forms(configuration):
    """Returns (name suffix, configuration, precision): in double, in float32, unchanged; the most exact first."""
    given = least_exact(configuration)
    in_double, in_float = in_type(configuration, "double"), in_type(configuration, "float")
    found = [(" in double", in_double, "double"), (" in float32", in_float, "float"), ("", configuration, given)]
    # A configuration in float32 or double is already in that form.
    return [(text, form, kind) for text, form, kind in found if form and (not text or kind != given)]


def attempts(configuration):
    """Returns (name, precision, function) in order of trust: references that are as exact as Linnet come first."""
    enough = FLOATS.index("double" if "double" in element_types(configuration) else "float")
    found = list(engines(configuration))
    return sorted(found, key=lambda entry: FLOATS.index(entry[1]) < enough)


def ends_onnx_runtime(configuration):
    """Whether ONNX Runtime would crash the process by reading a missing input."""
    operators = ("com.microsoft.QLinearSigmoid", "com.microsoft.QLinearLeakyRelu")
    return title(configuration.schema) in operators and len(configuration.inputs) < 5


def engines(configuration):
    """Yields ONNX Runtime in every form, the project's own references, and onnx.reference."""
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
    """Yields the answers of the references that have one. Appends the reasons of the others to `failed`."""
    for name, precision, run in attempts(configuration):
        try:
            outputs = [conform(configuration.output_type(i), y) for i, y in enumerate(run())]
        except Exception as error:  # Each reference raises other exceptions for what it lacks.
            if failed is not None:
                failed.append(f"{name}: {str(error).splitlines()[0] if str(error) else type(error).__name__}")
            continue
        yield Answer(name, precision, outputs)


def complaint(configuration):
    """Returns the complaint of ONNX's checker about a configuration, or `None` if it is valid."""
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
    """Whether the complaint can be ignored. Old models contain deprecated operators, and the function body of
    MeanVarianceNormalization has a float32 constant although its schema allows other types."""
    return "is deprecated" in text or configuration.schema.name == "MeanVarianceNormalization"
