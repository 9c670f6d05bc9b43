"""Writes docs/conformance.md: a long run of the differential test.

usage: conformance_page.py RUN_MODEL [CONFIGURATIONS_PER_OPERATOR]
"""

import collections
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "support"))

import onnx  # noqa: E402
import onnxruntime  # noqa: E402
from disagreements import DISAGREEMENTS  # noqa: E402
from locations import ROOT  # noqa: E402
from run_model import RunModel  # noqa: E402
from survey import schemas, survey  # noqa: E402

PAGE = ROOT / "docs" / "conformance.md"
INTRODUCTION = """# Conformance

Two tests hold Linnet to the ONNX specification beside its unit tests. `tests/onnx_backend` runs ONNX's backend test
suite; `expected_failures.txt` lists what fails of it and why. `tests/differential` draws configurations of the
operators (attributes, ranks, zero-sized dims, broadcasting, optional inputs, types, versions) and compares the results
with those of ONNX Runtime or, where it lacks the version or type, of the same node in float32, of a newer version with
the same meaning, or of `onnx.reference`. A result may differ by a few roundings of its type. `./test.sh` draws few
configurations; this page is the summary of a long run:

    .venv/bin/python tests/differential/conformance_page.py build-test/bin/run_model

`tests/differential/survey.py` draws configurations of single operators and, with `--shrink`, looks for the smallest one
that differs. Which versions and types run at all is in [operators.md](operators.md).

Every operator of `ai.onnx`, `ai.onnx.ml`, `ai.onnx.preview` and `ai.onnx.preview.training` that Linnet has is drawn,
but the random ones, whose distributions unit tests check, and ImageDecoder, for which `onnx.reference` needs another
library; unit tests compare it with the pictures that were encoded.
"""


def by_operator(per_operator, run_model):
    """The tallies of all versions by operator; each operator's configurations are shared out among its versions."""
    versions = collections.defaultdict(list)
    for schema in schemas():
        versions[schema.name].append(schema)
    for name, found in versions.items():
        yield name, survey(run_model, found, -(-per_operator // len(found)))


def row(name, tallies):
    references = sum((tally.references for tally in tallies), collections.Counter())
    compared = sum(references.values())
    counts = [
        sum(len(getattr(tally, kind)) for tally in tallies)
        for kind in ("differences", "explained", "refused", "unanswered")
    ]
    used = ", ".join(f"{reference} {count}" for reference, count in references.most_common())
    return [compared, *counts], f"| {name} | {compared} | {' | '.join(map(str, counts))} | {used} |"


def disagreements():
    return [f"- {', '.join(known.operators)}: {known.text}." for known in DISAGREEMENTS]


def page(run_model, per_operator):
    rows = [row(name, tallies) for name, tallies in by_operator(per_operator, run_model)]
    compared, different, explained, refused, unanswered = map(sum, zip(*(counts for counts, _ in rows)))
    lines = [
        INTRODUCTION,
        f"Run with onnx {onnx.__version__} and ONNX Runtime {onnxruntime.__version__}, {per_operator} configurations of "
        f"each of {len(rows)} operators: {compared} compared, {different} different, {explained} different for a reason "
        f"below, {refused} of a type that Linnet refuses, {unanswered} that no reference computes.\n",
        "## Where references and specification disagree\n",
        "Linnet follows the specification.\n",
        *disagreements(),
        "\n## Operators\n",
        "| operator | compared | different | explained | refused | no reference | references |",
        "|---|---|---|---|---|---|---|",
        *(line for _, line in rows),
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    PAGE.write_text(page(RunModel(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) == 3 else 200))
