"""Models that are designed to cause wrong results with open dims."""

import numpy as np
from drawing import BOOL, FLOAT, INT32, INT64, Drawing
from onnx import helper
from open_model import OpenModel

info = helper.make_tensor_value_info


def drawn_by(dims, sizes, build, rtol=0, functions=()):
    """build(d, n, m) adds nodes for inputs of `dims`, whose first dims are n and m, and returns the outputs' names.
    sizes: dims of each input, for each of the feeds."""
    d = Drawing(0)
    shape = d.op("Shape", ["x"])
    n, m = (d.op("Gather", [shape, d.constant(np.int64(axis))], axis=0) for axis in (0, -1))
    outputs = build(d, n, m)
    model = d.model(dims, outputs if isinstance(outputs, list) else [outputs])
    model.functions.extend(functions)
    if functions:
        model.opset_import.append(helper.make_opsetid("local", 1))
    numbers = np.random.default_rng(0)
    feeds = [
        {name: numbers.standard_normal(shape).astype(np.float32) for name, shape in zip(dims, shapes)} for shapes in sizes
    ]
    return OpenModel(model, feeds, rtol)


def of_x(build, sizes=((3, 5), (1, 1), (2, 2), (256, 1), (0, 3), (4, 0), (4, 4), (65536, 1), (6, 2), (5, 7)), **options):
    return drawn_by({"x": ["N", "M"]}, [[size] for size in sizes], build, **options)


def number(d, value, dtype=np.int64):
    return d.constant(np.array(value, dtype))


def chosen(d, condition):
    """Returns a number that is computed from a condition, so that the graph changes if the condition is known."""
    picked = d.op("Where", [condition, number(d, 1), number(d, 2)])
    return d.op("Expand", [picked, d.ints(3)])


def power(d, n, m):
    """N^8 is 0 for 256."""
    for _ in range(3):
        n = d.op("Mul", [n, n])
    return chosen(d, d.op("Greater", [n, number(d, 0)]))


def there_and_back(d, n, m):
    large = number(d, 1 << 62)
    return chosen(d, d.op("Equal", [d.op("Div", [d.op("Mul", [n, large]), large]), n]))


def beyond_the_largest(d, n, m):
    return chosen(d, d.op("Greater", [d.op("Add", [n, number(d, 2**63 - 4)]), n]))


def product_of_dims(d, n, m):
    """Dims that are read four times: 2^64 is 0."""
    shape = d.op("Concat", [d.op("Shape", ["x"])] * 4, axis=0)
    return chosen(d, d.op("Greater", [d.op("ReduceProd", [shape], keepdims=0), number(d, 0)]))


def narrow(d, n):
    """2^30 N + 1 > 0 in 32 bits: true for 1, not for 2 to 5."""
    wide = d.op("Mul", [d.op("Cast", [n], to=INT32), number(d, 1 << 30, np.int32)])
    return d.op("Greater", [d.op("Add", [wide, number(d, 1, np.int32)]), number(d, 0, np.int32)])


def narrow_integers(d, n, m):
    return chosen(d, narrow(d, n))


def narrow_integers_in_a_body(d, n, m):
    inner = Drawing(1)
    inner.count = 1000
    counted = inner.op("Add", ["old", inner.op("Cast", [narrow(inner, n)], to=INT64)])
    inner.op("Identity", ["before"])
    inputs = [info("i", INT64, []), info("before", BOOL, []), info("old", INT64, [])]
    outputs = [info(inner.nodes[-1].output[0], BOOL, []), info(counted, INT64, [])]
    body = helper.make_graph(inner.nodes, "body", inputs, outputs, inner.weights)
    return d.op("Loop", [number(d, 3), "", number(d, 0)], body=body)


def bytes_of_dims(d, n, m):
    """A dim as a byte is the dim modulo 256."""
    byte = d.op("Cast", [d.op("Sub", [n, number(d, 3)])], to=helper.TensorProto.UINT8)
    return chosen(d, d.op("Less", [d.op("Cast", [byte], to=INT64), number(d, 250)]))


def floats_of_dims(d, n, m):
    """Above 2^24, consecutive integers round to the same float."""
    wide = d.op("Cast", [d.op("Add", [n, number(d, 1 << 24)])], to=FLOAT)
    return chosen(d, d.op("Equal", [d.op("Cast", [wide], to=INT64), d.op("Add", [n, number(d, 1 << 24)])]))


def signs(d, n, m):
    """Quotients and remainders of negative numbers, of both kinds."""
    low = d.op("Sub", [n, number(d, 5)])
    made = [d.op(op, [low, number(d, by)], **more) for by in (3, -3) for op, more in (("Div", {}), ("Mod", {}), ("Mod", {"fmod": 1}))]
    return d.op("Concat", [d.op("Unsqueeze", [x, d.ints(0)]) for x in made], axis=0)


