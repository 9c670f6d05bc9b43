"""Models whose weights are read in one form of use and one nesting each, for tests of all combinations.

build(nesting, form, seed) is a model on x, float32 [4, 16], and for BRANCHES also c, a bool. The seed determines its
weights, but not their names, which also include nested initializers.
"""

import ml_dtypes
import numpy as np
from onnx import TensorProto, helper, numpy_helper

FLOAT, BOOL, INT64 = TensorProto.FLOAT, TensorProto.BOOL, TensorProto.INT64
SHAPE = [4, 16]
node, value = helper.make_node, helper.make_tensor_value_info


def matrix(rng, rows=16, columns=16, dtype=np.float32):
    return (rng.standard_normal((rows, columns)) / 4).astype(dtype)


def product(rng):
    weights = {"w": matrix(rng), "b": matrix(rng, 1)[0]}
    return weights, [node("MatMul", ["x", "w"], ["m"]), node("Add", ["m", "b"], ["y"])]


def transposed(rng):
    weights = {"w": matrix(rng)}
    return weights, [node("Identity", ["w"], ["i"]), node("Transpose", ["i"], ["t"]), node("MatMul", ["x", "t"], ["y"])]


def elementwise(rng):
    weights = {"w": matrix(rng, 1)[0], "v": matrix(rng, 4)}
    return weights, [node("Mul", ["x", "w"], ["m"]), node("Add", ["m", "v"], ["y"])]


def convolution(rng):
    weights = {"w": matrix(rng, 4, 36).reshape(4, 4, 3, 3), "b": matrix(rng, 1, 4)[0],
               "image": np.array([1, 4, 4, 4]), "flat": np.array(SHAPE)}  # fmt: skip
    return weights, [node("Reshape", ["x", "image"], ["r"]), node("Conv", ["r", "w", "b"], ["k"], pads=[1] * 4),
                     node("Reshape", ["k", "flat"], ["y"])]  # fmt: skip


def quantised(rng):
    weights = {"w": rng.integers(-127, 127, (16, 16)).astype(np.int8), "ws": np.float32(rng.uniform(0.001, 0.01)),
               "xs": np.float32(rng.uniform(0.01, 0.03)), "xz": np.uint8(rng.integers(110, 140)),
               "ys": np.float32(rng.uniform(0.01, 0.03)), "yz": np.uint8(rng.integers(110, 140))}  # fmt: skip
    return weights, [
        node("QuantizeLinear", ["x", "xs", "xz"], ["q"]), node("DequantizeLinear", ["q", "xs", "xz"], ["d"]),
        node("DequantizeLinear", ["w", "ws"], ["dw"]), node("MatMul", ["d", "dw"], ["m"]),
        node("QuantizeLinear", ["m", "ys", "yz"], ["mq"]), node("DequantizeLinear", ["mq", "ys", "yz"], ["y"]),
    ]  # fmt: skip


def quantised_windows(rng):
    """A convolution of few channels by large windows, which are copied to where they are contiguous."""
    weights = {"w": rng.integers(-127, 127, (4, 4, 7, 7)).astype(np.int8), "ws": np.float32(rng.uniform(0.001, 0.01)),
               "xs": np.float32(rng.uniform(0.01, 0.03)), "xz": np.uint8(rng.integers(110, 140)),
               "ys": np.float32(rng.uniform(0.01, 0.03)), "yz": np.uint8(rng.integers(110, 140)),
               "image": np.array([1, 4, 4, 4]), "flat": np.array(SHAPE)}  # fmt: skip
    return weights, [
        node("Reshape", ["x", "image"], ["r"]), node("QuantizeLinear", ["r", "xs", "xz"], ["q"]),
        node("DequantizeLinear", ["q", "xs", "xz"], ["d"]), node("DequantizeLinear", ["w", "ws"], ["dw"]),
        node("Conv", ["d", "dw"], ["k"], pads=[3] * 4), node("QuantizeLinear", ["k", "ys", "yz"], ["kq"]),
        node("DequantizeLinear", ["kq", "ys", "yz"], ["dk"]), node("Reshape", ["dk", "flat"], ["y"]),
    ]  # fmt: skip


