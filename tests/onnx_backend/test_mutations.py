"""Damaged models are refused or run, and never crash the process, not even when a model that loads is written to a
cache."""

import collections

from backend_suite import check
from mutations import MUTATIONS, write_mutations
from run_model import is_comparison

ROUNDS = 5
LIMITS = ("--max-memory", "256M", "--deadline", "10000")


def test_damaged_models_end_no_process(run_model, suite_folder, tmp_path, tmp_path_factory):
    whole = sorted(file.parent for file in (suite_folder / "node").glob("*/model.onnx"))
    write_mutations(whole, tmp_path, ROUNDS)
    found = check(run_model, tmp_path, *LIMITS, "--pack-cache", tmp_path_factory.mktemp("cache"))
    # A model that runs with other results is not refused.
    refused = [case for case, (outcome, reason) in found.items() if outcome == "FAIL" and not is_comparison(reason)]
    assert len(refused) > len(found) / 2
    kinds = collections.Counter(case.split("/")[-1].split("_", 1)[1] for case in refused)
    assert kinds.keys() == {mutation.__name__ for mutation in MUTATIONS}
