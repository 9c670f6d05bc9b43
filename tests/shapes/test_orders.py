"""The bits of a run must not depend on previous runs, their contexts, and cached plans.

The number of games is LINNET_ORDER_GAMES (60). All: LINNET_ORDER_GAMES=10000, or python tests/shapes/play_orders.py
10000.
"""

import os

import pytest
import written_models
from play_orders import difference, drawn

GAMES, PARTS = int(os.environ.get("LINNET_ORDER_GAMES", 60)), 4


@pytest.mark.parametrize("part", range(PARTS))
def test_drawn_models_give_the_bits_of_a_first_run(part):
    found = {seed: difference(drawn(seed), seed) for seed in range(part, GAMES, PARTS)}
    assert not any(found.values()), {seed: text for seed, text in found.items() if text}


@pytest.mark.parametrize("name", written_models.MODELS)
def test_written_models_give_the_bits_of_a_first_run(name):
    assert not difference(written_models.MODELS[name](), 0)
