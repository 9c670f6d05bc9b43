"""Rewrites expected_failures.txt to what fails now. Cases that fail already keep their reason.

usage: update_expected_failures.py RUN_MODEL
"""

import re
import sys
import tempfile
from pathlib import Path

from backend_suite import MANIFEST, read_manifest, run_suite, write_suite

HEADER = """# Cases of the ONNX backend test suite that Linnet fails, and why: <suite>/<case> <reason>.
# update_expected_failures.py rewrites this file.
"""


def short(reason):
    """The first words of run_model's message, without the numbers that change from run to run."""
    missing = re.match(r"operators that this build does not have: (.*?) \(opset", reason)
    return f"no operator {missing[1]}" if missing else reason.split(", max |difference|")[0][:150]


def main(run_model):
    with tempfile.TemporaryDirectory() as folder:
        write_suite(Path(folder))
        failures = run_suite(run_model, Path(folder))
    known = read_manifest() if MANIFEST.exists() else {}
    lines = [f"{case}  {known.get(case) or short(reason)}\n" for case, reason in sorted(failures.items())]
    MANIFEST.write_text(HEADER + "".join(lines))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
