"""Losses, and optimiser steps."""

from notation import by, case, each, fed, w, x

ROWS, PIXELS = by(4, 100, 10_000), by(4, 32, 256)
for name in ("SoftmaxCrossEntropyLoss", "NegativeLogLikelihoodLoss"):
    case(name, x("float32", ROWS, 100), x("int64", ROWS, low=0, high=99), reduction=each("mean", "none"))
    case(
        name,
        x("float32", 1, 21, PIXELS, PIXELS),
        x("int64", 1, PIXELS, PIXELS, low=0, high=20),
        w("float32", 21, low=0.5, high=2),
    )

TRAINING, N = "ai.onnx.preview.training.", by(100, 30_000, 2_000_000)
STATE = x("float32", N, low=0.1, high=3)
case(TRAINING + "Adagrad", fed(0.01), fed(3), x("float32", N), x("float32", N), STATE, outputs=2, alone=True)
case(
    TRAINING + "Adam",
    fed(0.01),
    fed(3),
    x("float32", N),
    x("float32", N),
    x("float32", N),
    STATE,
    outputs=3,
    alone=True,
)
case(
    TRAINING + "Momentum",
    fed(0.01),
    fed(3),
    x("float32", N),
    x("float32", N),
    x("float32", N),
    alpha=0.9,
    beta=0.1,
    norm_coefficient=0.01,
    mode="standard",
    outputs=2,
    alone=True,
)
