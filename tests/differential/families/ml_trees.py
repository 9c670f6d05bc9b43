"""Ensembles of decision trees of ai.onnx.ml."""

import dataclasses

import numpy as np
from by_operator import family
from configuration import Configuration
from containers import tensor_proto
from draw import Draw
from values import FLOATS, numpy_dtype

from .ml_linear import labels, reals, share, transform

MODES = ("BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ", "BRANCH_MEMBER")
MEMBER = 6


@dataclasses.dataclass
class Node:
    """A leaf has no mode."""

    mode: int = -1
    feature: int = 0
    split: float = 0.0
    members: tuple = ()
    missing: int = 0
    true: object = None
    false: object = None


def tree(draw, features, modes, depth):
    if depth == 0:
        return Node()
    node = Node(draw.choice(modes), draw.integer(0, features - 1), draw.integer(-4, 4) / 2, missing=draw.integer(0, 1))
    if node.mode == MEMBER:
        node.members = tuple(sorted({draw.integer(-3, 3) for _ in range(draw.integer(1, 4))}))
    node.true, node.false = (tree(draw, features, modes, draw.integer(0, depth - 1)) for _ in range(2))
    return node


def forest(draw, features, most_modes):
    """Returns 1 to 3 trees. Half the time all nodes have the same comparison, for which implementations have fast
    paths."""
    modes = [draw.integer(0, most_modes - 1)] if draw.flag() else list(range(most_modes))
    return [tree(draw, features, modes, draw.integer(0, 3)) for _ in range(draw.integer(1, 3))]


def preorder(node):
    return [node, *(preorder(node.true) + preorder(node.false) if node.mode >= 0 else [])]


def points(draw: Draw, kind, features):
    """Returns rows in which values are equal to thresholds, occasionally with missing ones."""
    x = (draw.tensor("int64", (draw.count(5), features), -6, 6) / 2).astype(numpy_dtype(kind))
    if kind in FLOATS and draw.rare():
        x.reshape(-1)[:: draw.integer(1, 3)] = np.nan
    return x


def node_lists(trees):
    """Returns the attributes nodes_* of the operators whose leaves are nodes."""
    found = {name: [] for name in "treeids nodeids featureids modes values truenodeids falsenodeids".split()}
    found["missing_value_tracks_true"] = []
    for number, root in enumerate(trees):
        nodes = preorder(root)
        where = {id(node): i for i, node in enumerate(nodes)}
        for i, node in enumerate(nodes):
            entry = (number, i, node.feature, MODES[node.mode] if node.mode >= 0 else "LEAF", node.split)
            children = [where.get(id(child), 0) for child in (node.true, node.false)]
            for values, value in zip(found.values(), (*entry, *children, node.missing)):
                values.append(value)
    return {f"nodes_{name}": values for name, values in found.items()}


def votes(draw, trees, prefix, outputs):
    """Returns the attributes class_* or target_*: one or two votes of every leaf, or one vote for each output in every
    leaf. No vote is 0, since SOFTMAX_ZERO of only zeros is unspecified."""
    found = {f"{prefix}_{name}": [] for name in ("treeids", "nodeids", "ids", "weights")}
    for_all, low = draw.flag(), -1 if draw.flag() else 0
    leaves = [(t, i) for t, root in enumerate(trees) for i, node in enumerate(preorder(root)) if node.mode < 0]
    for number, i in leaves:
        some = [draw.integer(0, outputs - 1) for _ in range(draw.integer(1, 2))]
        for output in range(outputs) if for_all else some:
            for values, value in zip(found.values(), (number, i, output, draw.real(low, 2) or 0.5)):
                values.append(value)
    return found


def as_tensors(draw, attributes, kind):
    """For double inputs, converts the lists of floats to tensors of double half the time."""
    if kind != "double" or "nodes_values_as_tensor" not in draw.schema.attributes or draw.flag():
        return attributes
    changed = {}
    for name, value in attributes.items():
        tensor = f"{name}_as_tensor"
        if tensor in draw.schema.attributes:
            changed[tensor] = tensor_proto(np.array(value, np.float64), "")
        else:
            changed[name] = value
    return changed


