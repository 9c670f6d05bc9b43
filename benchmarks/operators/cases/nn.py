"""Convolutions, pools, normalisations, softmax and attention."""

from arrays import corners
from notation import by, case, each, w, x

FLOATS, HALVES = each("float32", "float64"), each("float32", "float16")
REALS = each("float32", "float64", "float16")
BATCH, SIDE = by(1, 1, 4), by(7, 28, 56)
ROWS, KERNEL = by(4, 40, 4000), each(1, 3)

# Convolutions of image networks: first layers, 1x1, 3x3, strides, few channels, depthwise, grouped, dilated.
case(
    "Conv",
    x("float32", 1, 3, by(16, 64, 224), by(16, 64, 224)),
    w("float32", 64, 3, 7, 7),
    strides=[2, 2],
    pads=[3] * 4,
)
case(
    "Conv",
    x("float32", 1, 3, by(16, 64, 224), by(16, 64, 224)),
    w("float32", 16, 3, 3, 3),
    strides=[2, 2],
    pads=[1] * 4,
)
case("Conv", x(HALVES, 1, by(8, 64, 256), by(7, 28, 56), by(7, 28, 56)), w(HALVES, by(8, 64, 64), by(8, 64, 256), 1, 1))
case(
    "Conv",
    x(HALVES, 1, by(8, 64, 128), by(7, 28, 28), by(7, 28, 28)),
    w(HALVES, by(8, 64, 128), by(8, 64, 128), 3, 3),
    w(HALVES, by(8, 64, 128)),
    pads=[1] * 4,
)
case(
    "Conv",
    x("float64", 1, by(8, 64, 128), by(7, 28, 28), by(7, 28, 28)),
    w("float64", by(8, 64, 128), by(8, 64, 128), KERNEL, KERNEL),
    alone=True,
)
case(
    "Conv",
    x("float32", 1, by(16, 64, 256), by(8, 28, 56), by(8, 28, 56)),
    w("float32", by(16, 64, 256), by(16, 64, 256), 3, 3),
    pads=[1] * 4,
    strides=[2, 2],
)
case("Conv", x("float32", 1, 96, by(7, 28, 112), by(7, 28, 112)), w("float32", each(16, 24), 96, 1, 1))
case("Conv", x("float32", 1, by(16, 64, 512), 7, 7), w("float32", by(16, 64, 512), by(16, 64, 512), 3, 3), pads=[1] * 4)
case(
    "Conv",
    x("float32", 1, by(5, 37, 67), by(9, 29, 61), by(9, 29, 61)),
    w("float32", by(7, 35, 71), by(5, 37, 67), 3, 3),
    pads=[1] * 4,
)
case(
    "Conv",
    x("float32", 1, by(8, 64, 192), SIDE, SIDE),
    w("float32", by(8, 64, 192), 1, 3, 3),
    group=by(8, 64, 192),
    pads=[1] * 4,
)
case(
    "Conv",
    x("float32", 1, by(8, 64, 192), SIDE, SIDE),
    w("float32", by(8, 64, 192), 1, 3, 3),
    group=by(8, 64, 192),
    pads=[1] * 4,
    strides=[2, 2],
)
case(
    "Conv",
    x("float32", 1, by(8, 64, 192), SIDE, SIDE),
    w("float32", by(8, 64, 192), 1, 5, 5),
    group=by(8, 64, 192),
    pads=[2] * 4,
)
case(
    "Conv",
    x("float32", 1, by(8, 64, 192), SIDE, SIDE),
    w("float32", by(8, 64, 192), 1, 7, 7),
    group=by(8, 64, 192),
    pads=[3] * 4,
)
case(
    "Conv",
    x("float32", 1, by(32, 64, 256), SIDE, SIDE),
    w("float32", by(32, 64, 256), by(4, 8, 8), 3, 3),
    group=by(8, 8, 32),
    pads=[1] * 4,
)
case(
    "Conv",
    x("float32", 1, by(8, 32, 128), SIDE, SIDE),
    w("float32", by(8, 32, 128), by(8, 32, 128), 3, 3),
    pads=[4] * 4,
    dilations=[4, 4],
)
case(
    "Conv",
    x("float32", 1, by(8, 64, 80), by(50, 400, 3000)),
    w("float32", by(8, 64, 384), by(8, 64, 80), 3),
    pads=[1, 1],
)
case(
    "Conv",
    x("float32", 1, by(8, 64, 256), by(50, 400, 3000)),
    w("float32", by(8, 64, 256), 1, 31),
    group=by(8, 64, 256),
    pads=[15, 15],
)
case("Conv", x("float32", 1, 1, by(400, 4000, 80_000)), w("float32", by(8, 64, 512), 1, 10), strides=[5])
case(
    "Conv",
    x("float32", 1, by(4, 16, 32), by(4, 12, 24), by(4, 12, 24), by(4, 12, 24)),
    w("float32", by(4, 16, 32), by(4, 16, 32), 3, 3, 3),
    pads=[1] * 6,
)
case(
    "ConvTranspose",
    x("float32", 1, by(8, 64, 128), by(7, 14, 28), by(7, 14, 28)),
    w("float32", by(8, 64, 128), by(8, 32, 64), 2, 2),
    strides=[2, 2],
)
case(
    "ConvTranspose",
    x("float32", 1, by(8, 64, 128), by(7, 14, 28), by(7, 14, 28)),
    w("float32", by(8, 64, 128), by(8, 32, 64), 4, 4),
    strides=[2, 2],
    pads=[1] * 4,
)
case(
    "ConvTranspose",
    x("float32", 1, by(8, 64, 128), by(20, 100, 400)),
    w("float32", by(8, 64, 128), by(8, 32, 64), 16),
    strides=[8],
    pads=[4, 4],
)
case(
    "ConvInteger",
    x("uint8", 1, by(8, 64, 128), by(7, 28, 28), by(7, 28, 28)),
    w("uint8", by(8, 64, 128), by(8, 64, 128), 3, 3),
    pads=[1] * 4,
)
case(
    "DeformConv",
    x("float32", 1, by(4, 32, 128), by(6, 16, 40), by(6, 16, 40)),
    w("float32", by(4, 32, 128), by(4, 32, 128), 3, 3),
    x("float32", 1, 18, by(6, 16, 40), by(6, 16, 40)),
    pads=[1] * 4,
)
case(
    "CausalConvWithState",
    x("float32", 1, by(16, 256, 2048), by(16, 64, 512)),
    w("float32", by(16, 256, 2048), 1, 4),
    outputs=2,
)
case(
    "LinearAttention",
    *(x("float32", 1, by(8, 64, 256), by(64, 256, 1024), low=-1, high=1) for _ in range(3)),
    q_num_heads=4,
    kv_num_heads=4,
    update_rule="linear",
    outputs=2,
)
case(
    "Col2Im", x("float32", 1, by(18, 144, 576), by(36, 784, 3136)), by([6, 6], [28, 28], [56, 56]), [3, 3], pads=[1] * 4
)

