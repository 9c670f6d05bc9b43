"""Measures whether a sample's bits depend on its batch, and the cost of Session(batch_invariant=True).

usage: python benchmarks/batch_invariance.py MODEL.onnx... [--batches 1,2,3,7,8,16,32] [--cost-batch 8] [--runs 7]
       [--length 32] [--threads 1]

For each model, prints whether three samples have the same bits alone and at the first, the middle and the last position
of every batch, with and without the option. It also prints the time of a batch with the option divided by the time
without it, as the minimum of interleaved runs. Open dims other than the first are --length. The last line is the
geometric mean of the costs.
"""

import argparse
import pathlib
import statistics
import time

import linnet
import numpy as np

SAMPLES = 3


def samples(session, count, length, random):
    """Returns values of `count` samples by input: ids from 5 to 999, masks of ones, normally distributed values."""
    feeds = {}
    for info in session.inputs:
        shape = [count, *(dim if isinstance(dim, int) else length for dim in info.shape[1:])]
        if info.dtype.startswith("int"):
            value = np.ones(shape) if "mask" in info.name else random.integers(5, 1000, shape)
        else:
            value = random.standard_normal(shape)
        feeds[info.name] = value.astype(info.dtype)
    return feeds


def differences(session, feeds, batches):
    """Returns the batches in which the first output of a sample has other bits than alone."""
    output = session.outputs[0].name
    alone = [session.run({name: value[i : i + 1] for name, value in feeds.items()}, [output])[output] for i in range(SAMPLES)]
    found = []
    for batch in batches:
        places = dict(zip((0, batch // 2, batch - 1), range(SAMPLES)))
        placed = {name: value[:batch].copy() for name, value in feeds.items()}
        for place, sample in places.items():
            for name, value in placed.items():
                value[place] = feeds[name][sample]
        y = session.run(placed, [output])[output]
        if any(y[place].tobytes() != alone[sample][0].tobytes() for place, sample in places.items()):
            found.append(batch)
    return found


def cost(plain, invariant, feeds, runs):
    """Returns the minimum time of the second session divided by that of the first."""
    least = [float("inf"), float("inf")]
    for run in range(runs + 1):
        for i, session in enumerate((plain, invariant)):
            started = time.perf_counter()
            session.run(feeds)
            if run:  # the first run plans
                least[i] = min(least[i], time.perf_counter() - started)
    return least[1] / least[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+", metavar="MODEL.onnx", type=pathlib.Path)
    parser.add_argument("--batches", type=lambda text: [int(n) for n in text.split(",")], default=[1, 2, 3, 7, 8, 16, 32])
    parser.add_argument("--cost-batch", type=int, default=8)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--length", type=int, default=32)
    parser.add_argument("--threads", type=int, default=1)
    flags = parser.parse_args()
    costs = []
    print("| model | without the option | with it | cost |\n|---|---|---|---|")
    for path in flags.models:
        plain, invariant = (linnet.Session(path, threads=flags.threads, batch_invariant=on) for on in (False, True))
        feeds = samples(plain, max(*flags.batches, flags.cost_batch), flags.length, np.random.default_rng(0))
        words = []
        for session in (plain, invariant):
            found = differences(session, feeds, flags.batches)
            words.append(f"differs at {', '.join(map(str, found))}" if found else "equal")
        batch = {name: value[: flags.cost_batch] for name, value in feeds.items()}
        costs.append(cost(plain, invariant, batch, flags.runs))
        print(f"| {path.stem} | {words[0]} | {words[1]} | {costs[-1]:.3f} |", flush=True)
    print(f"\ngeometric mean of the costs at batch {flags.cost_batch}: {statistics.geometric_mean(costs):.3f}")


if __name__ == "__main__":
    main()
