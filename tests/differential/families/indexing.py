import numpy as np
from by_operator import family
from configuration import Configuration

from .movement import int64s, positive


def indices(draw, variable, shape, size, since_negative=True):
    """Returns integers that index a dimension of this size."""
    dtype = np.int32 if draw.type(variable) == "int32" else np.int64
    low = -size if since_negative else 0
    return np.array([draw.integer(low, size - 1) for _ in range(int(np.prod(shape)))], dtype).reshape(shape)


@family("Gather")
def gather(draw):
    shape, since = positive(draw.shape(1, 4)), draw.schema.since_version
    axis = draw.integer(-len(shape) if since >= 11 else 0, len(shape) - 1)
    where = indices(draw, "Tind", draw.shape(0, 2, most=3), shape[axis], since >= 11)
    x = draw.tensor(draw.type("T"), shape)
    return Configuration(draw.schema, [x, where], {"axis": axis}, types=draw.types)


@family("GatherElements")
def gather_elements(draw):
    shape = positive(draw.shape(1, 3, most=3))
    axis = draw.integer(-len(shape), len(shape) - 1)
    out = [draw.integer(1, n) for n in shape]
    out[axis] = draw.integer(1, 4)
    where = indices(draw, "Tind", out, shape[axis])
    return Configuration(draw.schema, [draw.tensor(draw.type("T"), shape), where], {"axis": axis}, types=draw.types)


def tuples(draw, shape, length, lead):
    """Returns index tuples into the first dims of a tensor: int64[*lead, length]."""
    count = int(np.prod(lead))
    rows = [[draw.integer(-shape[i], shape[i] - 1) for i in range(length)] for _ in range(count)]
    return np.array(rows, np.int64).reshape(*lead, length)


@family("GatherND")
def gather_nd(draw):
    shape = positive(draw.shape(1, 4, most=3))
    batch = draw.integer(0, min(2, len(shape) - 1)) if "batch_dims" in draw.schema.attributes else 0
    length = draw.integer(1, len(shape) - batch)
    lead = shape[:batch] + positive(draw.shape(0, 2, most=3))
    where = tuples(draw, shape[batch:], length, lead)
    attributes = {"batch_dims": batch} if batch else {}
    return Configuration(draw.schema, [draw.tensor(draw.type("T"), shape), where], attributes, types=draw.types)


def reduction_of(draw, kind):
    """Returns the attribute `reduction` if the version has it and the type permits it."""
    if "reduction" not in draw.schema.attributes or kind in ("string", "bool") or kind.startswith("complex"):
        return {}
    modes = ["none", "add", "mul"] + (["max", "min"] if draw.schema.since_version >= 18 else [])
    return {"reduction": draw.choice(modes)}


@family("Scatter", "ScatterElements")
def scatter_elements(draw):
    shape = positive(draw.shape(1, 3, most=4))
    axis = draw.integer(0 if draw.schema.since_version < 11 else -len(shape), len(shape) - 1)
    out = [draw.count(n) for n in shape]
    kind = draw.type("T")
    attributes = {"axis": axis, **reduction_of(draw, kind)}
    dtype = np.int32 if draw.type("Tind") == "int32" else np.int64
    # Distinct indices, because without a reduction the order of equal ones is unspecified.
    line = np.arange(out[axis]).reshape([-1 if i == axis % len(shape) else 1 for i in range(len(shape))])
    where = np.broadcast_to((line + draw.integer(0, 4)) % shape[axis], out).astype(dtype).copy()
    if attributes.get("reduction", "none") != "none":
        where = indices(draw, "Tind", out, shape[axis])
    inputs = [draw.tensor(kind, shape), where, draw.tensor(kind, out)]
    return Configuration(draw.schema, inputs, attributes, types=draw.types)


@family("ScatterND")
def scatter_nd(draw):
    shape = positive(draw.shape(1, 3, most=4))
    kind = draw.type("T")
    attributes = reduction_of(draw, kind)
    length = draw.integer(1, len(shape))
    flat = [draw.integer(0, int(np.prod(shape[:length])) - 1) for _ in range(draw.count(6))]
    # Distinct indices, because without a reduction the order of equal ones is unspecified.
    flat = flat if attributes.get("reduction", "none") != "none" else sorted(set(flat))
    where = np.stack(np.unravel_index(np.array(flat, int), shape[:length]), -1).astype(np.int64)
    where -= np.array(shape[:length]) * np.array([[draw.rare() for _ in range(length)] for _ in flat], int).reshape(
        -1, length
    )
    updates = draw.tensor(kind, (len(flat), *shape[length:]))
    return Configuration(draw.schema, [draw.tensor(kind, shape), where, updates], attributes, types=draw.types)


@family("TensorScatter")
def tensor_scatter(draw):
    batch, length = draw.integer(1, 3), draw.integer(2, 5)
    count = draw.integer(1, length)
    kind = draw.type("T")
    attributes = {"mode": draw.choice(("linear", "circular"))}
    rest = [draw.integer(1, 3) for _ in range(draw.integer(1, 2))]
    # The axis of the steps is the second to last unless it is given.
    axis = len(rest)
    if draw.flag():
        axis = draw.integer(1, len(rest) + 1)
        attributes["axis"] = axis - len(rest) - 2 if draw.flag() else axis
    past, update = ((batch, *rest[: axis - 1], n, *rest[axis - 1 :]) for n in (length, count))
    most = length - count if attributes["mode"] == "linear" else length - 1
    inputs = [draw.tensor(kind, past), draw.tensor(kind, update)]
    if draw.flag():
        inputs.append(int64s(draw.integer(0, most) for _ in range(batch)))
    return Configuration(draw.schema, inputs, attributes, types=draw.types)


@family("Compress")
def compress(draw):
    shape = positive(draw.shape(1, 3))
    flat = draw.flag()
    axis = draw.integer(0 if draw.schema.since_version < 11 else -len(shape), len(shape) - 1)
    length = int(np.prod(shape)) if flat else shape[axis]
    condition = draw.tensor("bool", (draw.integer(1, length),))
    attributes = {} if flat else {"axis": axis}
    draw.types["T1"] = "bool"
    return Configuration(draw.schema, [draw.tensor(draw.type("T"), shape), condition], attributes, types=draw.types)


@family("NonMaxSuppression")
def non_max_suppression(draw):
    batches, classes, boxes = draw.integer(1, 2), draw.integer(1, 2), draw.count(6)
    attributes = {"center_point_box": draw.integer(0, 1)}
    inputs = [
        draw.tensor("float", (batches, boxes, 4), 0.1, 1),
        draw.tensor("float", (batches, classes, boxes), 0, 1),
        int64s([draw.integer(0, 4)]),
        np.array([draw.real(0.1, 0.9)], np.float32) if draw.flag() else None,
        np.array([draw.real(0, 0.6)], np.float32) if draw.flag() else None,
    ]
    while inputs[-1] is None:
        inputs.pop()
    return Configuration(draw.schema, inputs, attributes)
