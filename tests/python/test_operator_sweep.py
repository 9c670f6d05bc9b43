"""benchmarks/operators: every operator has cases, on which both engines agree, and the program writes its report. Times
are not checked."""

import json
import re
import subprocess
import sys

import numpy as np
import pytest
from locations import ROOT

COMMAND = ROOT / "benchmarks" / "operators"
sys.path += [str(COMMAND), str(COMMAND.parent / "compare")]
pytest.importorskip("onnxruntime")

import agreement  # noqa: E402
import bounds  # noqa: E402
import roof  # noqa: E402
import unvectorised  # noqa: E402
from cases import CASES, GROUPS, UNTIMED  # noqa: E402
from engine_pair import agreeing  # noqa: E402
from engines import Problem  # noqa: E402
from node_model import build, describe  # noqa: E402
from notation import SIZES, Case, by, each, expand, x  # noqa: E402


def test_every_operator_has_a_case_or_a_reason(run_model):
    operators = json.loads(run_model("ops", "--json", "-").stdout)
    # Excludes operators that only Linnet's rewrites generate, and those of libraries.
    standard = [op for op in operators if op["domain"].startswith(("ai.onnx", "com.microsoft"))]
    names = {op["name"] if op["domain"] == "ai.onnx" else f"{op['domain']}.{op['name']}" for op in standard}
    timed = {case.operator for case in CASES}
    missing, unknown = names - timed - set(UNTIMED), (timed | set(UNTIMED)) - names
    assert not missing and not unknown
    assert not timed & set(UNTIMED)


def test_names_of_cases_are_unique():
    names = [(describe(case), case.size) for case in CASES]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("group", GROUPS)
def test_outputs_of_small_cases_agree(group):
    wrong = []
    for case in (case for case in CASES if case.group == group and case.size == "small"):
        try:
            agreeing(build(case), threads=1)
        except Problem as problem:
            wrong.append(f"{describe(case)}: {problem}")
    assert not wrong, "\n".join(wrong)


def test_functions_outside_of_kernels_are_those_of_the_library_without_an_instruction_set():
    report = [
        "    52.10%  liblinnet.so.0.2.0  [.] linnet::avx512::(anonymous namespace)::softmax_rows",
        "    20.00%  liblinnet.so.0.2.0  [.] linnet::avx2_vnni::(anonymous namespace)::sums",
        "    11.30%  liblinnet.so.0.2.0  [.] linnet::(anonymous namespace)::copy_row<unsigned int>",
        "     9.00%  libc.so.6           [.] __memmove_avx512_unaligned_erms",
        "     4.90%  liblinnet.so.0.2.0  [.] linnet::check_indices",
    ]
    rows = unvectorised.rows_of("\n".join(report))
    assert len(rows) == len(report)
    assert unvectorised.outside_of_kernels(rows, 5) == [(11.3, "linnet::(anonymous namespace)::copy_row<unsigned int>")]


def test_a_line_makes_a_case_of_each_size_and_alternative():
    dtype = each("float32", "int64")
    template = Case("Add", (x(dtype, by(1, 2, 3)), x(dtype, 1)), {"axis": each(0, 1)})
    found = list(expand(template))
    assert [case.size for case in found] == 4 * list(SIZES)
    assert [describe(case) for case in found[:4]] == [
        "Add float32[1] float32[1] axis=0", "Add float32[2] float32[1] axis=0", "Add float32[3] float32[1] axis=0",
        "Add float32[1] float32[1] axis=1",
    ]  # fmt: skip
    assert [case.size for case in expand(Case("Add", (x(dtype, 1),), {}))] == ["small", "small"]


