"""Runs a long differential test, and writes its summary to docs/conformance.md.

usage: conformance_page.py RUN_MODEL [CONFIGURATIONS_PER_OPERATOR]
"""

import collections
import concurrent.futures
import functools
import os
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "support"))

import onnx  # noqa: E402
import onnxruntime  # noqa: E402
from by_operator import title  # noqa: E402
from disagreement import PYTORCH  # noqa: E402
from disagreements import DISAGREEMENTS  # noqa: E402
from locations import ROOT  # noqa: E402
from run_model import RunModel  # noqa: E402
from survey import ENDS, is_needed, schemas, survey  # noqa: E402

PAGE = ROOT / "docs" / "conformance.md"
# The greatest share of an operator's configurations, and of all, that are only explained; the least share that is
# compared.
EXPLAINED, EXPLAINED_OF_ALL, COMPARED = 0.05, 0.01, 0.8
COMMAND = """```sh
.venv/bin/python tests/differential/conformance_page.py build-test/bin/run_model
```"""
INTRODUCTION = """
Two tests compare Linnet with the ONNX specification, in addition to its unit tests:

- `tests/onnx_backend` runs ONNX's backend test suite; `expected_failures.txt` lists the cases that fail, with the reason.
- `tests/differential` samples configurations of the operators (attributes, ranks, zero-sized dims, broadcasting, optional
  inputs, types, versions; NaN, infinities, -0, denormals, the bounds of integers) and compares the results with those of
  references. `./test.sh` samples few configurations.

`tests/differential/survey.py` samples configurations of single operators and, with `--shrink`, searches the smallest one
that differs. A test reads the schemas and fails for an attribute, optional input or type that is never sampled.
[Operators](operators.md) lists which versions and types run.

## Method

Every operator of `ai.onnx`, `ai.onnx.ml`, `ai.onnx.preview`, `ai.onnx.preview.training` and `com.microsoft` that
Linnet has is sampled, except random ones, whose distributions unit tests check, and ImageDecoder, for which
`onnx.reference` needs another library; unit tests compare it with the pictures that were encoded.

**The schemas of `com.microsoft`** are those of ONNX Runtime's wheel, with the types of its kernels for CPUs. The
specification is its documentation, `docs/ContribOperators.md`. Linnet's own reference decides where ONNX Runtime does not
run what is documented:

- QLinearAdd, QLinearMul and QLinearAveragePool whose zero points are omitted, or whose parameters are vectors of one
  element;
- QLinearSigmoid and QLinearLeakyRelu without the last zero point, where it ends the process;
- QLinearConv, QGemm and MatMulIntegerToFloat of int8 and uint8;
- QAttention with a past whose present is unused.

**References** are tried in this order, the more exact ones first: ONNX Runtime with the same node in double, in float32
and as it is, in another version with the same meaning where it lacks this one; a reference of Linnet's tests
(`tests/differential/own`: float64, fractions or whole numbers); `onnx.reference`. Where a difference is one of the
disagreements below, the next reference decides; *explained* are differences that no other reference can decide. Where
the correct answer of a reference is known, its answer is corrected instead. Each configuration also runs in guarded
memory, where every value has separate memory and nothing is overwritten, and must give the same bits.

**PyTorch is an additional judge**, where a Python with it is found (`LINNET_TORCH_PYTHON`, `.venv-torch`, Debian's):
`test_third_judge.py` samples the operators that PyTorch also has, computes them in double, and fails where Linnet
differs, except for the disagreements that name PyTorch.

**A result may differ** by one unit in the last place of its type, and by some units of the type that it is computed in:
float32 for halves, otherwise its own. The error of sums is relative to the largest of the terms; each family of operators
states the number of units.

**Where the specification leaves something open**, Linnet does the same as ONNX Runtime: the result of one score for two
classes (LinearClassifier, SVMClassifier, TreeEnsembleClassifier), to which the softmaxes do not apply; the number of
digits that CastMap writes. Resize rounds integers between positions to the nearest, as quantization does; GridSample
truncates them, as its text specifies. Values outside the range of their type become its bounds in both.
"""
FAULTS = """## Detection of planted faults

`scripts/mutation/mutation.py BUILD --results FILE` plants small faults into the code (a sign, a bound, an index, a
rounding, a choice, an omitted line), one at a time, builds, and runs the unit tests, the ONNX suite and the survey of
the operators of that file. `--again` repeats those that no test detected, `--table` writes the table below.

In the first run, tests detected 81 % of the first 230 faults; the others got tests since. Of 34 faults that change
something in a new sample (`--seed 2 --count 40`) 97 % were detected, which is the rate to expect of others. The table has
both.

"""
FOUR_ANSWERS = """\
Linnet does what ONNX Runtime and PyTorch agree on, unless a case of ONNX's backend suite would fail. Where they do not
agree, or one of them has no such operator, it follows the specification. *none*: there is no such case, or PyTorch has
no counterpart.
"""
WAY_ON = "\nNext: [Operators](operators.md), [Reproducibility](reproducibility.md), [Contributing](contributing.md).\n"
BEGIN, END = "<!-- mutation.py: begin -->\n", "<!-- mutation.py: end -->\n"