def tied(rng):
    """An embedding of 64 KiB that is also the weight of the last product."""
    weights = {"table": matrix(rng, 1024), "axis": np.array([1])}
    return weights, [
        node("ArgMax", ["x"], ["i"], axis=1, keepdims=0), node("Gather", ["table", "i"], ["g"]),
        node("Transpose", ["table"], ["t"]), node("MatMul", ["g", "t"], ["m"]),
        node("ReduceSum", ["m", "axis"], ["s"]), node("Add", ["x", "s"], ["y"]),
    ]  # fmt: skip


def half(rng):
    weights = {"w": matrix(rng, dtype=np.float16), "v": matrix(rng, dtype=ml_dtypes.bfloat16)}
    return weights, [node("Cast", ["w"], ["wf"], to=FLOAT), node("Cast", ["v"], ["vf"], to=FLOAT),
                     node("MatMul", ["x", "wf"], ["m"]), node("MatMul", ["m", "vf"], ["y"])]  # fmt: skip


def half_normalised(rng):
    """A normalisation that reads and writes halves."""
    weights = {"w": matrix(rng, 1, dtype=np.float16)[0], "b": matrix(rng, 1, dtype=np.float16)[0]}
    return weights, [node("Cast", ["x"], ["h"], to=TensorProto.FLOAT16),
                     node("LayerNormalization", ["h", "w", "b"], ["n"]),
                     node("Cast", ["n"], ["y"], to=FLOAT)]  # fmt: skip


def nbits(rng):
    weights = {"w": rng.integers(0, 255, (16, 1, 8)).astype(np.uint8), "ws": np.abs(matrix(rng, 1))[0]}
    return weights, [node("MatMulNBits", ["x", "w", "ws"], ["y"], domain="com.microsoft", K=16, N=16, block_size=16)]


def repeated(rng):
    """A table whose rows are equal for seed 1 and differ for seed 2."""
    table = matrix(rng, 1 if rng.random() > 0.5 else 128)
    weights = {"v": np.ascontiguousarray(np.broadcast_to(table, (128, 16))), "repeats": np.array([32, 1]),
               "blocks": np.array([32, *SHAPE])}  # fmt: skip
    return weights, [node("Tile", ["x", "repeats"], ["t"]), node("Sub", ["t", "v"], ["s"]),
                     node("Reshape", ["s", "blocks"], ["r"]),
                     node("ReduceMean", ["r"], ["y"], axes=[0], keepdims=0)]  # fmt: skip


FORMS = {form.__name__: form for form in
         (product, transposed, elementwise, convolution, quantised, quantised_windows, tied, half, half_normalised,
          nbits, repeated)}  # fmt: skip


class Part:
    """The nodes of a form on values of other names, once for each prefix."""

    def __init__(self, form, seed):
        weights, self.nodes = FORMS[form](np.random.default_rng(seed))
        self.weights = {name: np.asarray(array) for name, array in weights.items()}

    def on(self, x, y, prefix="f_", weights=None):
        """Returns y = tanh of the form on x, with weights of these names."""
        names = {"x": x, **{w: (weights or {}).get(w, w) for w in self.weights}}
        nodes = []
        for proto in self.nodes:
            copy = type(proto)()
            copy.CopyFrom(proto)
            copy.input[:] = [names.get(i, prefix + i) for i in proto.input]
            copy.output[:] = [prefix + o for o in proto.output]
            nodes.append(copy)
        return [*nodes, node("Tanh", [prefix + "y"], [y])]

    def tensors(self, names=None):
        return [numpy_helper.from_array(a, (names or {}).get(n, n)) for n, a in self.weights.items()]

    def values(self, names):
        return [value(names[n], t.data_type, list(t.dims)) for n, t in zip(self.weights, self.tensors())]


def floats(*names):
    return [value(name, FLOAT, SHAPE) for name in names]


COUNT = [value("i", INT64, []), value("ci", BOOL, [])]
KEEP_ON = node("Identity", ["ci"], ["co"])
TRIPS = [numpy_helper.from_array(np.array(3), "trips"), numpy_helper.from_array(np.array(True), "true")]


def branches(then, otherwise, inside=(), other=()):
    return {"then_branch": helper.make_graph(then, "then", [], floats("t"), list(inside)),
            "else_branch": helper.make_graph(otherwise, "else", [], floats("e"), list(other))}  # fmt: skip


def top(part):
    return part.on("x", "out"), part.tensors()


