"""The notation of cases: case("Transpose", x("float32", by(1, 8, 64), 64, 56, 56), perm=[0, 2, 3, 1]).

One line makes a case of each size and of each alternative in it. An input is x (passed to every run), w (a constant of
the model), fed (these exact values, passed to every run), seq (a sequence of inputs), None (omitted), or values, which
are constants: integers are int64, other numbers float32. by(small, middle, large) is a value for each size, each(...)
makes a case for each of the values. If one of them appears twice, it has the same value in both places.
"""

import dataclasses
import itertools
from collections.abc import Callable

SIZES = ("small", "middle", "large")
CASES = []


@dataclasses.dataclass(frozen=True, eq=False)
class By:
    values: tuple


@dataclasses.dataclass(frozen=True, eq=False)
class Each:
    values: tuple


@dataclasses.dataclass(frozen=True)
class Tensor:
    """Random values: floats are normally distributed, or uniform from low to high. Integers are uniform from low to
    high, inclusive. `fill` makes other values: (generator, dtype, dims) -> array."""

    dtype: str
    dims: tuple
    low: float | None = None
    high: float | None = None
    constant: bool = False
    fill: Callable | None = None


@dataclasses.dataclass(frozen=True)
class Fed:
    values: object


@dataclasses.dataclass(frozen=True)
class Sequence:
    elements: tuple


@dataclasses.dataclass(frozen=True)
class Lazy:
    """Attributes that are computed when the case is built."""

    make: Callable
    arguments: tuple

    def __str__(self):
        return f"{self.make.__name__}({', '.join(map(str, self.arguments))})"


@dataclasses.dataclass(frozen=True)
class Case:
    """`captured`: inputs of the model that bodies use as c0, c1. `alone`: ONNX Runtime has no kernel. `agreement`: how
    outputs are compared (agreement.py)."""

    operator: str
    inputs: tuple
    attributes: dict
    size: str = SIZES[0]
    outputs: int = 1
    since: int = 0
    more: Lazy | None = None
    captured: tuple = ()
    alone: bool = False
    agreement: str = "values"
    group: str = ""

    @property
    def domain(self):
        return self.operator.rpartition(".")[0]

    @property
    def type(self):
        return self.operator.rpartition(".")[2]


def by(small, middle, large):
    return By((small, middle, large))


def each(*values):
    return Each(values)


def x(dtype, *dims, low=None, high=None, fill=None):
    return Tensor(dtype, dims, low, high, fill=fill)


def w(dtype, *dims, low=None, high=None, fill=None):
    return Tensor(dtype, dims, low, high, constant=True, fill=fill)


def fed(values):
    return Fed(values)


def seq(*elements):
    return Sequence(elements)


def lazily(make, *arguments):
    return Lazy(make, arguments)


OPTIONS = ("outputs", "since", "more", "captured", "alone", "agreement")


def case(operator, *inputs, **given):
    """Adds the cases of a line. operator: with its domain unless it is ONNX's own. given: attributes, and the fields of
    Case: outputs, since (the opset, unless it is the default), more (further attributes, lazily(...)), captured, alone
    and agreement."""
    options = {name: given.pop(name) for name in OPTIONS if name in given}
    CASES.extend(expand(Case(operator, inputs, given, **options)))


def choices(value):
    """Returns every By and Each in a value, in order and without duplicates."""
    if isinstance(value, (By, Each)):
        inner = [found for one in value.values for found in choices(one)]
        return list(dict.fromkeys([value, *inner]))
    return list(dict.fromkeys(found for part in parts(value) for found in choices(part)))


def parts(value):
    if dataclasses.is_dataclass(value):
        return [getattr(value, field.name) for field in dataclasses.fields(value)]
    if isinstance(value, dict):
        return list(value.values())
    return list(value) if isinstance(value, (list, tuple)) else []


def resolved(value, chosen):
    """Returns the value with all choices made."""
    if isinstance(value, (By, Each)):
        return resolved(chosen[value], chosen)
    if dataclasses.is_dataclass(value):
        fields = {field.name: resolved(getattr(value, field.name), chosen) for field in dataclasses.fields(value)}
        return type(value)(**fields)
    if isinstance(value, dict):
        return {key: resolved(part, chosen) for key, part in value.items()}
    return type(value)(resolved(part, chosen) for part in value) if isinstance(value, (list, tuple)) else value


def expand(template):
    found = choices(template)
    sized = [choice for choice in found if isinstance(choice, By)]
    others = [choice for choice in found if isinstance(choice, Each)]
    for alternatives in itertools.product(*(choice.values for choice in others)):
        for i, size in enumerate(SIZES if sized else SIZES[:1]):
            chosen = dict(zip(others, alternatives)) | {choice: choice.values[i] for choice in sized}
            yield dataclasses.replace(resolved(template, chosen), size=size)