def reshapes(d, n, m):
    """0 copies a dim, -1 takes the remainder, also without elements."""
    made = [d.op("Reshape", ["x", d.ints(*shape)]) for shape in ((0, -1), (-1, 0), (0, 0, 1), (-1,))]
    first = d.op("Unsqueeze", [n, d.ints(0)])
    made.append(d.op("Reshape", ["x", d.op("Concat", [first, d.ints(-1)], axis=0)]))
    made.append(d.op("Reshape", ["x", d.op("Concat", [d.ints(1), d.op("Shape", ["x"])], axis=0)], allowzero=1))
    return made + [d.op("Shape", [x]) for x in made]


def backwards(d, n, m):
    made = []
    for begin, end, step in ((-1, -(2**63), -1), (2**63 - 1, -(2**63), -2), (1, 2**63 - 1, 3), (-3, -1, 1), (4, 1, -1)):
        made.append(d.op("Slice", ["x", d.ints(begin), d.ints(end), d.ints(1), d.ints(step)]))
    bound = d.op("Unsqueeze", [d.op("Sub", [n, number(d, 4)]), d.ints(0)])
    made.append(d.op("Slice", ["x", bound, d.ints(2**63 - 1), d.ints(1)]))
    made.append(d.op("Slice", ["x", d.ints(0), bound, d.ints(-1), d.ints(1)]))
    return made + [d.op("Shape", [x]) for x in made]


def carried(d, n, m):
    """A shape that a loop increases, and a tensor of that shape."""
    trips = d.op("Min", [n, number(d, 3)])
    shape = d.loop(trips, d.op("Shape", ["x"]), None, INT64, lambda i: ("Add", i, {}))
    small = d.op("Min", [shape, number(d, 9)])
    return [shape, d.op("Shape", [d.op("ConstantOfShape", [small])])]


def shared_names(d, n, m):
    """A body's values have the names of values of the graph, and of its dims."""
    then = helper.make_graph([helper.make_node("Add", ["N", "N"], ["M"])], "then", [], [info("M", INT64, None)])
    otherwise = helper.make_graph([helper.make_node("Neg", ["N"], ["M"])], "else", [], [info("M", INT64, None)])
    d.nodes.append(helper.make_node("Identity", [n], ["N"]))
    made = d.op("If", [d.op("Greater", ["N", number(d, 3)])], then_branch=then, else_branch=otherwise)
    return d.op("Add", [made, m])


SHAPES_OF = helper.make_function(
    "local", "Shapes", ["a", "n"], ["c"],
    [helper.make_node("Shape", ["a"], ["s"]), helper.make_node("Concat", ["s", "n"], ["c"], axis=0)],
    [helper.make_opsetid("", 18)],
)  # fmt: skip


def called(d, n, m):
    shape = d.op("Shapes", ["x", d.op("Unsqueeze", [n, d.ints(0)])], domain="local")
    return d.op("Expand", ["x", d.op("Slice", [shape, d.ints(0), d.ints(2)])])


PAIRS = [[(3, 4), (3, 4)], [(1, 1), (1, 1)], [(5, 1), (1, 4)], [(1, 4), (5, 1)], [(0, 3), (1, 3)], [(2, 2), (2, 2)], [(3, 1), (3, 5)], [(1, 7), (7, 7)]]  # fmt: skip


def pair(names, build):
    return drawn_by({"x": names[0], "y": names[1]}, PAIRS, build)


def added(d, n, m):
    total = d.op("Add", ["x", "y"])
    equal = d.op("Equal", [d.op("Shape", ["x"]), d.op("Shape", ["y"])])
    return [total, d.op("Shape", [total]), d.op("Cast", [equal], to=INT64)]


def four_or_one(d, n, m):
    """M is 4 or 1, and then 0 or 1. Other sizes are refused, 1 is not."""
    four, none = number(d, [1, 2, 3, 4], np.float32), d.op("Slice", ["x", d.ints(0), d.ints(0), d.ints(1)])
    return [d.op("Add", ["x", four]), d.op("Add", ["x", none])]


def one_branch_each(d, n, m):
    """A branch that fails unless N is 1, and is taken only then."""
    branches = [d.branch("then", "Squeeze", "x"), d.branch("else", "Identity", "x")]
    branches[0].node[0].input.append(d.ints(0))
    return d.op("If", [d.op("Equal", [n, number(d, 1)])], then_branch=branches[0], else_branch=branches[1])


def sequences(d, n, m):
    """Rows in a sequence, and concatenated again in pairs."""
    one, two = (d.op("SplitToSequence", ["x", number(d, rows)], axis=0) for rows in (1, 2))
    whole = d.op("ConcatFromSequence", [d.op("SequenceInsert", [one, "x"])], axis=0)
    count, first = d.op("SequenceLength", [two]), d.op("SequenceAt", [two, number(d, 0)])
    return [whole, d.op("Shape", [first]), d.op("Expand", [count, d.ints(2)]), d.op("Add", [first, number(d, 1, np.float32)])]


