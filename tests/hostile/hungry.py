"""Models of one operator that requires more memory than its limit in addition to tensors: tables, lists, texts, pieces.
Inputs and outputs are small enough, or would be refused in any case."""

import itertools
import zlib

import numpy as np
import onnx
from demanding import BOOL, FLOAT, INT64, STRING, constant, info, node
from language_models import chain
from long_work import OPSET, Maker
from onnx import TensorProto, helper

# The functions that make such models.
HUNGRY = {}
UINT8, INT8, DOUBLE = TensorProto.UINT8, TensorProto.INT8, TensorProto.DOUBLE
ML, MICROSOFT = "ai.onnx.ml", "com.microsoft"


class HungryMaker(Maker):
    """A maker of nodes of any domain."""

    def model(self, output):
        model = super().model(output)
        for domain in {n.domain for n in self.nodes} - {""}:
            model.opset_import.append(helper.make_opsetid(domain, 5 if domain == ML else 1))
        return model

    def texts(self, *values):
        name = next(self._names)
        self.initializers.append(helper.make_tensor(name, STRING, [len(values)], [v.encode() for v in values]))
        return name

    def body(self, nodes, inputs, outputs):
        return helper.make_graph(nodes, "body", [info(*i) for i in inputs], [info(*o) for o in outputs])


def hungry(function):
    def model():
        make = HungryMaker()
        return make.model(function(make))

    HUNGRY[function.__name__] = model
    return function


def named(name, function):
    function.__name__ = name
    return hungry(function)


# Tables of coordinates.

MILLIONS = 6_000_000


def resized(mode, **attributes):
    sizes = [1, 1, 1, MILLIONS]
    return lambda make: make("Resize", make.random(1, 1, 1, 16), "", "", make.constant(sizes), mode=mode, **attributes)


for resize_mode in ("nearest", "linear", "cubic"):
    named(f"resize_{resize_mode}", resized(resize_mode))
named("resize_crop", lambda make: make(
    "Resize", make.random(1, 1, 1, 16), make.constant([0, 0, 0, 0, 1, 1, 1, 2], np.float32), "",
    make.constant([1, 1, 1, MILLIONS]), mode="linear", coordinate_transformation_mode="tf_crop_and_resize"))  # fmt: skip
named("resize_antialias", lambda make: make(
    "Resize", make.random(1, 1, 1, 2_000_000), "", "", make.constant([1, 1, 1, 2000]), antialias=1, mode="cubic"))
