"""Runs the cases of operator_cases.py and model_cases.py with Linnet, in a separate process.

Prints a line of JSON for each case: its name, the failure ("" for success), the processor time in ms. Prints the
name alone before, so that the last line names the case that ended the process.
"""

import json
import sys
import time
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).parent))
import linnet  # noqa: E402
import model_cases  # noqa: E402
import operator_cases  # noqa: E402
from operator_cases import LIMIT, REFUSED, REFUSED_OR_LIMIT, RESULT  # noqa: E402
from operator_forms import forms  # noqa: E402

REFUSALS = (linnet.ModelError, linnet.ShapeError, linnet.TypeError, linnet.UnsupportedError)
ALLOWED = {
    REFUSED: REFUSALS,
    LIMIT: (linnet.LimitError,),
    REFUSED_OR_LIMIT: (*REFUSALS, linnet.LimitError),
    RESULT: (),
    "any": (*REFUSALS, linnet.LimitError),
}
OPTIONS = {"threads": 1, "max_memory": 64 << 20}
# Cases that end by their deadline get a short one. No other case may take the long one, even on a busy machine.
SHORT_MS, LONG_MS = 200, 30_000
MESSAGE = 1024


def session(model, deadline_ms=LONG_MS):
    contents = model if isinstance(model, bytes) else model.SerializeToString()
    return linnet.Session(contents, deadline_ms=deadline_ms, **OPTIONS)


class Answers:
    """After each case, a model that is already loaded must still return its earlier results."""

    def __init__(self):
        self.control = session(model_cases.control())
        self.x = np.linspace(-1, 1, 12, dtype=np.float32).reshape(4, 3)
        self.y = self.control.run({"x": self.x})["y"]

    def ask(self, name, model, feeds, good, answer, expected=None):
        print(json.dumps(name), flush=True)
        made = before = None
        if good is not None:
            made = session(model)
            before = made.run(good)
        started = time.process_time()
        deadline = SHORT_MS if "long" in name else LONG_MS
        wrong = self.answer(lambda: made or session(model, deadline), feeds, answer, expected)
        spent = (time.process_time() - started) * 1000
        if not wrong and made and not same(before, made.run(good)):
            wrong = "the session gives something else than before"
        if not wrong and not same({"y": self.y}, self.control.run({"x": self.x})):
            wrong = "another session gives something else than before"
        print(json.dumps([name, wrong, spent]), flush=True)

    def answer(self, make, feeds, answer, expected):
        try:
            outputs = make().run(feeds)
        except ALLOWED[answer] as error:
            message = str(error)
            return "" if 0 < len(message) <= MESSAGE and message.isprintable() else f"the message {message!r}"
        except linnet.Error as error:
            return f"{type(error).__name__}: {error}"
        if answer not in (RESULT, "any"):
            return f"a result: {outputs}"[:500]
        return "" if expected is None or same({"y0": expected}, outputs) else f"{outputs} for {expected}"


def same(a, b):
    return all(np.array_equal(np.asarray(a[name]).view(np.uint8), np.asarray(b[name]).view(np.uint8))
               if np.asarray(a[name]).ndim else np.asarray(a[name]).tobytes() == np.asarray(b[name]).tobytes() for name in a)  # fmt: skip


def ask_operators(answers):
    for number, case in enumerate(operator_cases.CASES):
        for form, model, feeds, good in forms(case):
            bad = {name: np.asarray(value).tolist() if isinstance(name, int) else value for name, value in case.bad.items()}
            name = f"{number} {case.op} {str(bad)[:80]} {form}"
            answers.ask(name, model, feeds, good, case.answer, case.expected)


def ask_models(answers):
    for name, (model, answer) in model_cases.cases().items():
        answers.ask(name, model, model_cases.FEEDS, None, answer)


if __name__ == "__main__":
    {"operators": ask_operators, "models": ask_models}[sys.argv[1]](Answers())
