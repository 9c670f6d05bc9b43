"""Operators of com.microsoft, which are expanded into others at load time. microsoft_quantized.py has those on
bytes."""

import numpy as np
from arrays import phrases, well_conditioned, whole
from bodies import language_model
from notation import by, case, fed, lazily, w, x

MS = "com.microsoft."
ROWS, N = by(4, 40, 2000), by(100, 30_000, 2_000_000)
SIDE, CHANNELS = by(7, 28, 56), by(8, 64, 128)
# For a prompt: the index of its last token, and its length.
ENDS, LENGTHS = (fed(by(*(np.array(n, np.int32) for n in numbers))) for numbers in (([7], [63], [511]), (8, 64, 512)))

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

# Products and convolutions with their epilogues.
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

# Images in diffusion models.
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

# Moved and generated elements.
case(MS + "Pad", x("float32", 1, 64, SIDE, SIDE), [0, 0, 1, 1, 0, 0, 1, 1])
case(MS + "Trilu", x("float32", by(8, 100, 1000), by(8, 100, 1000)))
case(MS + "GatherND", x("float32", 200, 200, 16), x("int64", by(10, 1000, 100_000), 2, low=0, high=199))
case(MS + "ExpandDims", x("float32", N), np.array(0, np.int32))
case(MS + "Range", fed(0), fed(by(100, 30_000, 2_000_000)), fed(1))
case(MS + "Unique", x("float32", by(100, 10_000, 300_000), low=0, high=1000, fill=whole), outputs=3)

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

# Searches for 16 more tokens, with all inputs that ONNX Runtime requires.
PROMPTS = x("int32", by(1, 2, 8), by(4, 16, 64), low=0, high=99)
FOUR, LONGEST = np.array([4], np.int32), by(*(np.array([n], np.int32) for n in (20, 32, 80)))
MODEL = lazily(language_model, by(100, 1000, 10_000), by(16, 64, 256))
case(MS + "BeamSearch", PROMPTS, LONGEST, FOUR, FOUR, FOUR, np.ones(1, np.float32), more=MODEL, outputs=2)
case(MS + "GreedySearch", PROMPTS, LONGEST, more=MODEL)
case(MS + "Sampling", PROMPTS, LONGEST, more=MODEL, top_p=1e-6, min_tokens_to_keep=1)
