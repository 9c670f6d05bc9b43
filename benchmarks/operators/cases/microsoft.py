"""Operators of com.microsoft, which are expanded into others when a model is loaded."""

import numpy as np
from arrays import phrases, well_conditioned, whole
from bodies import language_model
from notation import by, case, each, fed, lazily, w, x

MS = "com.microsoft."
ROWS, N = by(4, 40, 2000), by(100, 30_000, 2_000_000)
BYTES = each("uint8", "int8")
SIDE, CHANNELS = by(7, 28, 56), by(8, 64, 128)
WIDTH, UNITS = by(64, 256, 768), by(256, 1024, 3072)
# Of a matrix of WIDTH x WIDTH in four bits, in blocks of 64.
BNB_BYTES, BNB_BLOCKS = by(64 * 32, 256 * 128, 768 * 384), by(64, 1024, 9216)
# Of a prompt: the index of its last token, and its length.
ENDS, LENGTHS = (fed(by(*(np.array(n, np.int32) for n in numbers))) for numbers in (([7], [63], [511]), (8, 64, 512)))
SMALL = w("float32", 1, low=0.0005, high=0.0005)


def step(*dims):
    return w("float32", *dims, low=0.05, high=0.05)


def zero(dtype, *dims):
    return w(dtype, *dims, low=3, high=3)


# A scale and a zero point.
U8, S8, OF_BYTES = ((step(), zero(dtype)) for dtype in ("uint8", "int8", BYTES))

# Activations and normalisations of transformers.
for name in ("Gelu", "FastGelu", "QuickGelu"):
    case(MS + name, x("float32", ROWS, 1024))
case(MS + "BiasGelu", x("float32", ROWS, 1024), w("float32", 1024))
case(
    MS + "SkipLayerNormalization",
    x("float32", 1, ROWS, 768),
    x("float32", 1, ROWS, 768),
    w("float32", 768),
    w("float32", 768),
)
case(MS + "SimplifiedLayerNormalization", x("float32", 1, ROWS, 768), w("float32", 768), alone=True)
case(MS + "SkipSimplifiedLayerNormalization", x("float32", 1, ROWS, 768), x("float32", 1, ROWS, 768), w("float32", 768))
case(
    MS + "EmbedLayerNormalization",
    x("int32", 1, by(4, 64, 512), low=0, high=999),
    None,
    w("float32", 1000, 768),
    w("float32", 512, 768),
    None,
    w("float32", 768),
    w("float32", 768),
    outputs=2,
    epsilon=1e-5,
)

# Products and convolutions with what follows them.
case(
    MS + "FusedMatMul",
    x("float32", by(8, 64, 384), by(64, 256, 768)),
    w("float32", by(64, 256, 768), by(64, 256, 768)),
    transB=1,
    alpha=0.5,
)
case(
    MS + "TransposeMatMul",
    x("float32", by(8, 64, 384), by(64, 256, 768)),
    w("float32", by(64, 256, 768), by(64, 256, 768)),
    transB=1,
)
case(
    MS + "FusedMatMulActivation",
    x("float32", by(8, 64, 384), by(64, 256, 768)),
    w("float32", by(64, 256, 768), by(64, 256, 768)),
    activation="Relu",
    alone=True,
)
case(
    MS + "FusedGemm",
    x("float32", by(8, 64, 384), by(64, 256, 768)),
    w("float32", by(64, 256, 768), by(64, 256, 768)),
    w("float32", by(64, 256, 768)),
    activation="Relu",
)
case(
    MS + "FusedConv",
    x("float32", 1, CHANNELS, SIDE, SIDE),
    w("float32", CHANNELS, CHANNELS, 3, 3),
    w("float32", CHANNELS),
    pads=[1] * 4,
    activation="Relu",
)
case(MS + "NhwcMaxPool", x("uint8", 1, SIDE, SIDE, 64), kernel_shape=[3, 3], strides=[2, 2])
case(
    MS + "CDist",
    x("float32", by(8, 100, 1000), 64, low=1, high=3),
    x("float32", by(8, 100, 1000), 64, low=-3, high=-1),
    metric="euclidean",
)
case(
    MS + "NhwcConv",
    x("float32", 1, SIDE, SIDE, CHANNELS),
    w("float32", CHANNELS, 3, 3, CHANNELS),
    pads=[1] * 4,
    alone=True,
)
case(
    MS + "NhwcFusedConv",
    x("float32", 1, SIDE, SIDE, CHANNELS),
    w("float32", CHANNELS, CHANNELS, 3, 3),
    pads=[1] * 4,
    activation="Relu",
    alone=True,
)
case(
    MS + "MoE",
    x("float32", by(1, 8, 64), 256),
    x("float32", by(1, 8, 64), 8),
    w("float32", 8, 512, 256),
    None,
    w("float32", 8, 256, 512),
    activation_type="relu",
    k=2,
)
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

