"""Compares docs/operators.md with the build."""

from operators_page import PAGE, page


def test_page_is_current(run_model):
    assert PAGE.read_text() == page(run_model), "run tests/differential/operators_page.py to write it again"
