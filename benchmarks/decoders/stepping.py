"""Both engines as step(i), whose states are in place, and restart(). What binding costs in Python is not counted.

`clock`: of one thread the time that it has a processor, so that what else the machine does is not counted.
"""

import linnet
import numpy as np
import onnxruntime
from onnxruntime_peer import make_session


class Linnet:
    """States of a context, with room for all steps."""

    def __init__(self, session, feeds, clock, room):
        self.feeds, self.clock, self.context = feeds, clock, session.context()
        for name, value in feeds.past.items():
            self.context.bind_state(feeds.states[name], name, value, capacity=feeds.length + room)

    def restart(self):
        self.context.reset_states()

    def step(self, i):
        """(logits, seconds)."""
        inputs = self.feeds.step(i)
        begin = self.clock()
        outputs = self.context.run(inputs)
        return outputs["logits"], self.clock() - begin


class OnnxRuntime:
    """Bound values: presents of a step are the past of the next, in separate memory, or of buffers with room for all
    steps where the model writes into the past."""

    def __init__(self, session, feeds, clock, room, shared):
        self.session, self.feeds, self.clock = session, feeds, clock
        self.binding, self.shared = session.io_binding(), shared
        self.first = {name: self.value(past, room if shared else 0) for name, past in feeds.past.items()}
        self.restart()

    @staticmethod
    def value(past, room):
        wide = np.zeros((*past.shape[:2], past.shape[2] + room, *past.shape[3:]), past.dtype)
        wide[:, :, : past.shape[2]] = past
        return onnxruntime.OrtValue.ortvalue_from_numpy(wide)

    def restart(self):
        self.past = dict(self.first)

    def step(self, i):
        inputs = self.feeds.step(i)
        self.binding.clear_binding_inputs()
        self.binding.clear_binding_outputs()
        for name, value in inputs.items():
            self.binding.bind_cpu_input(name, value)
        for name, value in self.past.items():
            self.binding.bind_ortvalue_input(name, value)
        self.binding.bind_output("logits")
        for name, output in self.feeds.states.items():
            if self.shared:
                self.binding.bind_ortvalue_output(output, self.past[name])
            else:
                self.binding.bind_output(output)
        begin = self.clock()
        self.session.run_with_iobinding(self.binding)
        seconds = self.clock() - begin
        logits, *presents = self.binding.get_outputs()
        self.past = dict(zip(self.past, presents))
        return logits.numpy(), seconds


def sessions(path, threads):
    return linnet.Session(path, threads=threads), make_session(path, threads, "all")
