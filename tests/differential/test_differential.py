"""Compares a few configurations of every operator version with the references, the same in each run. `survey.py` tests
more.
"""

import collections

import pytest
from by_operator import title
from disagreement import PYTORCH
from disagreements import DISAGREEMENTS
from survey import is_needed, schemas, survey

CONFIGURATIONS = 12
# The greatest share of an operator's configurations that disagreements may explain, and the least share that must be
# compared.
EXPLAINED, COMPARED = 0.05, 0.8
# The greatest number of disagreements for one operator.
MOST_DISAGREEMENTS = 8


@pytest.fixture(scope="module")
def tallies(run_model):
    return survey(run_model, schemas(), CONFIGURATIONS)


@pytest.fixture(scope="module")
def by_operator(tallies):
    """Returns the tallies of all versions of each operator."""
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
    """A disagreement asks the next reference. Configurations that no reference decides are not compared."""
    assert total(tallies, "explained") <= 0.01 * sum(tally.drawn for tally in tallies)
    # One of so few configurations may be explained.
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


# The other disagreements are PyTorch's, which test_third_judge.py checks.
OF_REFERENCES = [known for known in DISAGREEMENTS if known.reference != PYTORCH]


@pytest.mark.parametrize("known", OF_REFERENCES, ids=lambda known: f"{known.operators[0]} {known.text[:40]}")
def test_every_disagreement_is_needed(run_model, known):
    """Some configuration covered by it must differ from its reference."""
    assert is_needed(run_model, known)


def test_an_operator_has_few_disagreements():
    counts = collections.Counter(name for known in DISAGREEMENTS for name in known.operators)
    assert not [name for name, count in counts.items() if count > MOST_DISAGREEMENTS]
