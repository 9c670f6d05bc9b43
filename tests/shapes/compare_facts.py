"""Compares what the engine knows of values before a run with the results of a run.

python compare_facts.py MODEL...: tests files. Their open dims have sizes of 0 to 13, or those in the arguments: H=32,64
or M=P+T.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

if __name__ == "__main__":
    sys.path.append(str(Path(__file__).resolve().parents[1] / "support"))

from locations import BUILD
from open_model import of_files

FACTS_AT = BUILD / "bin" / "facts_at"


def facts_at(path, level, shapes):
    """Returns (shapes, graph, name, dims, elements) of every value, with None for what is unknown. A line on stderr
    contains the reason why the model is refused."""
    result = subprocess.run([FACTS_AT, path, str(level), *shapes], capture_output=True, text=True)
    if result.returncode == 1:
        raise ValueError(result.stderr)
    assert result.returncode == 0
    for line in result.stdout.splitlines():
        first, second, *rest = line.split("\t")
        if first == "at":
            current = second
        else:
            yield current, first, second, numbers(rest[0]), numbers(rest[1]) if rest[1] else None


def numbers(text):
    return [None if word == "?" else int(word) for word in text[1:-1].split()]


def fits(known, values):
    return known is None or len(known) == len(values) and all(k in (None, int(v)) for k, v in zip(known, values))


def wrong(model, path, level):
    """Returns the first fact that differs from ONNX Runtime's result, or "" if all agree or it does not run the
    model."""
    return compared(model, path, level)[0]


def compared(model, path, level):
    """Also returns how many dims and elements were compared."""
    try:
        answers = model.answers(model.with_all_values)
    except Exception:  # noqa: BLE001
        return "", 0
    runs = {}
    for feeds, answer in zip(model.feeds, answers):
        if answer is not None:
            runs[",".join("x".join(map(str, x.shape)) for x in feeds.values())] = (feeds, answer | feeds)
    path.write_bytes(model.bytes)
    try:
        facts = list(facts_at(path, level, runs))
    except ValueError as refused:
        is_refused = all(model.with_numbers(model.model, feeds) is None for feeds, _ in runs.values())
        return "" if is_refused else str(refused), 0
    known = 0
    for shapes, graph, name, dims, elements in facts:
        feeds, values = runs[shapes]
        if name not in values:
            continue  # a constant
        value = values[name]
        if not fits(dims, value.shape) or not fits(elements, value.ravel()):
            exact = model.with_numbers(model.with_all_values, feeds)
            if exact is not None and model.agree(exact[name], value):
                return f"{graph} {shapes}: {name} is {value} of {value.shape}, not {dims} {elements}", known
        known += sum(number is not None for number in [*dims, *(elements or [])])
    return "", known


def main(arguments):
    differing = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, model in of_files(arguments):
            model.rtol = 1e-3
            for level in (0, 2):
                found, known = compared(model, Path(folder) / "model.onnx", level)
                differing += bool(found) or known == 0
                print(f"{name}, level {level}: {found or ('no fact is wrong' if known else 'ONNX Runtime runs none of the inputs')}, {known} are known", flush=True)
    return bool(differing)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
