"""A table of operators with attributes and inputs that are invalid or require too much.

Each case has inputs that the operator accepts, and the invalid part: other inputs by their index, or other attributes.
"""

import dataclasses

import numpy as np

LOW, HIGH = -(2**63), 2**63 - 1
NAN, INF = float("nan"), float("inf")
# The answers: an error that states what does not fit, an error about a limit, either of these, or a result.
REFUSED, LIMIT, REFUSED_OR_LIMIT, RESULT = "refused", "limit", "refused or limit", "result"


@dataclasses.dataclass
class Case:
    op: str
    inputs: list  # None: omitted
    bad: dict  # by index: input, by name: attribute
    answer: str = REFUSED
    attributes: dict = dataclasses.field(default_factory=dict)
    expected: object = None  # of a RESULT
    opset: int = 18
    outputs: int = 1


def f(*shape):
    return np.arange(np.prod(shape, dtype=int), dtype=np.float32).reshape(shape) / 8


def i(values, dtype=np.int64):
    return np.array(values, dtype)


def floats(values):
    return np.array(values, np.float32)


def attributes(op, inputs, good, bad, answer=REFUSED, **more):
    """Returns one case for each invalid attribute, with all others valid."""
    return [Case(op, inputs, {name: value}, answer, good, **more) for name, values in bad.items() for value in values]


def inputs(op, good, number, values, answer=REFUSED, **more):
    """Returns one case for each value of an input."""
    return [Case(op, good, {number: value}, answer, **more) for value in values]


