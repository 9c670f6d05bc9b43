import numpy as np
from configuration import Configuration
from values import FLOATS

from .by_operator import family


def some_axes(draw, rank, least=0):
    """Distinct axes, some counted from the end."""
    axes = [axis for axis in range(rank) if draw.flag()]
    if len(axes) < least:
        axes = [draw.integer(0, rank - 1)]
    return [axis - rank if draw.rare() else axis for axis in axes]


@family(*(f"Reduce{name}" for name in "L1 L2 LogSum LogSumExp Max Mean Min Prod Sum SumSquare".split()))
def reduce(draw):
    name, since = draw.schema.name, draw.schema.since_version
    logarithmic = ("ReduceLogSum", "ReduceLogSumExp")
    kind = draw.type("T", FLOATS if name in logarithmic else None)
    shape = draw.shape(0 if since >= 13 else 1, 4)
    if 0 in shape and name in ("ReduceMean", "ReduceMax", "ReduceMin") and not draw.rare():
        shape = tuple(max(n, 1) for n in shape)
    limits = (0.2, 3) if name == "ReduceLogSum" else (None, None)
    x = draw.tensor(kind, shape, *limits)
    axes = some_axes(draw, len(shape)) if draw.flag() else None
    if since < 11 and axes is not None:
        axes = [axis % len(shape) for axis in axes]
    attributes = {"keepdims": draw.integer(0, 1)} if draw.flag() else {}
    as_input = len(draw.schema.inputs) == 2
    if as_input and draw.flag():
        attributes["noop_with_empty_axes"] = draw.integer(0, 1)
    inputs = [x]
    if as_input and axes is not None:
        inputs.append(np.array(axes, np.int64))
    modern = None
    if not as_input and axes:
        attributes["axes"] = axes
        modern = ([x, np.array(axes, np.int64)], {k: v for k, v in attributes.items() if k != "axes"})
    return Configuration(draw.schema, inputs, attributes, types=draw.types, modern=modern, slack=4)


@family("ArgMax", "ArgMin")
def arg_extreme(draw):
    shape = tuple(max(1, n) for n in draw.shape(1, 4))
    axis = draw.integer(-len(shape) if draw.schema.since_version >= 11 else 0, len(shape) - 1)
    attributes = {"axis": axis} if draw.flag() else {}
    attributes["keepdims"] = draw.integer(0, 1)
    if "select_last_index" in draw.schema.attributes:
        attributes["select_last_index"] = draw.integer(0, 1)
    return Configuration(draw.schema, [draw.tensor(draw.type("T"), shape)], attributes, types=draw.types)


@family("Softmax", "LogSoftmax", "Hardmax", "LpNormalization")
def softmax(draw):
    since = draw.schema.since_version
    shape = draw.shape(1, 4, most=20 if draw.rare() else 5)
    old = since < 11 and draw.schema.name != "LpNormalization"
    axis = draw.integer(0 if old else -len(shape), len(shape) - 1)
    default = 1 if since < 13 and draw.schema.name != "LpNormalization" else -1
    attributes = {} if draw.flag() and (default < 0 or len(shape) > 1) else {"axis": axis}
    if draw.schema.name == "LpNormalization":
        attributes["p"] = draw.integer(1, 2)
    return Configuration(draw.schema, [draw.tensor(draw.type("T"), shape)], attributes, types=draw.types)


@family("TopK")
def top_k(draw):
    since = draw.schema.since_version
    shape = tuple(max(1, n) for n in draw.shape(1, 4, most=12))
    axis = draw.integer(-len(shape) if since >= 11 else 0, len(shape) - 1)
    k = draw.integer(0 if since >= 10 and draw.rare() else 1, shape[axis])
    attributes = {"axis": axis} if draw.flag() or k > shape[-1] else {}
    k = k if "axis" in attributes else min(k, shape[-1])
    if "largest" in draw.schema.attributes:
        attributes["largest"] = draw.integer(0, 1)
    kind = draw.type("T")
    x = distinct(draw, kind, shape)
    if since < 10:
        return Configuration(draw.schema, [x], {**attributes, "k": k}, 2, {**draw.types, "I": "int64"})
    return Configuration(draw.schema, [x, np.array([k], np.int64)], attributes, 2, {**draw.types, "I": "int64"})


def distinct(draw, kind, shape):
    """Values among which few are equal."""
    return draw.tensor(kind, shape, -100, 100)


@family("Unique")
def unique(draw):
    shape = tuple(max(1, n) for n in draw.shape(1, 3))
    attributes = {"sorted": draw.integer(0, 1)} if draw.flag() else {}
    if draw.flag():
        attributes["axis"] = draw.integer(-len(shape), len(shape) - 1)
    kind = draw.type("T")
    x = draw.tensor(kind, shape, 0, 3)
    if kind not in ("string", "bool"):
        x = np.round(x.astype(np.complex128) if kind.startswith("complex") else x.astype(np.float64)).astype(x.dtype)
    return Configuration(draw.schema, [x], attributes, draw.integer(1, 4), draw.types)


@family("NonZero")
def non_zero(draw):
    return Configuration(draw.schema, [draw.tensor(draw.type("T"), draw.shape(1, 4), 0, 2)], {}, types=draw.types)


@family("Einsum")
def einsum(draw):
    equations = {
        "ij,jk->ik": ("ij", "jk"), "bij,bjk->bik": ("bij", "bjk"), "ii->i": ("ii",), "ij->ji": ("ij",), "ij->": ("ij",),
        "i,j->ij": ("i", "j"), "bhwc,hkc->bhwk": ("bhwc", "hkc"), "ij,ij": ("ij", "ij"), "...ij,...jk->...ik": ("bij", "bjk"),
        "ij,jk,kl->il": ("ij", "jk", "kl"),
    }  # fmt: skip
    equation = draw.choice(sorted(equations))
    sizes = {letter: draw.integer(1, 4) for letter in "ijklbhwc"}
    # Where one number is left, terms of both signs may cancel to less than what they are rounded by.
    low = 0.1 if equation in ("ij->", "ij,ij") else None
    inputs = [draw.tensor(draw.type("T"), [sizes[c] for c in term], low) for term in equations[equation]]
    return Configuration(draw.schema, inputs, {"equation": equation}, types=draw.types, slack=4)
