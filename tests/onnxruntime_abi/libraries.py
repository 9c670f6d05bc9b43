"""The locations of the libraries under test."""

import functools
import importlib.util
import os
from pathlib import Path

from locations import BUILD
from table import Library

# Programs for ONNX Runtime that these tests start send no telemetry.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
LINNET = Path(
    os.environ.get("LINNET_ONNXRUNTIME_LIBRARY", BUILD / "lib" / "linnet-onnxruntime" / "libonnxruntime.so.1")
)
VERSION = 32


def linnet():
    """Returns the path of Linnet's library, or None with the reason."""
    if LINNET.exists():
        return LINNET, ""
    return None, f"{LINNET} is not there: name the library in LINNET_ONNXRUNTIME_LIBRARY, or a build in LINNET_BUILD"


def onnxruntime():
    """Returns the path of ONNX Runtime's library, or None with the reason."""
    package = importlib.util.find_spec("onnxruntime")
    for folder in package.submodule_search_locations or [] if package else []:
        for path in sorted(Path(folder).glob("capi/libonnxruntime.so*")):
            if version_of(path) >= VERSION:
                return path, ""
    return None, f"this Python has no package onnxruntime with the functions of version 1.{VERSION}"


def version_of(path):
    """Returns the second number in the name of ONNX Runtime's library: 32 for libonnxruntime.so.1.32.0."""
    numbers = path.name.partition(".so.")[2].split(".")
    return int(numbers[1]) if len(numbers) > 1 else 0


PLACES = {"linnet": linnet, "onnxruntime": onnxruntime}


@functools.cache
def load(name):
    """Returns a library by its name here, or None with the reason."""
    path, reason = PLACES[name]()
    return (Library(path) if path else None), reason
