"""Runs every operator with each input and attribute invalid in turn: see main.cc.

usage: vary.py BUILD [--configurations N] [--jobs N] [--only TEXT] [--without TEXT]
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.append(str(Path(__file__).parent))
import base_cases  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=Path)
    parser.add_argument("--configurations", type=int, default=2, help="of each version of an operator")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only", default="", metavar="TEXT", help="cases with TEXT in their names")
    parser.add_argument("--without", default="", metavar="TEXT", help="cases without TEXT in their names")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        base_cases.write(Path(folder), options.configurations)
        program = options.build / "bin" / "vary_operators"
        arguments = [f"--jobs={options.jobs}", f"--only={options.only}", f"--without={options.without}"]
        sys.exit(subprocess.run([program, *arguments, folder]).returncode)


if __name__ == "__main__":
    main()
