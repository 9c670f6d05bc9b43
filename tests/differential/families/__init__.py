"""One function per operator family that makes a valid configuration of any of its versions."""

from . import elementwise, indexing, movement, nn, products, quantization, reduction  # noqa: F401
from .registry import FAMILIES  # noqa: F401
