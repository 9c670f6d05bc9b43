"""A few configurations of every operator version, the same in each run, against the references.
`survey.py` draws more.
"""

import collections

import pytest
from by_operator import title
from disagreement import PYTORCH
from disagreements import DISAGREEMENTS
from survey import is_needed, schemas, survey

CONFIGURATIONS = 12
# Of an operator's configurations: how many may be explained by disagreements, how many are compared at the least.
EXPLAINED, COMPARED = 0.05, 0.8
# Disagreements of one operator.
MOST_DISAGREEMENTS = 8


@pytest.fixture(scope="module")
def tallies(run_model):
    return survey(run_model, schemas(), CONFIGURATIONS)


@pytest.fixture(scope="module")
def by_operator(tallies):
    """The tallies of all versions of each operator."""
    found = collections.defaultdict(list)
    for tally in tallies:
        found[title(tally.schema)].append(tally)
    return found


def total(tallies, kind):
    return sum(len(getattr(tally, kind)) for tally in tallies)


def test_agrees_with_the_references(tallies):
    different = [str(case) for tally in tallies for case in (*tally.differences, *tally.refused)]
    assert not different, "\n".join([f"{len(different)} configurations differ or are refused:", *different])


def test_few_differences_are_explained_only(tallies, by_operator):
    """A disagreement asks the next reference; what none decides is not compared."""
    assert total(tallies, "explained") <= 0.01 * sum(tally.drawn for tally in tallies)
    # Of so few configurations one may be.
    many = [
        f"{name}: {total(found, 'explained')}"
        for name, found in by_operator.items()
        if total(found, "explained") > max(1, EXPLAINED * sum(tally.drawn for tally in found))
    ]
    assert not many


def test_most_configurations_of_every_operator_are_compared(by_operator):
    few = [
        f"{name}: {compared} of {drawn}"
        for name, found in by_operator.items()
        if (compared := sum(tally.compared for tally in found))
        < COMPARED * (drawn := sum(tally.drawn for tally in found))
    ]
    assert not few


# The others are PyTorch's, which test_third_judge.py asks.
OF_REFERENCES = [known for known in DISAGREEMENTS if known.reference != PYTORCH]


@pytest.mark.parametrize("known", OF_REFERENCES, ids=lambda known: f"{known.operators[0]} {known.text[:40]}")
def test_every_disagreement_is_needed(run_model, known):
    """Some configuration under it differs from the reference that it is about."""
    assert is_needed(run_model, known)


def test_an_operator_has_few_disagreements():
    counts = collections.Counter(name for known in DISAGREEMENTS for name in known.operators)
    assert not [name for name, count in counts.items() if count > MOST_DISAGREEMENTS]
