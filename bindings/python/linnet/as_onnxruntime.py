"""python -m linnet.as_onnxruntime app.py …, or -m module …: runs a program whose onnxruntime is Linnet."""

import os
import runpy
import sys

from linnet.onnxruntime import install


def main() -> None:
    if len(sys.argv) < 2 or sys.argv[1:] == ["-m"]:
        sys.exit("usage: python -m linnet.as_onnxruntime app.py [argument ...]\n"
                 "       python -m linnet.as_onnxruntime -m module [argument ...]")  # fmt: skip
    install()
    if sys.argv[1] == "-m":
        sys.argv = sys.argv[2:]
        runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
    else:
        sys.argv = sys.argv[1:]
        sys.path[0] = os.path.dirname(os.path.abspath(sys.argv[0]))
        runpy.run_path(sys.argv[0], run_name="__main__")


if __name__ == "__main__":
    main()
