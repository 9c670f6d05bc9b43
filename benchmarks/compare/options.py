"""The flags of the command."""

import argparse
import pathlib

import tables
from engines import cores

DESCRIPTION = """\
Compares Linnet with ONNX Runtime, and with OpenVINO and ncnn where they are installed, model by model: outputs first,
then time. Needs the packages of benchmarks/requirements.txt (numpy and onnxruntime at least); run_model is looked up in
the environment variable LINNET_RUN_MODEL, then in build/bin."""


def assignment(text):
    name, _, value = text.partition("=")
    return name, int(value)


def numbers(text):
    return [int(number) for number in text.split(",")]


def engines(text):
    names = [] if text == "none" else text.split(",")
    if unknown := set(names) - set(tables.PEERS):
        raise argparse.ArgumentTypeError(f"{', '.join(sorted(unknown))}: there are {', '.join(tables.PEERS)}, or none")
    return names


def parse():
    parser = argparse.ArgumentParser(prog="benchmarks/compare", description=DESCRIPTION)
    parser.add_argument("models", nargs="*", metavar="MODEL", help="none: only write the report of what --json holds")
    parser.add_argument("--threads", type=numbers, default=[1, 2], metavar="N,...")
    parser.add_argument("--batch", type=numbers, default=[1], metavar="N,...", help="the first dim of inputs, where symbolic")
    parser.add_argument("--isa", type=lambda text: text.split(","), default=["auto"], metavar="ISA,...", help="Linnet's")
    parser.add_argument("--engines", type=engines, default=list(tables.PEERS), metavar="NAME,...",
                        help="other engines, those that are installed (default: all), or none")  # fmt: skip
    parser.add_argument("--rounds", type=int, default=10, help="blocks of each engine (10)")
    parser.add_argument("--seconds", type=float, default=1, help="of each block (1)")
    parser.add_argument("--repeats", type=int, default=3, help="at most, of a block that the machine disturbed (3)")
    parser.add_argument("--dim", type=assignment, action="append", default=[], metavar="NAME=N", help="a symbolic dim (1)")
    parser.add_argument("--value", type=assignment, action="append", default=[], metavar="NAME=N",
                        help="what an integer input is filled with (1)")  # fmt: skip
    parser.add_argument("--quantized", action="store_true", help="models of bytes: outputs are compared by their norms")
    parser.add_argument("--json", metavar="FILE", help="written after each row; rows that it holds are kept or replaced")
    parser.add_argument("--report", metavar="FILE.md", help="a Markdown file whose generated part is written, with plots")
    arguments = parser.parse_args()
    if max(arguments.threads) > len(cores()):
        parser.error(f"there are {len(cores())} cores for {max(arguments.threads)} threads")
    if not arguments.models and not (arguments.json and pathlib.Path(arguments.json).exists()):
        parser.error("a MODEL is needed, or results in --json")
    return arguments
