"""A known difference between a reference and the specification."""

import dataclasses
from collections.abc import Callable


@dataclasses.dataclass
class Disagreement:
    operators: tuple
    explains: Callable
    text: str
    # Which references are wrong, by the start of their name: all of them where they disagree.
    reference: str = ""


def attribute(configuration, name, default=None):
    return configuration.attributes.get(name, default)
