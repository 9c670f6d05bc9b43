"""RNN, GRU and LSTM."""

import torch
from request import counterpart, need

DEFAULTS = {"RNN": ["Tanh"], "GRU": ["Sigmoid", "Tanh"], "LSTM": ["Sigmoid", "Tanh", "Tanh"]}
# PyTorch's order of the gates, as indices of ONNX's.
ORDER = {"RNN": [0], "GRU": [1, 0, 2], "LSTM": [0, 2, 3, 1]}


def reordered(name, x):
    parts = x.chunk(len(ORDER[name]), 0)
    return torch.cat([parts[i] for i in ORDER[name]], 0)


@counterpart("RNN", "GRU", "LSTM")
def recurrent(r):
    x, w, weights, b, lengths, h, c, peepholes = (r.inputs + [None] * 8)[:8]
    ways, hidden = w.shape[0], weights.shape[-1]
    names = r.get("activations", DEFAULTS[r.name] * ways)
    relu = r.name == "RNN" and names == ["Relu"] * ways
    need(relu or names == DEFAULTS[r.name] * ways, "other activations")
    need(peepholes is None and not r.get("clip") and not r.get("input_forget", 0), "peepholes, clip, input_forget")
    reverse = r.get("direction", "forward") == "reverse"
    need(not (reverse and lengths is not None), "lengths backwards")
    need(r.name != "GRU" or r.get("linear_before_reset", 0), "the reset gate before the product")
    made = getattr(torch.nn, r.name)(
        x.shape[-1], hidden, bidirectional=ways == 2, dtype=torch.float64, **({"nonlinearity": "relu"} if relu else {})
    )
    if r.get("layout", 0):
        x, h, c = (None if v is None else v.transpose(0, 1) for v in (x, h, c))
    b = torch.zeros(ways, 2 * weights.shape[1], dtype=torch.float64) if b is None else b
    for i, end in enumerate(("", "_reverse")[:ways]):
        both = b[i].chunk(2)
        values = {"weight_ih": w[i], "weight_hh": weights[i], "bias_ih": both[0], "bias_hh": both[1]}
        for key, value in values.items():
            getattr(made, f"{key}_l0{end}").data = reordered(r.name, value)
    zeros = torch.zeros(ways, x.shape[1], hidden, dtype=torch.float64)
    state = zeros if h is None else h.contiguous()
    if r.name == "LSTM":
        state = (state, zeros if c is None else c.contiguous())
    x = x.flip(0) if reverse else x.contiguous()
    with torch.no_grad():
        if lengths is None:
            y, last = made(x, state)
        else:
            packed = torch.nn.utils.rnn.pack_padded_sequence(x, lengths.long(), enforce_sorted=False)
            y, last = made(packed, state)
            y = torch.nn.utils.rnn.pad_packed_sequence(y, total_length=x.shape[0])[0]
    y = y.flip(0) if reverse else y
    y = y.reshape(*y.shape[:2], ways, hidden)
    last = last if r.name == "LSTM" else (last,)
    if r.get("layout", 0):
        return [y.transpose(0, 1), *(v.transpose(0, 1) for v in last)]
    return [y.transpose(1, 2), *last]