def scanned(d, n, m):
    """Cumulative sums of rows, and a tensor of their number."""
    info_of = helper.make_empty_tensor_value_info
    nodes = [helper.make_node("Add", ["sum", "row"], ["next"]), helper.make_node("Shape", ["row"], ["size"])]
    body = helper.make_graph(nodes, "body", [info_of("sum"), info_of("row")], [info_of("next"), info_of("size")])
    start = d.op("ConstantOfShape", [d.op("Unsqueeze", [m, d.ints(0)])])
    d.op("Scan", [start, "x"], 1, outputs=2, body=body, num_scan_inputs=1)
    last, sizes = (name for name, _ in d.values)
    return [last, sizes, d.op("Reshape", ["x", d.op("Gather", [d.op("Shape", [sizes]), d.ints(0)])])]


def selected(d, n, m):
    """The number of elements above 0, which is not determined by shapes."""
    above = d.op("Greater", ["x", number(d, 0, np.float32)])
    kept = d.op("Compress", [d.op("Reshape", ["x", d.ints(-1)]), d.op("Reshape", [above, d.ints(-1)])])
    places = d.op("Transpose", [d.op("NonZero", [above])], perm=[1, 0])
    count = d.op("Shape", [kept])
    both = d.op("Concat", [count, d.op("Unsqueeze", [n, d.ints(0)])], axis=0)
    return [kept, places, d.op("GatherND", ["x", places]), d.op("ReduceProd", [both], keepdims=0), d.op("Expand", [n, count])]


def shape_in_data(d, n, m):
    """A shape of ones that is computed from elements."""
    ones = d.op("Cast", [d.op("Sign", [d.op("Exp", ["x"])])], to=INT64)
    flat = d.op("Reshape", [ones, d.ints(-1)])
    few = d.op("Slice", [flat, d.ints(0), d.ints(3)])
    return [d.op("Expand", [n, few]), d.op("Tile", ["x", d.op("Slice", [d.op("Concat", [few, d.ints(1, 1)], axis=0), d.ints(0), d.ints(2)])])]


def masked_attention(d, n, m):
    """x [N, M], with three times the width for queries, keys and values, and a mask made from consecutive lengths."""
    q, k, v = (d.op("MatMul", [d.op("Unsqueeze", ["x", d.ints(2)]), d.constant(w)]) for w in np.random.default_rng(3).standard_normal((3, 1, 8)).astype(np.float32))  # fmt: skip
    heads = [d.op("Transpose", [d.op("Reshape", [x, d.ints(0, 0, 2, 4)])], perm=[0, 2, 1, 3]) for x in (q, k, v)]
    scores = d.op("Mul", [d.op("MatMul", [heads[0], d.op("Transpose", [heads[1]], perm=[0, 1, 3, 2])]), number(d, 0.5, np.float32)])
    places = d.op("Range", [number(d, 0), m, number(d, 1)])
    seen = d.op("LessOrEqual", [places, d.op("Unsqueeze", [places, d.ints(1)])])
    scores = d.op("Where", [seen, scores, number(d, -1e9, np.float32)])
    mixed = d.op("MatMul", [d.op("Softmax", [scores], axis=-1), heads[2]])
    shape = d.op("Concat", [d.op("Shape", ["x"]), d.ints(8)], axis=0)
    return d.op("Reshape", [d.op("Transpose", [mixed], perm=[0, 2, 1, 3]), shape])


def recurrent(d, n, m):
    """M sequences of length N, in both directions."""
    numbers = np.random.default_rng(4)
    w, r = (d.constant(numbers.standard_normal((2, 8, size)).astype(np.float32)) for size in (1, 2))
    made = d.op("LSTM", [d.op("Unsqueeze", ["x", d.ints(2)]), w, r], 1, outputs=3, hidden_size=2, direction="bidirectional")
    last = [name for name, _ in d.values]
    return [*last, d.op("Shape", [made]), d.op("Reshape", [d.op("Transpose", [made], perm=[0, 2, 1, 3]), d.ints(0, 0, -1)])]


SMALL = ((3, 5), (1, 1), (2, 2), (0, 3), (4, 1), (5, 7), (1, 6))
MODELS = {
    **{build.__name__: lambda build=build: of_x(build) for build in (
        power, there_and_back, beyond_the_largest, product_of_dims, narrow_integers, narrow_integers_in_a_body,
        bytes_of_dims, floats_of_dims, signs, shared_names,
    )},
    **{build.__name__: lambda build=build: of_x(build, SMALL) for build in (
        reshapes, backwards, carried, one_branch_each, scanned, selected, shape_in_data,
    )},
    "four_or_one": lambda: of_x(four_or_one, [(3, 1), (2, 4), (1, 1), (0, 1)]),
    "called": lambda: of_x(called, SMALL, functions=[SHAPES_OF]),
    "masked_attention": lambda: of_x(masked_attention, SMALL, rtol=1e-4),
    "sequences": lambda: of_x(sequences, [size for size in SMALL if min(size)]),
    "recurrent": lambda: of_x(recurrent, [size for size in SMALL if min(size)], rtol=1e-4),
    "names that inputs share": lambda: pair([["N", "M"], ["N", "M"]], added),
    "a name twice": lambda: pair([["N", "N"], ["N", "N"]], added),
    "names that are expressions": lambda: pair([["N", "2*N"], ["floor(N/2)", "N+1"]], added),
    "no names": lambda: pair([[None, None], [None, None]], added),
}  # fmt: skip
