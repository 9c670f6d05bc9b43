"""Operators of com.microsoft on quantised tensors, which are expanded into others at load time."""

from notation import by, case, each, w, x

MS = "com.microsoft."
ROWS, N = by(4, 40, 2000), by(100, 30_000, 2_000_000)
BYTES = each("uint8", "int8")
SIDE, CHANNELS = by(7, 28, 56), by(8, 64, 128)
WIDTH, UNITS = by(64, 256, 768), by(256, 1024, 3072)
# For a matrix of WIDTH x WIDTH in four bits, in blocks of 64.
BNB_BYTES, BNB_BLOCKS = by(64 * 32, 256 * 128, 768 * 384), by(64, 1024, 9216)
SMALL = w("float32", 1, low=0.0005, high=0.0005)


def scale(*dims):
    return w("float32", *dims, low=0.05, high=0.05)


def zero(dtype, *dims):
    return w(dtype, *dims, low=3, high=3)


# A scale and a zero point.
U8, S8, OF_BYTES = ((scale(), zero(dtype)) for dtype in ("uint8", "int8", BYTES))

case(
    MS + "QMoE",
    x("float32", by(1, 8, 64), 256),
    x("float32", by(1, 8, 64), 8),
    w("uint8", 8, 512, 128, low=0, high=255),
    w("float32", 8, 512, 8, low=0.01, high=0.1),
    None,
    w("uint8", 8, 256, 256, low=0, high=255),
    w("float32", 8, 256, 16, low=0.01, high=0.1),
    activation_type="relu",
    k=2,
    block_size=32,
    agreement="norms",
)
case(
    MS + "QAttention",
    x("uint8", 1, by(8, 128, 384), 768),
    w("int8", 768, 2304),
    w("float32", 2304),
    scale(),
    w("float32", low=0.001, high=0.001),
    None,
    zero("uint8"),
    zero("int8"),
    num_heads=12,
    agreement="norms",
)
case(MS + "QuantizeLinear", x("float32", N), *U8, agreement="scales")
case(MS + "DequantizeLinear", x("uint8", N), *U8)
case(
    MS + "QLinearReduceMean",
    x("uint8", 1, 64, SIDE, SIDE),
    *U8,
    *U8,
    axes=[2, 3],
    keepdims=0,
    agreement="scales",
    alone=True,
)
case(
    MS + "DynamicQuantizeLSTM",
    x("float32", by(1, 10, 60), 1, WIDTH),
    w("int8", 1, WIDTH, UNITS, low=-60, high=60),
    w("int8", 1, WIDTH, UNITS, low=-60, high=60),
    None,
    None,
    None,
    None,
    None,
    SMALL,
    zero("int8", 1),
    SMALL,
    zero("int8", 1),
    hidden_size=WIDTH,
    outputs=2,
    agreement="norms",
)
case(
    MS + "QEmbedLayerNormalization",
    x("int32", 1, by(4, 64, 512), low=0, high=999),
    None,
    w("uint8", 1000, 768),
    w("uint8", 512, 768),
    None,
    w("uint8", 768),
    w("uint8", 768),
    None,
    scale(),
    scale(),
    None,
    scale(),
    *U8,
    zero("uint8"),
    None,
    zero("uint8"),
    zero("uint8"),
    outputs=2,
)
case(
    MS + "MatMulBnb4",
    x("float32", by(1, 1, 16), WIDTH),
    w("uint8", BNB_BYTES),
    w("float32", BNB_BLOCKS, low=0.1, high=1),
    N=WIDTH,
    K=WIDTH,
    block_size=64,
    quant_type=1,
)
case(MS + "QLinearAdd", x(BYTES, N), *OF_BYTES, x(BYTES, N), *OF_BYTES, *OF_BYTES, agreement="scales")
case(MS + "QLinearMul", x(BYTES, N), *OF_BYTES, x(BYTES, N), *OF_BYTES, *OF_BYTES, agreement="scales")
case(MS + "QLinearSigmoid", x("uint8", N), *U8, w("float32", low=0.004, high=0.004), zero("uint8"), agreement="scales")
case(MS + "QLinearLeakyRelu", x("uint8", N), *U8, *U8, alpha=0.1, agreement="scales")
case(
    MS + "QLinearSoftmax",
    x("uint8", ROWS, 1000),
    *U8,
    w("float32", low=0.004, high=0.004),
    zero("uint8"),
    axis=-1,
    **{"opset": 13},
    agreement="scales",
)
case(MS + "QLinearGlobalAveragePool", x("uint8", 1, by(16, 256, 2048), 7, 7), *U8, *U8, agreement="scales")
case(
    MS + "QLinearAveragePool",
    x("uint8", 1, 64, SIDE, SIDE),
    *U8,
    *U8,
    kernel_shape=[2, 2],
    strides=[2, 2],
    agreement="scales",
)
case(MS + "QLinearConcat", *U8, x("uint8", ROWS, 500), *U8, x("uint8", ROWS, 500), *U8, axis=1, agreement="scales")
case(MS + "QLinearWhere", x("bool", N), x("uint8", N), *U8, x("uint8", N), *U8, *U8, agreement="scales")
case(
    MS + "QLinearConv",
    x("uint8", 1, SIDE, SIDE, CHANNELS),
    *U8,
    w("int8", CHANNELS, CHANNELS, 3, 3),
    scale(),
    w("int8", low=0, high=0),
    w("float32", low=9, high=9),
    zero("uint8"),
    pads=[1] * 4,
    channels_last=1,
    agreement="scales",
)
case(
    MS + "QGemm",
    x("uint8", by(4, 64, 384), WIDTH),
    *U8,
    w("int8", WIDTH, WIDTH),
    scale(),
    w("int8", low=0, high=0),
    w("int32", WIDTH),
)
case(
    MS + "MatMulIntegerToFloat",
    x("uint8", by(4, 64, 384), WIDTH),
    w("int8", WIDTH, WIDTH),
    scale(),
    *U8,
    zero("int8"),
)
case(MS + "DynamicQuantizeMatMul", x("float32", by(4, 64, 384), WIDTH), w("int8", WIDTH, WIDTH), *S8, agreement="norms")
case(
    MS + "MatMulNBits",
    x("float32", by(1, 1, 64), WIDTH),
    w("uint8", WIDTH, by(2, 8, 24), 16, low=0, high=255),
    w("float32", by(64 * 2, 256 * 8, 768 * 24), low=0.01, high=0.1),
    K=WIDTH,
    N=WIDTH,
    bits=4,
    block_size=32,
    accuracy_level=each(0, 4),
    agreement="norms",
)
case(
    MS + "GatherBlockQuantized",
    w("uint8", 10_000, 384),
    x("int64", by(4, 64, 1024), low=0, high=9999),
    w("float32", 10_000, 24, low=0.01, high=0.1),
    bits=4,
    block_size=32,
    quantize_axis=1,
)
