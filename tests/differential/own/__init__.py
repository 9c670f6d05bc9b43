"""The project's own references: they implement the specification in float64 or exact numbers, for configurations that
other references refuse or compute wrongly. They are slow and simple."""

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
