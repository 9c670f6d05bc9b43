"""Recurrent layers and cells whose products are quantised dynamically."""

import torch

from ..errors import ExportError
from . import dynamic
from .weights import Packed


def lstm(input, hx, params, *rest, **kinds) -> tuple:
    _check_is_no_sequence(params)
    return _layers(_lstm_step, input, hx, params, *rest)


def gru(input, hx, params, *rest) -> tuple:
    _check_is_no_sequence(params)
    return _layers(_gru_step, input, (hx,), params, *rest)


def _check_is_no_sequence(params) -> None:
    """Raises ExportError for packed sequences; their operators have another argument in this place."""
    if not isinstance(params[0], torch.nn.Module):
        raise ExportError("there is no form in ONNX for a packed sequence in a quantised recurrent layer")


def lstm_cell(input, hx, w_ih, w_hh, b_ih, b_hh) -> tuple:
    return _lstm_step(*_products(input, hx[0], w_ih, w_hh), tuple(hx))


def gru_cell(input, hx, w_ih, w_hh, b_ih, b_hh) -> torch.Tensor:
    return _gru_step(*_products(input, hx, w_ih, w_hh), (hx,))[0]


def rnn_cell(activation, input, hx, w_ih, w_hh, b_ih, b_hh) -> torch.Tensor:
    return activation(sum(_products(input, hx, w_ih, w_hh)))


def _layers(step, input, states, params, has_biases, count, dropout, train, bidirectional, batch_first) -> tuple:
    """Runs all layers with `states` of each layer and direction. Also returns their last states."""
    x = input.transpose(0, 1) if batch_first else input
    directions, ends = (2 if bidirectional else 1), []
    for first in range(0, len(params), directions):
        outputs = []
        for i in range(first, first + directions):
            output, end = _layer(step, x, tuple(state[i] for state in states), params[i], is_reverse=i != first)
            outputs.append(output)
            ends.append(end)
        x = torch.cat(outputs, -1)
    return (x.transpose(0, 1) if batch_first else x, *(torch.stack(parts) for parts in zip(*ends)))


def _layer(step, x, state: tuple, cell, is_reverse: bool) -> tuple:
    """Runs one layer. The product of the inputs is computed once for all steps, with one scale."""
    products = dynamic.linear(x, cell.input, cell.reduce_range)
    products = products.flip(0) if is_reverse else products

    # scan() must receive all that the step reads, and may not return one tensor twice, so one is cloned.
    def next_step(*values):
        *before, product = values[: len(state) + 1]
        after = step(product, dynamic.linear(before[0], cell.hidden, cell.reduce_range), before)
        return [*after, after[0].clone()]

    *state, outputs = torch.ops.higher_order.scan(next_step, list(state), [products], tuple(cell.hidden.buffers()))
    return outputs.flip(0) if is_reverse else outputs, tuple(state)


def _lstm_step(of_input, of_hidden, state: tuple) -> tuple:
    opened, kept, new, shown = (of_input + of_hidden).chunk(4, -1)
    cell = kept.sigmoid() * state[1] + opened.sigmoid() * new.tanh()
    return shown.sigmoid() * cell.tanh(), cell


def _gru_step(of_input, of_hidden, state: tuple) -> tuple:
    input_parts, hidden_parts = of_input.chunk(3, -1), of_hidden.chunk(3, -1)
    reset, kept = ((a + b).sigmoid() for a, b in zip(input_parts[:2], hidden_parts[:2]))
    new = (input_parts[2] + reset * hidden_parts[2]).tanh()
    return ((state[0] - new) * kept + new,)


def _products(input, hidden, w_ih: Packed, w_hh: Packed) -> tuple:
    """Returns the products of a cell, for which PyTorch always reduces the range."""
    return dynamic.linear(input, w_ih, True), dynamic.linear(hidden, w_hh, True)
