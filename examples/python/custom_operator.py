"""custom_operator.py MODEL LIBRARY: runs a model on ones with the operators of a shared library
(docs/custom_ops.md)."""

import sys

import linnet
import numpy as np


def main(model, library):
    session = linnet.Session(model, op_libraries=[library])
    outputs = session.run({info.name: np.ones(info.shape, info.dtype) for info in session.inputs})
    for name, value in outputs.items():
        print(f"{name}: {value.tolist()}")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: custom_operator MODEL LIBRARY")
    main(*sys.argv[1:])
