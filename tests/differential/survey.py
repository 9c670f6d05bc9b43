"""Draws configurations of operators, and compares Linnet with the references.

usage: survey.py RUN_MODEL [--configurations N] [--shrink] [OPERATOR...]
"""

import argparse
import collections
import contextlib
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "support"))

import hypothesis  # noqa: E402
from draw import HypothesisDraw, Impossible, SeededDraw  # noqa: E402
from disagreements import explanation  # noqa: E402
from engine import failures  # noqa: E402
from families import FAMILIES  # noqa: E402
from hypothesis import HealthCheck, Phase, given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402
from onnx import defs  # noqa: E402
from references import HISTORY, NEWEST, expected  # noqa: E402
from run_model import RunModel  # noqa: E402

QUIET = {"deadline": None, "database": None, "suppress_health_check": list(HealthCheck)}


# Their distribution is tested elsewhere.
RANDOM = ("Bernoulli", "Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike")


def schemas(names=()):
    """Every version of the operators that have a family, by name and version."""
    found = [s for s in defs.get_all_schemas_with_history() if s.name in (names or FAMILIES) and not s.deprecated]
    return sorted(
        (s for s in found if s.name in FAMILIES and s.name not in RANDOM), key=lambda s: (s.name, s.since_version)
    )


def opsets(schema):
    """The opsets in which this version of the operator is the current one, as far as ONNX Runtime knows them."""
    first = schema.since_version
    later = [v.since_version for v in HISTORY[schema.domain, schema.name] if v.since_version > first]
    return range(first, max(first, min([NEWEST[schema.domain] + 1, *later]) - 1) + 1)


def configure(source):
    """One configuration by the choices of a Draw."""
    schema = source.schema
    configuration = FAMILIES[schema.name](source)
    # No input is constant, or all but the first as weights are, or all.
    configuration.constants_from = source.choice((100, 1, 0))
    configuration.opset = source.choice(opsets(schema))
    return configuration


@st.composite
def configurations(draw, schema):
    try:
        return configure(HypothesisDraw(schema, draw))
    except Impossible:
        hypothesis.reject()


def sample(schema, count):
    """The same `count` configurations at every call: half of them Hypothesis's, which likes extremes and variations of
    what it had, the others independent of each other."""
    found = []

    @settings(max_examples=count // 2, derandomize=True, phases=[Phase.generate], **QUIET)
    @given(configurations(schema))
    def collect(configuration):
        found.append(configuration)

    collect()
    seeds = iter(range(100 * count))
    while len(found) < count:
        with contextlib.suppress(Impossible):
            found.append(configure(SeededDraw(schema, next(seeds))))
    return found


class Tally:
    """What a survey of one operator version found."""

    def __init__(self, schema):
        self.schema, self.references, self.unanswered, self.differences = schema, collections.Counter(), [], []
        self.explained, self.refused = [], []
        self.cases = []

    def add(self, configuration):
        name, outputs = expected(configuration)
        if name is None:
            self.unanswered.append((configuration, outputs))
            return
        self.references[name] += 1
        self.cases.append((configuration, outputs, name))


def survey(run_model, versions, count):
    """A Tally for each schema."""
    tallies = []
    for schema in versions:
        tally = Tally(schema)
        for configuration in sample(schema, count):
            tally.add(configuration)
        tallies.append(tally)
    cases = [(tally, *case) for tally in tallies for case in tally.cases]
    for i, reason in failures(run_model, [case[1:] for case in cases]).items():
        tally, configuration, _, reference = cases[i]
        known = explanation(configuration, reference)
        found = tally.explained if known else tally.refused if is_refusal(reason) else tally.differences
        found.append((configuration, reference, known or reason))
    return tallies


def is_refusal(reason):
    """Whether run_model lacks the operator or type, which docs/operators.md lists."""
    return (
        "that this build does not have" in reason
        or "is not supported here" in reason
        or "names no known dtype" in reason
        or "is not known to this build" in reason
    )


def minimal(run_model, schema):
    """The smallest configuration that differs."""

    def differs(configuration):
        name, outputs = expected(configuration)
        return (
            name is not None
            and not explanation(configuration, name)
            and bool(failures(run_model, [(configuration, outputs, name)]))
        )

    return hypothesis.find(configurations(schema), differs, settings=settings(max_examples=300, **QUIET))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("run_model")
    parser.add_argument("operators", nargs="*")
    parser.add_argument("--configurations", type=int, default=20)
    parser.add_argument("--shrink", action="store_true")
    parser.add_argument("--unanswered", action="store_true")
    options = parser.parse_intermixed_args()
    run_model = RunModel(options.run_model)
    tallies = survey(run_model, schemas(options.operators), options.configurations)
    for tally in tallies:
        for configuration, reference, reason in tally.differences:
            print(f"{configuration.describe()}\n    against {reference}: {reason[:300]}")
        if options.unanswered:
            for configuration, reasons in tally.unanswered:
                print(f"{configuration.describe()}\n    no reference: {[r[:160] for r in reasons]}")
        if options.shrink and tally.differences:
            print("  smallest:", minimal(run_model, tally.schema).describe())
    print(f"{sum(sum(t.references.values()) for t in tallies)} compared, {sum(len(t.differences) for t in tallies)} differ, "
          f"{sum(len(t.unanswered) for t in tallies)} without a reference")  # fmt: skip


if __name__ == "__main__":
    main()
