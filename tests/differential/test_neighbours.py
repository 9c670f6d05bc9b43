"""A sample of the operators among neighbours that rewrites move or fuse, and formulas that rewrites recognise.
neighbours.py tests all operators."""

import itertools

import numpy as np
import pytest

pytest.importorskip("linnet_of_build")
linnet = pytest.importorskip("linnet")

from formulas import FORMULAS, Graph, values  # noqa: E402
from neighbours import failure, sample  # noqa: E402
from survey import schemas  # noqa: E402

SHAPES = ((4, 4), (2, 3, 3), (2, 2, 3, 3), (1, 2, 2, 3, 3))
MOST_RANK = 5


def test_rewrites_keep_the_numbers_of_every_operator_version():
    cells = list(sample(schemas()))
    different = [f"{cell}\n    {reason}" for cell in cells if (reason := failure(cell))]
    assert not different, "\n".join(different)
    assert len(cells) > 1500


@pytest.mark.parametrize("name", FORMULAS)
def test_numbers_may_have_more_axes_than_what_they_are_applied_to(name):
    """The result then has that many axes, which the operator that replaces a formula would not return."""
    for rank, shape in itertools.product(range(MOST_RANK + 1), SHAPES):
        g = Graph(rank)
        model = g.model(FORMULAS[name](g, g.input(values(*shape)))).SerializeToString()
        plain, found = (
            list(linnet.Session(model, threads=1, optimization=level).run(g.inputs).values())[0] for level in (0, 2)
        )
        most = 1 if plain.dtype == np.uint8 else 1e-4
        assert found.shape == plain.shape, (rank, shape)
        np.testing.assert_allclose(found.astype(float), plain.astype(float), rtol=1e-4, atol=most)
