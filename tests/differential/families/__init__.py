"""One function per operator family, which returns a valid configuration of any of its versions."""

from by_operator import FAMILIES, title

from . import (  # noqa: F401
    attention,
    controlflow,
    elementwise,
    indexing,
    integer_products,
    linear_attention,
    maps,
    microsoft,
    microsoft_data,
    microsoft_fused,
    microsoft_generation,
    microsoft_attention,
    microsoft_experts,
    microsoft_products,
    microsoft_signal,
    microsoft_words,
    ml_features,
    ml_linear,
    ml_trees,
    movement,
    nn,
    optionals,
    products,
    quantization,
    reduction,
    sampling,
    sequences,
    signal,
    text,
    training,
)
from .node_cases import from_node_case


def family_of(schema):
    """Returns the function that generates configurations of this operator."""
    return FAMILIES.get(title(schema), from_node_case)
