"""A known difference between a reference and the specification."""

import dataclasses
from collections.abc import Callable

ORT, REFERENCE, PYTORCH = "ONNX Runtime", "onnx.reference", "PyTorch"


@dataclasses.dataclass(frozen=True)
class Answers:
    """The answers of the specification's text, ONNX Runtime, PyTorch and ONNX's backend case, and Linnet's behaviour.
    "none": there is no case, or no counterpart."""

    specification: str
    onnx_runtime: str
    pytorch: str
    linnet: str
    case: str = "none"


@dataclasses.dataclass(frozen=True)
class Disagreement:
    """If a configuration covered by this disagreement differs from the reference, the next reference decides."""

    operators: tuple
    # The references that are wrong, by the start of their name.
    reference: str | tuple
    # The exact condition: the disagreement covers only these configurations.
    applies: Callable
    # The subject.
    text: str
    answers: Answers
    # Converts the reference's outputs to those that the specification requires, where this is possible: (configuration,
    # outputs).
    adjust: Callable = None


def attribute(configuration, name, default=None):
    return configuration.attributes.get(name, default)


def integers(configuration):
    return configuration.types.get("T", configuration.types.get("T1", "")).startswith(("int", "uint"))
