"""Compares the failures in ONNX's own conformance suite with the list of known failures."""

from fnmatch import fnmatchcase

import pytest
from backend_suite import cases, check, read_manifest, run_suite


@pytest.fixture(scope="session")
def suite(run_model, suite_folder):
    """Returns all cases and the failures."""
    return cases(suite_folder), run_suite(run_model, suite_folder)


def listed(reasons):
    return "\n".join(f"{case}: {reason}" for case, reason in sorted(reasons.items()))


def test_suite_is_whole(suite):
    """Guards the other tests: a suite that could not be written would pass."""
    all_cases, _ = suite
    counts = {name: sum(case.startswith(name + "/") for case in all_cases) for name in ("node", "light", "simple")}
    assert counts["node"] > 1500 and counts["light"] == 9 and counts["simple"] > 15


def test_nothing_fails_that_is_not_listed(suite):
    patterns = read_manifest()
    new = {
        case: reason
        for case, reason in suite[1].items()
        if not any(fnmatchcase(case, pattern) for pattern in patterns)
    }
    assert not new, f"{len(new)} cases fail that expected_failures.txt does not list:\n{listed(new)}"


def test_nothing_passes_that_is_listed_as_failing(suite):
    all_cases, failures = suite
    for pattern, reason in read_manifest().items():
        matches = {case for case in all_cases if fnmatchcase(case, pattern)}
        assert matches, f"expected_failures.txt lists {pattern}, which no case is called"
        passing = sorted(matches - failures.keys())
        assert not passing, f"expected_failures.txt lists {pattern} ({reason}), but these pass: {passing}"


def test_models_that_are_kept_prepared_do_the_same(run_model, suite_folder, suite, tmp_path):
    for _ in range(2):
        found = check(run_model, suite_folder, "--pack-cache", tmp_path / "cache")
        assert {case for case, (outcome, _) in found.items() if outcome != "ok"} == suite[1].keys()
