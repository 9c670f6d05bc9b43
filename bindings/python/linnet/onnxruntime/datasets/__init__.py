"""Finds files by name, as onnxruntime.datasets does. Linnet contains no example models."""

import os


def get_example(name: str) -> str:
    """Returns the path of a file in the folder of this module, or the name itself if it is an absolute path.

    Raises FileNotFoundError if there is no such file: ONNX Runtime's examples are in its own package.
    """
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), name)
    if not os.path.exists(path):
        raise FileNotFoundError(f"Unable to find example '{name}': Linnet has no example models; the package "
                                "onnxruntime has them. For your own file, pass its full path")  # fmt: skip
    return path
