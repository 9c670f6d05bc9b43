"""Models of one operator that works for seconds or hours on inputs that the model itself generates within
milliseconds."""

import itertools

import numpy as np
import onnx
from demanding import FLOAT, INT64, STRING, constant, info, node
from language_models import chain
from onnx import TensorProto, helper

DOUBLE = TensorProto.DOUBLE
OPSET = 27
# The functions that make such models.
LONG_WORK = {}


class Maker:
    """Makes nodes. Each method returns the name of a value."""

    def __init__(self):
        self.nodes, self.initializers = [], []
        self._names = (f"v{i}" for i in itertools.count())

    def __call__(self, op_type, *inputs, outputs=1, at=0, **attributes):
        """Adds a node and returns its output `at`."""
        names = [next(self._names) for _ in range(outputs)]
        self.nodes.append(node(op_type, list(inputs), names, **attributes))
        return names[at]

    def constant(self, values, dtype=np.int64):
        name = next(self._names)
        self.initializers.append(constant(name, values, dtype))
        return name

    def random(self, *dims, dtype=FLOAT):
        return self("RandomUniform", shape=dims, low=-1.0, high=1.0, dtype=dtype, seed=1.0)

    def filled(self, value, *dims, dtype=np.float32):
        return self("ConstantOfShape", self.constant(dims), value=constant("value", [value], dtype))

    def text(self, value, count):
        name = next(self._names)
        self.initializers.append(helper.make_tensor(name, STRING, [1], [value.encode()]))
        return self("Expand", name, self.constant([count]))

    def integers(self, most, *dims):
        """Returns integers from 0 to most."""
        return self("Cast", self("RandomUniform", shape=dims, low=0.0, high=float(most), seed=1.0), to=INT64)

    def model(self, output):
        graph = helper.make_graph(self.nodes, "g", [info("x", FLOAT, [1])], [onnx.ValueInfoProto(name=output)],
                                  initializer=self.initializers)  # fmt: skip
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=10)


def long_work(function):
    def model():
        make = Maker()
        return make.model(function(make))

    LONG_WORK[function.__name__] = model
    return function


@long_work
def dft_of_a_prime_length(make):
    return make("DFT", make.random(1, 8_000_009, 1))


@long_work
def stft_of_a_prime_length(make):
    return make("STFT", make.random(1, 1_300_000, 1), make.constant(100_000), "", make.constant(1_000_003))


@long_work
def non_zero(make):
    return make("NonZero", make.filled(1, 10, 10, 10, 30_000, dtype=np.int8))


@long_work
def multinomial(make):
    return make("Multinomial", make.random(1, 1_000_000), sample_size=20_000_000)


@long_work
def cast_to_string(make):
    return make("Cast", make.filled(1, 10_000_000, dtype=np.int8), to=STRING)


@long_work
def cast_from_string(make):
    return make("Cast", make.text("123.5", 8_000_000), to=FLOAT)


@long_work
def image_of_text(make):
    header = make.constant(list(b"P1 8000 8000\n"), np.uint8)
    return make("ImageDecoder", make("Concat", header, make.filled(ord("1"), 64_000_000, dtype=np.uint8), axis=0))


@long_work
def attention(make):
    q, k, v = (make.filled(0.1, 1, 1, 60_000, 64) for _ in range(3))
    return make("Attention", q, k, v)


@long_work
def attention_of_one_query(make):
    q, k, v = make.filled(0.1, 1, 6000, 1, 64), make.filled(0.1, 1, 1, 100_000, 64), make.filled(0.1, 1, 1, 100_000, 64)
    return make("Attention", q, k, v)


@long_work
def linear_attention(make):
    q, k, v = (make.filled(1e-3, 1, 300_000, 128) for _ in range(3))
    return make("LinearAttention", q, k, v, q_num_heads=1, kv_num_heads=1, update_rule="linear")


@long_work
def determinant(make):
    return make("Det", make.random(1, 3000, 3000))


@long_work
def transposed_convolution(make):
    return make("ConvTranspose", make.random(1, 64, 10), make.random(64, 64, 3000), strides=[1])


@long_work
def convolution_of_one_channel(make):
    return make("Conv", make.random(1, 1, 400_000), make.random(1, 1, 200_000))


@long_work
def depthwise_convolution(make):
    return make("Conv", make.random(1, 8, 100_000), make.random(8, 1, 50_000), group=8)


@long_work
def convolution_of_bytes(make):
    x, w = (make.filled(1, 1, 1, n, dtype=np.uint8) for n in (200_000, 100_000))
    return make("ConvInteger", x, w)


@long_work
def causal_convolution(make):
    x, w = make.random(1, 1, 500_000), make.random(1, 1, 200_000)
    return make("CausalConvWithState", x, w, outputs=2)


@long_work
def lstm(make):
    steps, hidden = 200_000, 160
    x, w, r = make.random(steps, 1, 4), make.random(1, 4 * hidden, 4), make.random(1, 4 * hidden, hidden)
    return make("LSTM", x, w, r, outputs=3, at=2, hidden_size=hidden)


@long_work
def top_k(make):
    return make("TopK", make.random(16_000_000), make.constant([8_000_000]), outputs=2)


@long_work
def unique(make):
    return make("Unique", make.random(8_000_000))


@long_work
def unique_texts(make):
    return make("Unique", make("Cast", make.integers(1000, 1_000_000), to=STRING))


@long_work
def grid_sample(make):
    return make("GridSample", make.filled(1, 1, 1_000_000, 4, 4), make.random(1, 8, 16, 2), mode="cubic")


