"""Every fuzz target runs on inputs that crashed it before, on seeds, and on some mutations of them, always the same
ones."""

import subprocess
import sys

import pytest
from locations import BUILD, ROOT

FUZZ = ROOT / "tests" / "fuzz"
SECONDS = 600  # the limit for a hang
RUNS = {"model": 100, "graph": 100, "operator": 100, "api": 200, "rules": 5000, "onnxruntime": 1000}
RUNS |= {"arrays": 300, "value": 300, "image": 300}


@pytest.fixture(scope="module")
def seeds(tmp_path_factory):
    folder = tmp_path_factory.mktemp("seeds")
    command = [sys.executable, FUZZ / "make_seeds.py", folder, "--operators", "20", "--configurations", "1"]
    subprocess.run(command, check=True, timeout=SECONDS)
    return folder


@pytest.mark.parametrize("target", RUNS)
def test_the_target_survives(seeds, target, tmp_path):
    program = BUILD / "bin" / f"fuzz_{target}"
    if not program.exists():
        pytest.skip(f"{program} is not there: build with LINNET_BUILD_TESTS")
    # A libFuzzer program writes its findings into the first folder.
    folders = [path for path in (seeds / target, FUZZ / "inputs" / target) if path.exists()]
    command = [program, f"-runs={RUNS[target]}", "-seed=1", f"-keep={tmp_path / 'last'}", *folders]
    result = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    assert result.returncode == 0, f"{result.stdout.splitlines()[-1:]} {result.stderr[-2000:]}"