named("resize_lines", lambda make: make(
    "Resize", make.random(1, 1, 16, 16), "", "", make.constant([1, 1, MILLIONS // 16, 16]), mode="cubic"))


def pooled(op_type, dtype=FLOAT, outputs=1, at=0, **attributes):
    def build(make):
        x = make.filled(1, 1, 1, MILLIONS, dtype=helper.tensor_dtype_to_np_dtype(dtype))
        return make(op_type, x, outputs=outputs, at=at, kernel_shape=[3], **attributes)
    return build  # fmt: skip


for pool in ("MaxPool", "AveragePool", "LpPool"):
    named(pool, pooled(pool))
    named(f"{pool}_lines", lambda make, op=pool: make(op, make.filled(1, 1, 1, MILLIONS, 1), kernel_shape=[3, 1]))
    named(f"{pool}_planes", lambda make, op=pool: make(op, make.filled(1, 1, 1, MILLIONS, 1, 1), kernel_shape=[3, 1, 1]))
named("MaxPool_bytes", pooled("MaxPool", UINT8))
named("MaxPool_doubles", pooled("MaxPool", DOUBLE))
named("MaxPool_indices", pooled("MaxPool", INT8, outputs=2))
named("QLinearAveragePool", lambda make: make(
    "QLinearAveragePool", make.filled(1, 1, 1, MILLIONS, dtype=np.uint8), make.constant(1, np.float32), make.constant(0, np.uint8),
    make.constant(1, np.float32), make.constant(0, np.uint8), kernel_shape=[3], domain=MICROSOFT))  # fmt: skip
for pad_mode in ("reflect", "edge", "wrap", "constant"):
    named(f"pad_{pad_mode}", lambda make, mode=pad_mode: make(
        "Pad", make.filled(1, MILLIONS, 1), make.constant([0, 0, 0, 1]), mode=mode))  # fmt: skip
    named(f"pad_small_{pad_mode}", lambda make, mode=pad_mode: make(
        "Pad", make.filled(1, 1, 4), make.constant([0, 2**24, 0, 0]), mode=mode))  # fmt: skip


# Windows of convolutions.


named("conv_window", lambda make: make("Conv", make.random(1, 8, 600_000), make.random(8, 1, 500_000), group=8))
named("conv_channels", lambda make: make("Conv", make.random(1, 4_000_000, 1), make.random(1, 4_000_000, 1)))
named("conv_transpose_phases", lambda make: make("ConvTranspose", make.random(1, 1, 4), make.random(1, 1, 2), strides=[2**20]))
named("conv_transpose_taps", lambda make: make("ConvTranspose", make.random(1, 1, 4), make.random(1, 1, 4_000_000)))
named("deform_conv", lambda make: make(
    "DeformConv", make.random(1, 1, 1, 900_000), make.random(1, 1, 1, 900_000), make.filled(0, 1, 1_800_000, 1, 1),
    kernel_shape=[1, 900_000]))  # fmt: skip
named("conv_integer", lambda make: make("ConvInteger", make.filled(1, 1, 1, 6_000_000, dtype=np.uint8), make.filled(1, 1, 1, 3, dtype=np.uint8)))
named("col2im", lambda make: make("Col2Im", make.random(1, 4_000_000, 1), make.constant([1, 4_000_000]), make.constant([1, 4_000_000])))
named("winograd", lambda make: make("Conv", make.filled(0.1, 1, 16, 300, 300), make.random(16, 16, 3, 3), pads=[1, 1, 1, 1]))


# Batches of matrix products.


def batched(op_type, dtype=np.float32, more=(), **attributes):
    def build(make):
        a, b = make.filled(1, 4000, 1, 1, 1, dtype=dtype), make.filled(1, 1, 4000, 1, 1, dtype=dtype)
        inputs = [a, *more(make)[:2], b, *more(make)] if op_type == "QLinearMatMul" else [a, b]
        return make(op_type, *inputs, **attributes)
    return build  # fmt: skip


def quantization(make):
    return [make.constant(1, np.float32), make.constant(0, np.uint8), make.constant(1, np.float32), make.constant(0, np.uint8)]


named("matmul", batched("MatMul"))
named("matmul_int32", batched("MatMul", np.int32))
named("matmul_integer", batched("MatMulInteger", np.uint8))
named("qlinear_matmul", batched("QLinearMatMul", np.uint8, quantization))
named("fused_matmul", batched("FusedMatMul", domain=MICROSOFT))
named("einsum", lambda make: make("Einsum", make.random(4000, 1, 1), make.random(4000, 1, 1), equation="aij,bjk->abik"))
named("einsum_outer", lambda make: make("Einsum", make.random(100_000), make.random(100_000), equation="a,b->ab"))


# Selection and sorting.


@hungry
def non_max_suppression(make):
    count = 500_000
    corner = make("Reshape", make("Range", *(make.constant(v, np.float32) for v in (0, count, 1))), make.constant([1, count, 1]))
    opposite = make("Add", corner, make.constant(0.5, np.float32))
    boxes = make("Concat", corner, corner, opposite, opposite, axis=2)
    return make("NonMaxSuppression", boxes, make.random(1, 4, count), make.constant([count]), make.constant([0.9], np.float32))


named("top_k", lambda make: make("TopK", make.random(4_000_000), make.constant([2_000_000]), outputs=2))
named("top_k_columns", lambda make: make("TopK", make.random(2_000_000, 2), make.constant([2_000_000]), outputs=2, axis=0))
for at in range(4):
    named(f"unique_{at}", lambda make, output=at: make("Unique", make.random(2_000_000), outputs=4, at=output))
named("unique_rows", lambda make: make("Unique", make.random(2_000_000, 2), outputs=4, at=1, axis=0))
named("unique_texts", lambda make: make("Unique", make("Cast", make.integers(100, 500_000), to=STRING), outputs=4, at=2))
named("non_zero", lambda make: make("NonZero", make.filled(1, 6_000_000, dtype=np.int8)))
named("compress", lambda make: make("Compress", make.filled(1, 6_000_000), make("Cast", make.filled(1, 6_000_000, dtype=np.int8), to=BOOL)))
named("one_hot", lambda make: make("OneHot", make.integers(9, 1000), make.constant([100_000]), make.constant([0, 1], np.float32)))
named("tile", lambda make: make("Tile", make.filled(1, 1000), make.constant([100_000])))
named("expand", lambda make: make("Expand", make.filled(1, 1000, 1), make.constant([1000, 100_000])))
named("range", lambda make: make("Range", make.constant(0), make.constant(2**27), make.constant(1)))
named("eye", lambda make: make("EyeLike", make.filled(1, 6000, 6000, dtype=np.int8), dtype=FLOAT))
named("cum_sum", lambda make: make("CumSum", make.filled(1, 6_000_000), make.constant(0)))
named("gather", lambda make: make("Gather", make.random(16), make.integers(15, 4_000_000)))
named("gather_elements", lambda make: make("GatherElements", make.random(16), make.integers(15, 4_000_000)))
named("gather_nd", lambda make: make("GatherND", make.random(16), make.integers(15, 4_000_000, 1)))
named("scatter_elements", lambda make: make("ScatterElements", make.random(16), make.integers(15, 4_000_000), make.random(4_000_000), reduction="add"))
named("scatter_nd", lambda make: make("ScatterND", make.random(16), make.integers(15, 3_000_000, 1), make.random(3_000_000), reduction="max"))
named("max_unpool", lambda make: make("MaxUnpool", make.filled(1, 1, 1, 4), make.integers(3, 1, 1, 4), make.constant([1, 1, 2**26]), kernel_shape=[1]))
named("transpose", lambda make: make("Transpose", make.filled(1, 3000, 3000), perm=[1, 0]))
named("reverse_sequence", lambda make: make("ReverseSequence", make.filled(1, 3_000_000, 2), make.constant([1, 2]), time_axis=0, batch_axis=1))
named("array_features", lambda make: make("ArrayFeatureExtractor", make.random(1, 16), make.integers(15, 6_000_000), domain=ML))
named("multinomial", lambda make: make("Multinomial", make.random(1, 1_000_000), sample_size=10_000_000))


# Signals.


for window in ("HannWindow", "HammingWindow", "BlackmanWindow"):
    named(window, lambda make, op=window: make(op, make.constant(50_000_000)))
named("mel_weights", lambda make: make("MelWeightMatrix", make.constant(1000), make.constant(2**20), make.constant(16000),
                                       make.constant(0, np.float32), make.constant(8000, np.float32)))  # fmt: skip
named("dft", lambda make: make("DFT", make.random(1, 500_009, 1)))
named("dft_length", lambda make: make("DFT", make.random(1, 4, 1), make.constant(4_000_037)))
named("stft", lambda make: make("STFT", make.random(1, 1_300_000, 1), make.constant(100_000), "", make.constant(1_000_003)))
named("rfft", lambda make: make("Rfft", make.random(1, 500_009), signal_ndim=1, normalized=0, onesided=1, domain=MICROSOFT))


# Images.


named("roi_align", lambda make: make("RoiAlign", make.random(1, 1, 4, 4), make.constant([[0, 0, 3, 3]], np.float32), make.constant([0]),
                                     output_height=3000, output_width=3000, sampling_ratio=1))  # fmt: skip
named("roi_align_samples", lambda make: make("RoiAlign", make.random(1, 1, 4, 4), make.constant([[0, 0, 3, 3]], np.float32), make.constant([0]),
                                             output_height=1, output_width=1, sampling_ratio=3000))  # fmt: skip
named("max_roi_pool", lambda make: make("MaxRoiPool", make.random(1, 1, 4, 4), make.constant([[0, 0, 0, 3, 3]], np.float32), pooled_shape=[3000, 3000]))
named("grid_sample", lambda make: make("GridSample", make.random(1, 1, 4, 4), make.random(1, 1000, 2000, 2), mode="cubic"))
named("affine_grid", lambda make: make("AffineGrid", make.random(1, 2, 3), make.constant([1, 1, 4000, 4000])))
named("crop_and_resize", lambda make: make("CropAndResize", make.random(1, 1, 4, 4), make.constant([[0, 0, 3, 3]], np.float32),
                                           make("Cast", make.constant([0]), to=TensorProto.INT32), make.constant([4000, 4000], np.int32), domain=MICROSOFT))  # fmt: skip

SIDE = 8192


def bitmap():
    header = b"BM" + (1080).to_bytes(4, "little") + bytes(4) + (1078).to_bytes(4, "little")
    return header + np.array([40, SIDE, SIDE, 1 | 8 << 16, 1, 0, 0, 0, 0, 0], "<u4").tobytes() + bytes(1024) + b"\0\1"


def png():
    def chunk(kind, data):
        return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")
    packer = zlib.compressobj(9)
    pixels = b"".join(packer.compress(bytes(SIDE + 1)) for _ in range(SIDE)) + packer.flush()
    shape = np.array([SIDE, SIDE], ">u4").tobytes()
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", shape + b"\x08\0\0\0\0") + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


def png_texts():
    def chunk(kind, data):
        return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")
    texts = b"".join(chunk(b"zTXt", b"t%d\0\0" % i + zlib.compress(bytes(7_000_000), 9)) for i in range(40))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", np.array([1, 1], ">u4").tobytes() + b"\x08\0\0\0\0") + texts
            + chunk(b"IDAT", zlib.compress(bytes(2))) + chunk(b"IEND", b""))  # fmt: skip


def tiff():
    entries = [(256, SIDE), (257, SIDE), (258, 8), (259, 32773), (262, 1), (273, 134), (277, 1), (278, SIDE), (279, 1000)]
    fields = b"".join(np.array([tag, 4], "<u2").tobytes() + np.array([1, value], "<u4").tobytes() for tag, value in entries)
    return b"II*\0\x08\0\0\0" + len(entries).to_bytes(2, "little") + fields + bytes(4) + bytes(2000)


def codestream(side=SIDE, tile=SIDE, components=4, precinct=b"", layers=1):
    size = (np.array([side, side, 0, 0, tile, tile, 0, 0], ">u4").tobytes() + components.to_bytes(2, "big") + b"\x07\1\1" * components)
    style = bytes([len(precinct) > 0, 0]) + layers.to_bytes(2, "big") + b"\0" + bytes([max(0, len(precinct) - 1), 0, 0, 0, 1]) + precinct
    steps = b"\x20" + b"\x40" * (1 + 3 * max(0, len(precinct) - 1))
    parts = b""
    for marker, body in ((b"\xff\x51", b"\0\0" + size), (b"\xff\x52", style), (b"\xff\x5c", steps)):
        parts += marker + (len(body) + 2).to_bytes(2, "big") + body
    part = b"\xff\x90\0\x0a\0\0" + (14 + 8).to_bytes(4, "big") + b"\0\1\xff\x93" + bytes(8)
    return b"\xff\x4f" + parts + part + b"\xff\xd9"


def decoded(file):
    return lambda make: make("ImageDecoder", make.constant(np.frombuffer(file(), np.uint8), np.uint8))


named("image_bmp", decoded(bitmap))
named("image_pnm", decoded(lambda: b"P4 %d %d\n" % (SIDE, SIDE)))
named("image_png", decoded(png))
named("image_png_texts", decoded(png_texts))
named("image_tiff", decoded(tiff))
named("image_jpeg2000", decoded(codestream))
named("image_jpeg2000_tiles", decoded(lambda: codestream(SIDE, 64)))
named("image_jpeg2000_components", decoded(lambda: codestream(64, 64, 16384)))
named("image_jpeg2000_precincts", decoded(lambda: codestream(1024, 1024, 1, b"\0\x11")))


# Texts.

LONG = "long text " * 100


named("text_concat", lambda make: make("StringConcat", make.text(LONG, 300_000), make.text(LONG, 300_000)))
named("text_concat_broadcast", lambda make: make("StringConcat", make("Reshape", make.text("a" * 99, 1000), make.constant([1000, 1])), make.text("b" * 99, 1000)))
named("text_expand", lambda make: make.text(LONG * 100, 100_000))
named("text_tile", lambda make: make("Tile", make.texts(LONG * 10), make.constant([100_000])))
named("text_gather", lambda make: make("Gather", make.texts("", LONG * 100), make("Clip", make.integers(9, 100_000), "", make.constant(1))))
named("text_where", lambda make: make("Where", make("Cast", make.integers(1, 10_000), to=BOOL), make.texts(LONG * 100), make.texts("x" * 10_000)))
named("text_pad", lambda make: make("Pad", make.texts(LONG * 100), make.constant([10_000, 10_000]), mode="edge"))
named("text_split", lambda make: make("StringSplit", make.texts("a b " * 1_000_000), outputs=2))
named("text_split_rows", lambda make: make("StringSplit", make("Concat", make.texts("a b " * 1000), make.text("a", 100_000), axis=0), outputs=2))
named("text_normalize", lambda make: make("StringNormalizer", make.text(LONG, 100_000), case_change_action="UPPER"))
named("text_cast", lambda make: make("Cast", make.random(3_000_000, dtype=DOUBLE), to=STRING))
named("text_labels", lambda make: make("LabelEncoder", make.integers(9, 100_000), keys_int64s=[1], values_strings=[LONG * 100],
                                       default_string=LONG * 50, domain=ML))  # fmt: skip
named("text_chain", lambda make: [x := make.text("a" * 2_000_000, 10), *(x := make("StringConcat", x, make.texts("b")) for _ in range(8)),
                                  x][-1])  # fmt: skip
named("text_regex", lambda make: make("RegexFullMatch", make.text("a" * 1000, 10), pattern="((((a{0,9}){0,9}){0,9}){0,1}b?){0,1}"))


@hungry
def text_doubling(make):
    body = make.body([node("StringConcat", ["a", "a"], ["b"]), node("Identity", ["c"], ["d"])],
                     [("i", INT64, []), ("c", BOOL, []), ("a", STRING, None)], [("d", BOOL, []), ("b", STRING, None)])  # fmt: skip
    return make("Loop", make.constant(40), "", make.texts("text"), body=body)


# Attributes and vocabularies.


@hungry
def n_grams(make):
    pool = list(range(300_000))
    return make("TfIdfVectorizer", make.integers(9, 100), pool_int64s=pool, ngram_counts=[0], ngram_indexes=pool, min_gram_length=1,
                max_gram_length=1, max_skip_count=0, mode="TFIDF", weights=[1.0] * len(pool))  # fmt: skip


@hungry
def n_grams_rows(make):
    return make("TfIdfVectorizer", make.integers(9, 1000, 2), pool_int64s=[1], ngram_counts=[0], ngram_indexes=[30_000], min_gram_length=1,
                max_gram_length=1, max_skip_count=0, mode="TF")  # fmt: skip


@hungry
def trees(make):
    count = 150_000
    ids, zeros = list(range(count)), [0] * count
    return make("TreeEnsembleRegressor", make.random(10, 4), nodes_treeids=ids, nodes_nodeids=zeros, nodes_featureids=zeros,
                nodes_values=[0.0] * count, nodes_hitrates=[1.0] * count, nodes_modes=["LEAF"] * count, nodes_truenodeids=zeros,
                nodes_falsenodeids=zeros, nodes_missing_value_tracks_true=zeros, target_treeids=ids, target_nodeids=zeros,
                target_ids=zeros, target_weights=[1.0] * count, n_targets=1, domain=ML)  # fmt: skip


named("svm", lambda make: make("SVMRegressor", make.random(2, 4), support_vectors=[1.0] * 4_000_000, coefficients=[1.0] * 1_000_000,
                               n_supports=1_000_000, rho=[0.0], kernel_type="LINEAR", domain=ML))  # fmt: skip
named("linear_classes", lambda make: make("LinearClassifier", make.random(1000, 1), outputs=2, at=1, coefficients=[1.0] * 20_000,
                                          classlabels_ints=list(range(20_000)), domain=ML))  # fmt: skip
named("scaler", lambda make: make("Scaler", make.random(2, 2_000_000), offset=[0.0] * 2_000_000, scale=[1.0] * 2_000_000, domain=ML))
named("zip_map", lambda make: make("ZipMap", make.random(1_000_000, 2), classlabels_int64s=[0, 1], domain=ML))
named("one_hot_encoder", lambda make: make("OneHotEncoder", make.integers(9, 100_000), cats_int64s=list(range(1000)), domain=ML))


# Recurrences, bodies, sequences.

for cell, gates in (("LSTM", 4), ("GRU", 3), ("RNN", 1)):
    named(cell, lambda make, op=cell, n=gates: make(
        op, make.random(200_000, 1, 1), make.random(1, n * 128, 1), make.random(1, n * 128, 128), hidden_size=128))  # fmt: skip


def looped(nodes, value):
    def build(make):
        body = make.body([*nodes, node("Identity", ["c"], ["d"])], [("i", INT64, []), ("c", BOOL, [])], [("d", BOOL, []), value])
        return make("Loop", make.constant(3_000_000), "", body=body)
    return build  # fmt: skip


named("loop_scan", looped([node("Cast", ["i"], ["s"], to=FLOAT)], ("s", FLOAT, [])))
named("loop_scan_rows", looped([node("Constant", [], ["n"], value_ints=[10_000]), node("ConstantOfShape", ["n"], ["s"])], ("s", FLOAT, None)))


@hungry
def loop_sequence(make):
    element = helper.make_sequence_type_proto(helper.make_tensor_type_proto(FLOAT, []))
    def value(name):
        return helper.make_value_info(name, element)
    body = helper.make_graph(
        [node("Cast", ["i"], ["s"], to=FLOAT), node("SequenceInsert", ["a", "s"], ["b"]), node("Identity", ["c"], ["d"])], "body",
        [info("i", INT64, []), info("c", BOOL, []), value("a")], [info("d", BOOL, []), value("b")])  # fmt: skip
    return make("Loop", make.constant(3000), "", make("SequenceEmpty", dtype=FLOAT), body=body)


named("split_to_sequence", lambda make: make("SplitToSequence", make.random(2_000_000)))
named("split_to_sequence_of_nothing", lambda make: make("SplitToSequence", make.filled(1, 2**28, 0), make.constant(1)))
named("sequence_of_texts", lambda make: make("SplitToSequence", make.text(LONG, 100_000), make.constant(10)))
named("concat_from_sequence", lambda make: make("ConcatFromSequence", make("SplitToSequence", make.random(100_000)), axis=0))


@hungry
def sequence_map(make):
    body = make.body([node("Constant", [], ["n"], value_ints=[1000]), node("Expand", ["a", "n"], ["b"])], [("a", FLOAT, None)], [("b", FLOAT, None)])
    return make("SequenceMap", make("SplitToSequence", make.random(50_000)), body=body)


@hungry
def scan(make):
    body = make.body([node("Constant", [], ["n"], value_ints=[1000]), node("Expand", ["a", "n"], ["b"])], [("a", FLOAT, [1])], [("b", FLOAT, [1000])])
    return make("Scan", make.random(100_000, 1), body=body, num_scan_inputs=1)


# Attention and com.microsoft.


named("attention", lambda make: make("Attention", *(make.filled(0.1, 1, 1, 20_000, 8) for _ in range(3))))
named("attention_scores", lambda make: make("Attention", *(make.filled(0.1, 1, 1, 8000, 8) for _ in range(3)), outputs=4, at=3))
named("multi_head_attention", lambda make: make("MultiHeadAttention", *(make.filled(0.1, 1, 20_000, 8) for _ in range(3)), num_heads=1, domain=MICROSOFT))
named("linear_attention", lambda make: make("LinearAttention", *(make.filled(1e-3, 1, 100_000, 128) for _ in range(3)), q_num_heads=1,
                                            kv_num_heads=1, update_rule="linear"))  # fmt: skip
named("matmul_nbits", lambda make: make(
    "MatMulNBits", make.random(1, 64), make.filled(1, 600_000, 2, 16, dtype=np.uint8), make.filled(1, 1_200_000), K=64, N=600_000, bits=4,
    block_size=32, domain=MICROSOFT))  # fmt: skip
named("matmul_nbits_order", lambda make: make(
    "MatMulNBits", make.random(1, 2_000_000), make.filled(1, 1, 62_500, 16, dtype=np.uint8), make.filled(1, 62_500), "",
    make.filled(0, 2_000_000, dtype=np.int32), K=2_000_000, N=1, bits=4, block_size=32, domain=MICROSOFT))  # fmt: skip
named("causal_convolution", lambda make: make("CausalConvWithState", make.random(1, 1, 4_000_000), make.random(1, 1, 2_000_000), outputs=2))


def search(op, *numbers, prompt=1):
    def build(make):
        given = [make.constant([number], np.int32) for number in numbers]
        return make(op, make.filled(1, prompt, 1, dtype=np.int32), *given, domain=MICROSOFT, decoder=chain(),
                    eos_token_id=-1, pad_token_id=-1)  # fmt: skip
    return build  # fmt: skip


named("beams", search("BeamSearch", 4, 0, 2_000_000, 1))
named("greedy", search("GreedySearch", 4, 0, prompt=2_000_000))
named("sampling", search("Sampling", 4, 0, prompt=2_000_000))
named("long_beams", search("BeamSearch", 2_000_000_000, 0, 1, 1))
