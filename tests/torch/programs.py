"""Modules that torch.export supports. Each has examples of a batch size and a length."""

from dataclasses import dataclass
from typing import Any, Callable

import torch
from torch import nn
from torch.export import Dim
from torch.nn import functional as F


@dataclass
class Program:
    module: Callable[[], nn.Module]
    example: Callable[[int, int], tuple]
    dynamic: Any = None


def features(batch, length):
    return (torch.randn(batch, length, 16),)


def rows(batch, length):
    return (torch.randn(batch, 8),)


def images(batch, length):
    return (torch.randn(batch, 3, 16, 16),)


def tokens(batch, length):
    return (torch.randint(0, 50, (batch, length)),)


BATCH, BOTH = ({0: Dim.DYNAMIC},), ({0: Dim.DYNAMIC, 1: Dim.DYNAMIC},)


class Lambda(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x):
        return self.function(x)


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(16, 4, batch_first=True)

    def forward(self, x):
        return self.attention(x, x, x, need_weights=False)[0]


class Copies(nn.Module):
    """Makes copies in other dtypes and orders, which may be written to without changing the originals."""

    def forward(self, x):
        x = x * 1
        wide = x.to(torch.float64)
        wide.add_(1)
        turned = x.transpose(1, 2)
        ordered, flat = turned.contiguous(), turned.reshape(-1)
        ordered.mul_(2)
        flat.sub_(3)
        same = x.to(torch.float32).reshape(-1)
        same.mul_(5)
        return x, wide, ordered, flat, turned * 1


class GroupedQueries(nn.Module):
    """Has two heads of keys and values for six heads of queries."""

    def forward(self, x):
        q = x[:, :, :12].unflatten(2, (6, 2)).transpose(1, 2)
        k, v = x[:, :, 12:].unflatten(2, (2, 2)).transpose(1, 2), x[:, :, 8:12].unflatten(2, (2, 2)).transpose(1, 2)
        return F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)


class CausalAttention(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(16, 48)

    def forward(self, x):
        q, k, v = (part.unflatten(-1, (4, 4)).transpose(1, 2) for part in self.qkv(x).chunk(3, -1))
        return F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(-2)


class Embedded(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.places = nn.Embedding(50, 16), nn.Embedding(64, 16)
        self.layer = nn.TransformerEncoderLayer(16, 4, 32, batch_first=True, norm_first=True)

    def forward(self, ids):
        return self.layer(self.words(ids) + self.places(torch.arange(ids.shape[1])))


class Recurrent(nn.Module):
    def __init__(self, kind):
        super().__init__()
        self.cells = kind(16, 8, num_layers=2, bidirectional=True, batch_first=True)

    def forward(self, x):
        return self.cells(x)[0]


class InPlace(nn.Module):
    def forward(self, x):
        y = x.clone()
        y[:, 0] = 1
        y[:, 1:].mul_(2)
        y.transpose(0, 1)[0].add_(3)
        return y.relu_()


class Branches(nn.Module):
    def forward(self, x):
        return torch.cond(x.sum() > 0, lambda x: x.sin(), lambda x: x.cos() + 1, (x,))


class Repeated(nn.Module):
    def forward(self, x):
        def more(i, y):
            return i < 5

        def next_one(i, y):
            return i + 1, y * 1.5

        return torch._higher_order_ops.while_loop(more, next_one, (torch.tensor(0), x))[1]


def convolutions():
    return nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(8, 8, 3, groups=4),
        nn.GroupNorm(2, 8), nn.SiLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 5),
    )  # fmt: skip


PROGRAMS = {
    "mlp": Program(lambda: nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.LayerNorm(16), nn.Linear(16, 4)), rows, BATCH),
    "convolutions": Program(convolutions, images, BATCH),
    "attention": Program(Attention, features, BOTH),
    "copies": Program(Copies, features, BOTH),
    "grouped queries": Program(GroupedQueries, features, BOTH),
    "causal attention": Program(CausalAttention, features, BOTH),
    "transformer": Program(Embedded, tokens, BOTH),
    "lstm": Program(lambda: Recurrent(nn.LSTM), features),
    "gru": Program(lambda: Recurrent(nn.GRU), features),
    "writes in place": Program(InPlace, features, BOTH),
    "branches": Program(Branches, features),
    "loop": Program(Repeated, features),
    "resized": Program(lambda: Lambda(lambda x: F.interpolate(x, scale_factor=2, mode="bilinear")), images, BATCH),
    "filled": Program(lambda: Lambda(lambda x: x + torch.zeros_like(x) + torch.full((x.shape[0], 1, 1), 2.5)), features, BOTH),
    "counted": Program(lambda: Lambda(lambda x: x.sum(-1) * torch.arange(x.shape[1])), features, BOTH),
    "mask": Program(lambda: Lambda(lambda x: x.masked_fill(torch.ones(x.shape[1], 16).tril() == 0, -1)), features, BOTH),
    "split": Program(lambda: Lambda(lambda x: x.split([4, 12], -1)), features, BOTH),
    "largest": Program(lambda: Lambda(lambda x: tuple(x.topk(3, -1))), features, BOTH),
    "norms": Program(lambda: Lambda(lambda x: (F.rms_norm(x, (16,)), x.softmax(-1), x.std(1), x.norm(dim=-1))), features, BOTH),
}
