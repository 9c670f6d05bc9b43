"""python benchmarks/serving/executors.py MODEL.onnx... [--threads N] [--seconds 0.5] [--rounds 5] [--neighbours 0,1]

Compares the sources of threads of one run: Linnet's own (threads), OpenMP's (openmp) and only the caller (serial), on a
quiet machine and next to so many processes that compute without end. Prints a Markdown table of the medians and 99th
percentiles of a run, in ms.
"""

import argparse
import contextlib
import os
import pathlib
import statistics
import subprocess
import sys
import time

import linnet
import numpy as np
from feeds import Requests

EXECUTORS = ("threads", "openmp", "serial")
IDLE = 0.01  # seconds after a turn, in which the threads of its executor stop to spin


def turn(run, feeds, seconds):
    """Returns the milliseconds of each run of a turn."""
    run(feeds)
    times, end = [], time.perf_counter() + seconds
    while time.perf_counter() < end:
        started = time.perf_counter()
        run(feeds)
        times.append(1e3 * (time.perf_counter() - started))
    time.sleep(IDLE)
    return times


@contextlib.contextmanager
def neighbours(count):
    processes = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def measured(path, flags):
    """Returns by executor: the median, and the 99th percentile of all runs."""
    feeds = Requests(path).feeds()
    sessions = {}
    for name in EXECUTORS:
        threads = {} if name == "serial" else {"threads": flags.threads}
        sessions[name] = linnet.Session(path, executor=name, **threads)
    answers = [session.run(feeds) for session in sessions.values()]
    if any(one[name].tobytes() != answers[0][name].tobytes() for one in answers for name in answers[0]):
        sys.exit(f"{path}: the bits depend on the executor")
    times = {name: [] for name in EXECUTORS}
    for _ in range(flags.rounds):
        for name, session in sessions.items():
            times[name].append(turn(session.run, feeds, flags.seconds))
    return {name: (statistics.median(map(statistics.median, turns)), np.percentile(sum(turns, []), 99))
            for name, turns in times.items()}  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+", metavar="MODEL.onnx", type=pathlib.Path)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--seconds", type=float, default=0.5)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--neighbours", type=lambda text: [int(n) for n in text.split(",")], default=[0, 1])
    flags = parser.parse_args()
    print("| model | neighbours |" + "".join(f" {name}: median | p99 |" for name in EXECUTORS))
    print("|---" * (2 + 2 * len(EXECUTORS)) + "|")
    for count in flags.neighbours:
        ratios = []
        with neighbours(count):
            for path in flags.models:
                by = measured(path, flags)
                ratios.append([by["openmp"][i] / by["threads"][i] for i in (0, 1)])
                print(f"| {path.stem} | {count} |" + "".join(f" {value:.3g} |" for name in EXECUTORS for value in by[name]), flush=True)
        means = [statistics.geometric_mean(column) for column in zip(*ratios)]
        print(f"| openmp over threads | {count} | | | {means[0]:.2f} | {means[1]:.2f} | | |")


if __name__ == "__main__":
    main()
