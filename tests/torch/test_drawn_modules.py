"""export_model: random modules agree with PyTorch or are refused with their source line."""

import pytest

import drawn_modules
import installation

COUNT = 64


def test_drawn_modules(tmp_path):
    command, problem = installation.export_model()
    if command is None:
        pytest.skip(problem)
    rows = list(drawn_modules.run(COUNT, tmp_path, seed=1))
    assert len(rows) == COUNT
    findings = [
        f"{outcome}: {text}\n{reason}" for _, text, outcome, reason in rows if outcome in ("wrong", "does not run")
    ]
    assert not findings, "\n".join(findings)
    assert all("; at " in reason for _, _, outcome, reason in rows if outcome == "refused")
