"""detect.py MODEL IMAGE.ppm RESULT.ppm: draws the boxes that a detector finds. The model takes an image as float32
[1,3,H,W] in 0..1 and gives float32 [N,6] or [1,N,6]: left, top, right, bottom in its own pixels, score, class."""

import sys

import linnet
import numpy as np
import ppm


def draw(rgb, left, top, right, bottom):
    """Draws a red frame, clipped to the image."""
    height, width, _ = rgb.shape
    rows, columns = slice(max(top, 0), bottom + 1), slice(max(left, 0), right + 1)
    for y in {top, bottom} & set(range(height)):
        rgb[y, columns] = 255, 0, 0
    for x in {left, right} & set(range(width)):
        rgb[rows, x] = 255, 0, 0


def main(model, image, result):
    session = linnet.Session(model)
    (info,) = session.inputs
    rgb = ppm.read(image).copy()
    x = ppm.model_input(rgb, info)
    (boxes,) = session.run({info.name: x}).values()
    scale = np.tile([rgb.shape[1] / x.shape[3], rgb.shape[0] / x.shape[2]], 2)
    for *corners, score, kind in boxes.reshape(-1, 6):
        if score < 0.5:
            continue
        box = [int(v) for v in corners * scale]
        draw(rgb, *box)
        print(f"class {kind:g}, score {score:g}:", *box)
    ppm.write(result, rgb)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit("usage: detect MODEL IMAGE.ppm RESULT.ppm")
    main(*sys.argv[1:])
