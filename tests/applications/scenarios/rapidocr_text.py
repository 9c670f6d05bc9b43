"""rapidocr-onnxruntime reads text that Pillow draws, upright and rotated."""

import numpy as np
from PIL import Image, ImageDraw, ImageFont
from rapidocr_onnxruntime import RapidOCR

LINES = [["Linnet runs ONNX models"], ["Two lines of text,", "the second: 0123456789"], ["UPPER lower", "3.14159", "a@b.org"]]


def prepare(folder):
    pass


def draw(lines):
    image = Image.new("RGB", (640, 60 + 70 * len(lines)), "white")
    for i, line in enumerate(lines):
        ImageDraw.Draw(image).text((30, 30 + 70 * i), line, "black", ImageFont.load_default(40))
    return image


def results(folder):
    engine = RapidOCR()
    images = [draw(lines) for lines in LINES] + [draw(LINES[1]).rotate(180), draw(LINES[0]).resize((480, 98))]
    found = {}
    for i, image in enumerate(images):
        for box, text, score in engine(np.asarray(image))[0]:
            found[f"{i}: {text}"] = (np.array(box), float(score))
    return found
