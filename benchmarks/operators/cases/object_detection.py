"""Boxes and regions of detectors."""

from arrays import boxes, boxes_of_images, scores
from notation import by, case, x

case(
    "NonMaxSuppression",
    x("float32", 1, by(20, 400, 8400), 4, fill=boxes),
    x("float32", 1, by(1, 4, 4), by(20, 400, 8400), fill=scores),
    [100],
    [0.5],
    [0.05],
)
case(
    "NonMaxSuppression",
    x("float32", 1, by(20, 400, 3000), 4, fill=boxes),
    x("float32", 1, by(2, 20, 80), by(20, 400, 3000), fill=scores),
    [100],
    [0.5],
    [0.6],
)
FEATURES = x("float32", 1, by(4, 32, 256), by(8, 25, 100), by(8, 25, 100))
REGIONS = by(4, 50, 300)
case(
    "RoiAlign",
    FEATURES,
    x("float32", REGIONS, 4, fill=boxes),
    x("int64", REGIONS, low=0, high=0),
    output_height=7,
    output_width=7,
    sampling_ratio=2,
    spatial_scale=0.125,
)
case(
    "RoiAlign",
    FEATURES,
    x("float32", REGIONS, 4, fill=boxes),
    x("int64", REGIONS, low=0, high=0),
    output_height=7,
    output_width=7,
    mode="max",
    sampling_ratio=2,
    spatial_scale=0.125,
)
case("MaxRoiPool", FEATURES, x("float32", REGIONS, 5, fill=boxes_of_images), pooled_shape=[7, 7], spatial_scale=0.125)
