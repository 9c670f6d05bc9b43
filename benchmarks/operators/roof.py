"""Measures the machine's capability: bytes per second of copies by their size, and operations per second."""

import bisect
import math
import threading
import time

import numpy as np

# Bytes read and written.
COPIES = [2**n for n in range(12, 29)]
ORDER, ROUNDS = 768, 5


def clock_of(threads):
    """Returns a clock. With one thread, it is the thread's processor time, which excludes other load of the machine."""
    return time.thread_time if threads == 1 else time.perf_counter


def seconds_of(function, clock, least=0.02):
    """Returns the time of the fastest of several calls."""
    times, end = [], time.perf_counter() + least
    while len(times) < 3 or time.perf_counter() < end:
        begin = clock()
        function()
        times.append(clock() - begin)
    return min(times)


def copy_rate(size, threads):
    """Returns the higher rate of two methods: the C library's copy, and NumPy's vectors."""
    return max(rate_of(move, size, threads) for move in (lambda x, y: np.copyto(y, x), np.negative))


def rate_of(move, size, threads):
    """Returns the bytes per second of move(source, target). Each thread moves its part, often enough to make its start
    negligible."""
    repeats = max(1, 2**23 // size)
    pairs = [[np.ones(size // 8 // threads, np.float32) for _ in range(2)] for _ in range(threads)]

    def moves(source, target):
        for _ in range(repeats):
            move(source, target)

    def together():
        started = [threading.Thread(target=moves, args=pair) for pair in pairs[1:]]
        for thread in started:
            thread.start()
        moves(*pairs[0])
        for thread in started:
            thread.join()

    return size * repeats / seconds_of(together, clock_of(threads))


def product_rate(dtype):
    """Returns the rate of NumPy's product of square matrices on one core."""
    a = np.ones((ORDER, ORDER), dtype)
    return 2 * ORDER**3 / seconds_of(lambda: a @ a, clock_of(1), 0.1)


def measure(threads):
    """Returns the best of several rounds, because other load of the machine can only reduce the rates."""
    found = {"copy": {}, "peak": {}}
    for _ in range(ROUNDS):
        found = best(found, {
            "copy": {str(size): copy_rate(size, threads) for size in COPIES},
            "peak": {dtype: threads * product_rate(dtype) for dtype in ("float32", "float64")},
        })  # fmt: skip
    return found


def best(one, other):
    """Returns the higher rates of two measurements."""
    return {
        kind: {name: max(rate, one[kind].get(name, 0)) for name, rate in other[kind].items()}
        for kind in ("copy", "peak")
    }


def bandwidth(roof, size):
    """Interpolates between the measured sizes, linearly in the logarithm of the size."""
    sizes = sorted(map(int, roof["copy"]))
    right = min(max(bisect.bisect(sizes, size), 1), len(sizes) - 1)
    low, high = sizes[right - 1], sizes[right]
    part = min(max(math.log(max(size, 1) / low) / math.log(high / low), 0), 1)
    return (1 - part) * roof["copy"][str(low)] + part * roof["copy"][str(high)]


def least_seconds(roof, size, operations, dtype):
    """Returns the greater of the times for bytes and for operations. float16 and integers use float32's peak."""
    peak = roof["peak"]["float64" if dtype == "float64" else "float32"]
    return max(size / bandwidth(roof, size), operations / peak)
