"""Writes docs/operators.md: every operator of the ONNX schemas, and the parts of it that this build runs.

usage: operators_page.py RUN_MODEL [PAGE]
"""

import collections
import re
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "support"))

from coverage import all_schemas, probe, registered, variables  # noqa: E402
from locations import ROOT  # noqa: E402
from run_model import RunModel  # noqa: E402

PAGE = ROOT / "docs" / "operators.md"
TYPE_NAME = r"\b(u?int\d+|b?float\w+|complex\d+|dtype \S+)\b"
HEAD = """# Operators

```sh
build/bin/run_model ops
```

lists the operators of a build. This page lists what a build with all options runs of the operators in the ONNX schemas.
"""
INTRODUCTION = """
`tests/differential/operators_page.py` writes this page: it samples valid configurations of every operator version with
every tensor type of every type variable, and lets `run_model` load, plan and run them. A test compares the page with the
build.

| column | content |
|---|---|
| versions | opset versions in which the schema of the operator changed |
| types refused | types that the schema of some version allows and Linnet does not run; the reasons are at the end |
| not probed | types for which the test makes no configuration: in version 1 of If a branch has only operators that make numbers |

All other types of the schemas run. Types that contain tensors (sequences, optionals, maps) are not listed: the long run
of [Conformance](conformance.md) samples them. Every operator here has a kernel; none runs from its function body.

Operators of `com.microsoft` are listed with the types that ONNX Runtime's kernels for CPUs take. They are expanded into
operators of ONNX when a model is loaded, so that the same optimisations apply. Operators of `ai.onnx` that only ONNX
Runtime defines are listed, too: SimplifiedLayerNormalization, LayerNormalization before opset 17,
MeanVarianceNormalization before 9, ThresholdedRelu before 10, and the experimental ones that ONNX once had (Affine,
Crop, DynamicSlice, ImageScaler, ParametricSoftplus, Scale, ScaledTanh).
"""
WAY_ON = """
Next: [Conformance](conformance.md), [Custom operators](custom_ops.md),
[Performance of single operators](performance_operators.md).
"""


def domain_title(domain):
    return domain or "ai.onnx"


def versions_text(schemas, registrations):
    """Returns the versions of the schema. Those older than the oldest registration are struck out."""
    oldest = min(registrations)
    return ", ".join(f"~~{s.since_version}~~" if s.since_version < oldest else str(s.since_version) for s in schemas)


def types_text(entries):
    """Returns a text such as "T: int4 uint4 (opset 21 on)". entries: [(version, variable, type)]."""
    grouped = collections.defaultdict(list)
    for version, variable, name in entries:
        grouped[variable, name].append(version)
    merged = collections.defaultdict(list)
    for (variable, name), versions in grouped.items():
        merged[variable, tuple(sorted(versions))].append(name)
    return "; ".join(
        f"{variable}: {' '.join(sorted(names))} ({', '.join(map(str, versions))})"
        for (variable, versions), names in sorted(merged.items())
    )


def row(schemas, registrations, results):
    name = schemas[-1].name
    if not registrations:
        body = "; the specification has a function body" if any(s.has_function for s in schemas) else ""
        return f"| {name} | none of {', '.join(str(s.since_version) for s in schemas)} | not implemented{body} | |"
    refused, unknown = [], []
    for schema in schemas:
        for variable, kind in variables(schema):
            found = results.get((schema.domain, name, schema.since_version, variable, kind), "?")
            if found == "?":
                unknown.append((schema.since_version, variable, kind))
            elif found:
                refused.append((schema.since_version, variable, kind))
    return f"| {name} | {versions_text(schemas, registrations)} | {types_text(refused)} | {types_text(unknown)} |"


def totals(schemas, known, results):
    there = sum(key in known for key in schemas)
    run = sum(reason is None for reason in results.values())
    allowed = sum(len(variables(s)) for versions in schemas.values() for s in versions)
    return (
        f"\n{there} of {len(schemas)} operators are implemented. Of {allowed} pairs of an operator version's type variable "
        f"and a tensor type {run} run, {len(results) - run} are refused and {allowed - len(results)} are not probed.\n"
    )


def reasons(results):
    """Returns the messages of the refusals, without types and names."""
    found = collections.Counter()
    for (_, name, *_), reason in results.items():
        if reason:
            short = re.sub(r"^\S+ '\S+' \(opset \d+\): |input '\S+': | at node '\S+'", "", reason)
            short = re.sub(TYPE_NAME, "this type", re.sub(r", got .*", "", short))
            found[name, short] += 1
    return [f"- {name} ({count}): {text}" for (name, text), count in sorted(found.items())]


def page(run_model):
    schemas, known = all_schemas(), registered(run_model)
    here = {key: versions for key, versions in schemas.items() if key in known}
    results = probe(run_model, [s for versions in here.values() for s in versions])
    lines = [HEAD + totals(schemas, known, results) + INTRODUCTION]
    for domain in sorted({domain for domain, _ in schemas}):
        lines += [
            f"\n## {domain_title(domain)}\n",
            "| operator | versions | types refused | not probed |",
            "|---|---|---|---|",
        ]
        lines += [row(v, known.get(key, ()), results) for key, v in schemas.items() if key[0] == domain]
    explained = reasons(results)
    if explained:
        lines += ["\n## Reasons of refusals\n", *explained]
    return "\n".join([*lines, WAY_ON])


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    Path(*sys.argv[2:] or [PAGE]).write_text(page(RunModel(sys.argv[1])))
