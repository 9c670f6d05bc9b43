"""Linnet and ONNX Runtime, each with one thread for a run."""

import importlib

NAMES = ("linnet", "onnxruntime")


def load(name, path, cache=None):
    """Returns a thread-safe function of feeds by name. cache: a folder for Linnet's prepared models."""
    module = importlib.import_module(name)
    if name == "linnet":
        return module.Session(path, threads=1, cache_dir=cache or "").run
    options = module.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = module.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    return lambda feeds: dict(zip(names, session.run(names, feeds)))
