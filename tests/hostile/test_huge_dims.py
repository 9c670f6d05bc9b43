"""Every operator with dims of 0, 1, 2^31, 2^61 and 2^62 - 1, and with each of its outputs alone: an error or a result,
in time and within the memory, and no end of the process."""

import resource
import subprocess
import sys

import pytest
from locations import BUILD, ROOT
from measured import is_sanitized

sys.path.insert(0, str(ROOT / "tests" / "differential"))
import huge_dims  # noqa: E402

REPLAY = BUILD / "bin" / "fuzz_model"
# Of one operator; REPLAY gives each model a second and 64 MiB.
VARIANTS = 24
SECONDS = 1800  # a hang
OPERATORS = {f"{schema.domain or 'onnx'}.{schema.name}": schema for schema in huge_dims.latest()}


def limit_memory():
    resource.setrlimit(resource.RLIMIT_DATA, (1 << 30, 1 << 30))


@pytest.mark.parametrize("part", range(8))
def test_operators_survive_huge_dims(tmp_path, part):
    if not REPLAY.exists():
        pytest.skip(f"{REPLAY} is not there: build with LINNET_BUILD_TESTS")
    limit = None if is_sanitized(REPLAY) else limit_memory
    for name in list(OPERATORS)[part::8]:
        folder = tmp_path / name
        folder.mkdir()
        for i, model in enumerate(huge_dims.variants(OPERATORS[name], VARIANTS)):
            (folder / f"{i}.onnx").write_bytes(model.SerializeToString())
        command = [REPLAY, "-runs=0", folder]
        result = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, preexec_fn=limit)
        assert result.returncode == 0, f"{name}: {result.stdout.splitlines()[-1:]} {result.stderr[-2000:]}"
