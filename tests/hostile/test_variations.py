"""Every operator runs with each input and attribute in turn absent, empty, or of another rank, dtype, size or contents.
These are a fixed selection of the questions of tests/variations/vary.py. An operator without a valid case is a
failure."""

import subprocess
import sys

import pytest
from locations import BUILD, ROOT

sys.path.insert(0, str(ROOT / "tests" / "variations"))
import base_cases  # noqa: E402

PROGRAM = BUILD / "bin" / "vary_operators"
SECONDS = 900  # the limit for a hang
EVERY = 41


def test_operators_survive_variations(tmp_path):
    if not PROGRAM.exists():
        pytest.skip(f"{PROGRAM} is not there: build with LINNET_BUILD_TESTS")
    base_cases.write(tmp_path, all_versions=False)
    result = subprocess.run([PROGRAM, f"--every={EVERY}", tmp_path], capture_output=True, text=True, timeout=SECONDS)
    assert result.returncode == 0, f"{result.stdout[-4000:]} {result.stderr[-1000:]}"