def ensemble(draw, kind, prefix, outputs):
    """Returns the (inputs, attributes) that classifiers and regressors share."""
    features = draw.integer(1, 3)
    trees = forest(draw, features, 6)
    attributes = {**node_lists(trees), **votes(draw, trees, prefix, outputs), **transform(draw)}
    if draw.flag():
        del attributes["nodes_missing_value_tracks_true"]
    if draw.flag():
        attributes["nodes_hitrates"] = [draw.real(0, 1) for _ in attributes["nodes_modes"]]
    if draw.flag():
        attributes["base_values"] = reals(draw, outputs)
    return [points(draw, kind, features)], as_tensors(draw, attributes, kind)


@family("TreeEnsembleRegressor")
def regressor(draw):
    targets = draw.integer(1, 3)
    inputs, attributes = ensemble(draw, draw.type("T"), "target", targets)
    attributes["n_targets"] = targets
    if draw.flag():
        attributes["aggregate_function"] = draw.choice(("SUM", "AVERAGE", "MIN", "MAX"))
    return Configuration(draw.schema, inputs, attributes, types=draw.types, roundings=16, magnitude=share(attributes))


@family("TreeEnsembleClassifier")
def classifier(draw):
    classes = draw.integer(2, 4)
    inputs, attributes = ensemble(draw, draw.type("T1"), "class", classes)
    if classes == 2 and draw.flag():
        attributes["class_ids"] = [1 for _ in attributes["class_ids"]]
    attributes.update(labels(draw, ("classlabels_int64s", "classlabels_strings"), classes))
    return Configuration(draw.schema, inputs, attributes, 2, draw.types, roundings=16, magnitude=share(attributes))


def members_of(nodes):
    """Returns the members of all nodes of that mode, with NaN after each list."""
    return [value for node in nodes if node.mode == MEMBER for value in (*node.members, np.nan)]


def branches(nodes, leaves):
    """Returns the attributes with the targets of the nodes' branches."""
    where = {id(node): i for group in (nodes, leaves) for i, node in enumerate(group)}
    found = {}
    for side in ("true", "false"):
        children = [getattr(node, side) for node in nodes]
        found[f"nodes_{side}nodeids"] = [where[id(child)] for child in children]
        found[f"nodes_{side}leafs"] = [int(child.mode < 0) for child in children]
    return found


@family("TreeEnsemble")
def tree_ensemble(draw):
    kind, features, targets = draw.type("T"), draw.integer(1, 3), draw.integer(1, 3)
    trees = [root if root.mode >= 0 else stump(root) for root in forest(draw, features, 7)]
    everything = [node for root in trees for node in preorder(root)]
    nodes, leaves = ([node for node in everything if (node.mode >= 0) == inner] for inner in (True, False))
    leaves = list({id(leaf): leaf for leaf in leaves}.values())
    dtype = numpy_dtype(kind)

    def tensor(values, as_dtype=dtype):
        return tensor_proto(np.array(values, as_dtype), "")

    attributes = {
        "tree_roots": [[id(node) for node in nodes].index(id(root)) for root in trees],
        "nodes_featureids": [node.feature for node in nodes],
        "nodes_modes": tensor([node.mode for node in nodes], np.uint8),
        "nodes_splits": tensor([node.split for node in nodes]),
        "leaf_targetids": [draw.integer(0, targets - 1) for _ in leaves],
        "leaf_weights": tensor([weight or 0.5 for weight in reals(draw, len(leaves))]),
        "n_targets": targets,
        **branches(nodes, leaves),
    }
    if any(node.mode == MEMBER for node in nodes):
        attributes["membership_values"] = tensor(members_of(nodes))
    if draw.flag():
        attributes["nodes_missing_value_tracks_true"] = [node.missing for node in nodes]
    if draw.flag():
        attributes["nodes_hitrates"] = tensor([draw.real(0, 1) for _ in nodes])
    for name, most in (("aggregate_function", 3), ("post_transform", 4)):
        if draw.flag():
            attributes[name] = draw.integer(0, most)
    # The references' transforms are only as exact as float32.
    roundings = 2.0**33 if "post_transform" in attributes and kind == "double" else 16
    return Configuration(draw.schema, [points(draw, kind, features)], attributes, types=draw.types, roundings=roundings)


def stump(leaf):
    """Returns a tree that is a leaf: a node whose branches both lead to it."""
    return Node(0, true=leaf, false=leaf)