def test_bytes_and_operations():
    a, b, y = np.zeros((3, 4), np.float32), np.zeros((4, 5), np.float32), np.zeros((3, 5), np.float32)
    product = Case("MatMul", (), {})
    assert bounds.bytes_of(product, [a, b], [y]) == 4 * (12 + 20 + 15)
    assert bounds.operations_of(product, [a, b], [y]) == 2 * 3 * 4 * 5
    gather = Case("Gather", (), {})
    assert bounds.bytes_of(gather, [np.zeros(1000, np.uint8), np.zeros(2, np.int64)], [np.zeros(2, np.uint8)]) == 20
    image, kernel = np.zeros((1, 6, 8, 8)), np.zeros((4, 3, 3, 3))
    assert bounds.operations_of(Case("Conv", (), {}), [image, kernel], [np.zeros((1, 4, 8, 8))]) == 2 * 256 * 27
    query = np.zeros((1, 2, 10, 4))
    assert bounds.operations_of(Case("Attention", (), {}), [query] * 3, [query]) == 4 * 80 * 10
    assert bounds.operations_of(Case("Attention", (), {"is_causal": 1}), [query] * 3, [query]) == 2 * 80 * 10
    assert (
        bounds.operations_of(Case("DFT", (), {}), [np.zeros((3, 8, 2)), None], [np.zeros((3, 8, 2))]) == 3 * 5 * 8 * 3
    )
    assert bounds.operations_of(Case("Einsum", (), {"equation": "ij,jk->ik"}), [a, b], [y]) == 2 * 3 * 4 * 5


def test_the_machine_bounds_by_what_takes_longer():
    found = {"copy": {"4096": 1e9, "8192": 3e9}, "peak": {"float32": 1e10, "float64": 5e9}}
    assert roof.bandwidth(found, 100) == 1e9 and roof.bandwidth(found, 1e9) == 3e9
    assert roof.bandwidth(found, 4096 * 2**0.5) == pytest.approx(2e9)
    assert roof.least_seconds(found, 8192, 10, "float32") == 8192 / 3e9
    assert roof.least_seconds(found, 8192, 10**9, "float64") == 0.2


@pytest.mark.parametrize(
    "how, ours, theirs, agree",
    [
        ("values", np.float32([1, 1000]), np.float32([1.05, 1000]), True),
        ("values", np.float32([1, 1000]), np.float32([1.2, 1000]), False),
        ("values", np.float32([np.nan]), np.float32([np.nan]), True),
        ("values", np.int64([1]), np.int64([2]), False),
        ("values", np.array(["a"], object), np.array(["b"], object), False),
        ("values", np.zeros((1, 2)), np.zeros((2, 1)), False),
        ("values", [np.int64([1])], [np.int64([1]), np.int64([1])], False),
        ("values", [{1: 0.5}], [{1: 0.25}], False),
        ("scales", np.uint8([7]), np.uint8([8]), True),
        ("scales", np.uint8([7]), np.uint8([9]), False),
        ("shapes", np.zeros(2), np.ones(2), True),
        ("shapes", np.zeros(2), np.ones(3), False),
    ],
)
def test_what_agrees(how, ours, theirs, agree):
    if agree:
        agreement.check(how, [ours], [theirs])
    else:
        with pytest.raises(Problem, match="output 0"):
            agreement.check(how, [ours], [theirs])


def sweep(*flags):
    quick = ["--size", "small", "--rounds", "2", "--seconds", "0.001", "--repeats", "0"]
    return subprocess.run([sys.executable, COMMAND, *quick, *flags], capture_output=True, text=True, timeout=120)


def test_results_and_report(tmp_path):
    results, page = tmp_path / "results.json", tmp_path / "page.md"
    page.write_text(
        "# Title\n\n<!-- benchmarks/operators: begin -->\nstale\n<!-- benchmarks/operators: end -->\n\nAfter.\n"
    )
    done = sweep("--filter", r"^Relu float(32|64)|^ImageDecoder", "--json", results, "--report", page)
    assert done.returncode == 0, done.stderr
    rows = {row["case"]: row for row in json.loads(results.read_text())["rows"]}
    assert len(rows) == 3
    row = rows["Relu float32[100]"]
    assert (row["bytes"], row["operations"], row["threads"], row["isa"]) == (800, 100, 1, "auto")
    assert row["interval"][0] <= row["ratio"] <= row["interval"][1] and row["percent"] > 0
    assert "ratio" not in next(row for name, row in rows.items() if "ImageDecoder" in name)
    text = page.read_text()
    assert text.startswith("# Title\n") and text.endswith("\n\nAfter.\n") and "stale" not in text
    assert "| Relu | 2 |" in text and re.search(r"\| 1 \| auto \| small \| 2 \|", done.stdout)
    assert sweep("--no-measure", "--json", results, "--report", page).returncode == 0
    assert page.read_text() == text


def test_list():
    lines = sweep("--list", "--filter", "^Sqrt").stdout.splitlines()
    assert lines == [f"small  Sqrt {dtype}[100](0..9)" for dtype in ("float32", "float64", "float16")]
