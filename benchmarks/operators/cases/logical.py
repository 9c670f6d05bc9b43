"""Comparisons, logic and operations on bits."""

from notation import by, case, each, w, x

N = by(100, 30_000, 6_000_000)
NUMBERS, INTEGERS = each("float32", "float64", "int32", "int64"), each("uint8", "int32", "int64")

for name in ("Greater", "Less", "GreaterOrEqual", "LessOrEqual", "Equal"):
    case(name, x(NUMBERS, N), x(NUMBERS, N))
for name in ("Greater", "Equal"):
    case(name, x(NUMBERS, N), w(NUMBERS))
    case(name, x("float32", by(1, 40, 8000), 768), x("float32", by(1, 40, 8000), 1))
case("Equal", x("bool", N), x("bool", N))
case("Equal", x("string", by(10, 1000, 50_000)), x("string", by(10, 1000, 50_000)))
case("Less", x("int64", 1, by(20, 170, 2400)), x("int64", by(20, 170, 2400), 1))
for name in ("And", "Or", "Xor"):
    case(name, x("bool", N), x("bool", N))
case("And", x("bool", by(1, 16, 16), 1, by(16, 40, 640), by(16, 40, 640)), x("bool", by(16, 40, 640), by(16, 40, 640)))
case("Not", x("bool", N))
for name in ("BitwiseAnd", "BitwiseOr", "BitwiseXor"):
    case(name, x(INTEGERS, N), x(INTEGERS, N))
case("BitwiseNot", x(INTEGERS, N))
WORDS = each("uint8", "uint32", "uint64")
case("BitShift", x(WORDS, N), x(WORDS, N, low=0, high=7), direction=each("LEFT", "RIGHT"))
case("BitShift", x(WORDS, N), w(WORDS, low=3, high=3), direction="RIGHT")
for name in ("IsNaN", "IsInf"):
    case(name, x(each("float32", "float64", "float16"), N))
