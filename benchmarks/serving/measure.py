"""Measurements of a model with Linnet and ONNX Runtime in alternation."""

import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import engines
import numpy as np

WORKER = pathlib.Path(__file__).with_name("worker.py")
DISTINCT = 64  # requests, which clients send repeatedly


def answers_agree(runs, feeds):
    """Returns the largest difference of outputs relative to the largest magnitude."""
    ours, theirs = (runs[name](feeds) for name in engines.NAMES)
    return max(np.abs(ours[name].astype(np.float64) - theirs[name]).max() / max(np.abs(theirs[name]).max(), 1e-6)
               for name in theirs if theirs[name].size)  # fmt: skip


def clients(run, feeds, count, seconds):
    """Returns requests per second of so many threads, and the seconds of each request."""
    times = [[] for _ in range(count)]
    end = time.perf_counter() + seconds

    def work(own, first):
        i = first
        while time.perf_counter() < end:
            started = time.perf_counter()
            run(feeds[i % len(feeds)])
            own.append(time.perf_counter() - started)
            i += 1

    threads = [threading.Thread(target=work, args=(own, i * 7)) for i, own in enumerate(times)]
    started = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    taken = time.perf_counter() - started
    return sum(map(len, times)) / taken, [t for own in times for t in own]


def throughput(runs, requests, count, *, drawn, seconds, rounds):
    """Returns by engine: requests per second (the median of rounds), and p50 and p99 of all requests in ms."""
    feeds = [requests.drawn() if drawn else requests.feeds() for _ in range(DISTINCT)]
    rates, times = {name: [] for name in runs}, {name: [] for name in runs}
    for name, run in runs.items():
        clients(run, feeds, count, seconds)
    for _ in range(rounds):
        for name, run in runs.items():
            rate, taken = clients(run, feeds, count, seconds)
            rates[name].append(rate)
            times[name] += taken
    return {name: (statistics.median(rates[name]), *(1e3 * np.percentile(times[name], (50, 99)))) for name in runs}


def worker(engine, *arguments, **environment):
    variables = os.environ | {"ORT_DISABLE_TELEMETRY": "1"} | environment
    variables.pop("PYTHONDONTWRITEBYTECODE", None)  # installed packages have compiled modules, so a build has them, too
    done = subprocess.run([sys.executable, WORKER, engine, *map(str, arguments)], env=variables, check=True,
                          capture_output=True, text=True)  # fmt: skip
    return json.loads(done.stdout)


def cold_start(path, requests, rounds):
    """Returns the median seconds from the start of a process to its first answer, of each engine, of Linnet with a
    cache, and of a process that loads no engine."""
    with tempfile.TemporaryDirectory() as folder:
        request, cache = pathlib.Path(folder, "request.npz"), pathlib.Path(folder, "cache")
        np.savez(request, **requests.feeds())
        kinds = {"linnet": ("linnet", "cold", path), "onnxruntime": ("onnxruntime", "cold", path),
                 "cached": ("linnet", "cold", path, cache), "none": ("none", "cold", path)}  # fmt: skip
        times = {name: [] for name in kinds}
        for arguments in kinds.values():  # fills the caches of Linnet and of Python
            worker(*arguments, SERVING_REQUEST=str(request))
        for _ in range(rounds):
            for name, arguments in kinds.items():
                times[name].append(worker(*arguments, SERVING_REQUEST=str(request)))
        shutil.rmtree(cache, ignore_errors=True)
        return {name: statistics.median(values) for name, values in times.items()}


def memory(task, *paths):
    """Returns by engine: resident bytes, less those before the engine was loaded, at each point of worker.py."""
    found = {name: worker(name, task, *paths) for name in engines.NAMES}
    return {name: [value - values[0] for value in values[1:]] for name, values in found.items()}
