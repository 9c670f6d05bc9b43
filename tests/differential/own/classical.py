"""Linear models, support vector machines and imputers of ai.onnx.ml."""

import itertools
import math

import numpy as np
from by_operator import own

from .trees import of_two_classes, rows_of, transformed


def singles(values):
    """Rounds to float32, the type of attributes."""
    return np.float32(values).astype(np.float64)


def labelled(configuration, found, names):
    """Returns the labels of classes."""
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
    """The single score of two classes is that of the second."""
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
    """Returns [rows, vectors]."""
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


def decisions_of_pairs(a, values):
    """Returns [rows, pairs] for each pair of classes i and j. The coefficients have libsvm's layout: row j - 1 for the
    vectors of class i, row i for those of class j.
    Source: Chang, Lin: "LIBSVM: a library for support vector machines", 2011."""
    per_class = a["vectors_per_class"]
    ends = np.cumsum(per_class)
    parts = [slice(end - count, end) for count, end in zip(per_class, ends)]
    coefficients, rho = singles(a["coefficients"]).reshape(len(per_class) - 1, -1), singles(a["rho"])
    pairs = itertools.combinations(range(len(per_class)), 2)
    return np.stack([values[:, parts[i]] @ coefficients[j - 1, parts[i]] + values[:, parts[j]] @ coefficients[i, parts[j]]
                     + rho[pair] for pair, (i, j) in enumerate(pairs)], 1)  # fmt: skip


def svm_decisions(configuration):
    a = configuration.attributes
    vectors = singles(a["support_vectors"]).reshape(sum(a["vectors_per_class"]), -1)
    x = np.array(rows_of(configuration.inputs[0])).reshape(-1, vectors.shape[1])
    return decisions_of_pairs(a, kernel_values(a, x, vectors))


def most_votes(classes, decisions):
    votes = [0] * classes
    for decision, (i, j) in zip(decisions, itertools.combinations(range(classes), 2)):
        votes[i if decision > 0 else j] += 1
    return votes.index(max(votes))


@own("SVMClassifier")
def svm_classifier(configuration):
    """Supports support vectors without probabilities."""
    a, names = configuration.attributes, ("classlabels_ints", "classlabels_strings")
    classes, transform = len(a.get("vectors_per_class", ())), a.get("post_transform", "NONE")
    if classes < 2 or "prob_a" in a:
        raise NotImplementedError("probabilities, or no vectors")
    decisions = svm_decisions(configuration).tolist()
    first = (lambda s: -s) if transform == "NONE" else lambda s: 1 - s
    made = [of_two_classes(transform, *row, first) if classes == 2 else transformed(transform, row) for row in decisions]
    scores = np.array(made).reshape(-1, max(2, classes * (classes - 1) // 2))
    return [labelled(configuration, [most_votes(classes, row) for row in decisions], names), scores]


@own("Imputer")
def imputer(configuration):
    (x,), a = configuration.inputs, configuration.attributes
    kind = "float" if x.dtype.kind == "f" else "int64"
    replaced, values = a.get(f"replaced_value_{kind}", 0), a[f"imputed_value_{kind}s"]
    gone = np.isnan(x) if math.isnan(replaced) else x == np.array(replaced, np.float32 if kind == "float" else np.int64)
    return [np.where(gone, np.array(values).astype(x.dtype), x)]
