"""Random arithmetic on shapes, tensors of the computed shapes, and bodies with either.

A kind is (dtype, length), with a length of None for a scalar.
"""

import numpy as np
from drawing import BOOL, DOUBLE, FLOAT, INT8, INT32, INT64, LEAST, LONGEST, UINT8, UINT32, Drawing
from onnx import helper
from open_model import OpenModel

INTS, NUMBERS = (INT64, INT32), (INT64, INT32, FLOAT, DOUBLE)
SMALL = [-7, -3, -2, 0, 1, 1, 2, 2, 3, 4, 5, 8, 64, 1000]
LARGE = [-3, 0, 2, 3, 255, 256, 1 << 16, (1 << 24) + 1, (1 << 31) - 1, -(1 << 31)]
HUGE = [1 << 31, 1 << 32, 1 << 62, LONGEST, LEAST, 1 << 53 | 1]
# N, M and K. One model in four has large constants, which exceed 32 and 64 bits.
BINDINGS = [(3, 5, 7), (2, 2, 2), (1, 1, 1), (5, 1, 3), (1, 4, 2), (0, 3, 2), (4, 0, 1), (7, 3, 11), (6, 6, 6), (0, 0, 0), (2, 9, 1), (13, 2, 5)]  # fmt: skip


class Integers(Drawing):
    def __init__(self, seed):
        super().__init__(seed)
        self.large = self.maybe(0.25)

    def of(self, dtypes, length=...):
        return self.pick(lambda kind: kind[0] in dtypes and (length is ... or kind[1] == length))

    def number(self, dtype, value, length=None):
        value = value if length is None else [value]
        return self.constant(np.array(value).astype(helper.tensor_dtype_to_np_dtype(dtype)))

    def any_number(self, dtype):
        return self.random.choice((LARGE + (HUGE if dtype == INT64 else [])) if self.large else SMALL)


def arithmetic(d):
    a, (dtype, length) = d.of(NUMBERS)
    op_type = d.random.choice(["Add", "Sub", "Mul", "Div", "Mod", "Min", "Max", "Div", "Add", "Mul"])
    other = d.of((dtype,), d.random.choice([length, length, None, 1])) if d.maybe(0.6) else None
    if other and (other[1][1] is None or other[1][1] == length):
        b = other[0]
    else:
        value = d.any_number(dtype)
        b = d.number(dtype, 2 if value == 0 and op_type in ("Div", "Mod") else value, length and d.random.choice([None, 1]))
    inputs = [b, a] if d.maybe(0.15) and op_type not in ("Div", "Mod") else [a, b]
    modulo = op_type == "Mod" and (dtype in (FLOAT, DOUBLE) or d.maybe(0.3))
    d.op(op_type, inputs, (dtype, length), **({"fmod": 1} if modulo else {}))


def unary(d):
    a, kind = d.of(NUMBERS)
    floats = ["Neg", "Abs", "Floor", "Ceil", "Sign", "Round", "Sqrt"]
    d.op(d.random.choice(["Neg", "Abs", "Sign", "Identity"] if kind[0] in INTS else floats), [a], kind)


def squares(d):
    a, kind = d.of(INTS)
    for _ in range(d.random.randint(1, 4)):
        a = d.op("Mul", [a, a], kind)


def cast(d):
    a, (dtype, length) = d.pick()
    to = d.random.choice([INT64, INT64, INT32, FLOAT, DOUBLE, BOOL, UINT8, INT8, UINT32])
    if dtype in (FLOAT, DOUBLE) and (to in (UINT8, INT8, UINT32) or d.large):
        return  # the specification does not define conversions of numbers that the dtype cannot represent
    d.op("Cast", [a], (to, length), to=to)


def back(d):
    found = d.of((UINT8, INT8, UINT32, BOOL))
    if found:
        to = d.random.choice(INTS)
        d.op("Cast", [found[0]], (to, found[1][1]), to=to)


def compare(d):
    a, (dtype, length) = d.of(INTS)
    b = d.of((dtype,), length)[0] if d.maybe(0.5) else d.number(dtype, d.random.choice([-1, 0, 1, 2, 3, 5, 10]))
    d.op(d.random.choice(["Equal", "Less", "Greater", "LessOrEqual", "GreaterOrEqual"]), [a, b], (BOOL, length))


def logic(d):
    found = d.of((BOOL,))
    if not found:
        return
    a, kind = found
    if d.maybe(0.4):
        d.op("Not", [a], kind)
    else:
        d.op(d.random.choice(["And", "Or", "Xor"]), [a, d.of((BOOL,), kind[1])[0]], kind)


