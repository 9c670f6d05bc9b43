"""Elementwise arithmetic and functions, products, cumulative and spectral operators."""

from arrays import element, well_conditioned
from notation import by, case, each, fed, w, x

N = by(100, 30_000, 6_000_000)
# Of functions that take long.
M = by(100, 30_000, 2_000_000)
REALS, FLOATS, INTEGERS = each("float32", "float64", "float16"), each("float32", "float64"), each("int32", "int64")
NUMBERS = each("float32", "float64", "float16", "int32", "int64")
SUMMED, BYTES = each("float32", "float64", "int64"), each("uint8", "int8")

# One operand.
for name in ("Abs", "Neg", "Sign"):
    case(name, x(NUMBERS, N))
case("Abs", x("int8", N))
for name in ("Ceil", "Floor", "Round", "Reciprocal"):
    case(name, x(REALS, N, low=0.5, high=9))
case("Sqrt", x(REALS, N, low=0, high=9))
for name in ("Exp", "Sigmoid", "Tanh", "Sin", "Cos"):
    case(name, x(REALS, M))
case("Erf", x(each("float32", "float16"), M))
case("Erf", x("float64", M), alone=True)
for name in ("Sinh", "Cosh", "Asinh", "Atan"):
    case(name, x("float32", M))
    case(name, x("float64", M), alone=True)
case("Cos", x(FLOATS, M, low=-1e4, high=1e4))
for name, low, high in (
    ("Tan", -1.4, 1.4),
    ("Asin", -0.99, 0.99),
    ("Acos", -0.99, 0.99),
    ("Atanh", -0.99, 0.99),
    ("Acosh", 1, 9),
):
    case(name, x("float32", M, low=low, high=high))
    case(name, x("float64", M, low=low, high=high), alone=True)
case("Log", x(REALS, M, low=0.01, high=9))
case("Relu", x(each("float32", "float64", "float16", "int32", "int8"), N))
for name in ("LeakyRelu", "Elu", "Selu", "Softplus", "Softsign", "HardSigmoid", "HardSwish", "ThresholdedRelu"):
    case(name, x(each("float32", "float16"), M))
for name in ("Celu", "Mish"):
    case(name, x("float32", M))
case("Gelu", x("float32", M), approximate=each("none", "tanh"))
case("Gelu", x("float64", M), alone=True)
for name in ("Affine", "ParametricSoftplus", "ScaledTanh"):
    case(name, x("float32", M), alpha=0.5, beta=1.5, since=1)
case("Scale", x("float32", M), scale=0.5, since=1)
case("Swish", x("float32", M), alpha=1.0)
case("Shrink", x(each("float32", "int32"), N), lambd=0.5, bias=0.25)
case("Clip", x(NUMBERS, N), w(NUMBERS, low=-1, high=-1), w(NUMBERS, low=1, high=1))

# Several operands: of equal shapes, a row, channels, a column, a scalar, an outer sum.
for name in ("Add", "Sub", "Mul", "Max", "Min"):
    case(name, x(NUMBERS, N), x(NUMBERS, N))
for name in ("Add", "Mul", "Max"):
    case(name, x("float32", by(1, 40, 8000), 768), w("float32", 768))
for name in ("Add", "Mul"):
    case(name, x("float32", by(1, 8, 64), 64, 40, 40), x("float32", 1, 64, 1, 1))
    case(name, x("float32", by(4, 60, 8000), 511), x("float32", by(4, 60, 8000), 1))
    case(name, x(NUMBERS, N), w(NUMBERS))
case("Add", x("float32", by(2, 6, 600), 1, 96, 96), x("float32", 1, 1, 96, 96))
case("Add", x("float32", 1, by(20, 170, 2400)), x("float32", by(20, 170, 2400), 1))
case("Div", x(REALS, N), x(REALS, N, low=1, high=9))
case("Div", x(INTEGERS, N), x(INTEGERS, N, low=1, high=9))
case("Div", x(NUMBERS, N), w(NUMBERS, low=3, high=3))
case("Pow", x(FLOATS, M, low=0.1, high=4), x(FLOATS, M, low=-2, high=3))
case("Pow", x(FLOATS, N), each(w(FLOATS, low=2, high=2), w(FLOATS, low=3, high=3)))
case("Pow", x(FLOATS, M, low=0.1, high=4), each(w(FLOATS, low=0.5, high=0.5), w(FLOATS, low=-1.7, high=-1.7)))
case("Mod", x(INTEGERS, N), x(INTEGERS, N, low=1, high=9))
case("Mod", x(FLOATS, M), x(FLOATS, M, low=1, high=9), fmod=1)
case("PRelu", x("float32", by(1, 2, 32), 64, 56, 56), w("float32", 64, 1, 1))
case("PRelu", x("float32", by(4, 100, 12_000), 256), w("float32", 256))
case("Sum", x(FLOATS, N), x(FLOATS, N), x(FLOATS, N))
case("Mean", x("float32", N), x("float32", N), x("float32", N))
case("SwiGLU", x("float32", by(4, 40, 2000), 1024), x("float32", by(4, 40, 2000), 1024), alone=True)
case("CumSum", x(SUMMED, by(10, 300, 20_000), 200), each(0, 1))
case("CumSum", x("float32", by(1, 8, 60), by(8, 64, 256), 250), 1, exclusive=each(0, 1), reverse=each(0, 1))
case("CumProd", x("float32", by(10, 300, 20_000), 200, low=0.9, high=1.1), each(0, 1))

