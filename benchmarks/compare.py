"""Compares run_model with ONNX Runtime, model by model: outputs first, then time.

usage: compare.py MODEL.onnx... [--threads 1,2] [--rounds 5] [--seconds 2] [--dim N=8] [--value sr=16000]
       [--markdown FILE] [--json FILE]

The two engines run in processes of their own that alternate (A B B A ...), with the same inputs and number of threads;
the table shows the medians over all rounds and the median of the rounds' ratios. A model whose outputs disagree is
reported and not timed. Needs numpy and onnxruntime; run_model is looked up in the environment variable
LINNET_RUN_MODEL, then in build/bin.
"""

import argparse
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
import onnxruntime

ROOT = pathlib.Path(__file__).resolve().parent.parent
ATOL, RTOL = 1e-4, 1e-3


def make_session(model, threads):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def make_inputs(session, dims, values):
    random = np.random.default_rng(0)
    feeds = {}
    for value in session.get_inputs():
        shape = [d if isinstance(d, int) else dims.get(d, 1) for d in value.shape]
        if "float" in value.type:
            feeds[value.name] = random.standard_normal(shape).astype(np.float32)
        else:
            feeds[value.name] = np.full(shape, values.get(value.name, 1), np.int64)
    return feeds


def time_onnxruntime(model, threads, seconds, folder):
    """Runs in a process of its own: the median time of a run in milliseconds, on stdout."""
    session = make_session(model, threads)
    binding = session.io_binding()
    for value in session.get_inputs():
        binding.bind_cpu_input(value.name, np.load(f"{folder}/{value.name}.npy"))
    for value in session.get_outputs():
        binding.bind_output(value.name)
    times, end = [], 0.0
    while len(times) < 8 or time.perf_counter() < end:
        begin = time.perf_counter()
        session.run_with_iobinding(binding)
        times.append(time.perf_counter() - begin)
        if len(times) == 3:  # warm-up
            end = time.perf_counter() + seconds
    print(statistics.median(times[3:]) * 1e3)


class Comparison:
    def __init__(self, model, arguments):
        self.model, self.arguments = model, arguments
        self.run_model = os.environ.get("LINNET_RUN_MODEL", str(ROOT / "build/bin/run_model"))
        self.folder = tempfile.TemporaryDirectory()
        session = make_session(model, 2)
        feeds = make_inputs(session, dict(arguments.dim), dict(arguments.value))
        self.flags = []
        for name, value in feeds.items():
            np.save(f"{self.folder.name}/{name}.npy", value)
            self.flags += ["-i", f"{name}={self.folder.name}/{name}.npy"]
        self.expected = dict(zip((y.name for y in session.get_outputs()), session.run(None, feeds)))

    def disagreement(self):
        """What differs, or None."""
        saved = f"{self.folder.name}/outputs.npz"
        done = subprocess.run([self.run_model, "run", self.model, *self.flags, "--save-outputs", saved],
                              capture_output=True, text=True)
        if done.returncode:
            return done.stderr.strip()
        outputs = np.load(saved)
        for name, expected in self.expected.items():
            if not np.allclose(outputs[name], expected, atol=ATOL, rtol=RTOL, equal_nan=True):
                return f"output {name} differs by {np.abs(outputs[name] - expected).max():.2g}"
        return None

    def time_linnet(self, threads):
        report = f"{self.folder.name}/bench.json"
        subprocess.run([self.run_model, "bench", self.model, *self.flags, "--threads", str(threads), "--duration",
                        str(self.arguments.seconds), "--json", report], check=True, capture_output=True)
        with open(report) as file:
            return json.load(file)["median_ms"]

    def time_peer(self, threads):
        call = [sys.executable, __file__, "--peer", self.model, str(threads), str(self.arguments.seconds),
                self.folder.name]
        return float(subprocess.run(call, check=True, capture_output=True, text=True).stdout)

    def measure(self, threads):
        """(peer's median, our median, median ratio) over the rounds."""
        pairs = []
        for number in range(self.arguments.rounds):
            if number % 2:
                ours = self.time_linnet(threads)
                pairs.append((self.time_peer(threads), ours))
            else:
                pairs.append((self.time_peer(threads), self.time_linnet(threads)))
        peer, ours = zip(*pairs)
        return statistics.median(peer), statistics.median(ours), statistics.median(p / o for p, o in pairs)


def assignment(text):
    name, _, value = text.partition("=")
    return name, int(value)


def compare(arguments):
    rows = []
    for path in arguments.models:
        comparison = Comparison(path, arguments)
        name, problem = pathlib.Path(path).stem, comparison.disagreement()
        if problem:
            print(f"{name:32s} not timed: {problem}", flush=True)
            rows.append({"model": name, "problem": problem})
            continue
        for threads in arguments.threads:
            peer, ours, ratio = comparison.measure(threads)
            rows.append({"model": name, "threads": threads, "onnxruntime_ms": peer, "linnet_ms": ours, "ratio": ratio})
            print(f"{name:32s} {threads} threads  ONNX Runtime {peer:9.2f} ms  Linnet {ours:9.2f} ms  {ratio:5.2f}x",
                  flush=True)
    return rows


def markdown(rows):
    lines = ["| model | threads | ONNX Runtime, ms | Linnet, ms | ratio |", "|---|---|---|---|---|"]
    for row in rows:
        if "problem" in row:
            lines.append(f"| {row['model']} | | | | {row['problem']} |")
        else:
            lines.append(f"| {row['model']} | {row['threads']} | {row['onnxruntime_ms']:.2f} | {row['linnet_ms']:.2f} "
                         f"| {row['ratio']:.2f} |")
    for threads in sorted({row["threads"] for row in rows if "threads" in row}):
        ratios = [row["ratio"] for row in rows if row.get("threads") == threads]
        mean = math.exp(statistics.fmean(map(math.log, ratios)))
        lines.append(f"| geometric mean | {threads} | | | {mean:.2f} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+")
    parser.add_argument("--threads", type=lambda text: [int(t) for t in text.split(",")], default=[1, 2])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--dim", type=assignment, action="append", default=[], metavar="NAME=N",
                        help="a symbolic dim (1 unless given)")
    parser.add_argument("--value", type=assignment, action="append", default=[], metavar="NAME=N",
                        help="what an integer input is filled with (1 unless given)")
    parser.add_argument("--markdown")
    parser.add_argument("--json")
    arguments = parser.parse_args()
    rows = compare(arguments)
    if arguments.markdown:
        pathlib.Path(arguments.markdown).write_text(markdown(rows))
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps(rows, indent=1))
    return any("problem" in row for row in rows)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--peer"]:
        time_onnxruntime(sys.argv[2], int(sys.argv[3]), float(sys.argv[4]), sys.argv[5])
    else:
        sys.exit(main())
