"""Calls each slot with a null pointer for each argument. nulls.txt contains the answers of the original library."""

import sys
from pathlib import Path

import pytest
from forked import forked
from specimens import CALLS, Specimens
from table import SLOTS

ANSWERS = Path(__file__).with_name("nulls.txt")
POINTERS = ("p", "s")


@pytest.fixture(scope="session")
def specimens(api, env, tmp_path_factory):
    folder = tmp_path_factory.mktemp("specimens")
    made = Specimens(api, env, folder)
    yield made
    made.close()


def places(name):
    """Returns the indices of the arguments of a slot that are pointers."""
    slot = SLOTS[name]
    letters = [*slot.inputs, *"p" * len(slot.outputs)]
    return [i for i, letter in enumerate(letters) if letter in POINTERS and CALLS[name][i] != "null"]


def asked(specimens, name, place=None):
    """Returns the answer to a call of a slot, with null for the argument at `place`."""
    arguments = [specimens.argument(word) for word in CALLS[name]]
    if place is not None:
        arguments[place] = None
    return forked(lambda: getattr(specimens.api, name)(*arguments))


def read_answers():
    """Returns the original library's answers by slot: the code of the call, and those with null at each place."""
    answers = {}
    for line in ANSWERS.read_text().splitlines():
        if not line.startswith("#"):
            name, plain, *nulls = line.split()
            answers[name] = plain, nulls
    return answers


@pytest.mark.parametrize("name", CALLS)
def test_null_pointers_answer_as_in_the_real_library(specimens, name):
    plain, nulls = read_answers()[name]
    found = str(asked(specimens, name)[0]), [str(asked(specimens, name, place)[0]) for place in places(name)]
    assert plain in (found[0], "crash")
    for place, expected, answer in zip(places(name), nulls, found[1]):
        if expected != "crash":
            assert answer == expected, f"argument {place}"


@pytest.mark.only("linnet")
@pytest.mark.parametrize("name", CALLS)
def test_null_pointers_do_no_harm(specimens, name):
    for place in places(name):
        assert asked(specimens, name, place)[0] != "crash", f"argument {place}"


def record(path, folder):
    """Writes nulls.txt again with the library at a path, and every text to stderr."""
    from table import Library

    api = Library(path).api()
    specimens = Specimens(api, api.CreateEnv(4, b"tests"), folder)
    lines = [
        "# Slot, its answer to calls.txt, and its answers with null for each pointer: ok, crash, or the code of a status."
    ]
    for name in CALLS:
        answers = [asked(specimens, name), *(asked(specimens, name, place) for place in places(name))]
        lines.append(" ".join([name, *(str(answer[0]) for answer in answers)]))
        for place, answer in zip(["all right", *places(name)], answers):
            print(name, place, *answer, file=sys.stderr)
    ANSWERS.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    record(*sys.argv[1:])
