"""export_model: losses, bags of embeddings, grid sampling, all kinds of pooling and padding, transformers."""

import pytest
import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)

LINE, IMAGE, VOLUME = torch.randn(2, 3, 12), torch.randn(2, 3, 8, 10), torch.randn(2, 3, 4, 6, 8)
X, Y = torch.randn(6, 4), torch.randn(6, 4)
CLASSES = torch.tensor([0, 3, 1, 2, 2, 0])
WEIGHT = torch.tensor([1.0, 0.5, 2.0, 0.3])
REDUCTIONS = ("none", "mean", "sum")


def reduced(loss, **options):
    """Returns the loss with all reductions."""
    return lambda *tensors: tuple(loss(*tensors, reduction=reduction, **options) for reduction in REDUCTIONS)


def chances(x):
    return x.sigmoid().clamp(0.01, 0.99)


LOSSES = {
    "mse": (reduced(F.mse_loss), X, Y),
    "l1": (reduced(F.l1_loss), X, Y),
    "smooth l1": (reduced(F.smooth_l1_loss, beta=0.7), X, Y),
    "huber": (reduced(F.huber_loss, delta=0.7), X, Y),
    "kl_div": (reduced(lambda x, y, reduction: F.kl_div(x, chances(y), reduction=reduction)), X, Y),
    "kl_div of logarithms": (reduced(F.kl_div, log_target=True), X, Y),
    "bce": (reduced(lambda x, y, reduction: F.binary_cross_entropy(chances(x), chances(y), reduction=reduction)), X, Y),
    "bce with weights": (lambda x, y: torch._C._nn.binary_cross_entropy(chances(x), chances(y), WEIGHT, 1), X, Y),
    "bce with logits": (reduced(lambda x, y, reduction: F.binary_cross_entropy_with_logits(
        x, chances(y), WEIGHT, pos_weight=WEIGHT + 1, reduction=reduction)), X, Y),
    "nll": (reduced(F.nll_loss, ignore_index=1), X, CLASSES),
    "nll with weights": (reduced(F.nll_loss, weight=WEIGHT), X, CLASSES),
    "nll of images": (reduced(F.nll_loss), torch.randn(2, 4, 3, 3), CLASSES[:4].repeat(5)[:18].reshape(2, 3, 3)),
    "cross entropy": (reduced(F.cross_entropy, weight=WEIGHT), X, CLASSES),
    "cross entropy of one": (F.cross_entropy, X[0], CLASSES[1]),
    "cross entropy of chances": (reduced(lambda x, y, reduction: F.cross_entropy(
        x, y.softmax(1), WEIGHT, label_smoothing=0.1, reduction=reduction)), X, Y),
    "cross entropy of one's chances": (lambda x: F.cross_entropy(x, x.softmax(0), WEIGHT), X[0]),
    "smoothed cross entropy": (reduced(F.cross_entropy, label_smoothing=0.2, ignore_index=1), X, CLASSES),
    "smoothed cross entropy, weighted": (
        reduced(F.cross_entropy, weight=WEIGHT, label_smoothing=0.2, ignore_index=1), X, CLASSES),
    "smoothed cross entropy of images": (
        reduced(F.cross_entropy, weight=WEIGHT, label_smoothing=0.2), torch.randn(2, 4, 3, 3),
        CLASSES[:4].repeat(5)[:18].reshape(2, 3, 3)),
    "smoothed cross entropy of one": (
        lambda x, t: tuple(F.cross_entropy(x, t, label_smoothing=0.2, reduction=kind) for kind in ("none", "mean")),
        X[0], CLASSES[1]),
    "margin ranking": (reduced(lambda x, y, reduction: F.margin_ranking_loss(
        x, y, torch.ones_like(x), margin=0.3, reduction=reduction)), X, Y),
    "hinge embedding": (reduced(lambda x, y, reduction: F.hinge_embedding_loss(
        x, (y > 0) * 2.0 - 1, reduction=reduction)), X, Y),
    "soft margin": (reduced(lambda x, y, reduction: F.soft_margin_loss(x.tanh(), y.sign(), reduction=reduction)), X, Y),
    "triplet margin": (reduced(F.triplet_margin_loss, swap=True), X, Y, torch.randn(6, 4)),
}  # fmt: skip
IDS = torch.tensor([[1, 4, 2], [0, 5, 5]])
TABLE = torch.randn(6, 3)


