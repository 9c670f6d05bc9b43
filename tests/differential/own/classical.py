"""Linear models, support vector machines and imputers of ai.onnx.ml."""

import math

import numpy as np
from by_operator import own

from .trees import of_two_classes, rows_of, transformed


def singles(values):
    """Attributes are float32."""
    return np.float32(values).astype(np.float64)


def labelled(configuration, found, names):
    """The labels of classes."""
    a = configuration.attributes
    kind = np.int64 if names[0] in a else object
    labels = a[names[0]] if names[0] in a else a[names[1]]
    return np.array([labels[i] for i in found], kind)


def linear(configuration, targets):
    a = configuration.attributes
    weights = singles(a["coefficients"]).reshape(targets, -1)
    return np.array(rows_of(configuration.inputs[0])) @ weights.T + singles(a.get("intercepts", [0] * targets))


@own("LinearRegressor")
def linear_regressor(configuration):
    a = configuration.attributes
    scores = linear(configuration, a.get("targets", 1)).tolist()
    return [np.array([transformed(a.get("post_transform", "NONE"), row) for row in scores])]


@own("LinearClassifier")
def linear_classifier(configuration):
    """One score of two classes is that of the second."""
    a, names = configuration.attributes, ("classlabels_ints", "classlabels_strings")
    count, transform = max(len(a.get(name, ())) for name in names), a.get("post_transform", "NONE")
    one = count == 2 and len(a.get("intercepts", [])) == 1
    scores = linear(configuration, 1 if one else count)
    if one:
        return [labelled(configuration, (scores.ravel() > 0).astype(int), names),
                np.array([of_two_classes(transform, s, lambda s: 1 - s) for s in scores.ravel().tolist()])]  # fmt: skip
    made = np.array([transformed(transform, row) for row in scores.tolist()])
    return [labelled(configuration, scores.argmax(1), names), made]


def kernel_values(a, x, vectors):
    """[rows, vectors]"""
    gamma, constant, degree = singles(a["kernel_params"])
    kind, products = a["kernel_type"], x @ vectors.T
    if kind == "RBF":
        return np.exp(-gamma * ((x[:, None] - vectors[None]) ** 2).sum(-1))
    shifted = gamma * products + constant
    return {"LINEAR": products, "POLY": shifted**degree, "SIGMOID": np.tanh(shifted)}[kind]


@own("SVMRegressor")
def svm_regressor(configuration):
    a, x = configuration.attributes, np.array(rows_of(configuration.inputs[0]))
    coefficients, count = singles(a["coefficients"]), a.get("n_supports", 0)
    values = kernel_values(a, x, singles(a["support_vectors"]).reshape(count, -1)) if count else x
    scores = values @ coefficients + singles(a["rho"])[0]
    if a.get("one_class"):
        return [np.where(scores > 0, 1.0, -1.0)[:, None]]
    return [np.array([transformed(a.get("post_transform", "NONE"), [s]) for s in scores.tolist()])]


@own("SVMClassifier")
def svm_classifier(configuration):
    """With support vectors for two classes and no probabilities."""
    a, names = configuration.attributes, ("classlabels_ints", "classlabels_strings")
    if len(a.get("vectors_per_class", ())) != 2 or "prob_a" in a:
        raise NotImplementedError("several classes, probabilities")
    vectors = singles(a["support_vectors"]).reshape(sum(a["vectors_per_class"]), -1)
    x, transform = np.array(rows_of(configuration.inputs[0])), a.get("post_transform", "NONE")
    decisions = (kernel_values(a, x, vectors) @ singles(a["coefficients"]) + singles(a["rho"])[0]).tolist()
    first = (lambda s: -s) if transform == "NONE" else lambda s: 1 - s
    made = [of_two_classes(transform, d, first) for d in decisions]
    return [labelled(configuration, [int(d <= 0) for d in decisions], names), np.array(made)]


@own("Imputer")
def imputer(configuration):
    (x,), a = configuration.inputs, configuration.attributes
    kind = "float" if x.dtype.kind == "f" else "int64"
    replaced, values = a.get(f"replaced_value_{kind}", 0), a[f"imputed_value_{kind}s"]
    gone = np.isnan(x) if math.isnan(replaced) else x == np.array(replaced, np.float32 if kind == "float" else np.int64)
    return [np.where(gone, np.array(values).astype(x.dtype), x)]
