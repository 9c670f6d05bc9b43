"""One function per operator family that makes a valid configuration of any of its versions."""

from . import controlflow, elementwise, indexing, movement, nn, products, quantization, reduction  # noqa: F401
from .node_cases import from_node_case
from .registry import FAMILIES


def family_of(schema):
    """The function that makes configurations of this operator."""
    return FAMILIES.get(schema.name, from_node_case)
