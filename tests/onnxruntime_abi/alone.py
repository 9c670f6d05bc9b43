"""Runs a function of a test on a library in a separate process, for effects that would harm or outlive other tests."""

import importlib
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent


@dataclass
class Outcome:
    """The outcome of a process."""

    result: object
    code: int
    errors: str

    @property
    def crashed(self):
        return self.code < 0


def alone(library, function, *arguments, timeout=120, **environment):
    """Calls function(api, *arguments) in a new process. Returns its result, its stderr output, and its exit code."""
    command = [
        sys.executable,
        __file__,
        library.path,
        function.__module__,
        function.__qualname__,
        json.dumps(arguments),
    ]
    done = subprocess.run(command, capture_output=True, timeout=timeout, env={**os.environ, **environment})
    lines = done.stdout.decode(errors="replace").splitlines()
    result = json.loads(lines[-1]) if done.returncode == 0 else None
    return Outcome(result, done.returncode, done.stderr.decode(errors="replace"))


def answer(library, function, *arguments, **environment):
    """Returns the result of alone(), which must succeed."""
    outcome = alone(library, function, *arguments, **environment)
    assert outcome.code == 0, outcome.errors
    return outcome.result


def main(path, module, function, arguments):
    sys.path[:0] = [str(HERE), str(HERE.parent / "support")]
    from table import Library

    result = getattr(importlib.import_module(module), function)(Library(path).api(), *json.loads(arguments))
    print(flush=True)
    print(json.dumps(result), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
