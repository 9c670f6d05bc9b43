"""Runs the official suite of the onnx package through linnet.backend."""

import unittest
from fnmatch import fnmatchcase
from pathlib import Path

import linnet.backend
import onnx.backend.test
import pytest

# The official runner takes the length of each element of a sequence, and an element of rank 0 has no length.
NOT_COMPARED = ["test_loop16_seq_none"]
MANIFEST = Path(__file__).resolve().parents[1] / "onnx_backend" / "expected_failures.txt"


def expected_failures():
    lines = MANIFEST.read_text().splitlines()
    return NOT_COMPARED + [line.split()[0].split("/")[1] for line in lines if line and not line.startswith("#")]


@pytest.mark.filterwarnings("ignore")
def test_the_same_cases_fail_as_with_run_model():
    """onnx_backend/expected_failures.txt lists the failures of run_model check."""
    suite = onnx.backend.test.BackendTest(linnet.backend, __name__).test_suite
    result = unittest.TestResult()
    suite.run(result)
    assert result.testsRun > 2000
    failed = {test.id().split(".")[-1].removesuffix("_cpu"): text for test, text in result.failures + result.errors}
    new = {name: text for name, text in failed.items() if not any(fnmatchcase(name, p) for p in expected_failures())}
    assert not new, "\n".join(f"{name}: {text.splitlines()[-1][:200]}" for name, text in sorted(new.items()))
