"""What the machine can do, measured: bytes per second of copies by their size, and operations per second."""

import bisect
import math
import threading
import time

import numpy as np

# Bytes read and written.
COPIES = [2**n for n in range(12, 29)]
ORDER, ROUNDS = 768, 5


def seconds_of(function, least=0.02):
    """The quickest of several calls."""
    times, end = [], time.perf_counter() + least
    while len(times) < 3 or time.perf_counter() < end:
        begin = time.perf_counter()
        function()
        times.append(time.perf_counter() - begin)
    return min(times)


def copy_rate(size, threads):
    """Each thread copies its part, often enough that starting it does not count."""
    repeats = max(1, 2**22 // size)
    arrays = [
        (np.ones(size // 2 // threads, np.uint8), np.zeros(size // 2 // threads, np.uint8)) for _ in range(threads)
    ]

    def copies(source, target):
        for _ in range(repeats):
            np.copyto(target, source)

    if threads == 1:
        return size * repeats / seconds_of(lambda: copies(*arrays[0]))

    def together():
        started = [threading.Thread(target=copies, args=pair) for pair in arrays]
        for thread in started:
            thread.start()
        for thread in started:
            thread.join()

    return size * repeats / seconds_of(together)


def product_rate(dtype):
    """Of NumPy's product of square matrices, on one core."""
    a = np.ones((ORDER, ORDER), dtype)
    return 2 * ORDER**3 / seconds_of(lambda: a @ a, 0.1)


def measure(threads):
    """The best of several rounds, as whatever else the machine does only takes from it."""
    found = {"copy": {}, "peak": {}}
    for _ in range(ROUNDS):
        found = best(found, {
            "copy": {str(size): copy_rate(size, threads) for size in COPIES},
            "peak": {dtype: threads * product_rate(dtype) for dtype in ("float32", "float64")},
        })  # fmt: skip
    return found


def best(one, other):
    """Of two measurements the higher rates."""
    return {
        kind: {name: max(rate, one[kind].get(name, 0)) for name, rate in other[kind].items()}
        for kind in ("copy", "peak")
    }


def bandwidth(roof, size):
    """Between the measured sizes on a straight line over the logarithm."""
    sizes = sorted(map(int, roof["copy"]))
    right = min(max(bisect.bisect(sizes, size), 1), len(sizes) - 1)
    low, high = sizes[right - 1], sizes[right]
    part = min(max(math.log(max(size, 1) / low) / math.log(high / low), 0), 1)
    return (1 - part) * roof["copy"][str(low)] + part * roof["copy"][str(high)]


def least_seconds(roof, size, operations, dtype):
    """By bytes and by operations, whichever takes longer; halves and integers are measured by float32's peak."""
    peak = roof["peak"]["float64" if dtype == "float64" else "float32"]
    return max(size / bandwidth(roof, size), operations / peak)
