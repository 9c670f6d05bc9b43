"""Ensembles of decision trees, evaluated node by node."""

import math
import statistics

import numpy as np
from by_operator import own
from onnx import TensorProto, numpy_helper

TRANSFORMS = ("NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT")
MODES = ("BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ", "BRANCH_MEMBER", "LEAF")
AGGREGATES = {
    "AVERAGE": "AVERAGE",
    0: "AVERAGE",
    "SUM": "SUM",
    1: "SUM",
    "MIN": "MIN",
    2: "MIN",
    "MAX": "MAX",
    3: "MAX",
}


def logistic(x):
    return 1 / (1 + math.exp(-x)) if x > -700 else 0.0


def probit(p):
    if not 0 <= p <= 1:
        return math.nan
    return math.copysign(math.inf, p - 0.5) if p in (0, 1) else statistics.NormalDist().inv_cdf(p)


def softmax(scores, counts):
    most = max(scores)
    found = [math.exp(s - most) if counts(s) else 0.0 for s in scores]
    return [s / sum(found) for s in found] if sum(found) else found


def transformed(name, scores):
    """Transforms the scores of one row. SOFTMAX_ZERO does not change zeros, but changes NaN."""
    if name in ("SOFTMAX", "SOFTMAX_ZERO"):
        return softmax(scores, lambda s: name == "SOFTMAX" or not abs(s) <= 1e-7)
    return [{"NONE": float, "LOGISTIC": logistic, "PROBIT": probit}[name](s) for s in scores]


def of_two_classes(name, score, first):
    """Returns the scores of two classes if only that of the second was computed. The result is unspecified: this is
    ONNX Runtime's."""
    both = {"LOGISTIC": lambda s: [logistic(-s), logistic(s)], "PROBIT": lambda s: [-probit(s), probit(s)]}
    return both.get(name, lambda s: [first(s), s])(score)


def plain(attributes, name, default=None):
    """Returns the list in an attribute, which may be a tensor or have a variant `_as_tensor` that is one."""
    value = attributes.get(name, attributes.get(f"{name}_as_tensor", default))
    return numpy_helper.to_array(value).tolist() if isinstance(value, TensorProto) else value


def goes_true(mode, x, split, members, missing_true):
    if math.isnan(x) and missing_true:
        return True
    if math.isnan(x):
        return False
    compare = {
        "BRANCH_LEQ": x <= split, "BRANCH_LT": x < split, "BRANCH_GTE": x >= split, "BRANCH_GT": x > split,
        "BRANCH_EQ": x == split, "BRANCH_NEQ": x != split, "BRANCH_MEMBER": x in members,
    }  # fmt: skip
    return compare[mode]


class Forest:
    """The attributes of the older operators, which list nodes by tree and number."""

    def __init__(self, attributes, prefix):
        a = attributes
        names = ("treeids", "nodeids", "featureids", "modes", "values", "truenodeids", "falsenodeids")
        lists = [plain(a, f"nodes_{name}") for name in names]
        missing = a.get("nodes_missing_value_tracks_true", [0] * len(lists[0]))
        self.nodes = {(tree, node): rest for tree, node, *rest in zip(*lists, missing)}
        self.trees = sorted({tree for tree, _ in self.nodes})
        # A tree begins with its first node.
        self.roots = {tree: next(n for t, n in self.nodes if t == tree) for tree in self.trees}
        votes = [a[f"{prefix}_{name}"] for name in ("treeids", "nodeids", "ids")] + [plain(a, f"{prefix}_weights")]
        self.votes = list(zip(*votes))

    def leaf(self, tree, row):
        node = self.roots[tree]
        while True:
            feature, mode, value, yes, no, missing = self.nodes[tree, node]
            if mode == "LEAF":
                return node
            node = yes if goes_true(mode, row[feature], value, (), missing) else no

    def votes_for(self, row, outputs):
        found = [[] for _ in range(outputs)]
        for tree in self.trees:
            node = self.leaf(tree, row)
            for t, n, output, weight in self.votes:
                if (t, n) == (tree, node):
                    found[output].append(weight)
        return found

    def scores(self, row, outputs, aggregate, base):
        votes = self.votes_for(row, outputs)
        return [combined(aggregate, v, len(self.trees)) + b for v, b in zip(votes, base)]


