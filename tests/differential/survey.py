"""Generates configurations of operators, and compares Linnet with the references.

usage: survey.py RUN_MODEL [--configurations N] [--shrink] [OPERATOR...]
"""

import argparse
import collections
import contextlib
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "support"))

import hypothesis  # noqa: E402
import numpy as np  # noqa: E402
from by_operator import title  # noqa: E402
from draw import HypothesisDraw, Impossible, SeededDraw  # noqa: E402
from containers import tensors  # noqa: E402
from disagreements import DISAGREEMENTS  # noqa: E402
from engine import failures  # noqa: E402
from families import FAMILIES  # noqa: E402
from hypothesis import HealthCheck, Phase, given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402
from onnx import defs  # noqa: E402
from references import HISTORY, NEWEST, OWN_REFERENCE, answers  # noqa: E402
from run_model import RunModel, is_comparison  # noqa: E402

QUIET = {"deadline": None, "database": None, "suppress_health_check": list(HealthCheck)}


# The outcomes of a case other than agreement.
ENDS = ("differences", "explained", "refused", "unanswered")
# Other tests check the distribution of these operators.
RANDOM = ("Bernoulli", "Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike")


def schemas(names=()):
    """Returns every version of the operators that have a family, by name and version."""
    wanted = set(names or FAMILIES) & FAMILIES.keys() - set(RANDOM)
    found = [s for s in defs.get_all_schemas_with_history() if title(s) in wanted and not s.deprecated]
    return sorted(found, key=lambda s: (title(s), s.since_version))


def opsets(schema):
    """Returns the opsets for which this version of the operator is current, as far as ONNX Runtime knows them."""
    first = schema.since_version
    later = [v.since_version for v in HISTORY[schema.domain, schema.name] if v.since_version > first]
    return range(first, max(first, min([NEWEST[schema.domain] + 1, *later]) - 1) + 1)


def configure(source):
    """Returns one configuration by the choices of a Draw."""
    schema = source.schema
    configuration = FAMILIES[title(schema)](source)
    # No input is constant, or all but the first are, as weights are, or all.
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
    """Returns the same `count` configurations at every call. Half of them come from Hypothesis, which prefers extremes
    and variations of earlier ones; the others are independent of each other."""
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


class Case:
    """A configuration and its progress through the references."""

    def __init__(self, tally, configuration):
        self.tally, self.configuration, self.failed = tally, configuration, []
        self.answers = answers(configuration, self.failed)
        # The disagreements of the references so far.
        self.explanations = []

    def ask(self):
        """Returns the next reference's answer, corrected according to the specification where that is known, or `None`
        if there is no answer."""
        answer = next(self.answers, None)
        if answer is None:
            (self.tally.explained if self.explanations else self.tally.unanswered).append(self)
            return None
        self.answer = answer
        self.known = [known for known in DISAGREEMENTS if is_under(known, self.configuration, self.answer.name)]
        for known in self.known:
            if known.adjust:
                self.tally.adjust(self, known)
        return self.answer

    def differs(self, reason):
        """Whether to ask the next reference."""
        self.reason = reason
        excuses = [known for known in self.known if not known.adjust]
        if excuses and is_comparison(reason):
            self.tally.used.update(excuses)
            self.explanations.append(excuses[0].text)
            return True
        (self.tally.refused if is_refusal(reason) else self.tally.differences).append(self)
        return False

    def __str__(self):
        return f"{self.configuration.describe()}\n    against {self.answer.name}: {self.reason[:300]}"


class Tally:
    """The results of a survey of one operator version: the cases without agreement, and how many agreed with each
    reference."""

    def __init__(self, schema):
        self.schema, self.references = schema, collections.Counter()
        self.unanswered, self.differences, self.explained, self.refused = [], [], [], []
        self.used = set()

    @property
    def drawn(self):
        return sum(map(len, (self.unanswered, self.differences, self.explained, self.refused))) + self.compared

    @property
    def compared(self):
        return sum(self.references.values())

    def adjust(self, case, known):
        """Corrects the reference. Counts as a use of the disagreement if that changes anything."""
        adjusted = known.adjust(case.configuration, case.answer.outputs)
        if not is_same_answer(adjusted, case.answer.outputs):
            self.used.add(known)
        case.answer.outputs = adjusted


