"""Operators that generate, move, select and convert elements."""

import numpy as np
from arrays import element
from notation import by, case, each, fed, w, x
from onnx import numpy_helper

N = by(100, 30_000, 6_000_000)
# Elements of one, two, four and eight bytes.
WIDTHS = each("uint8", "float16", "float32", "int64")
DTYPES = ("float32", "float64", "float16", "int32", "int64", "uint8", "bool")
# Images, and activations of transformers.
BATCH, SIDE = by(1, 1, 8), by(8, 32, 112)
ROWS = by(4, 40, 2000)

# Unchanged, or with other dims.
case("Identity", x(WIDTHS, N))
case("Identity", x("string", by(10, 1000, 50_000)))
case("Reshape", x("float32", by(1, 30, 6000), 20, 50), [-1, 50])
case("Flatten", x("float32", by(1, 30, 6000), 20, 50), axis=1)
case("Squeeze", x("float32", by(100, 30_000, 6_000_000), 1), [1])
case("Unsqueeze", x("float32", N), [0])
case("Dropout", x("float32", N))
for name in ("Shape", "Size"):
    case(name, x("float32", N))
case("BitCast", x("float32", N), to=element("int32"))

# Conversions between all pairs of types that models use.
for source in DTYPES:
    for target in DTYPES:
        if source != target:
            case("Cast", x(source, N), to=element(target))
case("Cast", x("float32", by(10, 1000, 100_000)), to=element("string"), agreement="shapes")
case("Cast", x("int64", by(10, 1000, 100_000)), to=element("string"))
case("Cast", x("float32", N), to=each(element("bfloat16"), element("float8e4m3fn")), alone=True)
case("Cast", x("float32", N), to=element("int8"))
case("CastLike", x("float32", N), w("float16", 1))

# Transposition: images to channels last and back, matrices, heads, reversals, axes of one.
case("Transpose", x(WIDTHS, BATCH, 64, SIDE, SIDE), perm=[0, 2, 3, 1])
case("Transpose", x(WIDTHS, BATCH, SIDE, SIDE, 64), perm=[0, 3, 1, 2])
case("Transpose", x("uint8", 1, by(16, 128, 1080), by(16, 128, 1920), 3), perm=[0, 3, 1, 2])
case("Transpose", x("float32", 1, 3, by(16, 128, 1080), by(16, 128, 1920)), perm=[0, 2, 3, 1])
case("Transpose", x(each(*WIDTHS.values, "float64"), by(10, 250, 3000), by(10, 250, 2001)), perm=[1, 0])
case("Transpose", x("float32", 1, by(4, 64, 2048), 12, 64), perm=each([0, 2, 1, 3], [0, 2, 3, 1]))
case(
    "Transpose",
    x("float32", by(4, 16, 128), by(5, 15, 127), by(6, 14, 129)),
    perm=each([2, 1, 0], [1, 0, 2], [2, 0, 1]),
)
case("Transpose", x("float32", by(2, 4, 8), 8, by(4, 16, 64), 8, 49), perm=[0, 2, 1, 3, 4])

# Concatenation and splitting.
for axis in (0, 1, -1):
    case(
        "Concat",
        x("float32", by(2, 8, 64), by(8, 32, 128), by(8, 32, 128)),
        x("float32", by(2, 8, 64), by(8, 32, 128), by(8, 32, 128)),
        axis=axis,
    )
