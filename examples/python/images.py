"""Images as the examples' models take them."""

import numpy as np


def model_input(rgb, inputs, open_sizes):
    """The pixels, uint8 [height, width, 3], as the one input of a model: float32 [1,3,H,W], or [1,1,H,W] in grey, in
    0..1. The input's H and W may be open: then they are `open_sizes`. Raises ValueError for inputs that are no image."""
    shape = inputs[0].shape if len(inputs) == 1 and inputs[0].dtype == "float32" else None
    if not shape or len(shape) != 4 or not fits(shape[0], 1) or not fits(shape[1], 1, 3):
        raise ValueError(f"the model takes {describe(inputs)}; expected one image, float32[N,3,H,W]")
    sizes = [size if isinstance(size, int) else other for size, other in zip(shape[2:], open_sizes)]
    rows, columns = (np.arange(size) * own // size for size, own in zip(sizes, rgb.shape))
    pixels = np.float32(rgb[rows][:, columns].transpose(2, 0, 1)[None]) / 255
    return np.tensordot(np.float32([[0.299, 0.587, 0.114]]), pixels[0], 1)[None] if shape[1] == 1 else pixels


def fits(dim, *sizes):
    """Whether a dim of an input is open, or one of the sizes."""
    return not isinstance(dim, int) or dim in sizes


def describe(values):
    """"'x' float32[N,3,8,8], 'n' int64[]": inputs or outputs of a session."""
    return ", ".join(f"'{v.name}' {v.dtype}[{','.join(map(str, v.shape or '?'))}]" for v in values) or "no value"


def write_ppm(path, rgb):
    with open(path, "wb") as file:
        file.write(b"P6\n%d %d\n255\n" % (rgb.shape[1], rgb.shape[0]) + rgb.tobytes())
