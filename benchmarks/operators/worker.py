"""usage: worker.py SETUP, the JSON of threads, their processors, rounds, seconds and repeats

Measures cases one after another: reads the index of a case from each line of stdin and writes a line of JSON. It is
a separate process, so that a crash ends one case only. The request "roof" returns the limits of the machine.
"""

import contextlib
import gc
import json
import os
import pathlib
import statistics
import sys
import threading
import time
import types

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "compare"))

import bounds  # noqa: E402
import roof  # noqa: E402
from canary import Canary, Watch  # noqa: E402
from cases import CASES  # noqa: E402
from engines import Problem  # noqa: E402
from measure import in_turns  # noqa: E402
from node_model import build  # noqa: E402
from engine_pair import agreeing  # noqa: E402
from roof import clock_of  # noqa: E402
from summary import summarise  # noqa: E402

# So long a sample is that the clock's resolution does not count, and so long the other engine's threads may spin.
SAMPLE_SECONDS, SPINNING_SECONDS = 1e-4, 2e-3


class Block:
    """The median of a block's runs, as compare's blocks have it."""

    def __init__(self, median_ms):
        self.median_ms = median_ms


class Timed:
    """An engine with the number of runs between two looks at the clock."""

    def __init__(self, engine, threads):
        self.name, self.run = engine.name, engine.run
        self.threads, self.clock = threads, clock_of(threads)
        quickest = min(self.seconds(1) for _ in range(3))
        self.runs = max(1, int(SAMPLE_SECONDS / quickest))

    def seconds(self, runs):
        run, begin = self.run, self.clock()
        for _ in range(runs):
            run()
        return (self.clock() - begin) / runs

    def block(self, seconds):
        """Some runs that are not timed, then as many as fit into the seconds, at least one."""
        if self.threads > 1:
            time.sleep(SPINNING_SECONDS)
        self.seconds(self.runs)
        samples, end = [], time.perf_counter() + seconds
        while not samples or time.perf_counter() < end:
            samples.append(self.seconds(self.runs))
        return Block(statistics.median(samples) * 1e3)


def dtype_of(node):
    arrays = [value for value in node.inputs if hasattr(value, "dtype")]
    return arrays[0].dtype.name if arrays else ""


def blocks_of(engines, setup, canary):
    """Medians of blocks in ms by engine's name, and whether the machine disturbed them until the end."""
    timed = [Timed(engine, setup.threads) for engine in engines]
    watch = Watch(canary, setup.repeats)
    turns = lambda: in_turns(timed, setup.rounds, lambda engine: engine.block(setup.seconds))  # noqa: E731
    # Without repeats the canary is not needed.
    return (watch.undisturbed(turns) if setup.repeats else turns()), bool(watch.kept_disturbed)


def divide_processors(cpus):
    """The caller has the first, the threads of both engines have the others: none waits for the processor of the caller that
    waits for it."""
    own = threading.get_native_id()
    for thread in map(int, os.listdir("/proc/self/task")):
        with contextlib.suppress(ProcessLookupError):  # of an engine that is gone
            os.sched_setaffinity(thread, cpus[:1] if thread == own else cpus[1:] or cpus)


def measure(case, setup, canary):
    """The row of a case."""
    node = build(case)
    engines = agreeing(node, setup.threads)
    divide_processors(canary.cpus)
    blocks, disturbed = blocks_of(engines, setup, canary)
    row = {
        "bytes": bounds.bytes_of(case, node.inputs, engines[0].outputs),
        "operations": bounds.operations_of(case, node.inputs, engines[0].outputs),
        "dtype": dtype_of(node),
        "disturbed": disturbed,
    }
    row |= {f"{name}_us": 1e3 * statistics.median(times) for name, times in blocks.items()}
    return row if case.alone else row | summarise(blocks["onnxruntime"], blocks["linnet"])


def answer(request, setup, canary):
    os.sched_setaffinity(0, canary.cpus)
    if request == "roof":
        return roof.measure(setup.threads)
    try:
        return measure(CASES[int(request)], setup, canary)
    except Problem as problem:
        return {"problem": str(problem)}


def main():
    setup = types.SimpleNamespace(**json.loads(sys.argv[1]))
    results = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what engines print
    canary = Canary(setup.processors)  # OMP_PROC_BIND has bound this thread to one of them
    gc.disable()
    gc.freeze()
    for line in sys.stdin:
        gc.collect()
        print(json.dumps(answer(line.strip(), setup, canary)), file=results, flush=True)


if __name__ == "__main__":
    main()
