"""Disagreements between ONNX Runtime and the specification of ai.onnx.ml."""

import collections
import math

import numpy as np
from disagreement import ORT, Answers, Disagreement, attribute
from onnx import TensorProto, numpy_helper
from own.classical import svm_decisions
from own.trees import TRANSFORMS, probit, transformed

CLASSIFIERS = ("LinearClassifier", "SVMClassifier", "TreeEnsembleClassifier")
REGRESSORS = ("LinearRegressor", "TreeEnsemble", "TreeEnsembleRegressor")

# Modes of TreeEnsemble's nodes.
NEQ, MEMBER = 5, 6
ONE_TARGET = "post_transform with one target: ONNX Runtime applies PROBIT at most"
MISSING = (
    "missing values at BRANCH_NEQ and BRANCH_MEMBER: nodes_missing_value_tracks_true decides; ONNX Runtime "
    "compares"
)


def transform(configuration):
    found = attribute(configuration, "post_transform", "NONE")
    return TRANSFORMS[found] if isinstance(found, int) else found


def of_one_score(name, scores):
    """Applies the transform that was omitted."""
    changed = [transformed(name, [score])[0] for score in scores.ravel().tolist()]
    return np.array(changed).astype(scores.dtype).reshape(scores.shape)


def exact_quantiles(approximate):
    """Replaces approximate quantiles by exact ones: the inverse of the approximation returns the share.

    Winitzki: erf(z) = sqrt(1 - exp(-z^2 (4 / pi + a z^2) / (1 + a z^2))).
    """

    def exact(v):
        z2, a = v * v / 2, 0.147
        half = math.sqrt(-math.expm1(-z2 * (4 / math.pi + a * z2) / (1 + a * z2))) / 2
        return math.copysign(probit(0.5 - half), v) if math.isfinite(v) else v

    return (
        np.array([exact(v) for v in approximate.ravel().tolist()]).reshape(approximate.shape).astype(approximate.dtype)
    )


def classes(configuration):
    return max(len(value) for name, value in configuration.attributes.items() if name.startswith("classlabels_"))


def targets(configuration):
    return attribute(configuration, "targets", attribute(configuration, "n_targets", 1))


def voters(configuration, prefix):
    """Returns the outputs that each leaf of a tree ensemble votes for."""
    names = [f"{prefix}_{name}" for name in ("treeids", "nodeids", "ids")]
    found = collections.defaultdict(list)
    for tree, node, output in zip(*(configuration.attributes[name] for name in names)):
        found[tree, node].append(output)
    return found.values()


def node_modes(configuration):
    return set(numpy_helper.to_array(configuration.attributes["nodes_modes"]).tolist())


def keys(configuration):
    """Returns the keys of LabelEncoder."""
    found = next(value for name, value in configuration.attributes.items() if name.startswith("keys_"))
    return numpy_helper.to_array(found).tolist() if isinstance(found, TensorProto) else found


def is_repeated(values):
    return len(set(values)) < len(values)


def has_missing(configuration):
    return configuration.inputs[0].dtype.kind == "f" and bool(np.any(np.isnan(configuration.inputs[0])))


def has_base_values(configuration):
    return any(name.startswith("base_values") for name in configuration.attributes)


def decides_closely(configuration):
    """Whether the sign of a decision is within float32's rounding errors."""
    if not configuration.attributes.get("vectors_per_class"):
        return False
    with np.errstate(all="ignore"):
        return bool(np.any(np.abs(svm_decisions(configuration)) < 1e-6))


