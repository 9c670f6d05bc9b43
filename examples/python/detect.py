"""detect.py MODEL IMAGE RESULT.ppm: draws the boxes that a detector finds. The model takes an image as float32
[1,3,H,W] in 0..1 and gives float32 [N,6] or [1,N,6]: left, top, right, bottom in its own pixels, score, class."""

import sys

import images
import linnet
import numpy as np

STRIDE, FARTHEST = 32, 1e6


def draw(rgb, left, top, right, bottom):
    """Draws a red frame, clipped to the image."""
    height, width, _ = rgb.shape
    rows, columns = slice(max(top, 0), max(bottom + 1, 0)), slice(max(left, 0), max(right + 1, 0))
    for y in {top, bottom} & set(range(height)):
        rgb[y, columns] = 255, 0, 0
    for x in {left, right} & set(range(width)):
        rgb[rows, x] = 255, 0, 0


def open_sizes(rgb):
    """The image's own height and width, as multiples of what detectors divide them by."""
    return [max(size // STRIDE, 1) * STRIDE for size in rgb.shape[:2]]


def found_boxes(session, outputs):
    boxes = outputs[session.outputs[0].name]
    if getattr(boxes, "dtype", None) != np.float32 or boxes.shape[-1:] != (6,) or boxes.size != 6 * boxes.shape[-2]:
        raise ValueError(f"the model returns {images.describe(session.outputs)}; expected boxes, float32[N,6] or [1,N,6]: left, "
                         "top, right, bottom, score, class. Export the detector with its non-maximum suppression")  # fmt: skip
    boxes = boxes.reshape(-1, 6)
    if not np.all(np.isfinite(boxes)) or np.any(np.abs(boxes[:, 4]) > 1):
        raise ValueError(f"output '{session.outputs[0].name}' has scores that are not from 0 to 1 in its column 4; expected "
                         "left, top, right, bottom, score, class")  # fmt: skip
    return boxes


def main(model, image, result):
    session = linnet.Session(model)
    rgb = linnet.read_image(image)
    x = images.model_input(rgb, session.inputs, open_sizes(rgb))
    boxes = found_boxes(session, session.run({session.inputs[0].name: x}))
    scale = np.tile([rgb.shape[1] / x.shape[3], rgb.shape[0] / x.shape[2]], 2)
    for *corners, score, kind in boxes:
        if score < 0.5:
            continue
        box = [int(v) for v in np.clip(corners * scale, -FARTHEST, FARTHEST)]
        draw(rgb, *box)
        print(f"class {kind:g}, score {score:g}:", *box)
    images.write_ppm(result, rgb)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit("usage: detect MODEL IMAGE RESULT.ppm")
    try:
        main(*sys.argv[1:])
    except (linnet.Error, OSError, ValueError) as error:
        sys.exit(f"detect: {error}")
