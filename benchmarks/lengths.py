"""python benchmarks/lengths.py [--forms float32,fp16,dynamic,qdq] [--threads 1] [--clients 1] [--passes 4] [--json FILE]

What texts of many lengths cost in Linnet and in ONNX Runtime: an encoder of MiniLM's sizes with seeded random weights,
written as PyTorch exports it with dynamic axes, and the forms of it that ONNX Runtime's tools make. 120 lengths come in
random order, several times. Both engines run in one process and take turns at every length, so that other work of the
machine affects both equally. It prints the time of a run, in ms, as the mean of the lengths' medians:
  new        a length occurs for the first time
  seen       it occurs again, after others
  repeated   it occurs several times in a row
With --clients, as many threads run one session, each with another order of lengths; it prints the time per run.
"""

import argparse
import json
import pathlib
import random
import statistics
import tempfile
import threading
import time

import linnet
import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from onnxruntime import quantization
from onnxruntime.transformers.float16 import convert_float_to_float16

WIDTH, LAYERS, HEADS, INNER, VOCABULARY, POSITIONS = 384, 6, 12, 1536, 30522, 512
LENGTHS = range(9, 129)
FORMS = ["float32", "fp16", "dynamic", "qdq"]


class Graph:
    """Nodes and weights as they come."""

    def __init__(self):
        self.random, self.nodes, self.weights = np.random.default_rng(0), [], []

    def constant(self, value, dtype=np.int64):
        self.weights.append(numpy_helper.from_array(np.array(value, dtype), f"w{len(self.weights)}"))
        return self.weights[-1].name

    def weight(self, *dims):
        return self.constant(self.random.standard_normal(dims) * (0.05 if len(dims) > 1 else 0.1), np.float32)

    def op(self, kind, *inputs, **attributes):
        self.nodes.append(helper.make_node(kind, inputs, [f"v{len(self.nodes)}"], f"n{len(self.nodes)}", **attributes))
        return self.nodes[-1].output[0]

    def size(self, x, axis):
        """The dim as a vector of one number."""
        dim = self.op("Gather", self.op("Shape", x), self.constant(axis), axis=0)
        return self.op("Unsqueeze", dim, self.constant([0]))

    def expand(self, x, *sizes):
        """As Tensor.expand: -1 is for dims that stay."""
        shape = self.op("Concat", *sizes, axis=0)
        kept = self.op("ConstantOfShape", self.constant([len(sizes)]), value=numpy_helper.from_array(np.array([1])))
        stays = self.op("Equal", shape, self.op("Mul", kept, self.constant(-1)))
        return self.op("Expand", x, self.op("Where", stays, kept, shape))

    def linear(self, x, rows, columns):
        return self.op("Add", self.weight(columns), self.op("MatMul", x, self.weight(rows, columns)))

    def normalized(self, x):
        return self.op("LayerNormalization", x, self.weight(WIDTH), self.weight(WIDTH), axis=-1, epsilon=1e-12)


def embeddings(g):
    batch, length = (g.size("input_ids", axis) for axis in (0, 1))
    places = [g.op("Slice", g.constant(table), g.constant([0]), length, g.constant([1]), g.constant([1]))
              for table in ([range(POSITIONS)], np.zeros((1, POSITIONS)))]  # fmt: skip
    types = g.op("Gather", g.weight(2, WIDTH), g.expand(places[1], batch, length))
    words = g.op("Gather", g.weight(VOCABULARY, WIDTH), "input_ids")
    positions = g.op("Gather", g.weight(POSITIONS, WIDTH), places[0])
    return g.normalized(g.op("Add", g.op("Add", words, types), positions))


def mask(g):
    """What is added to scores: 0, or the least number where the mask is 0."""
    batch, length = (g.size("input_ids", axis) for axis in (0, 1))
    wide = g.op("Unsqueeze", "attention_mask", g.constant([1, 2]))
    wide = g.expand(wide, batch, g.constant([1]), length, g.size("attention_mask", 1))
    masked = g.op("Sub", g.constant(1, np.float32), g.op("Cast", wide, to=TensorProto.FLOAT))
    least = g.constant(-65504, np.float32)
    return g.op("Where", g.op("Cast", masked, to=TensorProto.BOOL), least, masked)


