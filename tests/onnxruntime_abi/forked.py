"""Calls whose effects are restricted to a copy of this process."""

import faulthandler
import json
import os
import signal

from table import Failed

SECONDS = 20


def forked(call):
    """Returns the outcome of a call in a copy of this process: "ok", its code and text, or ("crash", the signal)."""
    reading, writing = os.pipe()
    process = os.fork()
    if process == 0:
        answer_and_end(call, writing)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        answer = pipe.read()
    _, status = os.waitpid(process, 0)
    return (
        tuple(json.loads(answer))
        if answer
        else ("crash", signal.Signals(os.WTERMSIG(status)).name if status & 127 else status)
    )


def answer_and_end(call, writing):
    """Makes the call in the copy, writes its outcome, and ends the copy."""
    faulthandler.disable()
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    os.dup2(nothing, 2)
    signal.alarm(SECONDS)
    try:
        call()
        answer = ("ok", "")
    except Failed as failure:
        answer = (failure.code, failure.text)
    except BaseException as failure:
        answer = ("python", repr(failure))
    os.write(writing, json.dumps(answer).encode())
    os._exit(0)
