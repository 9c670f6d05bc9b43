"""A known difference between a reference and the specification."""

import dataclasses
from collections.abc import Callable

ORT, REFERENCE, PYTORCH = "ONNX Runtime", "onnx.reference", "PyTorch"


@dataclasses.dataclass(frozen=True)
class Answers:
    """What each says: the specification's text, ONNX Runtime, PyTorch, ONNX's backend case; and what Linnet does. "none":
    there is no case, or no counterpart."""

    specification: str
    onnx_runtime: str
    pytorch: str
    linnet: str
    case: str = "none"


@dataclasses.dataclass(frozen=True)
class Disagreement:
    """The next reference decides where a configuration under it differs."""

    operators: tuple
    # Which references are wrong, by the start of their name.
    reference: str | tuple
    # The exact condition: it is so for these configurations only.
    applies: Callable
    # The matter.
    text: str
    answers: Answers
    # Makes of the reference's outputs what the specification says, where that can be done: (configuration, outputs).
    adjust: Callable = None


def attribute(configuration, name, default=None):
    return configuration.attributes.get(name, default)


def integers(configuration):
    return configuration.types.get("T", configuration.types.get("T1", "")).startswith(("int", "uint"))
