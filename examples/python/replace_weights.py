"""replace_weights.py MODEL INITIALIZER VALUE...: replaces the contents of an initializer while another thread serves
requests. Each request runs entirely with the old or entirely with the new weights."""

import collections
import sys
import threading
import time

import linnet
import numpy as np
from inputs import constant_inputs


class Server:
    def __init__(self, session):
        self.session = session
        self.answers = collections.Counter()

    def answer(self, session):
        return session.run(constant_inputs(session, 1))[session.outputs[0].name].flat[0].item()

    def serve(self, done):
        """Answers requests until one was answered after `done` was set."""
        last = False
        while not last:
            last = done.is_set()
            self.answers[self.answer(self.session)] += 1


def main(model, initializer, *values):
    server = Server(linnet.Session(model, replaceable_weights=True))
    before = server.answer(server.session)
    changed = server.session.with_weights({initializer: np.array([float(v) for v in values], np.float32)})
    after = server.answer(changed)
    done = threading.Event()
    thread = threading.Thread(target=server.serve, args=[done])
    thread.start()
    while not server.answers:
        time.sleep(0.001)
    server.session = changed  # a single assignment, after which new requests use it
    done.set()
    thread.join()
    others = server.answers.keys() - {before, after}
    print(f"{before:g}, then {after:g}; {len(others)} other answers")


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit("usage: replace_weights MODEL INITIALIZER VALUE...")
    try:
        main(*sys.argv[1:])
    except (linnet.Error, OSError, ValueError) as error:
        sys.exit(f"replace_weights: {error}")