def combined(aggregate, votes, trees):
    how = AGGREGATES[aggregate]
    if how in ("MIN", "MAX"):
        return (min if how == "MIN" else max)(votes, default=0.0)
    return math.fsum(votes) / (trees if how == "AVERAGE" else 1)


def rows_of(x):
    x = x.reshape(1, -1) if x.ndim == 1 else x
    return x.astype(np.float64).tolist()


@own("TreeEnsembleRegressor")
def tree_ensemble_regressor(configuration):
    a = configuration.attributes
    forest, targets = Forest(a, "target"), a["n_targets"]
    base = plain(a, "base_values") or [0.0] * targets
    aggregate, transform = a.get("aggregate_function", "SUM"), a.get("post_transform", "NONE")
    rows = rows_of(configuration.inputs[0])
    made = [transformed(transform, forest.scores(row, targets, aggregate, base)) for row in rows]
    return [np.array(made).reshape(-1, targets)]


@own("TreeEnsembleClassifier")
def tree_ensemble_classifier(configuration):
    """Returns the class of the highest score among those that a leaf votes for."""
    a, (x,) = configuration.attributes, configuration.inputs
    labels = a.get("classlabels_int64s") or a["classlabels_strings"]
    forest, transform, classes = Forest(a, "class"), a.get("post_transform", "NONE"), len(labels)
    base = plain(a, "base_values")
    if classes == 2 and not base and len({output for _, _, output, _ in forest.votes}) == 1:
        raise NotImplementedError("votes for one of two classes")
    found, made = [], []
    for row in rows_of(x):
        votes = forest.votes_for(row, classes)
        scores = [math.fsum(v) + b for v, b in zip(votes, base or [0.0] * classes)]
        rivals = [i for i in range(classes) if votes[i] or base]
        found.append(max(rivals, key=lambda i: (scores[i], -i), default=0))
        made.append(transformed(transform, scores))
    kind = np.int64 if "classlabels_int64s" in a else object
    return [np.array([labels[i] for i in found], kind), np.array(made)]


@own("TreeEnsemble")
def tree_ensemble(configuration):
    a, targets = configuration.attributes, configuration.attributes["n_targets"]
    splits, weights = plain(a, "nodes_splits"), plain(a, "leaf_weights")
    modes, members = plain(a, "nodes_modes"), iter(plain(a, "membership_values", []))
    missing = a.get("nodes_missing_value_tracks_true", [0] * len(modes))
    sets = [taken(members) if mode == 6 else () for mode in modes]

    def leaf(node, row):
        while True:
            mode, x = MODES[modes[node]], row[a["nodes_featureids"][node]]
            side = "true" if goes_true(mode, x, splits[node], sets[node], missing[node]) else "false"
            node, is_leaf = a[f"nodes_{side}nodeids"][node], a[f"nodes_{side}leafs"][node]
            if is_leaf:
                return node

    made = []
    for row in rows_of(configuration.inputs[0]):
        found = [[] for _ in range(targets)]
        for root in a["tree_roots"]:
            reached = leaf(root, row)
            found[a["leaf_targetids"][reached]].append(weights[reached])
        scores = [combined(a.get("aggregate_function", 1), votes, len(a["tree_roots"])) for votes in found]
        made.append(transformed(TRANSFORMS[a.get("post_transform", 0)], scores))
    return [np.array(made).reshape(-1, targets)]


def taken(members):
    """Returns the values up to the next NaN."""
    found = []
    for value in members:
        if math.isnan(value):
            break
        found.append(value)
    return found
