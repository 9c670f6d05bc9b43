"""The flags of the command."""

import argparse
import re

from engines import cores
from notation import SIZES

DESCRIPTION = """\
Times every operator in Linnet and ONNX Runtime, in turns in one process, after a look at whether their outputs agree.
Needs Linnet's Python package (PYTHONPATH=build/python) and the packages numpy, onnx, ml_dtypes and onnxruntime;
matplotlib for the picture of a report."""


def numbers(text):
    return [int(number) for number in text.split(",")]


def parse():
    parser = argparse.ArgumentParser(prog="benchmarks/operators", description=DESCRIPTION)
    parser.add_argument("--list", action="store_true", help="only the cases")
    parser.add_argument(
        "--filter", type=re.compile, default=re.compile(""), metavar="REGEX", help="cases, by name, as --list shows it"
    )
    parser.add_argument("--size", choices=SIZES, action="append", help="may be repeated; default: all")
    parser.add_argument("--threads", type=numbers, default=[1], metavar="N,...")
    parser.add_argument("--isa", default="auto", help="Linnet's; ONNX Runtime uses what the processor has")
    parser.add_argument("--rounds", type=int, default=5, help="blocks of each engine (5)")
    parser.add_argument("--seconds", type=float, default=0.03, help="of each block (0.03)")
    parser.add_argument("--repeats", type=int, default=1, help="at most, of a case that the machine disturbed (1)")
    parser.add_argument("--json", metavar="FILE", help="written as it goes; rows that it holds are kept or replaced")
    parser.add_argument(
        "--slowest", type=int, default=20, metavar="N", help="of the cases measured, shown at the end (20)"
    )
    parser.add_argument(
        "--report", metavar="FILE.md", help="a Markdown file whose generated part is written, with a picture"
    )
    parser.add_argument(
        "--measure", action=argparse.BooleanOptionalAction, default=True, help="--no-measure: only --report"
    )
    arguments = parser.parse_args()
    if max(arguments.threads) > len(cores()):
        parser.error(f"there are {len(cores())} cores for {max(arguments.threads)} threads")
    return arguments
