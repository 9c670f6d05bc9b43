import numpy as np
from by_operator import family
from configuration import Configuration
from values import is_integer


def positive(shape):
    return tuple(max(1, n) for n in shape)


def some_axes(draw, rank, least=0):
    """Returns distinct axes, some of which are counted from the end."""
    axes = [axis for axis in range(rank) if draw.flag()]
    if len(axes) < least:
        axes = [draw.integer(0, rank - 1)]
    return [axis - rank if draw.rare() else axis for axis in axes]


@family(*(f"Reduce{name}" for name in "L1 L2 LogSum LogSumExp Max Mean Min Prod Sum SumSquare".split()))
def reduce(draw):
    name, since = draw.schema.name, draw.schema.since_version
    kind = draw.type("T")
    shape = draw.shape(0 if since >= 13 else 1, 4)
    if 0 in shape and name in ("ReduceMean", "ReduceMax", "ReduceMin") and not draw.rare():
        shape = tuple(max(n, 1) for n in shape)
    limits = (1 if is_integer(kind) else 0.2, 3) if name == "ReduceLogSum" else (None, None)
    # Their results may exceed the range of the type.
    limits = (-100, 100) if name in ("ReduceL2", "ReduceLogSumExp") and is_integer(kind) else limits
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
    # Terms of both signs cancel.
    added = 3 * max(1, x.size) if name == "ReduceSum" else 3 if name == "ReduceMean" else 0
    return Configuration(draw.schema, inputs, attributes, types=draw.types, modern=modern, roundings=4, magnitude=added)


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
    # It is unspecified whether NaN is the largest.
    limits = (-3, 3) if draw.schema.name == "Hardmax" else ()
    x = draw.tensor(draw.type("T"), shape, *limits)
    # Results are shares of 1.
    return Configuration(draw.schema, [x], attributes, types=draw.types, magnitude=1)


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
    # Without sorting, the order of several elements is unspecified.
    if "sorted" in draw.schema.attributes and (k < 2 or draw.flag()):
        attributes["sorted"] = draw.integer(0 if k < 2 else 1, 1)
    kind = draw.type("T")
    x = distinct(draw, kind, shape)
    if since < 10:
        return Configuration(draw.schema, [x], {**attributes, "k": k}, 2, {**draw.types, "I": "int64"})
    return Configuration(draw.schema, [x, np.array([k], np.int64)], attributes, 2, {**draw.types, "I": "int64"})


def distinct(draw, kind, shape):
    """Returns values of which few are equal."""
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
    """One to three terms of letters, some of which are repeated, and an output of some of the letters."""
    sizes = {letter: draw.integer(1, 4) for letter in "ijkl"}
    kind = draw.type("T")
    terms = ["".join(draw.choice("ijkl") for _ in range(draw.integer(0, 3))) for _ in range(draw.integer(1, 3))]
    used = sorted(set("".join(terms)))
    output = "".join(letter for letter in used if draw.flag())
    output = output[::-1] if draw.flag() else output
    equation = ",".join(terms)
    shapes = [[sizes[letter] for letter in term] for term in terms]
    if draw.rare():
        # The same for each element of axes without a letter.
        batch = positive(draw.shape(1, 2, most=3))
        equation = ",".join(f"...{term}" for term in terms)
        shapes = [[*batch, *shape] for shape in shapes]
        output = f"...{output}"
    equation += f"->{output}" if not draw.rare() else ""
    inputs = [draw.tensor(kind, shape, -3, 3) for shape in shapes]
    # Terms of both signs may cancel.
    count = float(np.prod([sizes[letter] for letter in used]))
    return Configuration(
        draw.schema, inputs, {"equation": equation}, types=draw.types, roundings=8, magnitude=27 * count
    )