def where(d):
    found = d.of((BOOL,))
    a = found and d.of(INTS, found[1][1])
    if a:
        other = d.of((a[1][0],), a[1][1])[0] if d.maybe(0.5) else d.number(a[1][0], d.random.choice([-1, 0, 1, 2, 3]))
        d.op("Where", [found[0], *d.random.sample([a[0], other], 2)], a[1])


def gather(d):
    found = d.pick(lambda kind: kind[0] in (*INTS, BOOL) and kind[1])
    if found:
        a, (dtype, length) = found
        at = [d.random.randrange(-length, length) for _ in range(d.random.randint(1, 4))]
        one = d.maybe(0.5)
        d.op("Gather", [a, d.constant(np.int64(at[0])) if one else d.ints(*at)], (dtype, None if one else len(at)), axis=0)


def cut(d):
    found = d.pick(lambda kind: kind[0] in (*INTS, BOOL) and kind[1])
    if found:
        a, (dtype, length) = found
        step = d.random.choice([1, 1, -1, 2, -2])
        begin, end = d.random.choice([-5, -2, -1, 0, 1, 2]), d.random.choice([LONGEST if step > 0 else LEAST, -3, -1, 0, 1, 2, 5])
        count = len(np.arange(length)[begin : None if abs(end) > 9 else end : step])
        if count:
            d.op("Slice", [a, *(d.ints(x) for x in (begin, end, 0, step))], (dtype, count))


def concat(d):
    dtype, parts, count = d.random.choice(INTS), [], 0
    for _ in range(d.random.randint(1, 4)):
        found = d.of((dtype,))
        if found:
            parts.append(found[0] if found[1][1] is not None else d.op("Unsqueeze", [found[0], d.ints(0)]))
            count += found[1][1] or int(found[1][1] is None)
    if parts and count <= 40:
        d.op("Concat", parts, (dtype, count), axis=0)


def vector(d):
    """Adds an operator that takes vectors."""
    a, (dtype, length) = d.pick(lambda kind: kind[0] in INTS and kind[1])
    what = d.random.choice(["Reduce", "CumSum", "Scatter", "Arg", "Tile", "Clip"])
    if what == "Reduce":
        d.op("Reduce" + d.random.choice(["Prod", "Sum", "Max", "Min"]), [a], (dtype, None), keepdims=0)
    elif what == "CumSum":
        attributes = {"exclusive": d.random.randint(0, 1), "reverse": d.random.randint(0, 1)}
        d.op("CumSum", [a, d.constant(np.int64(0))], (dtype, length), **attributes)
    elif what == "Scatter":
        update = d.of((dtype,), 1)
        if update:
            d.op("ScatterElements", [a, d.ints(d.random.randrange(length)), update[0]], (dtype, length), axis=0)
    elif what == "Arg":
        d.op(d.random.choice(["ArgMax", "ArgMin"]), [a], (INT64, None), axis=0, keepdims=0)
    elif what == "Tile" and length <= 8:
        times = d.random.randint(1, 3)
        d.op("Tile", [a, d.ints(times)], (dtype, length * times))
    elif what == "Clip":
        limits = d.random.choice([-3, 0, 1, 2]), d.random.choice([3, 4, 5, 100, 2**31 - 1])
        d.op("Clip", [a, *(d.number(dtype, x) for x in limits)], (dtype, length))


def reshape(d):
    a, (dtype, length) = d.pick()
    if length is None:
        d.op("Unsqueeze", [a, d.ints(0)], (dtype, 1))
    elif length == 1 and d.maybe(0.5):
        d.op("Squeeze", [a], (dtype, None))
    elif length == 1:
        count = d.random.randint(1, 5)
        d.op("Expand", [a, d.ints(count)], (dtype, count))
    else:
        d.op("Reshape", [d.op("Reshape", [a, d.ints(1, -1)]), d.ints(-1)], (dtype, length))


