"""The source of the choices in a configuration: Hypothesis, which can shrink them, or a seed.

A family (families/*.py) is a function of a Draw and an operator version that returns one valid configuration.
"""

import random

import numpy as np
from hypothesis import strategies as st
from values import array, with_extremes

# Type variables that a survey chooses randomly mostly have these types.
COMMON = ("float", "int64", "double", "float16", "bool", "int32", "uint8", "int8", "string")


class Impossible(Exception):
    """The previous choices, including forced types, permit no valid configuration."""


class Draw:
    """Choices for one configuration. `forced` fixes type variables; `types` contains those requested so far."""

    def __init__(self, schema, forced=()):
        self.schema, self.forced, self.types = schema, dict(forced), {}

    def integer(self, low, high):
        raise NotImplementedError

    def choice(self, options):
        if not options:
            raise Impossible
        return options[self.integer(0, len(options) - 1)]

    def flag(self):
        return self.integer(0, 1) == 1

    def rare(self):
        """Returns True about once in eight times."""
        return self.integer(0, 7) == 7

    def count(self, most):
        """Returns a number from 1 to `most`, and occasionally 0."""
        return 0 if self.rare() and self.flag() else self.integer(1, most)

    def real(self, low, high):
        return low + (high - low) * self.integer(0, 64) / 64

    def shape(self, low=0, high=4, most=5):
        """Returns the dims of a tensor whose rank is from low to high. Occasionally one of them is 0."""
        dims = [self.integer(1, most) for _ in range(self.integer(low, high))]
        if dims and self.rare():
            dims[self.integer(0, len(dims) - 1)] = 0
        return tuple(dims)

    def type(self, variable, options=None):
        """Returns the type of a type variable of the schema (or this fixed type), without "tensor()". With options,
        returns one of them if the schema allows it."""
        if variable.startswith("tensor("):
            return variable[7:-1]
        if variable not in self.types:
            self.types[variable] = self.forced.get(variable) or self.pick(allowed(self.schema, variable), options)
        return self.types[variable]

    def pick(self, types, options=None):
        usable = [name for name in types if options is None or name in options]
        common = [name for name in COMMON if name in usable]
        return self.choice(common if common and not self.rare() else usable)

    def type_of_input(self, i):
        inputs = self.schema.inputs
        return self.type(inputs[min(i, len(inputs) - 1)].type_str)

    def tensor(self, type_name, shape, low=None, high=None):
        """Returns values from low to high. Without both bounds, they occasionally include the type's extremes."""
        rng = np.random.default_rng(self.integer(0, 2**16))
        x = array(type_name, shape, low, high, rng)
        return with_extremes(x, type_name, rng) if low is None and high is None and self.rare() else x


class HypothesisDraw(Draw):
    def __init__(self, schema, draw, forced=()):
        super().__init__(schema, forced)
        self._draw = draw

    def integer(self, low, high):
        return self._draw(st.integers(low, high))


class SeededDraw(Draw):
    def __init__(self, schema, seed, forced=()):
        super().__init__(schema, forced)
        self._random = random.Random(seed)

    def integer(self, low, high):
        return self._random.randint(low, high)


def allowed(schema, variable):
    """Returns the tensor types of a type variable, without "tensor()"."""
    for constraint in schema.type_constraints:
        if constraint.type_param_str == variable:
            return [text[7:-1] for text in sorted(constraint.allowed_type_strs) if text.startswith("tensor(")]
    raise KeyError(variable)