IMAGE, KERNEL = f(1, 2, 5, 5), f(2, 2, 3, 3)
EMPTY = i([])
CASES = [
    *attributes("Conv", [IMAGE, KERNEL], {}, {
        "strides": [[0, 0], [-1, 1], [1], [LOW, 1]], "dilations": [[0, 1], [-1, 1], [HIGH, HIGH]], "group": [0, -1, 3, LOW],
        "pads": [[-9, -9, -9, -9], [HIGH, 0, HIGH, 0], [2**40, 0, 0, 0]], "kernel_shape": [[2, 2], [0, 0]], "auto_pad": ["LOL"],
    }, REFUSED_OR_LIMIT),
    *attributes("Conv", [IMAGE, KERNEL], {}, {"pads": [[2**30] * 4]}, LIMIT),
    *attributes("Conv", [IMAGE, KERNEL], {}, {"strides": [1.5]}),
    *inputs("Conv", [IMAGE, KERNEL], 1, [f(2, 2, 3, 3, 3), f(2, 3, 3, 3), f(2, 2, 9, 9)]),
    *attributes("ConvTranspose", [IMAGE, KERNEL], {}, {"output_shape": [[-4, -4]], "group": [0, 5], "output_padding": [[2**40, 0]]}, REFUSED_OR_LIMIT),
    *attributes("MaxPool", [IMAGE], {"kernel_shape": [2, 2]}, {"kernel_shape": [[0, 0], [-2, 2], [2], None], "strides": [[0, 1]], "dilations": [[0, 1]]}),
    *attributes("LpPool", [IMAGE], {"kernel_shape": [2, 2]}, {"p": [0]}, REFUSED_OR_LIMIT),
    *attributes("Softmax", [f(2, 3)], {}, {"axis": [7, -3, LOW, HIGH]}),
    *attributes("Concat", [f(2, 3), f(2, 3)], {"axis": 0}, {"axis": [LOW, HIGH, 2, -3, None]}),
    *attributes("Transpose", [f(2, 3)], {}, {"perm": [[0, 0], [0, 5], [0], [-1, 0], [LOW, HIGH]]}),
    *attributes("Flatten", [f(2, 3)], {}, {"axis": [3, -3, LOW]}),
    *attributes("SpaceToDepth", [f(1, 1, 4, 4)], {"blocksize": 2}, {"blocksize": [0, -2, 3, LOW, HIGH]}),
    *attributes("DepthToSpace", [f(1, 4, 2, 2)], {"blocksize": 2}, {"blocksize": [0, -2, 3, LOW, HIGH]}),
    *attributes("GroupNormalization", [f(1, 4, 2), f(4), f(4)], {"num_groups": 2}, {"num_groups": [0, -1, 3]}, opset=21),
    *attributes("LRN", [IMAGE], {"size": 3}, {"size": [0, -1]}),
    *attributes("LayerNormalization", [f(2, 3), f(3)], {}, {"axis": [5, LOW]}),
    *attributes("Cast", [f(2)], {"to": 7}, {"to": [9999, -1, 0, None]}),
    *attributes("Einsum", [f(2, 3)], {"equation": "ij->ji"}, {"equation": ["??", "ij,jk->ik", "->->", "i...j...->i", "", "(" * 60]}),
    *attributes("LSTM", [f(2, 1, 3), f(1, 16, 3), f(1, 16, 4)], {"hidden_size": 4}, {"hidden_size": [5, 0, -1, LOW, HIGH]}),
    *attributes("Split", [f(6)], {"num_outputs": 2}, {"num_outputs": [0, -1, 3]}, outputs=2),
    *attributes("TopK", [f(5), i([2])], {}, {"axis": [4, LOW]}, outputs=2),
    *attributes("OneHot", [i([1, 2]), i([3]), f(2)], {}, {"axis": [9, -9, LOW]}),
    *attributes("Constant", [], {"value_ints": [1]}, {"value_ints": [None]}),
    *inputs("Split", [f(6), i([2, 4])], 1, [i([2, 3]), i([-2, 8]), EMPTY, i([LOW, LOW]), i([HIGH, HIGH])], REFUSED_OR_LIMIT, outputs=2),
    *inputs("Reshape", [f(2, 3), i([3, 2])], 1, [i([-1, -1]), i([4, 4]), i([-2, 3]), i([2**62, 4, -1]), i([2, 3, 0]), i([LOW, 1]), i([HIGH, HIGH])], REFUSED_OR_LIMIT),
    *inputs("Gather", [f(3, 2), i([1])], 1, [i([99]), i([-99]), i([3]), i([LOW]), i([HIGH]), i([2**32])]),
    *inputs("GatherND", [f(3, 2), i([[1, 1]])], 1, [i([[3, 0]]), i([[0, -3]]), i([[2**40, 0]]), i([[LOW, LOW]])]),
    *inputs("GatherElements", [f(3, 2), i([[1, 1]])], 1, [i([[3, 0]]), i([[-4, 0]]), i([[2**33, 0]])]),
    *inputs("ScatterND", [f(3, 2), i([[1]]), f(1, 2)], 1, [i([[3]]), i([[-4]]), i([[2**40]]), i([[LOW]])]),
    *inputs("ScatterElements", [f(3, 2), i([[1, 0]]), f(1, 2)], 1, [i([[3, 0]]), i([[2**40, 0]]), i([[LOW, 0]])]),
    *inputs("MaxUnpool", [f(1, 1, 1, 1), i([[[[3]]]])], 1, [i([[[[123456]]]]), i([[[[-1]]]]), i([[[[LOW]]]])], attributes={"kernel_shape": [2, 2], "strides": [2, 2]}),
    *inputs("Slice", [f(4), i([0]), i([4]), i([0]), i([1])], 4, [i([0]), i([1, 1])]),
    *inputs("Slice", [f(4), i([0]), i([4]), i([0]), i([1])], 3, [i([1]), i([LOW])]),
    Case("Slice", [f(4), i([3]), i([0]), i([0]), i([-1])], {2: i([LOW]), 4: i([LOW])}, RESULT, expected=f(4)[3:]),
    *inputs("Tile", [f(2, 2), i([1, 2])], 1, [i([2**31, 2**31]), i([2**20, 2**20])], LIMIT),
    *inputs("Tile", [f(2, 2), i([1, 2])], 1, [i([-1, 1]), i([1]), i([2**62, 2**62])], REFUSED_OR_LIMIT),
    *inputs("Expand", [f(1), i([4])], 1, [i([2**43]), i([2**62, 4]), i([2**31, 2**31, 4]), i([-2])], REFUSED_OR_LIMIT),
    *inputs("ConstantOfShape", [i([2])], 0, [i([2**40]), i([2**32]), i([2**62, 2**62]), i([-5]), i([LOW])], REFUSED_OR_LIMIT),
    *inputs("Range", [i(0), i(4), i(1)], 2, [i(0), EMPTY]),
    *inputs("Range", [i(0), i(4), i(1)], 1, [i(HIGH)], LIMIT),
    *inputs("Range", [floats(0), floats(4), floats(1)], 1, [floats(INF), floats(NAN), floats(1e30)], REFUSED_OR_LIMIT),
    *inputs("Range", [floats(0), floats(4), floats(1)], 2, [floats(0), floats(NAN), floats(1e-30)], REFUSED_OR_LIMIT),
    *inputs("Pad", [f(4), i([1, 1])], 1, [i([2**40, 0]), i([2**62, 2**62]), i([-3, -3]), i([1]), i([LOW, 0]), i([HIGH, HIGH])], REFUSED_OR_LIMIT),
    *inputs("Pad", [f(4), i([1, 1])], 1, [i([9, 9])], RESULT, attributes={"mode": "reflect"}, expected=np.pad(f(4), 9, "reflect")),
    *inputs("TopK", [f(5), i([2])], 1, [i([9]), i([-1]), i([LOW]), EMPTY, i([1, 1])], outputs=2),
    *inputs("Resize", [f(1, 1, 2, 2), None, floats([1, 1, 2, 2])], 2,
            [floats([1, 1, 0, 0]), floats([1, 1, -1, 1]), floats([1, 1, INF, 1]), floats([1, 1, NAN, 1]), floats([1, 1, 1e30, 1]),
             floats([1, 1, 1e5, 1e5]), floats([1, 1])], REFUSED_OR_LIMIT),
    *inputs("Resize", [f(1, 1, 2, 2), None, floats([1, 1, 2, 2])], 2, [floats([1, 1, 1e-30, 1])], RESULT),
    *inputs("Resize", [f(1, 1, 2, 2), None, None, i([1, 1, 4, 4])], 3, [i([1, 1, -4, 4]), i([1, 1, 2**40, 2**40]), i([1, 1, HIGH, 1]), i([4])], REFUSED_OR_LIMIT),
    *inputs("OneHot", [i([1, 2]), i([3]), f(2)], 1, [i([-3]), i([2**50]), EMPTY, i([LOW]), i([1, 2])], REFUSED_OR_LIMIT),
    *inputs("CumSum", [f(2, 3), i(1)], 1, [i(77), EMPTY, i(LOW), i([0, 1])]),
    *inputs("Trilu", [f(3, 3), i(1)], 1, [EMPTY, i([0, 1])]),
    *inputs("Squeeze", [f(1, 3), i([0])], 1, [i([1]), i([5]), i([LOW])]),
    *inputs("Unsqueeze", [f(2, 3), i([0])], 1, [i([0, 0]), i([9]), i([LOW])]),
    *inputs("ReduceSum", [f(2, 3), i([0])], 1, [i([2]), i([LOW])]),
    *inputs("NonMaxSuppression", [f(1, 2, 4), f(1, 1, 2), i([2])], 2, [EMPTY, i([1, 2])]),
    *inputs("NonMaxSuppression", [f(1, 2, 4), f(1, 1, 2), i([2])], 1, [f(1, 1, 3), f(2, 1, 2)]),
    *inputs("NonMaxSuppression", [f(1, 2, 4), f(1, 1, 2), i([2]), floats([0.5])], 3, [floats([2]), floats([NAN])], RESULT),
    *inputs("NonMaxSuppression", [f(1, 2, 4), f(1, 1, 2), i([2])], 0, [np.full((1, 2, 4), NAN, np.float32)], RESULT),
    *inputs("RoiAlign", [f(1, 1, 4, 4), f(1, 4), i([0])], 2, [i([9999]), i([-1]), i([LOW])], RESULT, attributes={"output_height": 1, "output_width": 1}, expected=f(1, 1, 1, 1)),
    *inputs("RoiAlign", [f(1, 1, 4, 4), f(1, 4), i([0])], 1, [floats([[NAN] * 4]), floats([[-1e30, 0, 1e30, 1]])], "any", attributes={"output_height": 1, "output_width": 1}),
    *inputs("GridSample", [f(1, 1, 4, 4), f(1, 1, 1, 2)], 1, [floats([[[[NAN, 0]]]]), floats([[[[1e30, -INF]]]])], RESULT),
    *inputs("DeformConv", [IMAGE, KERNEL, f(1, 18, 3, 3)], 2, [np.full((1, 18, 3, 3), v, np.float32) for v in (NAN, INF, 1e30)], RESULT, opset=19),
    *inputs("DeformConv", [IMAGE, KERNEL, f(1, 18, 3, 3)], 2, [f(1, 17, 3, 3), f(1, 18, 2, 3)], opset=19),
    *inputs("Div", [i([6]), i([2])], 1, [i([0])], RESULT, expected=i([0])),
    *inputs("Mod", [i([6]), i([2])], 1, [i([0])], RESULT, expected=i([0])),
    Case("Div", [i([6]), i([2])], {0: i([LOW]), 1: i([-1])}, RESULT, expected=i([LOW])),
    Case("Mod", [i([6]), i([2])], {0: i([LOW]), 1: i([-1])}, RESULT, expected=i([0])),
    Case("Div", [i([6], np.int32), i([2], np.int32)], {0: i([-(2**31)], np.int32), 1: i([-1], np.int32)}, RESULT, expected=i([-(2**31)], np.int32)),
    Case("Neg", [i([6])], {0: i([LOW])}, RESULT, expected=i([LOW])),
    Case("Abs", [i([6])], {0: i([LOW])}, RESULT, expected=i([LOW])),
    *inputs("Pow", [i([0, 2]), i([1, 2])], 1, [i([-1, -1]), i([LOW, HIGH])], "any"),
    *inputs("Cast", [f(3)], 0, [floats([NAN, INF, 1e30])], RESULT, attributes={"to": 7}),
    Case("BitShift", [i([1, 2], np.uint64), i([1, 1], np.uint64)], {1: i([64, 200], np.uint64)}, RESULT, {"direction": "LEFT"}, i([0, 0], np.uint64)),
    *inputs("MatMul", [f(2, 3), f(3, 2)], 1, [f(2, 2), f(5), np.float32(1)]),
    Case("MatMul", [f(2, 3), f(3, 2)], {0: f(2, 0), 1: f(0, 2)}, RESULT, expected=f(2, 2) * 0),
    *inputs("Gemm", [f(2, 3), f(3, 2), f(2)], 2, [f(3), f(2, 3), f(1, 2, 2)]),
    *inputs("Col2Im", [f(1, 4, 4), i([3, 3]), i([2, 2])], 1, [i([2**32, 2**32]), i([-3, 3]), i([LOW, 3]), i([3])], REFUSED_OR_LIMIT),
    *inputs("BatchNormalization", [IMAGE, f(2), f(2), f(2), f(2)], 1, [f(3), f(0), f(1)]),
    *inputs("QuantizeLinear", [f(2), floats(1)], 1, [EMPTY.astype(np.float32)]),
    *inputs("QuantizeLinear", [f(2), floats(1)], 1, [floats(0), floats(NAN)], RESULT),
    *inputs("Clip", [f(3), floats(0)], 1, [floats([]), floats([1, 2])]),
    *inputs("ArgMax", [f(2, 3)], 0, [f(0, 3)], attributes={"axis": 0}),
    *inputs("ReduceMax", [f(2, 3)], 0, [f(0, 3)], RESULT, attributes={"axes": [0], "keepdims": 0}, expected=np.full(3, -INF, np.float32), opset=13),
    *inputs("SplitToSequence", [f(4), i(2)], 1, [i(0), i(-1), i(LOW), EMPTY]),
]  # fmt: skip
