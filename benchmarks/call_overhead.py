"""python benchmarks/call_overhead.py [--rounds N]: what a call of a session costs besides the model's work, in us.

The model is Identity of float32 [1,3]. Linnet's and ONNX Runtime's sessions, each of one thread, take turns in short
rounds in one process, so that other work of the machine affects all equally. It prints the median of the rounds.
"""

import argparse
import gc
import statistics
import time

import linnet
import linnet.onnxruntime
import numpy as np
import onnxruntime
from onnx import TensorProto, helper

CALLS = 200  # of a round


def identity():
    value = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 3]) for name in "xy"]
    graph = helper.make_graph([helper.make_node("Identity", ["x"], ["y"])], "identity", value[:1], value[1:])
    return helper.make_model(graph, ir_version=10, opset_imports=[helper.make_opsetid("", 21)]).SerializeToString()


def onnxruntime_run(module):
    options = module.SessionOptions()
    options.intra_op_num_threads = 1
    return module.InferenceSession(identity(), options, providers=["CPUExecutionProvider"]).run


def calls():
    """Functions without arguments, by what they are called."""
    feed = {"x": np.ones((1, 3), np.float32)}
    session = linnet.Session(identity(), threads=1)
    real, drop_in = onnxruntime_run(onnxruntime), onnxruntime_run(linnet.onnxruntime)
    return {
        "linnet.Session.run": lambda: session.run(feed),
        "onnxruntime's run": lambda: real(None, feed),
        "linnet.onnxruntime's run": lambda: drop_in(None, feed),
    }


def round_us(call):
    begin = time.perf_counter()
    for _ in range(CALLS):
        call()
    return (time.perf_counter() - begin) / CALLS * 1e6


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=300)
    rounds = parser.parse_args().rounds
    gc.disable()
    measured = calls()
    times = {name: [] for name in measured}
    for _ in range(rounds + 3):  # the first three warm up
        for name, call in measured.items():
            times[name].append(round_us(call))
    for name, values in times.items():
        low, high = (statistics.quantiles(values[3:], n=4)[i] for i in (0, 2))
        print(f"{name}: {statistics.median(values[3:]):.2f} us (half of the rounds {low:.2f} to {high:.2f})")


if __name__ == "__main__":
    main()
