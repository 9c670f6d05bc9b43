"""The lists of operators and rewrites name what the sources define. The build reports forgotten entries."""

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROJECT = f"""
cmake_minimum_required(VERSION 3.24)
project(lists NONE)
list(APPEND CMAKE_MODULE_PATH {ROOT}/cmake)
include(LinnetLists)
linnet_%s_list(${{PROJECT_SOURCE_DIR}}/rewrites/source.cc)
"""
FORMS = {
    "operator": ("LINNET_REGISTER({})(Registry& registry) {{", "operators.txt", "# A comment.\n{}\n"),
    "rewrite": ("LINNET_DEFINE_REWRITE({}, \"Conv\")(const Graph&, const Node&) {{", "rewrite_list.inc", "LINNET_LAST_REWRITE({})\n"),
}


def configure(folder, form, defined, listed):
    definition, name, line = FORMS[form]
    rewrites = folder / "rewrites"
    rewrites.mkdir()
    (folder / "CMakeLists.txt").write_text(PROJECT % form)
    (rewrites / "source.cc").write_text("".join(definition.format(one) + "}\n" for one in defined))
    (rewrites / name).write_text("".join(line.format(one) for one in listed))
    command = ["cmake", "-S", folder, "-B", folder / "build"]
    result = subprocess.run(command, capture_output=True, text=True)
    return result.returncode, " ".join(result.stderr.split())


@pytest.mark.parametrize("form", FORMS)
def test_lists_and_sources_name_the_same(tmp_path, form):
    assert configure(tmp_path, form, ["clip", "lp_pool"], ["lp_pool", "clip"])[0] == 0
    if form == "operator":
        assert (tmp_path / "build" / "op_list.inc").read_text() == "LINNET_OP(lp_pool)\nLINNET_OP(clip)\n"


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("defined, listed, message", [
    (["clip", "lp_pool"], ["clip"], "lacks a line for lp_pool"),
    (["clip"], ["clip", "lp_pool"], "has a line for lp_pool, which no source defines"),
])  # fmt: skip
def test_what_only_one_of_both_names_is_an_error(tmp_path, form, defined, listed, message):
    code, errors = configure(tmp_path, form, defined, listed)
    assert code != 0 and message in errors
