"""Writes models of detection, sound, point clouds, volumes, pictures and motion with seeded random weights as ONNX
files, for benchmarks/compare.

usage: python benchmarks/task_models.py --out FOLDER [--models NAME,...]

Needs torch, and torchvision for detectors; nothing is downloaded. Detectors keep every box because random weights give
no high scores.
"""

import warnings

import torch
import torch.nn.functional as F
import writers
from torch import nn


def conv_norm(channels_in, channels_out, conv=nn.Conv2d, norm=nn.BatchNorm2d):
    return nn.Sequential(conv(channels_in, channels_out, 3, padding=1), norm(channels_out), nn.ReLU())


class Residual(nn.Module):
    def __init__(self, *layers):
        super().__init__()
        self.layers = nn.Sequential(*layers)

    def forward(self, x):
        return x + self.layers(x)


class UNet(nn.Module):
    """Ronneberger, Fischer, Brox, "U-Net", 2015; in three dimensions Cicek and others, "3D U-Net", 2016."""

    def __init__(self, rank, channels, width, depth):
        super().__init__()
        conv, norm, self.pool, transposed = {
            2: (nn.Conv2d, nn.BatchNorm2d, nn.MaxPool2d(2), nn.ConvTranspose2d),
            3: (nn.Conv3d, nn.BatchNorm3d, nn.MaxPool3d(2), nn.ConvTranspose3d),
        }[rank]
        block = lambda i, o: nn.Sequential(conv_norm(i, o, conv, norm), conv_norm(o, o, conv, norm))  # noqa: E731
        widths = [width << i for i in range(depth)]
        self.down = nn.ModuleList(block(i, o) for i, o in zip([channels, *widths], widths))
        self.up = nn.ModuleList(transposed(2 * w, w, 2, stride=2) for w in widths[-2::-1])
        self.join = nn.ModuleList(block(2 * w, w) for w in widths[-2::-1])
        self.head = conv(width, 2, 1)

    def forward(self, x):
        kept = []
        for layer in self.down[:-1]:
            kept.append(layer(x))
            x = self.pool(kept[-1])
        x = self.down[-1](x)
        for up, join in zip(self.up, self.join):
            x = join(torch.cat([kept.pop(), up(x)], 1))
        return self.head(x)


class SpeechFeatures(nn.Module):
    """The convolutions of Baevski and others, "wav2vec 2.0", 2020."""

    def __init__(self):
        super().__init__()
        sizes = zip([1, *[512] * 6], [10, 3, 3, 3, 3, 2, 2], [5, 2, 2, 2, 2, 2, 2])
        self.layers = nn.ModuleList(nn.Conv1d(i, 512, kernel, stride, bias=False) for i, kernel, stride in sizes)
        self.norm = nn.GroupNorm(512, 512)

    def forward(self, x):
        x = F.gelu(self.norm(self.layers[0](x)))
        for layer in self.layers[1:]:
            x = F.gelu(layer(x))
        return x


