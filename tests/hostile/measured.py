"""Runs a command under a limit of time and measures the memory that it touches."""

import dataclasses
import os
import pathlib
import subprocess
import sys
import tempfile

# The peak of a process begins with that of the one that starts it: a small one starts it, therefore.
STARTER = """
import os, signal, sys
child = os.posix_spawnp(sys.argv[3], sys.argv[3:], os.environ)
signal.signal(signal.SIGALRM, lambda *_: os.kill(child, signal.SIGKILL))
signal.alarm(int(sys.argv[2]))
_, status, usage = os.wait4(child, 0)
open(sys.argv[1], "w").write(f"{status} {usage.ru_maxrss * 1024}")
"""


@dataclasses.dataclass
class Measured:
    code: int  # negative: the signal that ended it, 9 where it took too long
    peak_bytes: int
    stdout: bytes
    stderr: bytes


def measured(arguments, seconds=60):
    with tempfile.TemporaryDirectory() as folder:
        result = pathlib.Path(folder) / "result"
        process = subprocess.run(
            [sys.executable, "-I", "-S", "-c", STARTER, result, str(seconds), *map(str, arguments)], capture_output=True
        )
        status, peak = map(int, result.read_text().split())
    return Measured(os.waitstatus_to_exitcode(status), peak, process.stdout, process.stderr)
