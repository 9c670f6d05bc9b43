"""Attributes of trained models of ai.onnx.ml, with random contents."""

import numpy as np
from arrays import element
from onnx import helper


def floats(count, low=-1.0, high=1.0, seed=0):
    return np.random.default_rng(seed).uniform(low, high, count).astype(np.float32).tolist()


def forest(trees, depth, features, prefix, outputs):
    """Full binary trees, each of whose leaves votes for one output."""
    random = np.random.default_rng(0)
    inner, nodes = 2**depth - 1, 2 ** (depth + 1) - 1
    ids = np.arange(nodes)
    branch = ids < inner
    attributes = {
        "nodes_treeids": np.repeat(np.arange(trees), nodes),
        "nodes_nodeids": np.tile(ids, trees),
        "nodes_featureids": np.where(np.tile(branch, trees), random.integers(0, features, trees * nodes), 0),
        "nodes_truenodeids": np.tile(np.where(branch, 2 * ids + 1, 0), trees),
        "nodes_falsenodeids": np.tile(np.where(branch, 2 * ids + 2, 0), trees),
        "nodes_values": random.standard_normal(trees * nodes).astype(np.float32),
        f"{prefix}_treeids": np.repeat(np.arange(trees), nodes - inner),
        f"{prefix}_nodeids": np.tile(ids[inner:], trees),
        f"{prefix}_ids": random.integers(0, outputs, trees * (nodes - inner)),
        f"{prefix}_weights": random.uniform(0, 1, trees * (nodes - inner)).astype(np.float32),
    }
    modes = ["BRANCH_LEQ" if is_branch else "LEAF" for is_branch in branch] * trees
    return {name: values.tolist() for name, values in attributes.items()} | {"nodes_modes": modes}


def regression_forest(trees, depth, features):
    return forest(trees, depth, features, "target", 1) | {"n_targets": 1}


def classification_forest(trees, depth, features, classes):
    return forest(trees, depth, features, "class", classes) | {"classlabels_int64s": list(range(classes))}


def ensemble(trees, depth, features):
    """The same for TreeEnsemble of version 5, which stores leaves separately."""
    random = np.random.default_rng(0)
    inner = 2**depth - 1
    ids = np.arange(inner)
    last = ids >= inner // 2
    count = trees * inner
    starts, leaves = np.repeat(np.arange(trees) * inner, inner), np.repeat(np.arange(trees) * (inner + 1), inner)

    def side(offset):
        child = np.tile(2 * ids + offset, trees)
        return np.where(np.tile(last, trees), child - inner + leaves, child + starts)

    def tensor(kind, values):
        return helper.make_tensor("", element(kind), [len(values)], values)

    return {
        "tree_roots": (np.arange(trees) * inner).tolist(),
        "nodes_featureids": random.integers(0, features, count).tolist(),
        "nodes_modes": tensor("uint8", [0] * count),
        "nodes_splits": tensor("float32", random.standard_normal(count).tolist()),
        "nodes_truenodeids": side(1).tolist(),
        "nodes_falsenodeids": side(2).tolist(),
        "nodes_trueleafs": np.tile(last, trees).astype(int).tolist(),
        "nodes_falseleafs": np.tile(last, trees).astype(int).tolist(),
        "leaf_targetids": [0] * (trees * (inner + 1)),
        "leaf_weights": tensor("float32", random.uniform(0, 1, trees * (inner + 1)).tolist()),
        "n_targets": 1,
    }


def support_vectors(count, features, classes=0):
    """Support vectors of a regressor, or of a classifier with equally many vectors for each class."""
    shared = {
        "kernel_type": "RBF",
        "kernel_params": [1 / features, 0.0, 3.0],
        "support_vectors": floats(count * features, seed=1),
    }
    if not classes:
        return shared | {"n_supports": count, "coefficients": floats(count), "rho": [0.1]}
    return shared | {
        "vectors_per_class": [count // classes] * classes,
        "coefficients": floats(count * (classes - 1)),
        "rho": floats(classes * (classes - 1) // 2, seed=2),
        "classlabels_ints": list(range(classes)),
    }
