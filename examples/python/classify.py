"""classify.py MODEL IMAGE.ppm [LABELS]: prints the five most probable classes of an image, by a classifier of
ImageNet's kind."""

import sys
from pathlib import Path

import linnet
import numpy as np
import ppm


def main(model, image, labels=None):
    session = linnet.Session(model)
    (info,) = session.inputs
    mean, deviation = (np.array(v, np.float32).reshape(3, 1, 1) for v in ((0.485, 0.456, 0.406), (0.229, 0.224, 0.225)))
    x = (ppm.model_input(ppm.read(image), info) - mean) / deviation
    (scores,) = session.run({info.name: x}).values()
    likely = np.exp(scores[0] - scores.max())
    likely /= likely.sum()
    names = Path(labels).read_text().splitlines() if labels else [""] * len(likely)
    for i in np.argsort(-likely)[:5]:
        print(f"{i} {likely[i]:g} {names[i]}")


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit("usage: classify MODEL IMAGE.ppm [LABELS]")
    main(*sys.argv[1:])
