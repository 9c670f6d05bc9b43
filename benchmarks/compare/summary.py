"""Statistics of ratios."""

import math
import statistics

import numpy as np

SAMPLES = 2000


def bootstrap_interval(values, seed=0):
    """The 95 % interval of the median, from medians of samples with replacement."""
    values = np.asarray(values)
    samples = np.random.default_rng(seed).choice(values, (SAMPLES, len(values)))
    low, high = np.percentile(np.median(samples, axis=1), [2.5, 97.5])
    return [float(low), float(high)]


def verdict(interval):
    """Of Linnet, where the ratio is another engine's time over Linnet's."""
    low, high = interval
    return "win" if low > 1 else "loss" if high < 1 else "tie"


def summarise(peer_ms, linnet_ms):
    """Of neighbouring blocks' medians in ms."""
    ratios = [peer / linnet for peer, linnet in zip(peer_ms, linnet_ms)]
    interval = bootstrap_interval(ratios)
    return {"ratio": statistics.median(ratios), "interval": interval, "verdict": verdict(interval)}


def geometric_mean(values):
    return math.exp(statistics.fmean(map(math.log, values)))
