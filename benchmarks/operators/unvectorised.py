"""usage: unvectorised.py [flags]

Lists loops that are compiled only for the baseline instruction set: the functions outside of kernels/ (which are
compiled once for each instruction set) that take more than --percent of a case's time. Needs `perf`, and a liblinnet
that is not stripped. Functions that GCC inlined are counted in their callers.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "compare"))

from cases import CASES  # noqa: E402
from engine_pair import Linnet  # noqa: E402
from engines import Problem  # noqa: E402
from node_model import build, describe  # noqa: E402
from notation import SIZES  # noqa: E402

# Functions that are compiled for an instruction set, which is the name of their namespace.
KERNEL = re.compile(r"\blinnet::(avx|baseline|neon)\w*::")
LINE = re.compile(r"\s*([\d.]+)%\s+(\S+)\s+\[.\]\s+(.*\S)")


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--filter", type=re.compile, default=re.compile(""), metavar="REGEX", help="cases, by name")
    parser.add_argument("--size", choices=SIZES, action="append", help="may be repeated (middle)")
    parser.add_argument("--percent", type=float, default=5, help="of the time that a case takes (5)")
    parser.add_argument("--seconds", type=float, default=0.2, help="that a case runs for (0.2)")
    return parser.parse_args()


def profile(run, seconds, data):
    """Returns (percent, library, function) of this process during a run, by samples of the processor's clock."""
    target = ["-e", "cpu-clock", "-F", "4000", "-o", data, "-p", str(os.getpid()), "sleep", str(seconds)]
    recorder = subprocess.Popen(["perf", "record", "-q", *target], stderr=subprocess.DEVNULL)
    while recorder.poll() is None:
        run()
    command = ["perf", "report", "-q", "--stdio", "--no-children", "-s", "dso,sym", "-i", data]
    return rows_of(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def rows_of(report):
    return [(float(m[1]), m[2], m[3]) for m in map(LINE.match, report.splitlines()) if m]


def outside_of_kernels(rows, percent):
    """Returns the share of liblinnet's functions that are compiled for only one instruction set."""
    return [(own, name) for own, library, name in rows
            if own >= percent and library.startswith("liblinnet") and not KERNEL.search(name)]  # fmt: skip


def main():
    flags = parse()
    sizes = flags.size or ["middle"]
    with tempfile.NamedTemporaryFile() as file:
        for case in CASES:
            if case.size not in sizes or not flags.filter.search(describe(case)):
                continue
            try:
                run = Linnet(build(case), 1).run
            except Problem as problem:
                print(f"{describe(case)}: {problem}")
                continue
            for percent, name in outside_of_kernels(profile(run, flags.seconds, file.name), flags.percent):
                print(f"{percent:5.1f} %  {describe(case)[:80]}  {name[:160]}", flush=True)


if __name__ == "__main__":
    main()