def is_same_answer(one, other):
    return all(map(is_same, tensors(one), tensors(other)))


def is_same(x, y):
    return x.shape == y.shape and bool(np.all((x == y) | ((x != x) & (y != y))))


def is_under(known, configuration, reference):
    names = title(configuration.schema) in known.operators and reference.startswith(known.reference)
    return names and reference != OWN_REFERENCE and bool(known.applies(configuration))


def survey(run_model, versions, count):
    """Returns a Tally for each schema."""
    tallies = [Tally(schema) for schema in versions]
    open_cases = [Case(tally, configuration) for tally in tallies for configuration in sample(tally.schema, count)]
    while open_cases:
        asked = [case for case in open_cases if case.ask()]
        failed = failures(run_model, [(case.configuration, case.answer) for case in asked])
        for i, case in enumerate(asked):
            if i not in failed:
                case.tally.references[case.answer.name] += 1
        open_cases = [asked[i] for i, reason in failed.items() if asked[i].differs(reason)]
    return tallies


def configurations_under(known, most):
    """Yields up to `most` configurations of its operators to which a disagreement applies."""
    versions = schemas(known.operators)
    for schema in versions:
        found = 0
        for seed in range(4000 // len(versions)):
            with contextlib.suppress(Impossible):
                configuration = configure(SeededDraw(schema, seed))
                if known.applies(configuration):
                    found += 1
                    yield configuration
            if found >= most:
                break


def is_needed(run_model, known, most=25):
    """Whether some configuration covered by the disagreement differs from its reference."""
    cases = []
    for configuration in configurations_under(known, most):
        for answer in answers(configuration):
            if is_under(known, configuration, answer.name):
                if known.adjust and not is_same_answer(answer.outputs, known.adjust(configuration, answer.outputs)):
                    return True
                cases.append((configuration, answer))
                break
    return not known.adjust and any(is_comparison(reason) for reason in failures(run_model, cases).values())


def is_refusal(reason):
    """Whether run_model lacks the operator or type, as docs/operators.md lists."""
    return not is_comparison(reason) and (
        "that this build does not have" in reason
        or "is not supported here" in reason
        or "names no known dtype" in reason
        or "is not known to this build" in reason
    )


def minimal(run_model, schema):
    """Returns the smallest configuration that differs."""

    def differs(configuration):
        tally = Tally(schema)
        case = Case(tally, configuration)
        while case.ask():
            failed = failures(run_model, [(configuration, case.answer)])
            if not failed or not case.differs(failed[0]):
                break
        return bool(tally.differences)

    return hypothesis.find(configurations(schema), differs, settings=settings(max_examples=300, **QUIET))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("run_model")
    parser.add_argument("operators", nargs="*")
    parser.add_argument("--configurations", type=int, default=20)
    parser.add_argument("--shrink", action="store_true")
    parser.add_argument("--unanswered", action="store_true")
    parser.add_argument("--explained", action="store_true")
    options = parser.parse_intermixed_args()
    run_model = RunModel(options.run_model)
    tallies = survey(run_model, schemas(options.operators), options.configurations)
    for tally in tallies:
        for case in tally.differences:
            print(case)
        for case in tally.unanswered if options.unanswered else ():
            print(f"{case.configuration.describe()}\n    no reference: {[reason[:160] for reason in case.failed]}")
        for case in tally.explained if options.explained else ():
            print(f"{case}\n    explained: {case.explanations}\n    {[reason[:160] for reason in case.failed]}")
        if options.shrink and tally.differences:
            print("  smallest:", minimal(run_model, tally.schema).describe())
    total = {kind: sum(len(getattr(tally, kind)) for tally in tallies) for kind in ENDS}
    print(
        f"{sum(tally.compared for tally in tallies)} compared,", ", ".join(f"{n} {kind}" for kind, n in total.items())
    )
    sys.exit(any(tally.differences for tally in tallies))


if __name__ == "__main__":
    main()
