"""Recurrent layers: speech and text, one step, both directions."""

from notation import by, case, w, x

STEPS, WIDTH = by(1, 10, 60), by(16, 64, 256)
for name, gates in (("RNN", 1), ("GRU", 3), ("LSTM", 4)):
    units = by(*(gates * n for n in WIDTH.values))
    case(
        name,
        x("float32", STEPS, 1, WIDTH),
        w("float32", 1, units, WIDTH, low=-0.1, high=0.1),
        w("float32", 1, units, WIDTH, low=-0.1, high=0.1),
        hidden_size=WIDTH,
        outputs=2,
    )
    case(
        name,
        x("float32", STEPS, 16, WIDTH),
        w("float32", 2, units, WIDTH, low=-0.1, high=0.1),
        w("float32", 2, units, WIDTH, low=-0.1, high=0.1),
        hidden_size=WIDTH,
        direction="bidirectional",
        outputs=2,
    )
case(
    "LSTM",
    x("float64", STEPS, 1, WIDTH),
    w("float64", 1, by(64, 256, 1024), WIDTH, low=-0.1, high=0.1),
    w("float64", 1, by(64, 256, 1024), WIDTH, low=-0.1, high=0.1),
    hidden_size=WIDTH,
    outputs=2,
    alone=True,
)