# Attention.
case(MS + "MultiHeadAttention", *(x("float32", 1, by(8, 128, 512), 768) for _ in range(3)), num_heads=12)
case(
    MS + "Attention",
    x("float32", 1, by(8, 128, 384), 768),
    w("float32", 768, 2304, low=-0.1, high=0.1),
    w("float32", 2304),
    num_heads=12,
)
case(
    MS + "SparseAttention",
    *(x("float32", 1, by(16, 128, 512), 512) for _ in range(3)),
    *(x("float32", 1, 8, by(16, 128, 512), 64) for _ in range(2)),
    fed(np.array([[0, 1]], np.int32)),
    fed(np.array([[0]], np.int32)),
    *(fed(by(*(np.array([n], np.int32) for n in (16, 128, 512)))) for _ in range(2)),
    num_heads=8,
    kv_num_heads=8,
    sparse_block_size=512,
    alone=True,
)
case(
    MS + "RotaryEmbedding",
    x("float32", 1, 12, by(4, 64, 1024), 64),
    w("int64", 1, low=0, high=0),
    w("float32", 1024, 32),
    w("float32", 1024, 32),
)
case(
    MS + "GroupQueryAttention",
    x("float32", 1, by(8, 64, 512), 1024),
    x("float32", 1, by(8, 64, 512), 256),
    x("float32", 1, by(8, 64, 512), 256),
    None,
    None,
    ENDS,
    LENGTHS,
    num_heads=16,
    kv_num_heads=4,
    outputs=3,
)
case(
    MS + "DecoderMaskedMultiHeadAttention",
    x("float32", 1, 1, 768),
    x("float32", 1, 12, by(8, 128, 2048), 64),
    x("float32", 1, 12, by(8, 128, 2048), 64),
    num_heads=12,
)
case(
    MS + "CausalConvWithState",
    x("float32", 1, by(16, 256, 2048), by(16, 64, 512)),
    w("float32", by(16, 256, 2048), 1, 4),
    outputs=2,
)
case(
    MS + "LinearAttention",
    *(x("float32", 1, by(8, 64, 256), by(64, 256, 1024), low=-1, high=1) for _ in range(3)),
    q_num_heads=4,
    kv_num_heads=4,
    update_rule="linear",
    outputs=2,
)
case(
    MS + "QAttention",
    x("uint8", 1, by(8, 128, 384), 768),
    w("int8", 768, 2304),
    w("float32", 2304),
    step(),
    w("float32", low=0.001, high=0.001),
    None,
    zero("uint8"),
    zero("int8"),
    num_heads=12,
    agreement="norms",
)

# Images of diffusion models.
case(
    MS + "GroupNorm",
    x("float32", 1, SIDE, SIDE, 320),
    w("float32", 320),
    w("float32", 320),
    groups=32,
    activation=1,
    alone=True,
)
case(
    MS + "SkipGroupNorm",
    x("float32", 1, SIDE, SIDE, 320),
    w("float32", 320),
    w("float32", 320),
    x("float32", 1, SIDE, SIDE, 320),
    groups=32,
    activation=1,
    alone=True,
)
case(MS + "BiasAdd", x("float32", 1, ROWS, 640), w("float32", 640), x("float32", 1, ROWS, 640), alone=True)
case(MS + "BiasSplitGelu", x("float32", 1, ROWS, 2560), w("float32", 2560), alone=True)

# Elements moved and made.
case(MS + "Pad", x("float32", 1, 64, SIDE, SIDE), [0, 0, 1, 1, 0, 0, 1, 1])
case(MS + "Trilu", x("float32", by(8, 100, 1000), by(8, 100, 1000)))
case(MS + "GatherND", x("float32", 200, 200, 16), x("int64", by(10, 1000, 100_000), 2, low=0, high=199))
case(MS + "ExpandDims", x("float32", N), np.array(0, np.int32))
case(MS + "Range", fed(0), fed(by(100, 30_000, 2_000_000)), fed(1))
case(MS + "Unique", x("float32", by(100, 10_000, 300_000), low=0, high=1000, fill=whole), outputs=3)

