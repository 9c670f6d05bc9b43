"""Image files as arrays."""

from __future__ import annotations

import os

import numpy as np
import numpy.typing as npt

from linnet import _linnet, options


def read_image(path: str | os.PathLike[str]) -> npt.NDArray[np.uint8]:
    """The pixels of an image file, uint8 [height, width, 3]: rows from the top; red, green, blue.

    Reads JPEG, JPEG 2000, TIFF, BMP, WebP, PNG and PNM, as far as the build has their libraries. Grey becomes RGB and
    alpha is dropped. Raises IoError where the file cannot be read or decoded, UnsupportedError for a format whose library
    the build lacks, and LimitError beyond 2^27 pixels.
    """
    pixels: npt.NDArray[np.uint8] = _linnet.read_image(options.path("path", path))
    return pixels