case("Concat", x(WIDTHS, ROWS, 255), x(WIDTHS, ROWS, 1), x(WIDTHS, ROWS, 512), axis=1)
case("Concat", *(x("float32", ROWS, 1) for _ in range(64)), axis=1)
case("Split", x(WIDTHS, ROWS, 768), axis=1, outputs=3, num_outputs=3)
case("Split", x("float32", by(4, 32, 384), 256, 32), axis=each(0, 1), outputs=2, num_outputs=2)
case("Split", x("float32", ROWS, 500), [1, 130, 369], axis=1, outputs=3)
CUT = (x(WIDTHS, BATCH, 64, SIDE, SIDE),)
case("Slice", *CUT, [1], [-1], [2])
case("Slice", *CUT, [1], [-1], [3])
case("Slice", *CUT, [8], [40], [1])
case("Slice", *CUT, [0, 0], [1000, 1000], [2, 3], [2, 2])
case("Slice", x(WIDTHS, N), [-1], [-100_000_000], [0], [-1])
case("Slice", x("float32", ROWS, 1000), [-1], [-100_000], [1], [-1])
case("Pad", x(WIDTHS, BATCH, 64, SIDE, SIDE), [0, 0, 1, 1, 0, 0, 1, 1])
case("Pad", x("float32", BATCH, 64, SIDE, SIDE), [0, 0, 3, 3, 0, 0, 3, 3], mode=each("reflect", "edge", "wrap"))
case("Pad", x("float32", BATCH, SIDE, SIDE, 64), [0, 1, 1, 0, 0, 1, 1, 0])
case("Pad", x("float32", ROWS, 1000), [0, 0, 0, 24])
case("Pad", x("float32", ROWS, 1000), [0, 5, 0, 9], mode="reflect")
case("CenterCropPad", x("float32", BATCH, 64, SIDE, SIDE), [6, 12], axes=[2, 3])
case("Tile", x(WIDTHS, ROWS, 64), each([1, 8], [8, 1]))
case("Tile", x("float32", by(4, 40, 2000), 1, 3), [1, 64, 4])
case("Expand", x(WIDTHS, ROWS, 1), [1, 1000])
case("Expand", x(WIDTHS, 768), by([4, 1], [40, 1], [4000, 1]))
case("Expand", x("float32", 1, 64, 1, 1), by([1, 64, 8, 8], [1, 64, 32, 32], [8, 64, 112, 112]))
for name in ("DepthToSpace", "SpaceToDepth"):
    case(name, x(each("float32", "uint8", "float64"), BATCH, 64, SIDE, SIDE), blocksize=2)
case("DepthToSpace", x("float32", BATCH, 64, SIDE, SIDE), blocksize=2, mode="CRD")
case("DepthToSpace", x("float32", 1, 9, by(8, 64, 224), by(8, 64, 224)), blocksize=3, mode="CRD")

