"""Broken .pt2 archives are refused with a message of one line, or load, in little time and memory."""

import pt2_hostile_archives as archives
import pytest
from locations import RUN_MODEL
from measured import measured

CASES = list(archives.named_archives())
# The exit codes of run_model.
CODES = {archives.OK: {0}, archives.MODEL: {2}, archives.UNSUPPORTED: {2}, archives.LIMIT: {5}, "any": {0, 2, 5}}
SECONDS, DRAWN = 30, 120


def check(path, data, kind):
    path.write_bytes(data)
    result = measured([RUN_MODEL, "inspect", path, "--show", "io"], SECONDS)
    assert result.code in CODES[kind], (path.name, result.stderr)
    assert result.peak_bytes <= 300 << 20, path.name
    if result.code:
        message = result.stderr.decode()
        assert path.name in message and message.count("\n") == 1, message


def test_are_many():
    assert len({name for name, _, _ in CASES}) == len(CASES) >= 100


@pytest.mark.parametrize("name, data, kind", CASES, ids=[name for name, _, _ in CASES])
def test_named_archives(tmp_path, name, data, kind):
    check(tmp_path / f"{name}.pt2", data, kind)


def test_archives_that_are_changed_at_random(tmp_path):
    for name, data, kind in archives.drawn_archives(DRAWN):
        check(tmp_path / f"{name}.pt2", data, kind)