# Products: square, tall, flat, rows and columns of one, batches.
case("MatMul", x(REALS, by(16, 128, 768), by(16, 128, 768)), w(REALS, by(16, 128, 768), by(16, 128, 768)))
case("MatMul", x(FLOATS, by(16, 128, 512), by(16, 128, 512)), x(FLOATS, by(16, 128, 512), by(16, 128, 512)))
case("MatMul", x(FLOATS, 1, by(32, 256, 4096)), w(FLOATS, by(32, 256, 4096), by(32, 512, 4096)))
case("MatMul", x("float32", by(32, 256, 4096)), x("float32", by(32, 256, 4096), by(32, 512, 4096)))
case("MatMul", x("float32", by(32, 256, 4096), by(32, 512, 4096)), x("float32", by(32, 512, 4096), 1))
case("MatMul", x("float32", by(7, 197, 1500), by(13, 65, 511)), w("float32", by(13, 65, 511), by(9, 33, 1001)))
case("MatMul", x("float32", by(1, 128, 512), by(64, 768, 768)), w("float32", by(64, 768, 768), by(64, 768, 3072)))
case("MatMul", x("float32", by(8, 512, 2048), 64), x("float32", 64, by(8, 512, 2048)))
case("MatMul", x("float32", by(1, 2, 8), 12, by(8, 60, 197), 64), x("float32", by(1, 2, 8), 12, 64, by(8, 60, 197)))
case(
    "MatMul",
    x("float32", by(1, 2, 8), 12, by(8, 64, 197), by(8, 64, 197)),
    x("float32", by(1, 2, 8), 12, by(8, 64, 197), 64),
)
case("MatMul", x("float32", by(10, 1000, 100_000), 4, 4), x("float32", by(10, 1000, 100_000), 4, 4))
case("MatMul", x(INTEGERS, by(8, 64, 256), by(8, 64, 256)), x(INTEGERS, by(8, 64, 256), by(8, 64, 256)))
case(
    "Gemm",
    x(FLOATS, by(1, 64, 512), by(64, 512, 1024)),
    w(FLOATS, by(64, 512, 1000), by(64, 512, 1024)),
    w(FLOATS, by(64, 512, 1000)),
    transB=1,
)
case(
    "Gemm",
    x("float32", by(1, 64, 512), by(64, 512, 1024)),
    w("float32", by(64, 512, 1024), by(64, 512, 1000)),
    alpha=0.5,
)
case(
    "Gemm",
    x("float32", by(64, 512, 1024), by(1, 64, 512)),
    x("float32", by(64, 512, 1024), by(64, 512, 1000)),
    transA=1,
)
case("MatMulInteger", x(BYTES, by(4, 64, 512), by(64, 512, 1024)), w("int8", by(64, 512, 1024), by(64, 512, 1024)))
case(
    "Einsum",
    x("float32", by(1, 2, 4), by(8, 64, 256), 12, 64),
    x("float32", by(1, 2, 4), by(8, 64, 256), 12, 64),
    equation="bqhd,bkhd->bhqk",
)
case(
    "Einsum",
    x("float32", by(1, 2, 4), 12, by(8, 64, 256), by(8, 64, 256)),
    x("float32", by(1, 2, 4), by(8, 64, 256), 12, 64),
    equation="bhqk,bkhd->bqhd",
)
case(
    "Einsum",
    x(FLOATS, by(8, 100, 512), by(8, 100, 512)),
    x(FLOATS, by(8, 100, 512), by(8, 100, 512)),
    equation="ij,jk->ik",
)
case("Einsum", x("float32", by(8, 160, 2000), by(8, 160, 2000)), equation=each("ij->ji", "ij->i", "ij->j"))
case("Einsum", x("float32", by(8, 32, 200), by(4, 32, 128), by(4, 32, 128)), equation="bii->bi")
case("Einsum", x("float32", by(8, 100, 1000), 64), x("float32", by(8, 100, 1000), 64), equation="bi,bi->b")
case(
    "Einsum",
    x("float32", by(4, 32, 128), 16),
    x("float32", 16, 24, 32),
    x("float32", by(4, 32, 128), 32),
    equation="bi,ijk,bk->bj",
)
case("Det", x("float32", by(4, 100, 2000), 3, 3, fill=well_conditioned))
case("Det", x("float32", by(1, 4, 16), by(8, 32, 128), by(8, 32, 128), fill=well_conditioned))

# Spectra: powers of two, lengths with other factors, primes.
LENGTH = each(by(64, 1024, 16_384), by(60, 1000, 15_000), by(61, 1009, 10_007))
# ONNX Runtime loses digits of float32 where the length is no power of two.
case("DFT", x(FLOATS, by(1, 4, 16), LENGTH, 2), None, 1, agreement="norms")
case("DFT", x("float32", by(1, 4, 32), LENGTH, 1), None, 1, onesided=1, agreement="norms")
case("DFT", x("float32", by(1, 4, 16), LENGTH, 2), None, 1, inverse=1, agreement="norms")
case("DFT", x("float32", 1, by(16, 128, 512), by(16, 128, 512), 2), None, 1)
case("STFT", x("float32", 1, by(1_000, 16_000, 480_000), 1), 160, w("float32", 400), 400, onesided=1)
case("STFT", x("float32", 1, by(1_000, 16_000, 480_000), 1), 128, w("float32", 512), 512, onesided=1)
for name in ("HannWindow", "HammingWindow", "BlackmanWindow"):
    case(name, fed(by(64, 4096, 2_000_000)), periodic=each(0, 1))
case(
    "MelWeightMatrix",
    fed(by(8, 40, 128)),
    fed(by(64, 512, 8192)),
    fed(16_000),
    fed(0.0),
    fed(8000.0),
    output_datatype=element("float32"),
)
