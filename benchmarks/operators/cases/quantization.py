"""Quantisation and products of bytes."""

from notation import by, case, each, w, x

N, SIDE, CHANNELS = by(100, 30_000, 6_000_000), by(7, 28, 56), by(8, 64, 128)
BYTES, FLOATS = each("uint8", "int8"), each("float32", "float16")


def scale(dtype="float32", *dims):
    return w(dtype, *dims, low=0.05, high=0.05)


def zero(dtype, *dims):
    return w(dtype, *dims, low=3, high=3)


# A scale and a zero point.
U8, S8, OF_BYTES = ((scale(), zero(dtype)) for dtype in ("uint8", "int8", BYTES))

case("QuantizeLinear", x(FLOATS, N), scale(FLOATS), zero("uint8"), agreement="scales")
case("QuantizeLinear", x("float32", N), *S8, agreement="scales")
case(
    "QuantizeLinear",
    x("float32", by(1, 1, 4), 64, by(8, 28, 112), by(8, 28, 112)),
    scale("float32", 64),
    zero("int8", 64),
    axis=1,
    agreement="scales",
)
case(
    "QuantizeLinear",
    x("float32", by(4, 40, 2000), 1024),
    scale("float32", by(4, 40, 2000), 32),
    zero("int8", by(4, 40, 2000), 32),
    axis=1,
    block_size=32,
    agreement="scales",
)
case("DequantizeLinear", x(BYTES, N), scale(FLOATS), zero(BYTES))
case("DequantizeLinear", x("int32", N), scale())
case(
    "DequantizeLinear",
    x("int8", by(1, 1, 4), 64, by(8, 28, 112), by(8, 28, 112)),
    scale("float32", 64),
    zero("int8", 64),
    axis=1,
)
case(
    "DequantizeLinear",
    x("uint8", by(4, 40, 2000), 1024),
    scale("float32", by(4, 40, 2000), 32),
    zero("uint8", by(4, 40, 2000), 32),
    axis=1,
    block_size=32,
)
case("DynamicQuantizeLinear", x("float32", N), outputs=3, agreement="scales")
case(
    "QLinearMatMul",
    x(BYTES, by(4, 64, 512), by(64, 512, 1024)),
    *OF_BYTES,
    w("int8", by(64, 512, 1024), by(64, 512, 1024)),
    *S8,
    w("float32", low=9, high=9),
    zero(BYTES),
    agreement="scales",
)
case(
    "QLinearConv",
    x("uint8", 1, CHANNELS, SIDE, SIDE),
    *U8,
    w("int8", CHANNELS, CHANNELS, 3, 3),
    scale("float32", CHANNELS),
    w("int8", CHANNELS, low=0, high=0),
    w("float32", low=9, high=9),
    zero("uint8"),
    w("int32", CHANNELS),
    pads=[1] * 4,
    agreement="scales",
)
case(
    "QLinearConv",
    x(BYTES, 1, CHANNELS, SIDE, SIDE),
    *OF_BYTES,
    w("int8", CHANNELS, CHANNELS, 1, 1),
    scale(),
    w("int8", low=0, high=0),
    w("float32", low=9, high=9),
    zero(BYTES),
    agreement="scales",
)
case(
    "QLinearConv",
    x("uint8", 1, CHANNELS, SIDE, SIDE),
    *U8,
    w("int8", CHANNELS, 1, 3, 3),
    scale("float32", CHANNELS),
    w("int8", CHANNELS, low=0, high=0),
    w("float32", low=2, high=2),
    zero("uint8"),
    group=CHANNELS,
    pads=[1] * 4,
    agreement="scales",
)
