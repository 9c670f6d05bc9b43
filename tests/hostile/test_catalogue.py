"""Checks the answers to a catalogue of invalid models, attributes and inputs: an error of the expected kind or a
result, within a short time, and no side effects."""

import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

import pytest
from locations import BUILD

PACKAGE = BUILD / "python"
SECONDS = 300  # the limit for a hang
# Processor time, for half of the answers and for each of those without a deadline.
MEDIAN_MS, MOST_MS = 2, 50


@pytest.mark.parametrize("kind, least", [("operators", 500), ("models", 80)])
def test_answers(kind, least):
    if not PACKAGE.exists():
        pytest.skip(f"{PACKAGE} is not there: build with LINNET_BUILD_PYTHON")
    command = [sys.executable, Path(__file__).with_name("answers.py"), kind]
    result = subprocess.run(
        command, capture_output=True, text=True, timeout=SECONDS, env=os.environ | {"PYTHONPATH": str(PACKAGE)}
    )
    assert result.returncode == 0, f"{result.stdout.splitlines()[-1:]} {result.stderr[-2000:]}"
    answers = [line for line in map(json.loads, result.stdout.splitlines()) if isinstance(line, list)]
    assert len(answers) >= least
    assert not [(name, wrong) for name, wrong, _ in answers if wrong]
    times = {name: spent for name, _, spent in answers if "long" not in name}
    assert statistics.median(times.values()) <= MEDIAN_MS
    assert {name: spent for name, spent in times.items() if spent > MOST_MS} == {}
