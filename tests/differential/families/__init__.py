"""One function per operator family that makes a valid configuration of any of its versions."""

from . import (  # noqa: F401
    attention,
    containers,
    controlflow,
    elementwise,
    indexing,
    integer_products,
    movement,
    nn,
    products,
    quantization,
    reduction,
    signal,
    text,
    traditionalml,
)
from .node_cases import from_node_case
from .registry import FAMILIES


def family_of(schema):
    """The function that makes configurations of this operator."""
    return FAMILIES.get(schema.name, from_node_case)
