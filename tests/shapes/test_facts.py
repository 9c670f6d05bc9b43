"""What the engine knows of values before a run, dims and elements of small integer tensors, is what a run gives."""

import subprocess

import drawn_integers
import drawn_networks
import pytest
import written_models
from locations import BUILD

FACTS_AT = BUILD / "bin" / "facts_at"
DRAWN, PARTS = {drawn_integers: 80, drawn_networks: 40}, 4


def facts_at(path, level, shapes):
    """(shapes, graph, name, dims, elements) of every value; None in place of what is unknown. A line to stderr is why
    the model is refused."""
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
    """The first fact that is not what ONNX Runtime gives; "" where there is none, or it does not run the model."""
    try:
        answers = model.answers(model.with_all_values)
    except Exception:  # noqa: BLE001
        return ""
    runs = {}
    for feeds, answer in zip(model.feeds, answers):
        if answer is not None:
            runs[",".join("x".join(map(str, x.shape)) for x in feeds.values())] = (feeds, answer | feeds)
    path.write_bytes(model.bytes)
    try:
        facts = list(facts_at(path, level, runs))
    except ValueError as refused:
        return "" if all(model.with_numbers(model.model, feeds) is None for feeds, _ in runs.values()) else str(refused)
    known = 0
    for shapes, graph, name, dims, elements in facts:
        feeds, values = runs[shapes]
        if name not in values:
            continue  # a constant
        value = values[name]
        if not fits(dims, value.shape) or not fits(elements, value.ravel()):
            exact = model.with_numbers(model.with_all_values, feeds)
            if exact is not None and model.agree(exact[name], value):
                return f"{graph} {shapes}: {name} is {value} of {value.shape}, not {dims} {elements}"
        known += len(dims) - dims.count(None)
    assert known or not runs
    return ""


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("kind", DRAWN, ids=lambda kind: kind.__name__)
def test_facts_of_drawn_models(tmp_path, kind, part):
    found = {seed: wrong(kind.draw(seed), tmp_path / "model.onnx", seed % 3) for seed in range(part, DRAWN[kind], PARTS)}
    assert not any(found.values()), {seed: text for seed, text in found.items() if text}


@pytest.mark.parametrize("level", [0, 2])
@pytest.mark.parametrize("name", written_models.MODELS)
def test_facts_of_written_models(tmp_path, name, level):
    assert not wrong(written_models.MODELS[name](), tmp_path / "model.onnx", level)
