"""usage: worker.py JOB

Measures one model in a separate process; JOB and the lines of the answer are JSON, a line for each length of the past.
The job contains: model, threads, lengths, steps and rounds of blocks, soak (steps after the longest past).
"""

import json
import pathlib
import statistics
import sys
import threading
import time

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "compare"), str(HERE.parent / "operators")]

import feeds  # noqa: E402
import stepping  # noqa: E402
from roof import clock_of, seconds_of  # noqa: E402

LARGE = 1 << 28  # bytes that no cache holds
COMPARED = 4  # steps
WARM = 6  # steps: the first ones plan


def read_rate(threads):
    """Bytes per second that reading takes, each thread its part."""
    parts = [np.ones(LARGE // 4 // threads, np.float32) for _ in range(threads)]

    def together():
        started = [threading.Thread(target=part.max) for part in parts[1:]]
        for thread in started:
            thread.start()
        parts[0].max()
        for thread in started:
            thread.join()

    return LARGE / seconds_of(together, clock_of(threads), 0.2)


def difference(engines):
    """The largest of some steps, in units of what is tolerated: 1e-4 of the largest value and 1e-3 of each."""
    found = 0
    for i in range(COMPARED):
        ours, theirs = (engine.step(i)[0].astype(np.float64) for engine in engines)
        tolerated = 1e-4 * max(1, np.abs(theirs).max()) + 1e-3 * np.abs(theirs)
        found = max(found, float((np.abs(ours - theirs) / tolerated).max()))
    return found


def block(engine, steps):
    engine.restart()
    return [engine.step(i)[1] for i in range(WARM + steps)][WARM:]


def resident():
    """Bytes of this process in memory."""
    pages = int(pathlib.Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096


def soak(engine, steps):
    """How much more memory the process has after so many steps."""
    engine.restart()
    for i in range(WARM):
        engine.step(i)
    before = resident()
    for i in range(WARM, steps):
        engine.step(i)
    return resident() - before


def measure(job, sessions, shared, length):
    made = feeds.make(job["model"], length)
    clock, room = clock_of(job["threads"]), max(job["soak"], WARM + job["steps"])
    ours = stepping.Linnet(sessions[0], made, clock, room)
    theirs = stepping.OnnxRuntime(sessions[1], made, clock, room, shared)
    row = {"past": length, "difference": difference([ours, theirs])}
    times, rates = {ours: [], theirs: []}, []
    for i in range(job["rounds"] if row["difference"] <= 1 else 0):
        rates.append(read_rate(job["threads"]))
        for engine in [ours, theirs] if i % 2 == 0 else [theirs, ours]:
            times[engine] += block(engine, job["steps"])
    if rates:
        row |= {"linnet_ms": 1e3 * statistics.median(times[ours]), "ort_ms": 1e3 * statistics.median(times[theirs])}
        row |= {"linnet_least_ms": 1e3 * min(times[ours]), "ort_least_ms": 1e3 * min(times[theirs])}
        row["state_bytes"] = sum(value.nbytes for value in [*made.past.values(), *made.fixed.values()])
        row["read_rate"] = max(rates)
    if job["soak"] and length == max(job["lengths"]):
        row["grown_bytes"] = soak(ours, job["soak"])
    return row


def main():
    job = json.loads(sys.argv[1])
    sessions = stepping.sessions(job["model"], job["threads"])
    shared, weights = feeds.shares_buffers(job["model"]), feeds.weight_bytes(job["model"])
    for length in job["lengths"]:
        row = measure(job, sessions, shared, length) | {"weight_bytes": weights}
        print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