def attention(g, x, added):
    def heads(y, axes):
        shape = g.op("Concat", g.size(y, 0), *(g.constant([n]) for n in (-1, HEADS, WIDTH // HEADS)), axis=0)
        return g.op("Transpose", g.op("Reshape", y, shape), perm=axes)

    q, k, v = (heads(g.linear(x, WIDTH, WIDTH), axes) for axes in ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3]))
    end = g.op("Slice", g.op("Shape", q), g.constant([-1]), g.constant([2**63 - 1]))
    width = g.op("Sqrt", g.op("Cast", end, to=TensorProto.FLOAT))
    scale = g.op("Sqrt", g.op("Div", g.constant([1], np.float32), width))
    scores = g.op("MatMul", g.op("Mul", q, scale), g.op("Mul", k, scale))
    y = g.op("MatMul", g.op("Softmax", g.op("Add", scores, added), axis=-1), v)
    shape = g.op("Concat", g.size(x, 0), g.size(x, 1), g.constant([WIDTH]), axis=0)
    return g.linear(g.op("Reshape", g.op("Transpose", y, perm=[0, 2, 1, 3]), shape), WIDTH, WIDTH)


def gelu(g, x):
    erf = g.op("Erf", g.op("Div", x, g.constant(2**0.5, np.float32)))
    return g.op("Mul", g.op("Mul", x, g.op("Add", erf, g.constant(1, np.float32))), g.constant(0.5, np.float32))


def encoder():
    g = Graph()
    x, added = embeddings(g), mask(g)
    for _ in range(LAYERS):
        x = g.normalized(g.op("Add", attention(g, x, added), x))
        x = g.normalized(g.op("Add", g.linear(gelu(g, g.linear(x, WIDTH, INNER)), INNER, WIDTH), x))
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "length"])
              for name in ("input_ids", "attention_mask")]  # fmt: skip
    output = helper.make_tensor_value_info(x, TensorProto.FLOAT, ["batch", "length", WIDTH])
    graph = helper.make_graph(g.nodes, "encoder", inputs, [output], g.weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def feeds(length):
    ids = np.random.default_rng(length).integers(5, 1000, (1, length))
    return {"input_ids": ids, "attention_mask": np.ones((1, length), np.int64)}


class Samples(quantization.CalibrationDataReader):
    def __init__(self):
        self.samples = iter([feeds(length) for length in (20, 60, 100)])

    def get_next(self):
        return next(self.samples, None)


def write(form, folder):
    """The file of the encoder in that form."""
    plain, path = f"{folder}/float32.onnx", f"{folder}/{form}.onnx"
    if not pathlib.Path(plain).exists():
        onnx.save(encoder(), plain)
    if form == "fp16":
        onnx.save(convert_float_to_float16(onnx.load(plain), keep_io_types=True), path)
    if form == "dynamic":
        quantization.quantize_dynamic(plain, path, weight_type=quantization.QuantType.QInt8)
    if form == "qdq":
        quantization.quantize_static(
            plain, path, Samples(), quant_format=quantization.QuantFormat.QDQ, per_channel=True,
            activation_type=quantization.QuantType.QUInt8, weight_type=quantization.QuantType.QInt8,
        )  # fmt: skip
    return path


def sessions(path, threads):
    """Functions from feeds to outputs, by engine."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.log_severity_level = threads, 3
    other = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    return {"linnet": linnet.Session(path, threads=threads).run, "onnxruntime": lambda feed: other.run(None, feed)}


def timed(run, feed):
    begin = time.perf_counter()
    run(feed)
    return (time.perf_counter() - begin) * 1e3


def shuffled(seed):
    order = list(LENGTHS)
    random.Random(seed).shuffle(order)
    return order


def of_lengths(runs, passes):
    """Mean ms of a run by engine and by how lengths come; each is repeated at once, under the same load of the machine."""
    times = {engine: {how: {n: [] for n in LENGTHS} for how in ("new", "seen", "repeated")} for engine in runs}
    for number in range(passes):
        for n in shuffled(number):
            for engine, run in runs.items():
                times[engine]["seen" if number else "new"][n].append(timed(run, feeds(n)))
                times[engine]["repeated"][n] += [timed(run, feeds(n)) for _ in range(2)]
    return {engine: {how: statistics.mean(map(statistics.median, kept[how].values())) for how in kept}
            for engine, kept in times.items()}  # fmt: skip


def of_clients(runs, clients, passes):
    """Ms per run by engine, of threads that run lengths in different orders, after each has occurred once."""

    def block(run, number):
        def work(client):
            for n in shuffled(1000 * number + client):
                run(feeds(n))

        threads = [threading.Thread(target=work, args=(client,)) for client in range(clients)]
        begin = time.perf_counter()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return (time.perf_counter() - begin) * 1e3 / (clients * len(LENGTHS))

    times = {engine: [] for engine in runs}
    for number in range(passes + 1):
        for engine, run in runs.items():
            times[engine].append(block(run, number))
    return {engine: {"new": took[0], "seen": statistics.median(took[1:])} for engine, took in times.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--forms", type=lambda text: text.split(","), default=FORMS)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--clients", type=int, default=1)
    parser.add_argument("--passes", type=int, default=4, help="at least 2")
    parser.add_argument("--json")
    flags = parser.parse_args()
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        for form in flags.forms:
            runs = sessions(write(form, folder), flags.threads)
            clients = flags.clients > 1
            kept = of_clients(runs, flags.clients, flags.passes) if clients else of_lengths(runs, flags.passes)
            results[form] = kept
            for engine, times in kept.items():
                print(f"{form:8} {engine:12}", *(f"{how} {ms:7.2f}" for how, ms in times.items()), end="")
                print(f"  seen / repeated {times['seen'] / times['repeated']:.2f}" if "repeated" in times else "")
            print(f"{form:8} ONNX Runtime's time of lengths seen: {kept['onnxruntime']['seen'] / kept['linnet']['seen']:.2f}")
    if flags.json:
        pathlib.Path(flags.json).write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
