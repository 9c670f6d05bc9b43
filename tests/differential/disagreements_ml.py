"""Where ONNX Runtime and the specification of ai.onnx.ml disagree."""

import collections

import numpy as np
from disagreement import Disagreement, attribute
from onnx import TensorProto, numpy_helper

# Modes of TreeEnsemble's nodes.
NEQ, MEMBER = 5, 6
ONE_TARGET = "post_transform with one target: ONNX Runtime applies PROBIT at most"
MISSING = (
    "missing values at BRANCH_NEQ and BRANCH_MEMBER: nodes_missing_value_tracks_true says where they go; ONNX Runtime "
    "compares"
)


def transform(configuration):
    return attribute(configuration, "post_transform", "NONE")


def classes(configuration):
    return max(len(value) for name, value in configuration.attributes.items() if name.startswith("classlabels_"))


def targets(configuration):
    return attribute(configuration, "targets", attribute(configuration, "n_targets", 1))


def voters(configuration, prefix):
    """The outputs that each leaf of a tree ensemble votes for."""
    names = [f"{prefix}_{name}" for name in ("treeids", "nodeids", "ids")]
    found = collections.defaultdict(list)
    for tree, node, output in zip(*(configuration.attributes[name] for name in names)):
        found[tree, node].append(output)
    return found.values()


def node_modes(configuration):
    return set(numpy_helper.to_array(configuration.attributes["nodes_modes"]).tolist())


def keys(configuration):
    """Those of LabelEncoder."""
    found = next(value for name, value in configuration.attributes.items() if name.startswith("keys_"))
    return numpy_helper.to_array(found).tolist() if isinstance(found, TensorProto) else found


def is_repeated(values):
    return len(set(values)) < len(values)


def has_missing(configuration):
    return configuration.inputs[0].dtype.kind == "f" and bool(np.any(np.isnan(configuration.inputs[0])))


def has_base_values(configuration):
    return any(name.startswith("base_values") for name in configuration.attributes)


OF_CLASSICAL_MODELS = (
    Disagreement(
        ("DictVectorizer",),
        lambda c: False,  # The family reshapes ONNX Runtime's.
        "the shape of the output: the specification says 1-D, ONNX Runtime makes [1, n]",
    ),
    Disagreement(
        ("LinearRegressor", "SVMRegressor", "TreeEnsembleRegressor"),
        lambda c: transform(c) != "NONE" and targets(c) == 1,
        ONE_TARGET,
        "ONNX Runtime",
    ),
    Disagreement(
        ("TreeEnsemble",),
        lambda c: attribute(c, "post_transform") in (1, 2, 3) and targets(c) == 1,
        ONE_TARGET,
        "ONNX Runtime",
    ),
    Disagreement(
        ("LinearClassifier",),
        lambda c: transform(c) == "PROBIT" and len(c.attributes["intercepts"]) == 1,
        "PROBIT of one score for two classes: ONNX Runtime transforms the first rows and leaves the last as they are",
        "ONNX Runtime",
    ),
    Disagreement(
        ("SVMClassifier",),
        lambda c: transform(c) == "PROBIT" and "prob_a" in c.attributes,
        "PROBIT of probabilities: those of ONNX Runtime are float32, which close to 1 leaves few digits",
        "ONNX Runtime",
    ),
    Disagreement(
        ("SVMClassifier",),
        lambda c: transform(c) == "PROBIT" and classes(c) == 2 and "prob_a" not in c.attributes,
        "PROBIT of the scores for two classes: ONNX Runtime leaves the second score of each row unset",
        "ONNX Runtime",
    ),
    Disagreement(
        ("TreeEnsembleRegressor",),
        lambda c: targets(c) == 1 and any(len(votes) > 1 for votes in voters(c, "target")),
        "several votes of a leaf where there is one target: ONNX Runtime counts the first",
        "ONNX Runtime",
    ),
    Disagreement(
        ("TreeEnsembleRegressor",),
        lambda c: has_base_values(c) and any(len(set(votes)) < targets(c) for votes in voters(c, "target")),
        "base values of targets that no leaf votes for: ONNX Runtime leaves them out",
        "ONNX Runtime",
    ),
    Disagreement(
        ("TreeEnsembleClassifier",),
        lambda c: classes(c) == 2 and (has_base_values(c) or len(set(sum(voters(c, "class"), []))) == 2),
        "two classes with votes for both or with base values: the specification takes the higher sum; ONNX Runtime "
        "compares one of them with a threshold, answers labels 0 and 1 that may not be among those given, and adds up "
        "the base values",
        "ONNX Runtime",
    ),
    Disagreement(
        ("TreeEnsembleClassifier", "TreeEnsembleRegressor"),
        lambda c: has_missing(c) and "BRANCH_NEQ" in c.attributes["nodes_modes"],
        MISSING,
        "ONNX Runtime",
    ),
    Disagreement(
        ("TreeEnsemble",),
        lambda c: has_missing(c) and bool(node_modes(c) & {NEQ, MEMBER}),
        MISSING,
        "ONNX Runtime",
    ),
    Disagreement(
        ("TreeEnsemble",),
        lambda c: attribute(c, "post_transform") in (1, 2) and targets(c) > 1,
        "post_transform: SOFTMAX is 1 and LOGISTIC 2 in the specification, the reverse in ONNX Runtime",
        "ONNX Runtime",
    ),
    Disagreement(
        ("TreeEnsemble",),
        lambda c: MEMBER in node_modes(c) and bool(np.any(c.inputs[0] != np.trunc(c.inputs[0]))),
        "BRANCH_MEMBER of values that are not whole: ONNX Runtime cuts them to integers first",
        "ONNX Runtime",
    ),
    Disagreement(
        ("LabelEncoder",),
        lambda c: c.schema.since_version == 2 and bool(np.any(np.isnan(c.attributes.get("keys_floats", [])))),
        "the key NaN in version 2: the specification compares bits, ONNX Runtime numbers",
        "ONNX Runtime",
    ),
    Disagreement(
        ("LabelEncoder",),
        lambda c: c.schema.since_version == 4 and is_repeated(keys(c)),
        "a repeated key in version 4: the specification takes the last one, ONNX Runtime the first",
        "ONNX Runtime",
    ),
    Disagreement(
        ("TreeEnsemble",),
        lambda c: attribute(c, "post_transform") == 3 and 0 in numpy_helper.to_array(c.attributes["leaf_weights"]),
        "SOFTMAX_ZERO where all scores are 0: Linnet leaves them 0, ONNX Runtime divides 0 by 0",
        "ONNX Runtime",
    ),
)