OF_CLASSICAL_MODELS = (
    Disagreement(
        ("DictVectorizer",),
        ORT,
        lambda c: True,
        "the shape of the output",
        Answers("1-D", "[1, n]", "none", "the specification"),
        lambda c, outputs: [outputs[0].reshape(-1)],
    ),
    Disagreement(
        ("LinearRegressor", "SVMRegressor", "TreeEnsembleRegressor"),
        ORT,
        lambda c: transform(c) not in ("NONE", "PROBIT") and targets(c) == 1 and not attribute(c, "one_class"),
        "post_transform with one target",
        Answers("applies it", "applies PROBIT at most", "none", "the specification"),
        lambda c, outputs: [of_one_score(transform(c), outputs[0])],
    ),
    Disagreement(
        ("TreeEnsemble",),
        ORT,
        lambda c: attribute(c, "post_transform") in (1, 2, 3) and targets(c) == 1,
        "post_transform with one target",
        Answers("applies it", "applies PROBIT at most", "none", "the specification"),
        lambda c, outputs: [of_one_score(TRANSFORMS[c.attributes["post_transform"]], outputs[0])],
    ),
    Disagreement(
        (*CLASSIFIERS, *REGRESSORS),
        "",
        lambda c: transform(c) == "PROBIT",
        "PROBIT",
        Answers(
            "the inverse of the normal distribution",
            "a formula that is up to 0.2 % off; so does onnx.reference",
            "exact (special.ndtri)",
            "exact",
        ),
        lambda c, outputs: [exact_quantiles(y) if y.dtype.kind == "f" else y for y in outputs],
    ),
    Disagreement(
        ("TreeEnsemble",),
        ORT,
        lambda c: transform(c) == "PROBIT" and "double" in c.types.values(),
        "PROBIT of doubles",
        Answers("the inverse of the normal distribution", "computes it in float32", "exact (special.ndtri)", "exact"),
    ),
    Disagreement(
        ("SVMRegressor",),
        ORT,
        lambda c: transform(c) == "PROBIT",
        "PROBIT",
        Answers("applies it", "does not apply it", "none", "the specification"),
    ),
    Disagreement(
        ("LinearClassifier",),
        ORT,
        lambda c: transform(c) == "PROBIT" and len(c.attributes["intercepts"]) == 1,
        "PROBIT of one score for two classes",
        Answers("open", "transforms the first rows and leaves the last as they are", "none", "transforms all rows"),
    ),
    Disagreement(
        ("SVMClassifier",),
        "",
        lambda c: transform(c) == "PROBIT",
        "PROBIT",
        Answers(
            "applies it to the scores",
            "leaves the second score of two classes unset; transforms float32, which close to 1 leaves few digits",
            "none",
            "the specification; onnx.reference takes the label from transformed scores",
        ),
    ),
    Disagreement(
        ("SVMClassifier",),
        ORT,
        lambda c: decides_closely(c),
        "a decision of which float32 leaves no digit",
        Answers("its sign", "takes the sign from there", "none", "computes in double"),
    ),
    Disagreement(
        ("TreeEnsembleRegressor",),
        ORT,
        lambda c: targets(c) == 1 and any(len(votes) > 1 for votes in voters(c, "target")),
        "several votes of a leaf where there is one target",
        Answers("counts all", "counts the first", "none", "the specification"),
    ),
    Disagreement(
        ("TreeEnsembleRegressor",),
        ORT,
        lambda c: has_base_values(c) and any(len(set(votes)) < targets(c) for votes in voters(c, "target")),
        "base values of targets that no leaf votes for",
        Answers("adds them", "leaves them out", "none", "the specification"),
    ),
    Disagreement(
        ("TreeEnsembleClassifier",),
        ORT,
        lambda c: classes(c) == 2 and (has_base_values(c) or len(set(sum(voters(c, "class"), []))) == 2),
        "two classes with votes for both or with base values",
        Answers(
            "takes the higher sum",
            "compares one of them with a threshold, answers labels 0 and 1 that may not be among those given, "
            "and adds up the base values",
            "none",
            "the specification",
        ),
    ),
    Disagreement(
        ("TreeEnsembleClassifier", "TreeEnsembleRegressor"),
        ORT,
        lambda c: has_missing(c) and "BRANCH_NEQ" in c.attributes["nodes_modes"],
        "missing values at BRANCH_NEQ and BRANCH_MEMBER",
        Answers("nodes_missing_value_tracks_true decides", "compares", "none", "the specification"),
    ),
    Disagreement(
        ("TreeEnsemble",),
        ORT,
        lambda c: has_missing(c) and bool(node_modes(c) & {NEQ, MEMBER}),
        "missing values at BRANCH_NEQ and BRANCH_MEMBER",
        Answers("nodes_missing_value_tracks_true decides", "compares", "none", "the specification"),
    ),
    Disagreement(
        ("TreeEnsemble",),
        ORT,
        lambda c: attribute(c, "post_transform") in (1, 2) and targets(c) > 1,
        "the numbers of post_transform",
        Answers("SOFTMAX is 1 and LOGISTIC 2", "the reverse", "none", "the specification"),
    ),
    Disagreement(
        ("TreeEnsemble",),
        ORT,
        lambda c: MEMBER in node_modes(c) and bool(np.any(c.inputs[0] != np.trunc(c.inputs[0]))),
        "BRANCH_MEMBER of values that are not whole",
        Answers("compares them", "cuts them to integers first", "none", "the specification"),
    ),
    Disagreement(
        ("LabelEncoder",),
        ORT,
        lambda c: c.schema.since_version == 2 and bool(np.any(np.isnan(c.attributes.get("keys_floats", [])))),
        "the key NaN in version 2",
        Answers("compares bits", "compares numbers", "none", "the specification"),
    ),
    Disagreement(
        ("LabelEncoder",),
        ORT,
        lambda c: c.schema.since_version == 4 and is_repeated(keys(c)),
        "a repeated key in version 4",
        Answers("takes the last one", "takes the first one", "none", "the specification"),
    ),
)
