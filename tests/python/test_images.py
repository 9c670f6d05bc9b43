"""linnet.read_image: files of several formats as arrays, and what cannot be read."""

import struct
import zlib

import linnet
import numpy as np
import pytest


def png(rows, channels):
    """A PNG of 8-bit samples by hand."""
    kind = {1: 0, 3: 2, 4: 6}[channels]
    head = struct.pack(">IIBBBBB", rows.shape[1], rows.shape[0], 8, kind, 0, 0, 0)
    data = zlib.compress(b"".join(b"\0" + row.tobytes() for row in rows))
    chunks = [(b"IHDR", head), (b"IDAT", data), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(d)) + t + d + struct.pack(">I", zlib.crc32(t + d)) for t, d in chunks
    )


@pytest.mark.parametrize("channels", [1, 3, 4])
def test_pixels_are_red_green_blue(tmp_path, channels):
    pixels = np.random.default_rng(3).integers(0, 256, (5, 7, channels), np.uint8)
    (tmp_path / "x.png").write_bytes(png(pixels, channels))
    read = linnet.read_image(tmp_path / "x.png")
    assert read.dtype == np.uint8 and read.shape == (5, 7, 3)
    np.testing.assert_array_equal(read, np.broadcast_to(pixels, (5, 7, 3)) if channels == 1 else pixels[..., :3])


def test_what_cannot_be_read_says_why(tmp_path):
    with pytest.raises(linnet.IoError, match="absent.png"):
        linnet.read_image(str(tmp_path / "absent.png"))
    (tmp_path / "x.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    with pytest.raises(linnet.IoError, match="x.png"):
        linnet.read_image(tmp_path / "x.png")
    with pytest.raises(TypeError, match="path must be a str or a path, got int 3"):
        linnet.read_image(3)
