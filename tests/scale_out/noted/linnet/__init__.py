"""Wraps the linnet that is later in PYTHONPATH, and records its calls.

Records in $LINNET_NOTES/PID what a process loads, and each of its runs. If $LINNET_KILL names a file that does not
exist yet, the first process that begins its third run creates it and is killed.
"""

import itertools
import os
import pkgutil
import signal
from pathlib import Path

__path__ = pkgutil.extend_path(__path__, __name__)
exec(Path(__path__[-1], "__init__.py").read_text())

_load, _run, _runs = Session.__init__, Session.run, itertools.count()  # noqa: F821


def _note(text):
    with open(Path(os.environ["LINNET_NOTES"], str(os.getpid())), "a") as notes:
        notes.write(text + "\n")


def _noted_load(self, model, **options):
    _note(f"load {model}, threads: {options.get('threads') or os.environ.get('OMP_NUM_THREADS')}")
    _load(self, model, **options)


def _noted_run(self, inputs):
    _note("run")
    if next(_runs) == 2 and "LINNET_KILL" in os.environ:
        try:
            Path(os.environ["LINNET_KILL"]).touch(exist_ok=False)
        except FileExistsError:
            pass
        else:
            os.kill(os.getpid(), signal.SIGKILL)
    return _run(self, inputs)


Session.__init__, Session.run = _noted_load, _noted_run  # noqa: F821
