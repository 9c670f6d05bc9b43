"""Both engines in one process, each with inputs and outputs in place: a run only computes.

Outputs of 64 KiB and more are written to arrays that exist, so that no run waits for memory of the system. Texts,
sequences and maps pass through Python at each run, in both engines.
"""

import agreement
import linnet
import numpy as np
import onnxruntime
from engines import Problem
from onnxruntime_peer import make_session

LARGE = 1 << 16

# Between runs threads spin that long at the most, so that they do not while the other engine is timed.
SPIN_US = 1000


def is_numbers(values):
    """Arrays that ONNX Runtime can bind."""
    return all(isinstance(value, np.ndarray) and value.dtype.kind in "fiub" for value in values)


class Linnet:
    name = "linnet"

    def __init__(self, node, threads):
        session = linnet.Session(node.model.SerializeToString(), threads=threads)
        feeds, names = node.feeds, [value.name for value in session.outputs]
        self.outputs = list(session.run(feeds).values())
        large = {
            name: np.empty_like(value)
            for name, value in zip(names, self.outputs)
            if is_numbers([value]) and value.nbytes >= LARGE
        }
        self.run = (lambda: session.run(feeds, out=large)) if large else (lambda: session.run(feeds))


class OnnxRuntime:
    """At its best: see onnxruntime_peer."""

    name = "onnxruntime"

    def __init__(self, node, threads):
        session = make_session(node.model.SerializeToString(), threads, "all", spin_us=SPIN_US)
        self.outputs = session.run(None, node.feeds)
        if not is_numbers([*node.feeds.values(), *self.outputs]):
            self.run = lambda: session.run(None, node.feeds)
            return
        binding = session.io_binding()
        for name, feed in node.feeds.items():
            binding.bind_cpu_input(name, feed)
        self.large = [np.empty_like(value) if value.nbytes >= LARGE else None for value in self.outputs]
        for value, array in zip(session.get_outputs(), self.large):
            if array is None:
                binding.bind_output(value.name)
            else:
                binding.bind_output(value.name, "cpu", 0, array.dtype, array.shape, array.ctypes.data)
        self.run = lambda: session.run_with_iobinding(binding)


def agreeing(node, threads):
    """Linnet and ONNX Runtime, whose outputs agree; Linnet alone where the other has no kernel. Throws Problem."""
    engines = []
    for kind in (Linnet,) if node.case.alone else (Linnet, OnnxRuntime):
        try:
            engines.append(kind(node, threads))
        except Exception as error:  # Any error of an engine is the row's problem.
            raise Problem(f"{kind.__name__}: {str(error).strip().splitlines()[0][:200]}") from error
    if not node.case.alone:
        agreement.check(node.case.agreement, *(engine.outputs for engine in engines))
    return engines


VERSIONS = {"linnet": linnet.__version__, "onnxruntime": onnxruntime.__version__}