# Bytes.
case(MS + "QuantizeLinear", x("float32", N), *U8, agreement="steps")
case(MS + "DequantizeLinear", x("uint8", N), *U8)
case(
    MS + "QLinearReduceMean",
    x("uint8", 1, 64, SIDE, SIDE),
    *U8,
    *U8,
    axes=[2, 3],
    keepdims=0,
    agreement="steps",
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
    step(),
    step(),
    None,
    step(),
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
case(MS + "QLinearAdd", x(BYTES, N), *OF_BYTES, x(BYTES, N), *OF_BYTES, *OF_BYTES, agreement="steps")
case(MS + "QLinearMul", x(BYTES, N), *OF_BYTES, x(BYTES, N), *OF_BYTES, *OF_BYTES, agreement="steps")
case(MS + "QLinearSigmoid", x("uint8", N), *U8, w("float32", low=0.004, high=0.004), zero("uint8"), agreement="steps")
case(MS + "QLinearLeakyRelu", x("uint8", N), *U8, *U8, alpha=0.1, agreement="steps")
case(
    MS + "QLinearSoftmax",
    x("uint8", ROWS, 1000),
    *U8,
    w("float32", low=0.004, high=0.004),
    zero("uint8"),
    axis=-1,
    **{"opset": 13},
    agreement="steps",
)
case(MS + "QLinearGlobalAveragePool", x("uint8", 1, by(16, 256, 2048), 7, 7), *U8, *U8, agreement="steps")
case(
    MS + "QLinearAveragePool",
    x("uint8", 1, 64, SIDE, SIDE),
    *U8,
    *U8,
    kernel_shape=[2, 2],
    strides=[2, 2],
    agreement="steps",
)
case(MS + "QLinearConcat", *U8, x("uint8", ROWS, 500), *U8, x("uint8", ROWS, 500), *U8, axis=1, agreement="steps")
case(MS + "QLinearWhere", x("bool", N), x("uint8", N), *U8, x("uint8", N), *U8, *U8, agreement="steps")
case(
    MS + "QLinearConv",
    x("uint8", 1, SIDE, SIDE, CHANNELS),
    *U8,
    w("int8", CHANNELS, CHANNELS, 3, 3),
    step(),
    w("int8", low=0, high=0),
    w("float32", low=9, high=9),
    zero("uint8"),
    pads=[1] * 4,
    channels_last=1,
    agreement="steps",
)
case(
    MS + "QGemm",
    x("uint8", by(4, 64, 384), WIDTH),
    *U8,
    w("int8", WIDTH, WIDTH),
    step(),
    w("int8", low=0, high=0),
    w("int32", WIDTH),
)
case(MS + "MatMulIntegerToFloat", x("uint8", by(4, 64, 384), WIDTH), w("int8", WIDTH, WIDTH), step(), *U8, zero("int8"))
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

# Matrices, images, words.
case(MS + "Inverse", x("float32", by(2, 8, 8), by(4, 32, 200), by(4, 32, 200), fill=well_conditioned), agreement="norms")
case(MS + "GridSample", x("float32", 1, CHANNELS, SIDE, SIDE), x("float32", 1, SIDE, SIDE, 2, low=-1, high=1))
case(
    MS + "CropAndResize",
    x("float32", 2, CHANNELS, SIDE, SIDE),
    x("float32", by(2, 20, 100), 4, low=0, high=1),
    x("int32", by(2, 20, 100), low=0, high=1),
    w("int32", 2, low=14, high=14),
)
case(
    MS + "NGramRepeatBlock",
    x("int64", by(1, 4, 16), by(16, 128, 1000), low=0, high=9),
    x("float32", by(1, 4, 16), 30_000),
    ngram_size=3,
)
case(
    MS + "WordConvEmbedding",
    x("int32", by(4, 64, 512), 16, low=1, high=99),
    w("float32", 64, 1, 3, 32),
    w("float32", 64),
    w("float32", 100, 32),
)
case(
    MS + "Tokenizer",
    x("string", by(10, 1000, 50_000), fill=phrases),
    separators=[" "],
    mark=0,
    mincharnum=1,
    pad_value="",
)

# Searches of 16 further tokens. All inputs that ONNX Runtime asks for.
PROMPTS = x("int32", by(1, 2, 8), by(4, 16, 64), low=0, high=99)
FOUR, LONGEST = np.array([4], np.int32), by(*(np.array([n], np.int32) for n in (20, 32, 80)))
MODEL = lazily(language_model, by(100, 1000, 10_000), by(16, 64, 256))
case(MS + "BeamSearch", PROMPTS, LONGEST, FOUR, FOUR, FOUR, np.ones(1, np.float32), more=MODEL, outputs=2)
case(MS + "GreedySearch", PROMPTS, LONGEST, more=MODEL)
case(MS + "Sampling", PROMPTS, LONGEST, more=MODEL, top_p=1e-6, min_tokens_to_keep=1)