# Selection.
case("Gather", x(WIDTHS, 30_000, by(8, 64, 768)), x("int64", by(4, 128, 4000), low=0, high=29_999))
case("Gather", x("float32", by(4, 32, 256), 200, 64), x("int64", 100, low=0, high=199), axis=1)
case("Gather", x("float32", ROWS, 1000), x("int64", 500, low=0, high=999), axis=1)
case("Gather", x("float32", ROWS, 1000), 7, axis=1)
case("Gather", x("float32", 1000, 64), x("int32", by(4, 128, 30_000), low=0, high=999))
case("GatherElements", x(WIDTHS, ROWS, 500), x("int64", ROWS, 500, low=0, high=499), axis=1)
case("GatherElements", x("float32", 500, by(8, 60, 4000)), x("int64", 500, by(8, 60, 4000), low=0, high=499), axis=0)
case("GatherND", x("float32", 200, 200, 16), x("int64", by(10, 1000, 100_000), 2, low=0, high=199))
case("GatherND", x("float32", 200, 200), x("int64", by(10, 1000, 500_000), 2, low=0, high=199))
case(
    "ScatterElements",
    x(WIDTHS, ROWS, 500),
    x("int64", ROWS, 100, low=0, high=499),
    x(WIDTHS, ROWS, 100),
    axis=1,
    agreement="shapes",
)
case(
    "ScatterElements",
    x("float32", ROWS, 500),
    x("int64", ROWS, 100, low=0, high=499),
    x("float32", ROWS, 100),
    axis=1,
    reduction=each("add", "max"),
)
case(
    "Scatter",
    x("float32", ROWS, 500),
    x("int64", ROWS, 100, low=0, high=499),
    x("float32", ROWS, 100),
    axis=1,
    since=9,
    agreement="shapes",
)
case(
    "ScatterND",
    x("float32", 20_000, 64),
    x("int64", by(4, 100, 10_000), 1, low=0, high=19_999),
    x("float32", by(4, 100, 10_000), 64),
    agreement="shapes",
)
case(
    "ScatterND",
    x("float32", 1000, 1000),
    x("int64", by(10, 1000, 100_000), 2, low=0, high=999),
    x("float32", by(10, 1000, 100_000)),
    reduction=each("add", "max"),
)
case(
    "TensorScatter",
    x("float32", by(1, 1, 4), 8, by(64, 512, 4096), 64),
    x("float32", by(1, 1, 4), 8, 16, 64),
    fed(by([7], [7], [7, 9, 30, 2])),
)
case("Where", x("bool", N), x(WIDTHS, N), x(WIDTHS, N))
case("Where", x("bool", N), x("float32", N), w("float32"))
case(
    "Where",
    x("bool", 1, 1, by(8, 64, 512), by(8, 64, 512)),
    x("float32", 1, 12, by(8, 64, 512), by(8, 64, 512)),
    w("float32"),
)
case("Compress", x(WIDTHS, N), x("bool", N))
case("Compress", x("float32", ROWS, 1000), x("bool", 1000), axis=1)
case("Compress", x("float32", ROWS, 1000), x("bool", ROWS), axis=0)
case("NonZero", x(each("float32", "bool", "int64"), N))
case("NonZero", x("bool", by(8, 64, 512), by(4, 16, 128), 50))
case("Unique", x(each("float32", "int64"), by(100, 10_000, 300_000), low=0, high=1000))
case("Unique", x("int64", by(100, 10_000, 300_000), low=0, high=1000), sorted=0)
case("Unique", x("int64", by(10, 500, 10_000), 3, low=0, high=9), axis=0)
case("Unique", x("string", by(10, 1000, 50_000)))
case("OneHot", x("int64", by(4, 200, 10_000), low=0, high=99), 100, [0.0, 1.0])
case("OneHot", x("int64", by(4, 40, 2000), low=0, high=999), 1000, [0.0, 1.0], axis=0)
case("Trilu", x(each("float32", "int64", "bool"), by(1, 2, 16), by(8, 100, 512), by(8, 100, 512)), upper=each(0, 1))
case(
    "ReverseSequence",
    x("float32", by(10, 50, 200), by(2, 8, 64), 256),
    fed(by([10, 5], [50] * 8, [200, 150] * 32)),
    time_axis=0,
    batch_axis=1,
)

# Outputs generated from small inputs.
case("ConstantOfShape", fed(by([100], [30_000], [6_000_000])), value=numpy_helper.from_array(np.ones(1, np.float32)))
case("ConstantOfShape", fed(by([100], [30_000], [6_000_000])), value=numpy_helper.from_array(np.zeros(1, np.int64)))
case("EyeLike", x("float32", by(10, 150, 2500), by(10, 150, 2500)), k=1)
case("Range", fed(0), fed(by(100, 30_000, 6_000_000)), fed(1))
case("Range", fed(0.0), fed(by(100.0, 30_000.0, 6_000_000.0)), fed(1.0))
case("DynamicSlice", x("float32", by(4, 40, 2000), 1000), fed([0, 10]), fed([1_000_000, 900]), since=1)
for name in ("RandomNormal", "RandomUniform"):
    case(name, shape=by([100], [30_000], [6_000_000]), seed=1.0, agreement="shapes")
for name in ("RandomNormalLike", "RandomUniformLike"):
    case(name, x("float32", N), seed=1.0, agreement="shapes")
case("Bernoulli", x("float32", N, low=0, high=1), seed=1.0, agreement="shapes")
case(
    "Multinomial",
    x("float32", by(1, 16, 256), by(10, 1000, 10_000)),
    sample_size=by(10, 100, 100),
    seed=1.0,
    agreement="shapes",
)
