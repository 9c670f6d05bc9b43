"""The licences that scripts/sbom.py permits in a release."""

import json
import subprocess

import pytest
from locations import ROOT


def check(expressions, path):
    components = [{"name": "part", "licenses": [{"expression": text}], "properties": []} for text in expressions]
    path.write_text(json.dumps({"components": components}))
    command = ["/usr/bin/python3", ROOT / "scripts" / "sbom.py", "--check", path]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.mark.parametrize(
    "expression", ["GPL-2.0-or-later", "AGPL-3.0-only", "MIT AND GPL-2.0-only", "GPL-2.0-only OR Zlib AND GPL-3.0-or-later"]
)
def test_a_part_under_the_gpl_is_an_error(expression, tmp_path):
    done = check(["MIT", expression], tmp_path / "bill.json")
    assert done.returncode != 0 and f"part () under {expression}" in done.stderr


def test_parts_that_are_free_to_use_pass(tmp_path):
    free = ["MIT", "GPL-3.0-or-later WITH GCC-exception-3.1", "BSD-3-Clause OR GPL-2.0-only", "LGPL-3.0-or-later OR GPL-2.0-or-later"]
    done = check(free, tmp_path / "bill.json")
    assert done.returncode == 0, done.stderr
