"""usage: peer.py JOB

One job of another engine in a separate process; JOB and the result on stdout are JSON. The job contains:
  engine   onnxruntime, openvino or ncnn
  action   version; prepare (make inputs and expected outputs; ONNX Runtime only); convert (ncnn only);
           outputs (save them); time (load, warm up and time runs)
  model, folder (with inputs.npz and names.json), threads, seconds, warmup, runs, level (of optimisation), shapes, values
"""

import importlib
import json
import statistics
import sys
import time

import numpy as np


def elapsed_ms(begin):
    return (time.perf_counter() - begin) * 1e3


def timed_run(session):
    begin = time.perf_counter()
    session.run()
    return elapsed_ms(begin)


def time_runs(session, job):
    """Latencies in ms: at least job["runs"] and at least job["seconds"] long, after job["warmup"] runs."""
    for _ in range(job["warmup"]):
        session.run()
    end = time.perf_counter() + job["seconds"]
    latencies = []
    while len(latencies) < job["runs"] or time.perf_counter() < end:
        latencies.append(timed_run(session))
    return latencies


def load(engine, job):
    """The session, the names of the model's outputs and the time to load in ms."""
    folder = job["folder"]
    with open(f"{folder}/names.json") as file:
        outputs = json.load(file)["outputs"]
    with np.load(f"{folder}/inputs.npz") as feeds:
        feeds = dict(feeds)
    begin = time.perf_counter()
    session = engine.Session(job, feeds)
    return session, outputs, elapsed_ms(begin)


def work(engine, job):
    if job["action"] in ("version", "prepare", "convert"):
        return getattr(engine, job["action"])(job)
    session, names, load_ms = load(engine, job)
    if job["action"] == "outputs":
        session.run()
        np.savez(f"{job['folder']}/{job['engine']}.npz", **dict(zip(names, session.outputs())))
        return None
    latencies = time_runs(session, job)
    return {"median_ms": statistics.median(latencies), "load_ms": load_ms, "runs": len(latencies)}


if __name__ == "__main__":
    arguments = json.loads(sys.argv[1])
    print(json.dumps(work(importlib.import_module(arguments["engine"] + "_peer"), arguments)))
