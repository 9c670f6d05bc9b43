"""Reductions, extremes and orders."""

from arrays import distinct
from notation import by, case, each, x

ROWS, N = by(4, 40, 4000), by(100, 30_000, 6_000_000)
DTYPES = each("float32", "float64", "int32", "int64")
POSITIVE = {"low": 0.1, "high": 2}

# Rows, columns, a middle axis, images, everything.
for name in ("ReduceSum", "ReduceMean", "ReduceMax"):
    case(name, x(DTYPES, ROWS, 1000), each([1], [0]), keepdims=0)
    case(name, x("float16", ROWS, 1000), [1])
    case(name, x("float32", by(2, 8, 128), by(8, 64, 256), 128), [1])
    case(name, x("float32", by(1, 2, 32), 64, by(4, 14, 56), by(4, 14, 56)), each([2, 3], [0, 2, 3], [1]))
    case(name, x("float32", N), keepdims=0)
    case(name, x("float32", by(8, 1000, 400_000), 7), each([1], [0]))
for name in ("ReduceMin", "ReduceProd", "ReduceL1", "ReduceL2", "ReduceSumSquare"):
    case(
        name,
        x(each("float32", "float64", "int64" if name == "ReduceMin" else "int32"), ROWS, 1000, low=0.9, high=1.1),
        each([1], [0]),
    )
for name in ("ReduceLogSum", "ReduceLogSumExp"):
    case(name, x(each("float32", "float64"), by(4, 40, 1000), 1000, **POSITIVE), each([1], [0]))
case("ReduceMax", x(each("uint8", "int8"), ROWS, 1000), [1])
for name in ("ArgMax", "ArgMin"):
    case(name, x(each("float32", "float64", "int32"), ROWS, 1000), axis=1, keepdims=0)
    case(name, x("float32", ROWS, 1000), axis=0)
    case(name, x("float32", 1, 21, by(8, 64, 512), by(8, 64, 512)), axis=1)
case("TopK", x(each("float32", "float64", "int64"), by(2, 20, 200), 1000, fill=distinct), [10], outputs=2)
case("TopK", x("float32", 1, by(100, 10_000, 1_000_000), fill=distinct), [100], outputs=2)
case("TopK", x("float32", by(2, 20, 200), 1000, fill=distinct), [1000], outputs=2)
case("TopK", x("float32", 1000, by(2, 20, 400), fill=distinct), [10], axis=0, largest=0, outputs=2)
case("TopK", x("float32", by(2, 20, 200), 8400, fill=distinct), [300], sorted=0, outputs=2, agreement="shapes")
case("Hardmax", x("float32", ROWS, 1000))
