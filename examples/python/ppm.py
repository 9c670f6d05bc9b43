"""Images in PPM files, so that the examples need no other package. With Pillow, all formats are possible:
np.asarray(Image.open(path).convert("RGB")), and Image.fromarray(rgb).save(path)."""

import re

import numpy as np


def read(path):
    """Returns the pixels as uint8 [height, width, 3]."""
    with open(path, "rb") as file:
        data = file.read()
    header = re.match(rb"P6\s+(\d+)\s+(\d+)\s+255\s", data)
    if not header:
        raise ValueError(f"{path}: not a PPM file of 8 bits")
    width, height = map(int, header.groups())
    return np.frombuffer(data, np.uint8, height * width * 3, header.end()).reshape(height, width, 3)


def write(path, rgb):
    with open(path, "wb") as file:
        file.write(b"P6\n%d %d\n255\n" % (rgb.shape[1], rgb.shape[0]) + rgb.tobytes())


def model_input(rgb, info):
    """Returns the pixels as float32 [1, 3, H, W] in 0..1, of the input's size if the model fixes it."""
    sizes = [size if isinstance(size, int) else own for size, own in zip(info.shape[2:], rgb.shape)]
    rows, columns = (np.arange(size) * own // size for size, own in zip(sizes, rgb.shape))
    return np.float32(rgb[rows][:, columns].transpose(2, 0, 1)[None]) / 255
