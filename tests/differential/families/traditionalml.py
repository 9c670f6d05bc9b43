"""The operators of ai.onnx.ml that take tensors."""

import numpy as np
from configuration import Configuration, tensor_proto
from draw import Impossible
from values import numpy_dtype

from .registry import family

NAMES = ["cold", "mild", "hot"]
INT_LABELS = [7, 1, 4]


def table(draw, columns=3):
    """A matrix of the type of the first input."""
    kind = draw.type_of_input(0)
    return draw.tensor(kind, (draw.integer(1, 4), columns), -4, 4)


def weights(draw, count):
    return [draw.real(-2, 2) for _ in range(count)]


def made(draw, inputs, attributes, outputs=1):
    return Configuration(draw.schema, inputs, attributes, outputs, draw.types)


def labels(draw, ints, strings):
    """Three class labels of the type T2."""
    return {ints: INT_LABELS} if draw.type("T2") == "int64" else {strings: NAMES}


@family("CategoryMapper")
def category_mapper(draw):
    source, target = draw.type("T1"), draw.type("T2")
    if source == target:
        raise Impossible
    given = [*NAMES, "other"] if source == "string" else [*INT_LABELS, 99]
    x = np.array([draw.choice(given) for _ in range(5)], object if source == "string" else np.int64)
    attributes = {"cats_strings": NAMES, "cats_int64s": INT_LABELS, "default_int64": -1, "default_string": "none"}
    return made(draw, [x], attributes)


@family("LabelEncoder")
def label_encoder(draw):
    since, source, target = draw.schema.since_version, draw.type("T1"), draw.type("T2")
    if since == 1:
        if source == target:
            raise Impossible
        given = NAMES if source == "string" else [0, 1, 2, 9]
        x = np.array([draw.choice(given) for _ in range(5)], object if source == "string" else np.int64)
        return made(draw, [x], {"classes_strings": NAMES, "default_int64": -1, "default_string": "none"})
    x = converted(source, [draw.choice(NAMES) if source == "string" else draw.choice(INT_LABELS) for _ in range(5)])
    keys = NAMES[:2] if source == "string" else INT_LABELS[:2]
    values = NAMES[1:] if target == "string" else INT_LABELS[1:]
    return made(draw, [x], {**stored("keys", source, keys), **stored("values", target, values)})


def converted(kind, values):
    return np.array(values, object) if kind == "string" else np.array(values).astype(numpy_dtype(kind))


def stored(prefix, kind, values):
    """As an attribute of lists, or as a tensor where there is none for the type."""
    lists = {"string": "strings", "int64": "int64s", "float": "floats"}
    if kind in lists:
        return {f"{prefix}_{lists[kind]}": [float(v) for v in values] if kind == "float" else values}
    return {f"{prefix}_tensor": tensor_proto(converted(kind, values), prefix)}


@family("OneHotEncoder")
def one_hot_encoder(draw):
    kind = draw.type("T")
    x = converted(kind, [draw.choice(NAMES if kind == "string" else INT_LABELS) for _ in range(5)])
    return made(draw, [x], {"cats_strings": NAMES} if kind == "string" else {"cats_int64s": INT_LABELS})


@family("FeatureVectorizer")
def feature_vectorizer(draw):
    first, rows = draw.type("T1"), draw.integer(1, 3)
    widths = [draw.integer(1, 3) for _ in range(draw.integer(1, 3))]
    return made(draw, [draw.tensor(first, (rows, width)) for width in widths], {"inputdimensions": widths})


@family("Imputer")
def imputer(draw):
    x = table(draw)
    if "int" in draw.type("T"):
        return made(draw, [x], {"imputed_value_int64s": [5, 6, 7], "replaced_value_int64": 2})
    x[0, 0] = np.nan
    return made(draw, [x], {"imputed_value_floats": [0.5], "replaced_value_float": float("nan")})


@family("Normalizer")
def normalizer(draw):
    return made(draw, [table(draw)], {"norm": draw.choice(("MAX", "L1", "L2"))})


