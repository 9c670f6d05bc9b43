"""custom_operator.py MODEL LIBRARY: runs a model on ones with the operators of a shared library
(docs/custom_ops.md)."""

import sys

import linnet
from inputs import constant_inputs


def main(model, library):
    session = linnet.Session(model, op_libraries=[library])
    outputs = session.run(constant_inputs(session, 1))
    for name, value in outputs.items():
        print(f"{name}: {value.tolist()}")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: custom_operator MODEL LIBRARY")
    try:
        main(*sys.argv[1:])
    except (linnet.Error, OSError, ValueError) as error:
        sys.exit(f"custom_operator: {error}")
