"""A short fixed computation that shows whether the machine is as fast as usual."""

import os
import statistics
import time

import numpy as np

LOOPS = 5


class Canary:
    """Runs on each of the given processors. `tolerance`: the usual relative deviation from the median of all
    measurements."""

    def __init__(self, cpus, tolerance=0.05):
        self.cpus, self.tolerance, self.songs = cpus, tolerance, []
        self.matrix = np.full((256, 256), 0.5, np.float32)
        self.stream = np.zeros(1 << 21, np.float32)  # larger than the second-level cache
        for _ in range(LOOPS):
            self.measure()

    def measure(self):
        """Returns the seconds on the slowest processor."""
        allowed = os.sched_getaffinity(0)
        try:
            song = max(map(self.sing, self.cpus))
        finally:
            os.sched_setaffinity(0, allowed)
        self.songs.append(song)
        return song

    def sing(self, cpu):
        os.sched_setaffinity(0, {cpu})
        return statistics.median(self.loop() for _ in range(LOOPS))

    def loop(self):
        begin = time.perf_counter()
        for _ in range(4):
            self.matrix @ self.matrix
            self.stream.sum()
        return time.perf_counter() - begin

    def deviation(self, song):
        return abs(song / statistics.median(self.songs) - 1)


class Watch:
    """Repeats blocks that the canary reports as disturbed, each at most `repeats` times."""

    def __init__(self, canary, repeats):
        self.canary, self.repeats = canary, repeats
        self.thrown_out = self.kept_disturbed = 0

    def undisturbed(self, block):
        """Returns the result of the first undisturbed call of block(), or else of the least disturbed one."""
        quietest, result = None, None
        for _ in range(self.repeats + 1):
            before = self.canary.measure()
            attempt = block()
            deviation = max(map(self.canary.deviation, (before, self.canary.measure())))
            if quietest is None or deviation < quietest:
                quietest, result = deviation, attempt
            if deviation <= self.canary.tolerance:
                return result
            self.thrown_out += 1
        self.thrown_out -= 1
        self.kept_disturbed += 1
        return result
