"""Damaged models are refused, or run: they end no process."""

from backend_suite import check
from mutations import write_mutations

ROUNDS = 5
LIMITS = ("--max-memory", "256M", "--deadline", "10000")


def test_damaged_models_end_no_process(run_model, suite_folder, tmp_path):
    whole = sorted(file.parent for file in (suite_folder / "node").glob("*/model.onnx"))
    write_mutations(whole, tmp_path, ROUNDS)
    refused = [reason for outcome, reason in check(run_model, tmp_path, *LIMITS).values() if outcome == "FAIL"]
    assert len(refused) > len(whole)