# Pools: 2x2, 3x3 with stride, all axes, 1-D and 3-D.
for name in ("MaxPool", "AveragePool"):
    case(name, x(HALVES, BATCH, 64, by(8, 28, 112), by(8, 28, 112)), kernel_shape=[2, 2], strides=[2, 2])
    case(
        name,
        x("float64", BATCH, 64, by(8, 28, 112), by(8, 28, 112)),
        kernel_shape=[2, 2],
        strides=[2, 2],
        alone=name == "AveragePool",
    )
    case(
        name, x("float32", BATCH, 64, by(8, 28, 112), by(8, 28, 112)), kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4
    )
    case(name, x("float32", BATCH, 64, by(8, 28, 112), by(8, 28, 112)), kernel_shape=[3, 3], pads=[1] * 4)
    case(name, x("float32", BATCH, 64, by(50, 400, 8000)), kernel_shape=[3], strides=[2])
    case(
        name,
        x("float32", 1, by(4, 16, 32), by(6, 16, 48), by(6, 16, 48), by(6, 16, 48)),
        kernel_shape=[2] * 3,
        strides=[2] * 3,
    )
case("MaxPool", x("float32", 1, by(8, 64, 256), by(7, 20, 40), by(7, 20, 40)), kernel_shape=[5, 5], pads=[2] * 4)
case("MaxPool", x("uint8", BATCH, 64, by(8, 28, 112), by(8, 28, 112)), kernel_shape=[2, 2], strides=[2, 2])
case("MaxPool", x("float32", BATCH, 64, by(8, 28, 112), by(8, 28, 112)), kernel_shape=[2, 2], strides=[2, 2], outputs=2)
case("LpPool", x("float32", BATCH, 64, by(8, 28, 112), by(8, 28, 112)), kernel_shape=[2, 2], strides=[2, 2])
for name in ("GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool"):
    case(name, x("float32", BATCH, by(16, 256, 512), by(7, 14, 28), by(7, 14, 28)))