@family("Scaler")
def scaler(draw):
    return made(draw, [table(draw)], {"offset": weights(draw, 3), "scale": weights(draw, 3)})


@family("LinearRegressor")
def linear_regressor(draw):
    return made(draw, [table(draw)], {"targets": 2, "coefficients": weights(draw, 6), "intercepts": weights(draw, 2)})


@family("LinearClassifier")
def linear_classifier(draw):
    attributes = {"coefficients": weights(draw, 9), "intercepts": weights(draw, 3), "multi_class": 1}
    attributes["post_transform"] = draw.choice(("NONE", "SOFTMAX", "LOGISTIC"))
    return made(draw, [table(draw)], attributes | labels(draw, "classlabels_ints", "classlabels_strings"), 2)


def support_vectors(draw, count):
    kernel = draw.choice(("LINEAR", "POLY", "RBF", "SIGMOID"))
    return {"kernel_type": kernel, "kernel_params": [0.25, 0.5, 2.0], "support_vectors": weights(draw, 3 * count)}


@family("SVMRegressor")
def svm_regressor(draw):
    attributes = {"n_supports": 4, "coefficients": weights(draw, 4), "rho": weights(draw, 1)}
    return made(draw, [table(draw)], attributes | support_vectors(draw, 4))


@family("SVMClassifier")
def svm_classifier(draw):
    attributes = {"vectors_per_class": [2, 1, 1], "coefficients": weights(draw, 8), "rho": weights(draw, 3)}
    attributes |= labels(draw, "classlabels_ints", "classlabels_strings")
    return made(draw, [table(draw)], attributes | support_vectors(draw, 4), 2)


def trees(draw):
    """Two trees of one decision each: nodes 1 and 2 are the leaves."""
    return {
        "nodes_treeids": [0, 0, 0, 1, 1, 1],
        "nodes_nodeids": [0, 1, 2, 0, 1, 2],
        "nodes_featureids": [draw.integer(0, 2), 0, 0, draw.integer(0, 2), 0, 0],
        "nodes_modes": ["BRANCH_LEQ", "LEAF", "LEAF"] * 2,
        "nodes_values": [draw.real(-2, 2), 0.0, 0.0] * 2,
        "nodes_truenodeids": [1, 0, 0] * 2,
        "nodes_falsenodeids": [2, 0, 0] * 2,
    }


def leaves(draw, prefix, ids):
    """Weights of the four leaves."""
    values = {"treeids": [0, 0, 1, 1], "nodeids": [1, 2, 1, 2], "ids": ids, "weights": weights(draw, 4)}
    return {f"{prefix}_{name}": value for name, value in values.items()}


@family("TreeEnsembleRegressor")
def tree_ensemble_regressor(draw):
    return made(draw, [table(draw)], {"n_targets": 2, **trees(draw), **leaves(draw, "target", [0, 1, 1, 0])})


@family("TreeEnsembleClassifier")
def tree_ensemble_classifier(draw):
    attributes = {**trees(draw), **leaves(draw, "class", [0, 1, 2, 0])}
    attributes |= labels(draw, "classlabels_int64s", "classlabels_strings")
    return made(draw, [table(draw)], attributes, 2)


@family("TreeEnsemble")
def tree_ensemble(draw):
    """One decision with two leaves."""
    kind = draw.type("T")
    attributes = {"n_targets": 2, "tree_roots": [0], "nodes_featureids": [draw.integer(0, 2)]}
    attributes |= {"nodes_truenodeids": [0], "nodes_trueleafs": [1], "nodes_falsenodeids": [1], "nodes_falseleafs": [1]}
    attributes["nodes_modes"] = tensor_proto(np.array([0], np.uint8), "modes")
    attributes["nodes_splits"] = tensor_proto(converted(kind, [draw.real(-2, 2)]), "splits")
    attributes["leaf_weights"] = tensor_proto(converted(kind, weights(draw, 2)), "weights")
    return made(draw, [table(draw)], {**attributes, "leaf_targetids": [0, 1]})