class MelSpectrogram(nn.Module):
    def __init__(self, size=400, hop=160, bands=80):
        super().__init__()
        self.size, self.hop = size, hop
        self.register_buffer("window", torch.hann_window(size))
        self.register_buffer("filters", torch.rand(bands, size // 2 + 1))

    def forward(self, x):
        spectrum = torch.stft(x, self.size, self.hop, window=self.window, center=False, return_complex=False, onesided=True)
        power = spectrum.pow(2).sum(-1)
        return torch.log(torch.clamp(self.filters @ power, min=1e-10))


class WaveNet(nn.Module):
    """Gated dilated convolutions of van den Oord and others, "WaveNet", 2016."""

    def __init__(self, width=64, layers=20):
        super().__init__()
        self.first = nn.Conv1d(1, width, 1)
        self.gated = nn.ModuleList(nn.Conv1d(width, 2 * width, 3, dilation=1 << i % 10) for i in range(layers))
        self.residual = nn.ModuleList(nn.Conv1d(width, width, 1) for _ in range(layers))
        self.skip = nn.ModuleList(nn.Conv1d(width, width, 1) for _ in range(layers))
        self.last = nn.Sequential(nn.ReLU(), nn.Conv1d(width, width, 1), nn.ReLU(), nn.Conv1d(width, 256, 1))

    def forward(self, x):
        x, sums = self.first(x), 0
        for gated, residual, skip in zip(self.gated, self.residual, self.skip):
            a, b = gated(F.pad(x, (2 * gated.dilation[0], 0))).chunk(2, 1)
            z = torch.tanh(a) * torch.sigmoid(b)
            sums = sums + skip(z)
            x = x + residual(z)
        return self.last(sums)


class HifiGan(nn.Module):
    """The generator V2 of Kong, Kim, Bae, "HiFi-GAN", 2020."""

    def __init__(self, width=128):
        super().__init__()
        widths = [width >> i for i in range(5)]
        self.first = nn.Conv1d(80, width, 7, padding=3)
        rates = [(8, 16), (8, 16), (2, 4), (2, 4)]
        self.up = nn.ModuleList(
            nn.ConvTranspose1d(i, o, kernel, stride, (kernel - stride) // 2)
            for i, o, (stride, kernel) in zip(widths, widths[1:], rates)
        )
        branch = lambda w, k: nn.Sequential(*(self.residual(w, k, d) for d in (1, 3, 5)))  # noqa: E731
        self.branches = nn.ModuleList(nn.ModuleList(branch(w, k) for k in (3, 7, 11)) for w in widths[1:])
        self.last = nn.Conv1d(widths[-1], 1, 7, padding=3)

    @staticmethod
    def residual(width, kernel, dilation):
        pad = kernel // 2
        return Residual(nn.LeakyReLU(0.1), nn.Conv1d(width, width, kernel, padding=pad * dilation, dilation=dilation),
                        nn.LeakyReLU(0.1), nn.Conv1d(width, width, kernel, padding=pad))  # fmt: skip

    def forward(self, x):
        x = self.first(x)
        for up, branches in zip(self.up, self.branches):
            x = up(F.leaky_relu(x, 0.1))
            x = sum(branch(x) for branch in branches) / len(branches)
        return torch.tanh(self.last(F.leaky_relu(x)))


class PointNet(nn.Module):
    """Qi and others, "PointNet", 2017."""

    def __init__(self):
        super().__init__()
        self.turn, self.mix = self.transform(3), self.transform(64)
        self.first = self.points(3, 64, 64)
        self.second = self.points(64, 64, 128, 1024)
        self.head = nn.Sequential(nn.Linear(1024, 512), nn.ReLU(), nn.Linear(512, 256), nn.ReLU(), nn.Linear(256, 40))

    @staticmethod
    def points(*widths):
        pairs = zip(widths, widths[1:])
        return nn.Sequential(*(nn.Sequential(nn.Conv1d(i, o, 1), nn.BatchNorm1d(o), nn.ReLU()) for i, o in pairs))

    def transform(self, size):
        head = nn.Sequential(nn.Linear(1024, 256), nn.ReLU(), nn.Linear(256, size * size))
        return nn.ModuleList([self.points(size, 64, 128, 1024), head])

    @staticmethod
    def transformed(x, transform):
        points, head = transform
        matrix = head(points(x).amax(2)).view(-1, x.shape[1], x.shape[1]) + torch.eye(x.shape[1])
        return (x.transpose(1, 2) @ matrix).transpose(1, 2)

    def forward(self, x):
        x = self.first(self.transformed(x, self.turn))
        return self.head(self.second(self.transformed(x, self.mix)).amax(2)).log_softmax(1)


def edsr(width=64, blocks=8):
    """Lim and others, "Enhanced Deep Residual Networks for Single Image Super-Resolution", 2017."""
    conv = lambda i, o: nn.Conv2d(i, o, 3, padding=1)  # noqa: E731
    body = [Residual(conv(width, width), nn.ReLU(), conv(width, width)) for _ in range(blocks)]
    return nn.Sequential(conv(3, width), Residual(*body, conv(width, width)), conv(width, 4 * width), nn.PixelShuffle(2),
                         conv(width, 3))  # fmt: skip


def style_transfer():
    """Johnson, Alahi, Fei-Fei, "Perceptual Losses for Real-Time Style Transfer", 2016."""

    def layer(i, o, kernel, stride=1):
        return nn.Sequential(nn.ReflectionPad2d(kernel // 2), nn.Conv2d(i, o, kernel, stride), nn.InstanceNorm2d(o, affine=True))

    blocks = [Residual(layer(128, 128, 3), nn.ReLU(), layer(128, 128, 3)) for _ in range(5)]
    up = lambda i, o: nn.Sequential(nn.Upsample(scale_factor=2), layer(i, o, 3), nn.ReLU())  # noqa: E731
    return nn.Sequential(layer(3, 32, 9), nn.ReLU(), layer(32, 64, 3, 2), nn.ReLU(), layer(64, 128, 3, 2), nn.ReLU(), *blocks,
                         up(128, 64), up(64, 32), nn.ReflectionPad2d(4), nn.Conv2d(32, 3, 9))  # fmt: skip


class OpticalFlow(nn.Module):
    """A small form of Teed and Deng, "RAFT", 2020: correlations of all pairs of features, sampled by GridSample in each
    iteration."""

    def __init__(self, width=64, radius=3, iterations=4):
        super().__init__()
        self.width, self.radius, self.iterations = width, radius, iterations
        layers = [nn.Conv2d(3, 32, 7, 2, 3), nn.InstanceNorm2d(32), nn.ReLU(), nn.Conv2d(32, 64, 3, 2, 1),
                  nn.InstanceNorm2d(64), nn.ReLU(), nn.Conv2d(64, width, 3, 2, 1)]  # fmt: skip
        self.features = nn.Sequential(*layers)
        window = (2 * radius + 1) ** 2
        self.motion = nn.Sequential(nn.Conv2d(window + 2, width, 1), nn.ReLU())
        self.gates = nn.ModuleList(nn.Conv2d(2 * width, width, 3, padding=1) for _ in range(3))
        self.delta = nn.Conv2d(width, 2, 3, padding=1)

    def looked_up(self, pairs, centre):
        height, width = pairs.shape[-2:]
        steps = torch.arange(-self.radius, self.radius + 1, dtype=torch.float32)
        window = torch.stack(torch.meshgrid(steps, steps, indexing="xy"), -1)
        at = centre.reshape(-1, 1, 1, 2) + window
        scale = torch.tensor([2.0 / (width - 1), 2.0 / (height - 1)])
        return F.grid_sample(pairs, at * scale - 1, align_corners=True)

    def update(self, state, x):
        z = torch.sigmoid(self.gates[0](torch.cat([state, x], 1)))
        r = torch.sigmoid(self.gates[1](torch.cat([state, x], 1)))
        return (1 - z) * state + z * torch.tanh(self.gates[2](torch.cat([r * state, x], 1)))

    def forward(self, first, second):
        a, b = self.features(first), self.features(second)
        n, c, h, w = a.shape
        pairs = torch.einsum("ncp,ncq->npq", a.flatten(2), b.flatten(2)) / c**0.5
        pairs = pairs.reshape(n * h * w, 1, h, w)
        start = torch.stack(torch.meshgrid(torch.arange(w), torch.arange(h), indexing="xy"), -1).float()
        state, flow = torch.tanh(a), torch.zeros(1, h, w, 2)
        for _ in range(self.iterations):
            seen = self.looked_up(pairs, start + flow).reshape(n, h, w, -1).permute(0, 3, 1, 2)
            state = self.update(state, self.motion(torch.cat([seen, flow.permute(0, 3, 1, 2)], 1)))
            flow = flow + self.delta(state).permute(0, 2, 3, 1)
        return F.interpolate(flow.permute(0, 3, 1, 2), scale_factor=8.0, mode="bilinear", align_corners=True)


class EinsumAttention(nn.Module):
    def __init__(self, width=384, heads=6):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        shapes = [(width, heads, width // heads)] * 3 + [(heads, width // heads, width)]
        self.q, self.k, self.v, self.o = (nn.Parameter(torch.randn(shape) * width**-0.5) for shape in shapes)
        self.feed = nn.Sequential(nn.LayerNorm(width), nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):
        y = self.norm(x)
        q, k, v = (torch.einsum("bld,dhe->blhe", y, weights) for weights in (self.q, self.k, self.v))
        scores = torch.einsum("bqhe,bkhe->bhqk", q, k) * q.shape[-1] ** -0.5
        x = x + torch.einsum("bqhe,hed->bqd", torch.einsum("bhqk,bkhe->bqhe", scores.softmax(-1), v), self.o)
        return x + self.feed(x)


def detector(name, size, **options):
    def make():
        from torchvision.models import detection

        model = getattr(detection, name)(weights=None, weights_backbone=None, **options)
        return model, [torch.rand(1, 3, size, size)]

    return make


MODELS = {
    "faster_rcnn_mobilenet": detector("fasterrcnn_mobilenet_v3_large_320_fpn", 320, box_score_thresh=0.0, num_classes=21),
    "faster_rcnn_resnet50": detector("fasterrcnn_resnet50_fpn", 480, box_score_thresh=0.0, num_classes=21, min_size=480),
    "keypoint_rcnn_resnet50": detector("keypointrcnn_resnet50_fpn", 480, box_score_thresh=0.0, min_size=480),
    "retinanet_resnet50": detector("retinanet_resnet50_fpn", 480, score_thresh=0.0, num_classes=21, min_size=480),
    "ssd300_vgg16": detector("ssd300_vgg16", 300, score_thresh=0.0, num_classes=21),
    "ssdlite320_mobilenet": detector("ssdlite320_mobilenet_v3_large", 320, score_thresh=0.0, num_classes=21),
    "wav2vec2_features": lambda: (SpeechFeatures(), [torch.randn(1, 1, 16000)]),
    "mel_spectrogram": lambda: (MelSpectrogram(), [torch.randn(1, 16000)]),
    "wavenet": lambda: (WaveNet(), [torch.randn(1, 1, 4000)]),
    "hifigan": lambda: (HifiGan(), [torch.randn(1, 80, 50)]),
    "pointnet": lambda: (PointNet(), [torch.randn(1, 3, 1024)]),
    "unet_2d": lambda: (UNet(2, 3, 32, 5), [torch.randn(1, 3, 256, 256)]),
    "unet_3d": lambda: (UNet(3, 1, 16, 4), [torch.randn(1, 1, 32, 64, 64)]),
    "edsr": lambda: (edsr(), [torch.rand(1, 3, 96, 96)]),
    "style_transfer": lambda: (style_transfer(), [torch.rand(1, 3, 224, 224)]),
    "optical_flow": lambda: (OpticalFlow(), [torch.rand(1, 3, 192, 256), torch.rand(1, 3, 192, 256)]),
    "einsum_transformer": lambda: (nn.Sequential(*(EinsumAttention() for _ in range(4))), [torch.randn(1, 196, 384)]),
}


def export(name, out):
    torch.manual_seed(0)
    model, inputs = MODELS[name]()
    options = {"opset_version": 17, "input_names": [f"x{i}" for i in range(len(inputs))]}
    if torch.__version__ >= "2.":
        options["dynamo"] = False
    torch.onnx.export(model.eval(), tuple(inputs), str(out), **options)


def main():
    parser = writers.parser(__doc__)
    parser.add_argument("--models", type=writers.among(MODELS), default=list(MODELS), metavar="NAME,...")
    flags = parser.parse_args()
    warnings.simplefilter("ignore")
    flags.out.mkdir(parents=True, exist_ok=True)
    for name in flags.models:
        out = flags.out / f"{name}.onnx"
        export(name, out)
        print(out, flush=True)


if __name__ == "__main__":
    main()
