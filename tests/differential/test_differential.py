"""A few configurations of every operator version, the same in each run, against the references.
`survey.py` draws more.
"""

import pytest
from survey import schemas, survey

CONFIGURATIONS = 6


@pytest.fixture(scope="module")
def tallies(run_model):
    return survey(run_model, schemas(), CONFIGURATIONS)


def test_agrees_with_the_references(tallies):
    different = [
        f"{configuration.describe()}\n    against {reference}: {reason[:300]}"
        for tally in tallies
        for configuration, reference, reason in tally.differences
    ]
    assert not different, "\n".join([f"{len(different)} configurations differ:", *different])


def test_most_configurations_have_a_reference(tallies):
    """Guards the other test: what no reference answers is not compared."""
    compared = sum(len(tally.cases) for tally in tallies)
    unanswered = sum(len(tally.unanswered) for tally in tallies)
    assert compared > 1000 and unanswered < compared / 20
