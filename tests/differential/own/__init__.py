"""References of our own: what the specification says, in float64 or exact numbers, for what others refuse or get
wrong. Slow and plain."""

from by_operator import OWN  # noqa: F401

from . import (  # noqa: F401
    attention,
    bodies,
    classical,
    microsoft,
    microsoft_data,
    microsoft_fused,
    microsoft_generation,
    microsoft_signal,
    normalization,
    recurrent,
    reductions,
    resize,
    sampling,
    tensors,
    text,
    training,
    trees,
    windows,
)
