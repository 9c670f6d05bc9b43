"""Models with open dims must return ONNX Runtime's results, for every binding and after any previous runs."""

import functools
import random

import drawn_integers
import drawn_networks
import linnet
import pytest
import written_models

DRAWN, PARTS = {drawn_integers: 160, drawn_networks: 60}, 4


def wrong(model, seed=0):
    """Returns where runs in two orders differ from ONNX Runtime and, since that may deviate from the specification,
    also from the file with numbers in place of its dims. Refused models are ignored."""
    try:
        want = model.answers(model.model)
    except Exception:  # noqa: BLE001 - ONNX Runtime does not load it
        return ""
    for order in range(2):
        try:
            run = linnet.Session(model.bytes, threads=1).run
        except linnet.Error as error:
            run = functools.partial(fail, error)
        for i in random.Random(seed + order).sample(range(len(want)), len(want)):
            if want[i] is None:
                continue
            try:
                got = run(model.feeds[i])
            except linnet.Error as error:
                got = error
            found = difference(model, i, got, want[i])
            if found:
                return found
    return ""


def fail(error, feeds):
    raise error


def difference(model, i, got, want):
    shapes = {name: value.shape for name, value in model.feeds[i].items()}
    if isinstance(got, linnet.Error):
        return "" if model.with_numbers(model.model, model.feeds[i]) is None else f"{shapes}: {got}"
    names = [name for name, value in want.items() if not model.agree(got[name], value)]
    if not names:
        return ""
    exact = model.with_numbers(model.model, model.feeds[i])
    names = [name for name in names if exact is None or not model.agree(got[name], exact[name])]
    return "".join(f"{shapes}: {name} is {got[name]}, not {want[name]}\n" for name in names)


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("kind", DRAWN, ids=lambda kind: kind.__name__)
def test_drawn_models(kind, part):
    found = {seed: wrong(kind.draw(seed), seed) for seed in range(part, DRAWN[kind], PARTS)}
    assert not any(found.values()), {seed: text for seed, text in found.items() if text}


@pytest.mark.parametrize("name", written_models.MODELS)
def test_written_models(name):
    model = written_models.MODELS[name]()
    assert any(answer is not None for answer in model.answers(model.model))
    assert not wrong(model)
