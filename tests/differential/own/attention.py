"""Attention."""

import numpy as np
from by_operator import own


def split(x, heads):
    """Converts [batch, steps, heads * width] to [batch, heads, steps, width]."""
    return x if x.ndim == 4 else x.reshape(*x.shape[:2], heads, x.shape[2] // heads).swapaxes(1, 2)


def allowed(configuration, offset, steps, keys, lengths):
    """Returns which keys a query may see according to attributes and lengths: [batch or 1, 1, steps, keys]."""
    a = configuration.attributes
    at, key = np.arange(steps)[:, None] + offset.reshape(-1, 1, 1, 1), np.arange(keys)
    seen = np.ones(at.shape[:-1] + (keys,), bool)
    left, right = a.get("left_window_size", -1), a.get("right_window_size", -1)
    if a.get("is_causal"):
        seen &= key <= at
    if left >= 0:
        seen &= key >= at - left
    if right >= 0:
        seen &= key <= at + right
    return seen if lengths is None else seen & (key < lengths.reshape(-1, 1, 1, 1))


def bias(mask, keys):
    """Returns the numbers that a mask adds to the scores. Keys beyond the mask are masked."""
    if mask is None:
        return np.zeros((1, 1))
    added = np.where(mask, 0.0, -np.inf) if mask.dtype == bool else mask.astype(np.float64)
    beyond = [(0, 0)] * (mask.ndim - 1) + [(0, keys - mask.shape[-1])]
    return np.pad(added, beyond, constant_values=-np.inf)


@own("Attention")
def attention(configuration):
    a = configuration.attributes
    inputs = list(configuration.inputs) + [None] * 7
    q, k, v, past_k, past_v = (None if inputs[i] is None else inputs[i].astype(np.float64) for i in (0, 1, 2, 4, 5))
    mask, lengths, flat = inputs[3], inputs[6], q.ndim == 3
    q, k, v = split(q, a.get("q_num_heads")), split(k, a.get("kv_num_heads")), split(v, a.get("kv_num_heads"))
    if past_k is not None:
        k, v = np.concatenate([past_k, k], 2), np.concatenate([past_v, v], 2)
    steps, keys, group = q.shape[2], k.shape[2], q.shape[1] // k.shape[1]
    offset = np.zeros(1, int) if past_k is None else np.array([past_k.shape[2]])
    offset = offset if lengths is None else lengths - steps
    scale = float(np.float32(a["scale"])) if a.get("scale") else 1 / np.sqrt(q.shape[-1])
    raw = scale * q @ np.repeat(k, group, 1).swapaxes(2, 3)
    cap = float(np.float32(a.get("softcap", 0)))
    capped = cap * np.tanh(raw / cap) if cap else raw
    seen = allowed(configuration, offset, steps, keys, lengths)
    scores = capped + bias(mask, keys) + np.where(seen, 0.0, -np.inf)
    top = scores.max(-1, keepdims=True)
    shares = np.exp(scores - np.where(np.isinf(top), 0, top))
    shares = shares / np.maximum(shares.sum(-1, keepdims=True), 1e-300)
    y = shares @ np.repeat(v, group, 1)
    y = y.swapaxes(1, 2).reshape(len(q), steps, y.shape[1] * y.shape[3]) if flat else y
    return [y, k, v, (raw, capped, scores, shares)[a.get("qk_matmul_output_mode", 0)]][: configuration.outputs]
