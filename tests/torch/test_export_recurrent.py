"""export_model: recurrent layers and cells with all layers, both directions and the last states."""

import pytest
import torch
from torch import nn

torch.manual_seed(0)


class Stack(nn.Module):
    """Returns the sequence and last states of a GRU or RNN as one vector."""

    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def forward(self, x):
        y, h = self.layer(x)
        return torch.cat([y.flatten(), h.flatten()])


class LstmStack(nn.Module):
    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def forward(self, x):
        y, (h, c) = self.layer(x)
        return torch.cat([y.flatten(), h.flatten(), c.flatten()])


class GivenStates(nn.Module):
    """Starts an LSTM from given states."""

    def __init__(self):
        super().__init__()
        self.layer = nn.LSTM(3, 4, bidirectional=True)

    def forward(self, x):
        start = x.mean(2).transpose(0, 1)[None, :, :4].expand(2, -1, -1).contiguous()
        return self.layer(x, (start, -start))[0]


class Cell(nn.Module):
    """Runs two steps of a cell."""

    def __init__(self, cell):
        super().__init__()
        self.cell = cell

    def forward(self, x):
        return self.cell(x, self.cell(x))


class LstmCell(nn.Module):
    def __init__(self, cell):
        super().__init__()
        self.cell = cell

    def forward(self, x):
        h, c = self.cell(x, self.cell(x))
        return torch.cat([h, c])


SEQUENCE = torch.randn(5, 2, 3)
DEEP = {"num_layers": 2, "bidirectional": True, "dropout": 0.5}
CASES = {
    "lstm": (LstmStack(nn.LSTM(3, 4)), SEQUENCE),
    "deep lstm": (LstmStack(nn.LSTM(3, 4, **DEEP)), SEQUENCE),
    "lstm, batch first": (LstmStack(nn.LSTM(3, 4, 3, batch_first=True)), SEQUENCE),
    "lstm without biases": (LstmStack(nn.LSTM(3, 4, bias=False)), SEQUENCE),
    "lstm without batch": (LstmStack(nn.LSTM(3, 4)), torch.randn(5, 3)),
    "lstm from states": (GivenStates(), torch.randn(5, 2, 3)[:4]),
    "gru": (Stack(nn.GRU(3, 4)), SEQUENCE),
    "deep gru": (Stack(nn.GRU(3, 4, **DEEP)), SEQUENCE),
    "gru without biases, batch first": (Stack(nn.GRU(3, 4, bias=False, batch_first=True)), SEQUENCE),
    "tanh": (Stack(nn.RNN(3, 4, **DEEP)), SEQUENCE),
    "relu": (Stack(nn.RNN(3, 4, nonlinearity="relu", **DEEP)), SEQUENCE),
    "double": (Stack(nn.GRU(3, 4).double()), SEQUENCE.double()),
    "lstm cell": (LstmCell(nn.LSTMCell(3, 4)), SEQUENCE[0]),
    "gru cell": (Cell(nn.GRUCell(3, 4)), SEQUENCE[0]),
    "gru cell without biases": (Cell(nn.GRUCell(3, 4, bias=False)), SEQUENCE[0]),
    "tanh cell": (Cell(nn.RNNCell(3, 4)), SEQUENCE[0]),
    "relu cell": (Cell(nn.RNNCell(3, 4, nonlinearity="relu")), SEQUENCE[0]),
}


@pytest.mark.parametrize("scripted", [False, True], ids=["traced", "scripted"])
def test_recurrent_layers(exporter, scripted):
    exporter.export_all(CASES, scripted=scripted)


@pytest.mark.parametrize("layer", [nn.LSTM(3, 4, **DEEP), nn.GRU(3, 4, batch_first=True), nn.RNN(3, 4)], ids=repr)
def test_steps_and_batch_may_be_dynamic(exporter, layer):
    module = LstmStack(layer) if isinstance(layer, nn.LSTM) else Stack(layer)
    exporter.export(module, {"x": SEQUENCE}, "--dynamic", "x:0=T", "--dynamic", "x:1=N", scripted=True)


class Packed(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.GRU(3, 4)

    def forward(self, x):
        packed = nn.utils.rnn.pack_padded_sequence(x + 1, torch.tensor([5, 3]))
        return self.layer(packed)[1]


def test_packed_sequences_and_projections_are_refused(exporter):
    assert "packed sequences" in exporter.refusal(Packed(), {"x": SEQUENCE})
    assert "projections" in exporter.refusal(LstmStack(nn.LSTM(3, 4, proj_size=2)), {"x": SEQUENCE})
