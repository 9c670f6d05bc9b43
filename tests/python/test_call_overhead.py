"""benchmarks/call_overhead.py."""

import re
import subprocess
import sys

from locations import ROOT


def test_sessions_take_turns():
    command = [sys.executable, ROOT / "benchmarks" / "call_overhead.py", "--rounds", "2"]
    lines = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout.splitlines()
    assert [re.sub(r": \d+\.\d\d us \(.*\)$", "", line) for line in lines] == [
        "linnet.Session.run", "onnxruntime's run", "linnet.onnxruntime's run",
    ]  # fmt: skip