def tensor(d):
    """Adds a tensor of a computed shape, and reads its shape."""
    a, (dtype, length) = d.of(INTS)
    if (length or 0) > 5:
        return
    wide = d.op("Cast", [a], to=INT64) if dtype == INT32 else a
    dims = d.op("Min", [d.op("Abs", [wide]), d.constant(np.int64(9))])  # limits the size of an array with these dims
    if length is None:
        scalar(d, wide, dims)
        return
    if length == 2:
        what = d.random.choice(["Tile", "Resize", "Expand", "Reshape"])
        made = {"Tile": (["x", dims], {}), "Resize": (["x", "", "", dims], {"mode": "nearest"})}.get(what)
        if made:
            d.op("Shape", [d.op(what, made[0], **made[1])], (INT64, 2))
            return
    if length == 4 and d.maybe(0.5):
        d.op("Shape", [d.op("Pad", ["x", dims])], (INT64, 2))
    elif length <= 4 and d.maybe(0.5):
        free = d.op("Reshape", ["x", d.op("Concat", [dims, d.ints(-1)], axis=0)])
        d.op("Shape", [free], (INT64, length + 1))
    elif length:
        filled = d.op("ConstantOfShape", [dims]) if d.maybe(0.5) else d.op("Expand", [d.constant(np.float32([1])), dims])
        d.op("Shape", [filled], (INT64, length))
        d.op("Size", [filled], (INT64, None))


def scalar(d, value, dim):
    """Does the same for one dim, or for a bound of any size."""
    what = d.random.choice(["Range", "Slice", "OneHot", "Trilu"])
    if what == "Range":
        limits = [d.random.choice([0, 1, -3]), dim, d.random.choice([1, 2, 3, -1])]
        made = d.op("Range", [x if isinstance(x, str) else d.constant(np.int64(x)) for x in limits])
        d.op("ReduceSum", [made], (INT64, None), keepdims=0)
        d.op("Shape", [made], (INT64, 1))
    elif what == "Slice":
        step, bound = d.random.choice([1, 1, 2, -1, -2]), d.op("Unsqueeze", [value, d.ints(0)])
        ends = [LONGEST if step > 0 else LEAST, -1, 0, 3]
        begin, end = [bound, d.ints(d.random.choice(ends))] if d.maybe(0.5) else [d.ints(d.random.choice([0, 1, -1, -3])), bound]
        d.op("Shape", [d.op("Slice", ["x", begin, end, d.ints(d.random.randrange(2)), d.ints(step)])], (INT64, 2))
    elif what == "OneHot":
        depth = d.op("Max", [dim, d.constant(np.int64(2))])
        d.op("Shape", [d.op("OneHot", [d.ints(0, 1, -1), depth, d.constant(np.float32([0, 1]))])], (INT64, 2))
    else:
        kept = d.op("Trilu", ["x", dim], upper=d.random.randint(0, 1))
        d.op("Cast", [d.op("ReduceSum", [kept], keepdims=0)], (INT64, None), to=INT64)


def body(d):
    a, kind = d.of((INT64,))
    if d.maybe(0.5):
        trips = d.op("Min", [d.of((INT64,), None)[0], d.constant(np.int64(4))])
        d.loop(trips, a, kind, INT64, lambda number: (d.random.choice(["Add", "Sub", "Max"]), d.random.choice([number, a]), {}))
        return
    condition = d.of((BOOL,), None)
    if condition:
        branches = [d.branch(name, "Identity", x) for name, x in (("then", a), ("else", d.of((INT64,), kind[1])[0]))]
        d.op("If", [condition[0]], kind, then_branch=branches[0], else_branch=branches[1])


STEPS = [arithmetic] * 6 + [cast] * 3 + [tensor] * 4 + [compare, where, concat, vector, vector, body, body] * 2
STEPS += [unary, squares, back, back, logic, gather, gather, cut, reshape, reshape]


def draw(seed):
    d = Integers(seed)
    shape = d.op("Shape", ["x"], (INT64, 2))
    d.op("Shape", ["y"], (INT64, 3))
    for axis in range(2):
        d.op("Gather", [shape, d.constant(np.int64(axis))], (INT64, None), axis=0)
    for _ in range(d.random.randint(3, 25)):
        d.random.choice(STEPS)(d)
    outputs = d.unread(())
    outputs += [name for name, _ in d.values if name not in outputs and d.maybe(0.15)]
    dims = {
        "x": d.random.choice([["N", "M"], ["N", "M"], ["N", "N"], ["N", "N+1"], [None, None]]),
        "y": d.random.choice([["N", "K", 4], ["K", "M", 2], ["N+1", "2*N", "M"], [None, None, None]]),
    }
    return OpenModel(d.model(dims, outputs), [feeds(dims, *binding) for binding in BINDINGS])


def feeds(dims, n, m, k):
    """Names that describe dims are not always true."""
    sizes = {"N": n, "M": m, "K": k, "N+1": n + 1 if k % 2 else k, "2*N": 2 * n if k % 3 else k, None: k + 1}
    y = [dim if isinstance(dim, int) else sizes[dim] for dim in dims["y"]]
    return {"x": np.arange(n * m, dtype=np.float32).reshape(n, m), "y": np.zeros(y, np.float32)}