def if_outer(part):
    return [node("If", ["c"], ["out"], **branches(part.on("x", "t"), [node("Neg", ["x"], ["e"])]))], part.tensors()


def if_own(part):
    bodies = branches(part.on("x", "t"), [node("Neg", ["x"], ["e"])], part.tensors())
    return [node("If", ["c"], ["out"], **bodies)], []


def if_own_of_both(part):
    """Both branches have initializers of the same names."""
    bodies = branches(part.on("x", "t", "a"), part.on("x", "u", "b") + [node("Neg", ["u"], ["e"])], part.tensors(),
                      part.tensors())  # fmt: skip
    return [node("If", ["c"], ["out"], **bodies)], []


def if_known(part):
    bodies = branches(part.on("x", "t"), [node("Neg", ["x"], ["e"])])
    return [node("If", ["true"], ["out"], **bodies)], part.tensors() + TRIPS[1:]


def used_in_both(part):
    bodies = branches(part.on("h", "t", "a"), part.on("x", "e", "b"))
    return part.on("x", "h") + [node("If", ["c"], ["out"], **bodies)], part.tensors()


def loop(part, typed=True):
    body = helper.make_graph([*part.on("s", "s2"), KEEP_ON], "body", COUNT + floats("s"),
                             [value("co", BOOL, []), *floats("s2")])  # fmt: skip
    if not typed:
        for info in body.input:
            info.ClearField("type")
    return [node("Loop", ["trips", "true", "x"], ["out"], body=body)], part.tensors() + TRIPS


def loop_untyped(part):
    return loop(part, False)


def loop_own(part):
    body = helper.make_graph([*part.on("s", "s2"), KEEP_ON], "body", COUNT + floats("s"),
                             [value("co", BOOL, []), *floats("s2")], part.tensors())  # fmt: skip
    return [node("Loop", ["trips", "true", "x"], ["out"], body=body)], TRIPS


def loop_of_if(part, typed=True):
    inner = node("If", ["even"], ["s2"], **branches(part.on("s", "t", "a"), part.on("x", "e", "b")))
    two = node("Constant", [], ["two"], value=numpy_helper.from_array(np.array(2)))
    zero = node("Constant", [], ["zero"], value=numpy_helper.from_array(np.array(0)))
    nodes = [two, zero, node("Mod", ["i", "two"], ["odd"]), node("Equal", ["odd", "zero"], ["even"]), inner, KEEP_ON]
    body = helper.make_graph(nodes, "body", COUNT + floats("s"), [value("co", BOOL, []), *floats("s2")])
    if not typed:
        for info in body.input:
            info.ClearField("type")
    return [node("Loop", ["trips", "true", "x"], ["out"], body=body)], part.tensors() + TRIPS


def loop_untyped_of_if(part):
    return loop_of_if(part, False)


def carried(part):
    """Returns the names of the weights inside and after a body."""
    return {w: "in_" + w for w in part.weights}, {w: "out_" + w for w in part.weights}


def loop_carried(part):
    into, behind = carried(part)
    passed = [node("Identity", [into[w]], [behind[w]]) for w in part.weights]
    body = helper.make_graph([*part.on("s", "s2", weights=into), *passed, KEEP_ON], "body",
                             COUNT + floats("s") + part.values(into),
                             [value("co", BOOL, []), *floats("s2"), *part.values(behind)])  # fmt: skip
    outputs = ["h", *("last_" + w for w in part.weights)]
    again = part.on("h", "out", "z", {w: "last_" + w for w in part.weights})
    return [node("Loop", ["trips", "true", "x", *part.weights], outputs, body=body), *again], part.tensors() + TRIPS


def scan(part):
    body = helper.make_graph([*part.on("s", "s2"), node("Identity", ["s2"], ["row"])], "body",
                             floats("s") + [value("step", FLOAT, [])], floats("s2", "row"))  # fmt: skip
    steps = numpy_helper.from_array(np.arange(3, dtype=np.float32), "steps")
    sum_up = node("ReduceMean", ["rows"], ["mean"], axes=[0], keepdims=0)
    scan = node("Scan", ["x", "steps"], ["last", "rows"], body=body, num_scan_inputs=1)
    return [scan, sum_up, node("Add", ["last", "mean"], ["out"])], [*part.tensors(), steps]


