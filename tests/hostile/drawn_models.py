"""Configurations of the newest version of every operator, as tests/differential generates them."""

import contextlib

from draw import Impossible, SeededDraw
from survey import configure, schemas


def latest():
    return {(schema.domain, schema.name): schema for schema in schemas()}.values()


def draws(schema, count):
    """Returns configurations without constant inputs, and configurations with some."""
    found = []
    for seed in range(20 * count):
        with contextlib.suppress(Impossible):
            found.append(configure(SeededDraw(schema, seed)))
        if len(found) == count:
            break
    return found
