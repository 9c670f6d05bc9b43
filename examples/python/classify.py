"""classify.py MODEL IMAGE [LABELS]: prints the five most probable classes of an image, by a classifier of
ImageNet's kind."""

import sys
from pathlib import Path

import images
import linnet
import numpy as np

OPEN_SIZES = 224, 224  # what ImageNet's models are trained on


def class_scores(session, outputs):
    """The scores of the first output, one a class."""
    scores = outputs[session.outputs[0].name]
    if getattr(scores, "dtype", None) not in (np.float32, np.float16) or scores.size < 2 or scores.size != max(scores.shape):
        raise ValueError(f"the model returns {images.describe(session.outputs)}; expected a score of each class, float32[1,classes]")
    return scores.reshape(-1).astype(np.float32)


def probabilities(scores):
    """Softmax, unless the model has applied it."""
    if scores.min() >= 0 and abs(scores.sum() - 1) < 1e-3:
        return scores
    likely = np.exp(scores - scores.max())
    return likely / likely.sum()


def main(model, image, labels=None):
    session = linnet.Session(model)
    mean, deviation = (np.array(v, np.float32).reshape(3, 1, 1) for v in ((0.485, 0.456, 0.406), (0.229, 0.224, 0.225)))
    x = images.model_input(linnet.read_image(image), session.inputs, OPEN_SIZES)
    channels = x.shape[1]
    outputs = session.run({session.inputs[0].name: (x - mean[:channels]) / deviation[:channels]})
    likely = probabilities(class_scores(session, outputs))
    names = dict(enumerate(Path(labels).read_text().splitlines() if labels else []))
    for i in np.argsort(-likely)[:5]:
        print(f"{i} {likely[i]:g} {names.get(i, '')}")


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit("usage: classify MODEL IMAGE [LABELS]")
    try:
        main(*sys.argv[1:])
    except (linnet.Error, OSError, ValueError) as error:
        sys.exit(f"classify: {error}")
