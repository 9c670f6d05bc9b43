"""Images: resizing, sampling between pixels, files."""

from arrays import png
from notation import by, case, each, fed, x

BATCH, SIDE = by(1, 1, 4), by(8, 32, 112)
IMAGE = x("float32", BATCH, 64, SIDE, SIDE)

# Twice as large, with the settings of frameworks; smaller; by a fraction; frames of a camera.
case("Resize", IMAGE, None, [1.0, 1.0, 2.0, 2.0], mode=each("nearest", "linear"))
case("Resize", x("uint8", BATCH, 64, SIDE, SIDE), None, [1.0, 1.0, 2.0, 2.0], mode="nearest")
case("Resize", x("uint8", BATCH, 64, SIDE, SIDE), None, [1.0, 1.0, 2.0, 2.0], mode="linear", agreement="scales")
case(
    "Resize",
    IMAGE,
    None,
    [1.0, 1.0, 2.0, 2.0],
    mode="nearest",
    coordinate_transformation_mode="asymmetric",
    nearest_mode="floor",
)
case("Resize", IMAGE, None, [1.0, 1.0, 2.0, 2.0], mode="linear", coordinate_transformation_mode="align_corners")
case("Resize", x("float32", 1, 16, SIDE, SIDE), None, [1.0, 1.0, 2.0, 2.0], mode="cubic")
case("Resize", IMAGE, None, [1.0, 1.0, 0.5, 0.5], mode=each("nearest", "linear"))
case("Resize", IMAGE, None, [1.0, 1.0, 0.4, 0.4], mode="linear", antialias=1)
case(
    "Resize",
    x("float32", 1, 3, by(20, 120, 1080), by(20, 160, 1920)),
    None,
    None,
    by([1, 3, 10, 10], [1, 3, 96, 96], [1, 3, 640, 640]),
    mode="linear",
)
case(
    "Resize",
    x("float32", 1, by(20, 120, 1080), by(20, 160, 1920), 3),
    None,
    None,
    by([1, 10, 10, 3], [1, 96, 96, 3], [1, 640, 640, 3]),
    mode="linear",
)
case("Resize", x("float32", 1, 64, by(50, 400, 4000)), None, [1.0, 1.0, 4.0], mode=each("nearest", "linear"))
case(
    "Resize",
    x("float32", 1, by(4, 8, 16), by(4, 8, 32), by(4, 8, 32), by(4, 8, 32)),
    None,
    [1.0, 1.0, 2.0, 2.0, 2.0],
    mode=each("nearest", "linear"),
)
case("Upsample", IMAGE, [1.0, 1.0, 2.0, 2.0], mode=each("nearest", "linear"), since=9)
for mode in ("linear", "nearest", "cubic"):
    case(
        "GridSample",
        x("float32", 1, by(2, 16, 64), SIDE, SIDE),
        x("float32", 1, SIDE, SIDE, 2, low=-1.1, high=1.1),
        mode=mode,
    )
case(
    "GridSample",
    x("float32", 1, by(2, 16, 64), SIDE, SIDE),
    x("float32", 1, SIDE, SIDE, 2, low=-1.1, high=1.1),
    padding_mode=each("border", "reflection"),
)
case(
    "GridSample",
    x("float32", 1, by(2, 4, 16), by(4, 8, 32), by(4, 8, 32), by(4, 8, 32)),
    x("float32", 1, by(4, 8, 32), by(4, 8, 32), by(4, 8, 32), 3, low=-1.1, high=1.1),
)
case("AffineGrid", x("float32", by(1, 2, 8), 2, 3), fed(by([1, 3, 8, 8], [2, 3, 64, 64], [8, 3, 512, 512])))
case("Crop", x("float32", BATCH, 64, SIDE, SIDE), border=[1, 2, 3, 4], since=1)
case("ImageScaler", x("float32", BATCH, 3, by(8, 64, 640), by(8, 64, 640)), bias=[0.1, 0.2, 0.3], scale=0.5, since=1)
case("ImageDecoder", x("uint8", by(8, 64, 640), by(8, 64, 640), fill=png), pixel_format="RGB", alone=True)
