"""RNN, GRU and LSTM."""

import numpy as np
from by_operator import own

# Name: (function, default alpha, default beta).
ACTIVATIONS = {
    "Affine": (lambda x, a, b: a * x + b, 1, 0),
    "Elu": (lambda x, a, b: np.where(x < 0, a * np.expm1(x), x), 1, 0),
    "HardSigmoid": (lambda x, a, b: np.clip(a * x + b, 0, 1), 0.2, 0.5),
    "LeakyRelu": (lambda x, a, b: np.where(x < 0, a * x, x), 0.01, 0),
    "Relu": (lambda x, a, b: np.maximum(x, 0), 0, 0),
    "ScaledTanh": (lambda x, a, b: a * np.tanh(b * x), 1, 1),
    "Sigmoid": (lambda x, a, b: 1 / (1 + np.exp(-x)), 0, 0),
    "Softplus": (lambda x, a, b: np.log1p(np.exp(x)), 0, 0),
    "Softsign": (lambda x, a, b: x / (1 + np.abs(x)), 0, 0),
    "Tanh": (lambda x, a, b: np.tanh(x), 0, 0),
    "ThresholdedRelu": (lambda x, a, b: np.where(x > a, x, 0), 1, 0),
}
HAVE_ALPHA = ("Affine", "Elu", "HardSigmoid", "LeakyRelu", "ScaledTanh", "ThresholdedRelu")
HAVE_BETA = ("Affine", "HardSigmoid", "ScaledTanh")
DEFAULTS = {"RNN": ("Tanh",), "GRU": ("Sigmoid", "Tanh"), "LSTM": ("Sigmoid", "Tanh", "Tanh")}


def functions(configuration, ways):
    """Returns the activations of each direction, which clip their arguments."""
    a = configuration.attributes
    names = a.get("activations", DEFAULTS[configuration.schema.name] * ways)
    alphas, betas, clip = list(a.get("activation_alpha", [])), list(a.get("activation_beta", [])), a.get("clip")
    made = []
    for name in names:
        f, alpha, beta = ACTIVATIONS[name]
        alpha = alphas.pop(0) if name in HAVE_ALPHA and alphas else alpha
        beta = betas.pop(0) if name in HAVE_BETA and betas else beta
        alpha, beta = float(np.float32(alpha)), float(np.float32(beta))
        limit = np.inf if clip is None else float(np.float32(clip))
        made.append(lambda x, f=f, alpha=alpha, beta=beta: f(np.clip(x, -limit, limit), alpha, beta))
    count = len(names) // ways
    return [made[i * count : (i + 1) * count] for i in range(ways)]


def rnn_step(x, h, c, w, r, b, f, a, p):
    return f[0](x @ w.T + h @ r.T + b[0] + b[1]), c


def gru_step(x, h, c, w, r, b, f, a, p):
    wz, wr, wh = np.split(x @ w.T + b[0], 3, -1)
    rz, rr, rh = np.split(r, 3)
    bz, br, bh = np.split(b[1], 3)
    z, reset = f[0](wz + h @ rz.T + bz), f[0](wr + h @ rr.T + br)
    inner = reset * (h @ rh.T + bh) if a.get("linear_before_reset") else (reset * h) @ rh.T + bh
    return (1 - z) * f[1](wh + inner) + z * h, c


def lstm_step(x, h, c, w, r, b, f, a, p):
    i, o, forget, cell = np.split(x @ w.T + h @ r.T + b[0] + b[1], 4, -1)
    pi, po, pf = np.split(p, 3)
    i, forget = f[0](i + pi * c), f[0](forget + pf * c)
    forget = 1 - i if a.get("input_forget") else forget
    c = forget * c + i * f[1](cell)
    return f[0](o + po * c) * f[2](c), c


STEPS = {"RNN": (rnn_step, 1), "GRU": (gru_step, 3), "LSTM": (lstm_step, 4)}


def one_way(step, x, lengths, state, parameters, backwards, as_read):
    """Returns all steps of one direction: (Y [steps, batch, hidden], last h, last c)."""
    (h, c), made = state, np.zeros((len(x), *state[0].shape))
    for t in range(len(x)):
        read = as_read(h)
        for n, length in enumerate(lengths):
            if t >= length:
                continue
            at = length - 1 - t if backwards else t
            h[n], c[n] = step(x[at, n], read[n], c[n], *parameters)
            made[at, n] = h[n]
    return made, h, c


@own("RNN", "GRU", "LSTM")
def recurrent(configuration, as_read=lambda h: h):
    """as_read: converts the hidden state of a batch to the form in which R is multiplied with it."""
    a, name = configuration.attributes, configuration.schema.name
    step, gates = STEPS[name]
    as_double = [None if i is None else np.asarray(i).astype(np.float64) for i in configuration.inputs]
    x, w, r, b, lengths, h, c, p = (as_double + [None] * 8)[:8]
    direction, hidden, layout = a.get("direction", "forward"), r.shape[-1], a.get("layout", 0)
    if layout:
        x, h, c = (None if v is None else v.swapaxes(0, 1) for v in (x, h, c))
    ways, batch = len(w), x.shape[1]
    b = np.zeros((ways, 2 * gates * hidden)) if b is None else b
    lengths = [len(x)] * batch if lengths is None else lengths.astype(int)
    h, c = (np.zeros((ways, batch, hidden)) if v is None else v.copy() for v in (h, c))
    p = np.zeros((ways, 3 * hidden)) if p is None else p
    activations = functions(configuration, ways)
    ran = [
        one_way(step, x, lengths, (h[i], c[i]), (w[i], r[i], b[i].reshape(2, -1), activations[i], a, p[i]),
                i == 1 or direction == "reverse", as_read)
        for i in range(ways)
    ]  # fmt: skip
    y, h, c = (np.stack(parts, axis) for parts, axis in zip(zip(*ran), (1, 0, 0)))
    if layout:
        y, h, c = y.transpose(2, 0, 1, 3), h.swapaxes(0, 1), c.swapaxes(0, 1)
    return [y, h, c][: configuration.outputs]