def bags(mode):
    def function(ids):
        flat = ids.flatten()
        uneven = F.embedding_bag(flat, TABLE, torch.tensor([0, 2, 2, 5]), mode=mode)
        ends = {"offsets": torch.tensor([0, 4, 6]), "include_last_offset": True}
        padded = F.embedding_bag(flat, TABLE, mode=mode, padding_idx=5, **ends)
        return F.embedding_bag(ids, TABLE, mode=mode), uneven, padded

    return function


LOOKUPS = {
    "embedding": (lambda ids: F.embedding(ids, TABLE, padding_idx=0), IDS),
    "bags, sum": (bags("sum"), IDS),
    "bags, mean": (bags("mean"), IDS),
    "bags, max": (bags("max"), IDS),
    "weighted bags": (
        lambda ids, w: F.embedding_bag(ids, TABLE, mode="sum", per_sample_weights=w), IDS, torch.randn(2, 3)),
    "grids": (lambda x, g: tuple(F.grid_sample(x, g.tanh() * 1.2, mode, padding, corners)
                                 for mode in ("bilinear", "nearest", "bicubic")
                                 for padding in ("zeros", "border", "reflection")
                                 for corners in (False, True)), IMAGE, torch.randn(2, 5, 6, 2)),
    "affine grid": (
        lambda t: (F.affine_grid(t, (2, 3, 4, 5), False), F.affine_grid(t, (2, 1, 2, 6), True)),
        torch.randn(2, 2, 3)),
    "affine grid of volumes": (lambda t: F.affine_grid(t, (2, 3, 4, 5, 6), False), torch.randn(2, 3, 4)),
}  # fmt: skip
WINDOWS = {
    "max pool": (
        lambda x, y, z: (F.max_pool1d(x, 3, 2, 1), F.max_pool2d(y, 2, dilation=2), F.max_pool3d(z, 2)),
        LINE, IMAGE, VOLUME),
    "average pool": (
        lambda x, y, z: (F.avg_pool1d(x, 3, 2, 1), F.avg_pool2d(y, 3, 1), F.avg_pool3d(z, 2)), LINE, IMAGE, VOLUME),
    "adaptive average": (
        lambda x, y, z: (F.adaptive_avg_pool1d(x, 5), F.adaptive_avg_pool2d(y, (None, 4)),
            F.adaptive_avg_pool3d(z, 2)), LINE, IMAGE, VOLUME),
    "adaptive max": (
        lambda x, y, z: (F.adaptive_max_pool1d(x, 4), F.adaptive_max_pool2d(y, 2), F.adaptive_max_pool3d(z, 2)),
        LINE, IMAGE, VOLUME),
    "adaptive max with positions": (
        lambda x, y, z: (F.adaptive_max_pool1d(x, 5, True), F.adaptive_max_pool2d(y, (3, 4), True),
            F.adaptive_max_pool2d(y[0], 1, True), F.adaptive_max_pool3d(z, (2, 4, 3), True)), LINE, IMAGE, VOLUME),
    "adaptive max of equal elements": (
        lambda x: F.adaptive_max_pool2d(x, (2, 3), True), torch.arange(60.0).reshape(1, 6, 10) % 3),
    "lp pool": (lambda x, y: (F.lp_pool1d(x.abs() + 1, 2, 3), F.lp_pool2d(y.abs() + 1, 3.0, 2, 1)), LINE, IMAGE),
    "local response": (
        lambda x, y: (F.local_response_norm(x, 2), F.local_response_norm(y, 3, 0.1, 0.5, 2)), LINE, IMAGE),
    "instance norm": (lambda x, z: (F.instance_norm(x), F.instance_norm(z)), LINE, VOLUME),
    "convolutions": (
        lambda x, z: (F.conv1d(x, torch.ones(4, 3, 3), stride=2), F.conv3d(z, torch.ones(2, 3, 2, 2, 2), padding=1)),
        LINE, VOLUME),
    "transposed": (lambda x, y, z: (F.conv_transpose1d(x, torch.ones(3, 2, 3), stride=2, output_padding=1),
                                    F.conv_transpose2d(y, torch.ones(3, 1, 2, 3), groups=3, dilation=2),
                                    F.conv_transpose3d(z, torch.ones(3, 2, 2, 2, 2), padding=1)), LINE, IMAGE, VOLUME),
    "padding": (
        lambda x, y, z: (F.pad(x, (1, 2), "reflect"), F.pad(y, (1, 2, 3, 0), "circular"),
            F.pad(z, (1,) * 6, "replicate"), F.pad(y, (-1, 2), value=3), F.pad(x, (2, 1), "circular")),
        LINE, IMAGE, VOLUME),
    "scaling": (
        lambda x, y, z: (*(F.interpolate(x, scale_factor=2, mode=m) for m in ("nearest", "linear", "nearest-exact")),
            *(F.interpolate(y, (5, 13), mode=m) for m in ("nearest", "bilinear", "bicubic")),
            F.interpolate(y, scale_factor=(1.5, 2), mode="bilinear", align_corners=True),
            F.interpolate(y, scale_factor=0.7, mode="bilinear", recompute_scale_factor=True),
            F.interpolate(z, (3, 5, 9), mode="trilinear"), F.interpolate(z, scale_factor=2)), LINE, IMAGE, VOLUME),
    "shuffles": (lambda y: (F.pixel_unshuffle(y, 2), F.pixel_shuffle(F.pixel_unshuffle(y, 2), 2)), IMAGE),
}  # fmt: skip