def tally(run_model, per_operator, name):
    """Returns the counts of an operator, whose configurations are divided among its versions, and the differences."""
    versions = [schema for schema in schemas() if title(schema) == name]
    found = survey(run_model, versions, -(-per_operator // len(versions)))
    counts = {"drawn": sum(t.drawn for t in found), "compared": sum(t.compared for t in found)}
    counts.update({kind: sum(len(getattr(t, kind)) for t in found) for kind in ENDS})
    references = sum((t.references for t in found), collections.Counter())
    used = {i for i, known in enumerate(DISAGREEMENTS) if any(known in t.used for t in found)}
    return name, counts, references, used, [str(case) for t in found for case in (*t.differences, *t.refused)]


def tallies(run_model, per_operator):
    names = sorted({title(schema) for schema in schemas()})
    with concurrent.futures.ProcessPoolExecutor(len(os.sched_getaffinity(0))) as workers:
        return list(workers.map(functools.partial(tally, run_model, per_operator), names))


def row(name, counts, references):
    used = ", ".join(f"{reference} {count}" for reference, count in references.most_common())
    return f"| {name} | {' | '.join(str(count) for count in counts.values())} | {used} |"


def complaints(run_model, found):
    """Returns the findings that a long run should not have."""
    total = sum((collections.Counter(counts) for _, counts, *_ in found), collections.Counter())
    used = set().union(*(used for _, _, _, used, _ in found))
    made = [f"differs: {text}" for *_, texts in found for text in texts]
    asked = [known for i, known in enumerate(DISAGREEMENTS) if i not in used and known.reference != PYTORCH]
    unused = [known for known in asked if not is_needed(run_model, known)]
    made += [f"never used: {', '.join(known.operators)}: {known.text}" for known in unused]
    for name, counts, *_ in found:
        if counts["compared"] < COMPARED * counts["drawn"]:
            made.append(f"few are compared: {name}")
        if counts["explained"] > EXPLAINED * counts["drawn"]:
            made.append(f"many are explained: {name}")
    return made + (["many are explained"] if total["explained"] > EXPLAINED_OF_ALL * total["drawn"] else [])


def disagreements():
    """Returns a row for each disagreement: the four answers, and what Linnet does."""
    head = ("operators", "matter", "specification", "backend case", "ONNX Runtime", "PyTorch", "Linnet")
    rows = [head, ["---"] * len(head)]
    for known in DISAGREEMENTS:
        a = known.answers
        answers = (a.specification, a.case, a.onnx_runtime, a.pytorch, a.linnet)
        rows.append((", ".join(known.operators), known.text, *answers))
    return [f"| {' | '.join(cells)} |" for cells in rows]


def of_mutation():
    """Returns the section that scripts/mutation/mutation.py writes."""
    return FAULTS + BEGIN + PAGE.read_text().split(BEGIN)[1].split(END)[0] + END


def page(found, per_operator):
    total = {kind: sum(counts[kind] for _, counts, *_ in found) for kind in found[0][1]}
    lines = [
        "# Conformance\n",
        f"{total['differences']} of {total['compared']} compared configurations of {len(found)} operators differ from "
        f"their reference, in a run of {per_operator} configurations of each operator with onnx {onnx.__version__} and "
        f"ONNX Runtime {onnxruntime.__version__}: {total['drawn']} sampled, {total['compared']} compared, "
        f"{total['differences']} different, {total['explained']} explained, {total['refused']} of a type that Linnet "
        f"refuses, {total['unanswered']} that no reference computes.\n",
        COMMAND,
        INTRODUCTION,
        of_mutation(),
        "## Disagreements of references and specification\n",
        FOUR_ANSWERS,
        *disagreements(),
        "\n## Operators\n",
        "| operator | sampled | compared | different | explained | refused | no reference | references |",
        "|---|---|---|---|---|---|---|---|",
        *(row(name, counts, references) for name, counts, references, *_ in found),
    ]
    return "\n".join([*lines, WAY_ON])


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    per_operator = int(sys.argv[2]) if len(sys.argv) == 3 else 1000
    run_model = RunModel(sys.argv[1])
    found = tallies(run_model, per_operator)
    PAGE.write_text(page(found, per_operator))
    sys.exit("\n".join(complaints(run_model, found)))
