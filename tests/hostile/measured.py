"""Runs a command under a limit of processor time, which does not depend on the load of the machine, and measures its
peak memory. Both are ignored for programs with sanitizers, which need more of them."""

import dataclasses
import functools
import os
import pathlib
import subprocess
import sys
import tempfile

# The peak of a process starts with that of its parent, so a small process starts it.
STARTER = """
import os, resource, sys
resource.setrlimit(resource.RLIMIT_CPU, (int(sys.argv[2]), int(sys.argv[2])))
child = os.posix_spawnp(sys.argv[3], sys.argv[3:], os.environ)
_, status, usage = os.wait4(child, 0)
open(sys.argv[1], "w").write(f"{status} {usage.ru_maxrss * 1024} {usage.ru_utime + usage.ru_stime}")
"""


@dataclasses.dataclass
class Measured:
    code: int  # negative: the signal that ended it; -9 if it took too long
    peak_bytes: int
    processor_seconds: float
    stdout: bytes
    stderr: bytes


# How many times longer a program with sanitizers may take.
SANITIZED_TIMES = 20


@functools.cache
def is_sanitized(program):
    return b"__asan_init" in program.read_bytes()


def measured(arguments, seconds=60):
    sanitized = is_sanitized(arguments[0])
    seconds *= SANITIZED_TIMES if sanitized else 1
    with tempfile.TemporaryDirectory() as folder:
        result = pathlib.Path(folder) / "result"
        process = subprocess.run(
            [sys.executable, "-I", "-S", "-c", STARTER, result, str(seconds), *map(str, arguments)], capture_output=True
        )
        status, peak, spent = result.read_text().split()
    peak, spent = (0, 0) if sanitized else (int(peak), float(spent))
    return Measured(os.waitstatus_to_exitcode(int(status)), peak, spent, process.stdout, process.stderr)
