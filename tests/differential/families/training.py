"""The optimisers of ai.onnx.preview.training."""

import numpy as np
from by_operator import family
from configuration import Configuration

# The number of tensors for each that is optimised: inputs, outputs.
STATES = {"Adagrad": (3, 2), "Adam": (4, 3), "Momentum": (3, 2)}


@family(*STATES)
def optimizer(draw):
    name, count = draw.schema.name, draw.integer(1, 2)
    given, made = STATES[name]
    shapes = [draw.shape(0, 3, most=4) for _ in range(count)]
    rate = draw.tensor(draw.type("T1"), (), 0.01, 0.5)
    kind = draw.type("T3")
    draw.types["T2"] = "int64"
    # Accumulated squared gradients are not negative. Tensors that are divisors are not 0.
    positive = name != "Momentum"
    tensors = []
    for i in range(given):
        tensors += [draw.tensor(kind, shape, *((0.1, 3) if positive and i == given - 1 else ())) for shape in shapes]
    real = ("norm_coefficient", "norm_coefficient_post", "decay_factor", "alpha", "beta")
    attributes = {
        n: draw.real(0, 0.9) for n in real if n in draw.schema.attributes and (name == "Momentum" or draw.flag())
    }
    if name == "Momentum":
        attributes["mode"] = draw.choice(("standard", "nesterov"))
    elif draw.flag():
        attributes["epsilon"] = draw.choice((1e-6, 1e-3))
    steps = np.asarray(draw.integer(0, 5), np.int64)
    # The rate is adjusted in its own type.
    mixed = rate.dtype == np.float32 and kind == "double"
    made_of = {"ulps": 2.0**30 if mixed else 4, "roundings": 2.0**30 if mixed else 8}
    return Configuration(draw.schema, [rate, steps, *tensors], attributes, made * count, draw.types, **made_of)