case(
    "MaxUnpool",
    x("float32", 1, 64, by(4, 14, 112), by(4, 14, 112)),
    x("int64", 1, 64, by(4, 14, 112), by(4, 14, 112), fill=corners),
    kernel_shape=[2, 2],
    strides=[2, 2],
)

# Normalisations and softmax: rows of transformers, channels of images, lengths that are not powers of two.
for name in ("Softmax", "LogSoftmax"):
    case(name, x(REALS, ROWS, 1000))
    case(name, x("float32", by(10, 100, 10_000), each(7, 128)))
    case(name, x("float32", 1, 21, by(8, 64, 256), by(8, 64, 256)), axis=1)
case("Softmax", x("float32", 1, 12, by(8, 64, 512), by(8, 64, 512)))
case("LayerNormalization", x(REALS, 1, ROWS, 768), w(REALS, 768), w(REALS, 768))
case("LayerNormalization", x("float32", 1, ROWS, 100), w("float32", 100), w("float32", 100))
case("RMSNormalization", x(FLOATS, 1, ROWS, 768), w(FLOATS, 768))
case("SimplifiedLayerNormalization", x(FLOATS, 1, ROWS, 768), w(FLOATS, 768))
case(
    "GroupNormalization",
    x("float32", BATCH, 64, by(8, 28, 112), by(8, 28, 112)),
    w("float32", 64),
    w("float32", 64),
    num_groups=32,
)
case(
    "InstanceNormalization", x("float32", BATCH, 64, by(8, 28, 112), by(8, 28, 112)), w("float32", 64), w("float32", 64)
)
case(
    "BatchNormalization",
    x(REALS, BATCH, 64, by(8, 28, 112), by(8, 28, 112)),
    w(REALS, 64),
    w(REALS, 64),
    w(REALS, 64),
    w(REALS, 64, low=0.5, high=2),
)
case(
    "BatchNormalization",
    x("float32", by(4, 40, 4000), 1000),
    w("float32", 1000),
    w("float32", 1000),
    w("float32", 1000),
    w("float32", 1000, low=0.5, high=2),
)
for dims in ((BATCH, 64, by(8, 28, 112), by(8, 28, 112)), (by(4, 40, 4000), 1000)):
    channels = dims[1]
    case(
        "BatchNormalization",
        x(FLOATS, *dims),
        w(FLOATS, channels),
        w(FLOATS, channels),
        w(FLOATS, channels),
        w(FLOATS, channels, low=0.5, high=2),
        training_mode=1,
        outputs=3,
    )
case("LRN", x("float32", 1, 96, by(7, 14, 55), by(7, 14, 55)), size=5)
case("LpNormalization", x(FLOATS, ROWS, 1000), axis=each(1, 0), p=each(1, 2))
case("MeanVarianceNormalization", x("float32", BATCH, 64, by(8, 28, 112), by(8, 28, 112)))

# Attention: prompts, one additional token, grouped heads.
HEADS = (
    x("float32", 1, 12, by(8, 128, 512), 64),
    x("float32", 1, 12, by(8, 128, 512), 64),
    x("float32", 1, 12, by(8, 128, 512), 64),
)
case("Attention", *HEADS, is_causal=each(0, 1))
case(
    "Attention",
    x("float32", 1, 12, 1, 64),
    x("float32", 1, 12, by(8, 128, 2048), 64),
    x("float32", 1, 12, by(8, 128, 2048), 64),
)
case(
    "Attention",
    x("float32", 1, 16, by(8, 64, 256), 128),
    x("float32", 1, 4, by(8, 64, 256), 128),
    x("float32", 1, 4, by(8, 64, 256), 128),
    is_causal=1,
)
case(
    "RotaryEmbedding",
    x("float32", 1, 12, by(4, 64, 1024), 64),
    w("float32", 1, by(4, 64, 1024), 32),
    w("float32", 1, by(4, 64, 1024), 32),
    interleaved=each(0, 1),
)
case("ai.onnx.preview.FlexAttention", *HEADS, alone=True)