@long_work
def non_max_suppression(make):
    count = 100_000
    corner = make("Reshape", make("Range", *(make.constant(v, np.float32) for v in (0, count, 1))), make.constant([1, count, 1]))
    opposite = make("Add", corner, make.constant(0.5, np.float32))
    boxes = make("Concat", corner, corner, opposite, opposite, axis=2)
    return make("NonMaxSuppression", boxes, make.random(1, 1, count), make.constant([count]))


@long_work
def region_of_interest(make):
    regions = make.constant([[0, 0, 3, 3]], np.float32)
    return make("RoiAlign", make.random(1, 1, 4, 4), regions, make.constant([0]), output_height=100, output_width=100,
                sampling_ratio=65536)  # fmt: skip


def pooled(op_type, dtype=FLOAT, **attributes):
    def build(make):
        return make(op_type, make.random(1, 1, 100_001, dtype=dtype), kernel_shape=[50_001], pads=[25_000, 25_000], **attributes)

    build.__name__ = f"{op_type}_of_{TensorProto.DataType.Name(dtype).lower()}"
    return build


for pool in ("MaxPool", "AveragePool"):
    long_work(pooled(pool))
    long_work(pooled(pool, DOUBLE))
long_work(pooled("LpPool"))


@long_work
def local_response(make):
    return make("LRN", make.random(1, 100_000, 1), size=99_999)


@long_work
def string_split(make):
    return make("StringSplit", make.text("a b c d e", 1_000_000), outputs=2, delimiter=" ")


@long_work
def string_normalizer(make):
    return make("StringNormalizer", make.text("Straße", 2_000_000), case_change_action="UPPER")


@long_work
def n_grams(make):
    return make("TfIdfVectorizer", make.integers(3, 200_000), pool_int64s=[0, 1, 2], ngram_counts=[0, 0, 0], ngram_indexes=[0],
                min_gram_length=3, max_gram_length=3, max_skip_count=100_000, mode="TF")  # fmt: skip


@long_work
def filter_of_an_image(make):
    return make("Resize", make.random(1, 1, 1, 2_000_000), "", "", make.constant([1, 1, 1, 2_000]), antialias=1, mode="cubic")


@long_work
def product_of_integers(make):
    a, b = (make("Cast", make.random(n, m), to=TensorProto.INT32) for n, m in ((100, 4000), (4000, 4000)))
    return make("MatMul", a, b)


@long_work
def mel_weights(make):
    values = [make.constant(1), make.constant(200_000_000), *(make.constant(v, dtype) for v, dtype in
              ((16000, np.int64), (0, np.float32), (8000, np.float32)))]  # fmt: skip
    return make("MelWeightMatrix", *values)


@long_work
def regex_with_a_large_program(make):
    return make("RegexFullMatch", make.text("a" * 1_000_000, 1), pattern=".*" + "(?:[ab]?){1000}" * 60 + "c")


@long_work
def compress_of_rows_without_columns(make):
    return make("Compress", make.filled(0, 2**62, 0), make.constant([False, True], np.bool_), axis=1)


@long_work
def non_max_suppression_without_boxes(make):
    boxes, scores = make.filled(0, 2**60, 0, 4), make.filled(0, 2**60, 2, 0)
    return make("NonMaxSuppression", boxes, scores, make.constant([2]))


@long_work
def sparse_mask_of_many_blocks(make):
    q, k, v = (make.filled(0, 1, 1, 8) for _ in range(3))
    past = [make.filled(0, 1, 1, 100_000, 8) for _ in range(2)]
    columns = make.filled(0, 1, 20_000_000, dtype=np.int32)
    numbers = [make.constant(x, np.int32) for x in ([[0, 20_000_000]], [4], [4])]
    return make("SparseAttention", q, k, v, *past, numbers[0], columns, *numbers[1:], outputs=3,
                domain="com.microsoft", num_heads=1, kv_num_heads=1, sparse_block_size=100_000)  # fmt: skip


@long_work
def tokens_of_a_long_text(make):
    """Each attempt to find a match reads the rest of the text."""
    return make("Tokenizer", make.text("xx" * 300_000, 1), domain="com.microsoft", tokenexp="x[^y]*y|x", mark=0,
                mincharnum=1, pad_value="")  # fmt: skip


@long_work
def inverse(make):
    return make("Inverse", make.random(1, 3000, 3000), domain="com.microsoft")


@long_work
def repeated_n_grams(make):
    ids = make.filled(1, 1, 2_000_000, dtype=np.int64)
    return make("NGramRepeatBlock", ids, make.filled(0, 1, 4), domain="com.microsoft", ngram_size=500_000)


def search(op, *numbers, prompt=(1,), **attributes):
    """A search that no token ends."""

    def build(make):
        given = [make.constant([number], np.int32) for number in numbers]
        return make(op, make.constant([prompt], np.int32), *given, domain="com.microsoft", decoder=chain(),
                    eos_token_id=-1, pad_token_id=-1, **attributes)  # fmt: skip

    build.__name__ = "_".join(map(str, (op, *numbers)))
    return long_work(build)


search("BeamSearch", 20_000_000, 0, 3, 3)
search("BeamSearch", 5, 0, 5_000_000, 1)
search("BeamSearch", 1_000_000, 0, 1, 1, prompt=[1, 2] * 100_000, no_repeat_ngram_size=100_000)
search("GreedySearch", 20_000_000, 0)
search("Sampling", 20_000_000, 0)
