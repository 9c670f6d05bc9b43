"""Operators of com.microsoft with constants of 64 KiB, which are read lazily from the file. large_constants.py tests
all sizes and all operators."""

import json

import pytest

pytest.importorskip("linnet_of_build")
pytest.importorskip("linnet")

from by_operator import MICROSOFT  # noqa: E402
from engine import temporary_folder  # noqa: E402
from large_constants import WITHOUT_SIZE, check, other_schemas  # noqa: E402
from survey import schemas  # noqa: E402

SIZE = 1 << 16
# The index of the first constant input, no separate file, and no rewrites or all.
WAYS = [(0, False, 0), (1, False, 0), (0, False, 2), (1, False, 2)]
# Operators of the default domain under another name.
ALIASES = {"SimplifiedLayerNormalization"}


def of_microsoft():
    return [*(schema for schema in schemas() if schema.domain == MICROSOFT), *other_schemas()]


def test_every_operator_of_microsoft_takes_large_constants():
    with temporary_folder() as folder:
        found = {schema.name: check(schema, SIZE, folder, WAYS) for schema in of_microsoft()}
    missing = {name for name, answer in found.items() if answer is None}
    assert not missing - WITHOUT_SIZE, "no configuration of that size runs"
    different = [f"{answer[0].describe()}\n    {answer[1]}" for answer in found.values() if answer and answer[1]]
    assert not different, "\n".join(different)


def test_these_are_all_that_are_registered(run_model):
    registered = json.loads(run_model("ops", "--json", "-").stdout)
    names = {entry["name"] for entry in registered if entry["domain"] == MICROSOFT}
    assert names - ALIASES == {schema.name for schema in of_microsoft()}
