"""The optimisers of ai.onnx.preview.training."""

import numpy as np
from by_operator import own


def real(configuration, name):
    """Returns a float attribute, or its default."""
    default = configuration.schema.attributes[name].default_value.f
    return float(np.float32(configuration.attributes.get(name, default)))


def steps(configuration, states, update):
    """Calls update(R, T, X, G, state...) for each tensor. Returns the results in the order of the outputs."""
    rate, step, *tensors = configuration.inputs
    count = len(tensors) // (2 + states)
    groups = [[tensors[k * count + i].astype(np.float64) for k in range(2 + states)] for i in range(count)]
    made = [update(float(rate), int(step), *group) for group in groups]
    return [part[k] for k in range(1 + states) for part in made]


@own("Adam")
def adam(configuration):
    alpha, beta, epsilon, norm, post = (
        real(configuration, name) for name in ("alpha", "beta", "epsilon", "norm_coefficient", "norm_coefficient_post")
    )

    def update(r, t, x, g, v, h):
        g = g + norm * x
        v, h = alpha * v + (1 - alpha) * g, beta * h + (1 - beta) * g * g
        r = r * np.sqrt(1 - beta**t) / (1 - alpha**t) if t > 0 else r
        return (1 - post) * (x - r * v / (np.sqrt(h) + epsilon)), v, h

    return steps(configuration, 2, update)


@own("Adagrad")
def adagrad(configuration):
    decay, epsilon, norm = (real(configuration, name) for name in ("decay_factor", "epsilon", "norm_coefficient"))

    def update(r, t, x, g, h):
        g = g + norm * x
        h = h + g * g
        return x - r / (1 + t * decay) * g / (np.sqrt(h) + epsilon), h

    return steps(configuration, 1, update)


@own("Momentum")
def momentum(configuration):
    alpha, beta, norm = (real(configuration, name) for name in ("alpha", "beta", "norm_coefficient"))
    nesterov = configuration.attributes["mode"] == "nesterov"

    def update(r, t, x, g, v):
        g = g + norm * x
        v = alpha * v + (beta if t > 0 else 1) * g
        return x - r * (g + alpha * v if nesterov else v), v

    return steps(configuration, 1, update)
