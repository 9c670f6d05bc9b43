"""Linear models and support vector machines of ai.onnx.ml."""

from by_operator import family
from configuration import Configuration
from values import is_integer

# In kernels of larger integers, the rounding of float32, in which ONNX Runtime computes, determines signs.
OF_KERNELS = (-99, 99)
TRANSFORMS = ("NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT")


def reals(draw, count, low=-2, high=2):
    return [draw.real(low, high) for _ in range(count)]


def labels(draw, names, count):
    """Returns the attribute of the class labels, whose type is T2. names: those of the lists of integers and of
    strings."""
    if draw.type("T2") == "int64":
        return {names[0]: [10 - 3 * i for i in range(count)]}
    return {names[1]: ["cat", "ant", "bee", "dog"][:count]}


def transform(draw):
    return {"post_transform": draw.choice(TRANSFORMS)} if draw.flag() else {}


def share(attributes):
    """Returns the magnitude of rounding errors for small results, which are 1 minus a share. It is greater for PROBIT
    because the references' formula loses digits near 0."""
    return 30 if attributes.get("post_transform") == "PROBIT" else 1


def rows(draw, variable, features, *limits):
    """The limits apply to integers."""
    kind = draw.type(variable)
    return draw.tensor(kind, (draw.count(4), features), *(limits if is_integer(kind) else ()))


@family("LinearRegressor")
def linear_regressor(draw):
    features, targets = draw.integer(1, 4), draw.integer(1, 3)
    attributes = {"coefficients": reals(draw, features * targets), **transform(draw)}
    if targets > 1 or draw.flag():
        attributes["targets"] = targets
    if draw.flag():
        attributes["intercepts"] = reals(draw, targets)
    return Configuration(
        draw.schema,
        [rows(draw, "T", features)],
        attributes,
        types=draw.types,
        roundings=16,
        magnitude=share(attributes),
    )


@family("LinearClassifier")
def linear_classifier(draw):
    features, classes = draw.integer(1, 4), draw.integer(2, 4)
    # Two classes may have one set of coefficients, that of the second.
    sets = 1 if classes == 2 and draw.flag() else classes
    attributes = {"coefficients": reals(draw, features * sets), "intercepts": reals(draw, sets), **transform(draw)}
    attributes.update(labels(draw, ("classlabels_ints", "classlabels_strings"), classes))
    if draw.flag():
        attributes["multi_class"] = draw.integer(0, 1)
    return Configuration(
        draw.schema, [rows(draw, "T1", features)], attributes, 2, draw.types, roundings=16, magnitude=share(attributes)
    )


def kernel(draw):
    kind = draw.choice(("LINEAR", "POLY", "RBF", "SIGMOID"))
    degree = float(draw.integer(1, 3))
    return {"kernel_type": kind, "kernel_params": [draw.real(0.1, 0.6), draw.real(0, 1), degree]}


@family("SVMRegressor")
def svm_regressor(draw):
    features, count = draw.integer(1, 4), draw.integer(0, 4)
    attributes = {**kernel(draw), "rho": reals(draw, 1), **transform(draw)}
    if count:
        attributes.update(n_supports=count, support_vectors=reals(draw, count * features))
    else:
        attributes["kernel_type"] = "LINEAR"
    attributes["coefficients"] = reals(draw, count or features)
    if draw.rare():
        attributes["one_class"] = 1
    return Configuration(
        draw.schema,
        [rows(draw, "T", features, *OF_KERNELS)],
        attributes,
        types=draw.types,
        roundings=64,
        magnitude=share(attributes),
    )


@family("SVMClassifier")
def svm_classifier(draw):
    features, classes = draw.integer(1, 4), draw.integer(2, 4)
    attributes = {**kernel(draw), **transform(draw)}
    attributes.update(labels(draw, ("classlabels_ints", "classlabels_strings"), classes))
    if draw.rare():
        attributes.update(kernel_type="LINEAR", coefficients=reals(draw, classes * features), rho=reals(draw, 1))
        return Configuration(
            draw.schema,
            [rows(draw, "T1", features, *OF_KERNELS)],
            attributes,
            2,
            draw.types,
            roundings=64,
            magnitude=share(attributes),
        )
    per_class = [draw.integer(1, 3) for _ in range(classes)]
    pairs = classes * (classes - 1) // 2
    attributes.update(
        vectors_per_class=per_class,
        support_vectors=reals(draw, sum(per_class) * features),
        coefficients=reals(draw, sum(per_class) * (classes - 1)),
        rho=reals(draw, pairs),
    )
    if draw.flag():
        attributes.update(prob_a=reals(draw, pairs, -2, -0.5), prob_b=reals(draw, pairs, -0.5, 0.5))
    return Configuration(
        draw.schema,
        [rows(draw, "T1", features, *OF_KERNELS)],
        attributes,
        2,
        draw.types,
        roundings=64,
        magnitude=share(attributes),
    )