@pytest.mark.parametrize("cases", [LOSSES, LOOKUPS, WINDOWS], ids=["losses", "lookups", "windows"])
def test_functions(exporter, cases):
    exporter.export_all(cases)


@pytest.mark.parametrize("opset", ["13", "18", "21"])
def test_functions_in_other_opsets(exporter, opset):
    exporter.export_all({**LOSSES, **WINDOWS}, "--opset", opset)


@pytest.mark.skipif(torch.__version__ >= (2,), reason="newer PyTorch cannot trace max_unpool1d, then none of them")
def test_max_unpool(exporter):
    exporter.export_all({
        "lines": (lambda x: F.max_unpool1d(*F.max_pool1d(x, 2, return_indices=True), 2), LINE),
        "images": (lambda y: F.max_unpool2d(*F.max_pool2d(y, 2, return_indices=True), 2), IMAGE),
        "volumes": (lambda z: F.max_unpool3d(*F.max_pool3d(z, 2, return_indices=True), 2), VOLUME),
    })  # fmt: skip


def test_grids_in_volumes_need_opset_20(exporter):
    def sample(x, g):
        return F.grid_sample(x, g.tanh(), align_corners=False)

    exporter.export_all({"volume": (sample, VOLUME, torch.randn(2, 2, 3, 4, 3))}, "--opset", "20")


class Transformer(nn.Module):
    """Encodes without and with the mask that users pass."""

    def __init__(self, **options):
        super().__init__()
        layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, **options)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)

    def forward(self, x):
        return self.encoder(x), self.encoder(x, mask=torch.ones(5, 5).triu(1) > 0)


class Attention(nn.Module):
    def __init__(self, **options):
        super().__init__()
        self.attention = nn.MultiheadAttention(8, 2, **options)

    def forward(self, x, y):
        z, weights = self.attention(x, y, y)
        return z, weights, self.attention(x, y, y, need_weights=False)[0]


SEQUENCE = torch.randn(3, 5, 8)
TRANSFORMERS = {
    "encoder": (Transformer(), {"x": SEQUENCE}),
    "encoder, norm first, gelu": (Transformer(norm_first=True, activation="gelu"), {"x": SEQUENCE}),
    "attention": (Attention(), {"x": torch.randn(4, 3, 8), "y": torch.randn(5, 3, 8)}),
    "attention with biases": (
        Attention(add_bias_kv=True, add_zero_attn=True, batch_first=True), {"x": SEQUENCE, "y": SEQUENCE}),
}  # fmt: skip


@pytest.mark.parametrize("scripted", [False, True], ids=["traced", "scripted"])
@pytest.mark.parametrize("name", TRANSFORMERS)
def test_transformers(exporter, name, scripted):
    module, inputs = TRANSFORMERS[name]
    exporter.export(module, inputs, scripted=scripted)


def test_decoder(exporter):
    layer = nn.TransformerDecoderLayer(8, 2, 16, batch_first=True)
    exporter.export(nn.TransformerDecoder(layer, 2), {"tgt": SEQUENCE, "memory": torch.randn(3, 4, 8)}, scripted=True)


class Normed(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.utils.weight_norm(nn.Conv2d(3, 4, 3))
        self.b = nn.utils.spectral_norm(nn.Linear(8, 3))

    def forward(self, x):
        return self.b(self.a(x))


def test_parametrised_weights(exporter):
    exporter.export(Normed(), {"x": IMAGE})
