"""ONNX Runtime at its best: threads pinned and allowed to spin, inputs and outputs bound, the level of optimisation given."""

import json
import os

import numpy as np
import onnxruntime

LEVELS = {
    "all": onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL,
    "extended": onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED,
}
TYPES = {
    "float": np.float32, "double": np.float64, "float16": np.float16, "bool": np.bool_,
    "int8": np.int8, "int16": np.int16, "int32": np.int32, "int64": np.int64,
    "uint8": np.uint8, "uint16": np.uint16, "uint32": np.uint32, "uint64": np.uint64,
}  # fmt: skip


def make_session(model, threads, level, spin_us=None):
    """spin_us: how long a thread that has nothing to do may spin, where that is to end."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 4
    options.graph_optimization_level = LEVELS[level]
    options.add_session_config_entry("session.intra_op.allow_spinning", "1")
    if spin_us is not None:
        options.add_session_config_entry("session.intra_op.spin_duration_us", str(spin_us))
    cpus = sorted(os.sched_getaffinity(0))
    if 1 < threads <= len(cpus):  # for all threads but the caller's; processors count from 1
        affinities = ";".join(str(cpu + 1) for cpu in cpus[1:threads])
        options.add_session_config_entry("session.intra_op_thread_affinities", affinities)
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


class Session:
    def __init__(self, job, feeds):
        self.session = make_session(job["model"], job["threads"], job["level"])
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})  # the caller; the others have a processor each
        self.binding = self.session.io_binding()
        for name, feed in feeds.items():
            self.binding.bind_cpu_input(name, feed)
        for value in self.session.get_outputs():
            self.binding.bind_output(value.name)

    def run(self):
        self.session.run_with_iobinding(self.binding)

    def outputs(self):
        return self.binding.copy_outputs_to_cpu()


def make_feed(value, shape, job, random):
    dtype = TYPES[value.type.removeprefix("tensor(").removesuffix(")")]
    if np.issubdtype(dtype, np.floating):
        return random.standard_normal(shape).astype(dtype)
    return np.full(shape, job["values"].get(value.name, 1), dtype)


def version(job):
    return onnxruntime.__version__


def prepare(job):
    """Saves seeded inputs and what ONNX Runtime computes from them; returns whether the batch could be chosen."""
    session = make_session(job["model"], len(os.sched_getaffinity(0)), "all")
    inputs = session.get_inputs()
    free = {value.shape[0] for value in inputs if value.shape and not isinstance(value.shape[0], int)}
    dims = {name: job["batch"] for name in free} | job["dims"]
    random, feeds = np.random.default_rng(0), {}
    for value in inputs:
        shape = [d if isinstance(d, int) else dims.get(d, 1) for d in value.shape]
        feeds[value.name] = make_feed(value, shape, job, random)
    names = [value.name for value in session.get_outputs()]
    np.savez(f"{job['folder']}/inputs.npz", **feeds)
    np.savez(f"{job['folder']}/expected.npz", **dict(zip(names, session.run(None, feeds))))
    with open(f"{job['folder']}/names.json", "w") as file:
        json.dump({"outputs": names}, file)
    return {"free_batch": bool(free), "shapes": {name: list(feed.shape) for name, feed in feeds.items()}}