def scan_own(part):
    nodes, tensors = scan(part)
    nodes[0].attribute[0].g.initializer.extend(part.tensors())
    return nodes, tensors[-1:]


def scan_carried(part):
    into, behind = carried(part)
    passed = [node("Identity", [into[w]], [behind[w]]) for w in part.weights]
    body = helper.make_graph([*part.on("s", "s2", weights=into), *passed, node("Neg", ["s2"], ["row"])], "body",
                             part.values(into) + floats("s") + [value("step", FLOAT, [])],
                             part.values(behind) + floats("s2", "row"))  # fmt: skip
    steps = numpy_helper.from_array(np.arange(3, dtype=np.float32), "steps")
    outputs = [*("last_" + w for w in part.weights), "h", "rows"]
    scan = node("Scan", [*part.weights, "x", "steps"], outputs, body=body, num_scan_inputs=1)
    sum_up = [node("ReduceMean", ["rows"], ["mean"], axes=[0], keepdims=0), node("Add", ["h", "mean"], ["hm"])]
    again = part.on("hm", "out", "z", {w: "last_" + w for w in part.weights})
    return [scan, *sum_up, *again], [*part.tensors(), steps]


def sequence_map(part):
    body = helper.make_graph(part.on("e", "f"), "body", floats("e"), floats("f"))
    zero = node("Constant", [], ["zero"], value=numpy_helper.from_array(np.array(0)))
    nodes = [node("Neg", ["x"], ["n"]), node("SequenceConstruct", ["n", "x"], ["q"]),
             node("SequenceMap", ["q"], ["p"], body=body), zero,
             node("SequenceAt", ["p", "zero"], ["out"])]  # fmt: skip
    return nodes, part.tensors()


def sequence_map_own(part):
    nodes, tensors = sequence_map(part)
    nodes[2].attribute[0].g.initializer.extend(tensors)
    return nodes, []


def function(part):
    """A local function that is called twice with the weights as inputs."""
    imports = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    body = helper.make_function("local", "layer", ["x", *part.weights], ["r"], part.on("x", "r"), imports)
    calls = [node("layer", [a, *part.weights], [b], domain="local") for a, b in (("x", "h"), ("h", "out"))]
    return calls, part.tensors(), [body]


def function_of_if(part):
    """A local function whose branches read its inputs and have separate initializers. It is called twice."""
    imports = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    inside = {w: "own_" + w for w in part.weights}
    bodies = branches(part.on("x", "t", "a"), part.on("x", "e", "b", inside), [], part.tensors(inside))
    body = helper.make_function("local", "layer", ["x", "c", *part.weights], ["r"],
                                [node("If", ["c"], ["r"], **bodies)], imports)  # fmt: skip
    calls = [node("layer", [a, "c", *part.weights], [b], domain="local") for a, b in (("x", "h"), ("h", "out"))]
    return calls, part.tensors(), [body]


NESTINGS = {nesting.__name__: nesting for nesting in (
    top, if_outer, if_own, if_own_of_both, if_known, used_in_both, loop, loop_untyped, loop_own, loop_carried,
    loop_of_if, loop_untyped_of_if, scan, scan_own, scan_carried, sequence_map, sequence_map_own, function,
    function_of_if)}  # fmt: skip
BRANCHES = {"if_outer", "if_own", "if_own_of_both", "used_in_both", "function_of_if"}


def build(nesting, form, seed):
    part = Part(form, seed)
    nodes, tensors, *functions = NESTINGS[nesting](part)
    inputs = floats("x") + ([value("c", BOOL, [])] if nesting in BRANCHES else [])
    graph = helper.make_graph(nodes, nesting, inputs, floats("out"), tensors)
    imports = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1), helper.make_opsetid("local", 1)]
    return helper.make_model(graph, ir_version=9, opset_imports=imports, functions=functions[0] if functions else [])


def initializers(model):
    """Returns all initializers of a model by name, including those of bodies and functions."""
    found = {}

    def visit(nodes):
        for proto in nodes:
            for attribute in proto.attribute:
                if attribute.HasField("g"):
                    add(attribute.g)

    def add(graph):
        found.update((tensor.name, tensor) for tensor in graph.initializer)
        visit(graph.node)

    add(model.graph)
    for function in model.functions:
        visit(function.node)
    return found
