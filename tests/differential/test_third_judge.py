"""Compares configurations of the operators that PyTorch has with PyTorch, in addition to ONNX Runtime and
onnx.reference."""

import contextlib

import pytest
from by_operator import title
from disagreement import PYTORCH
from disagreements import DISAGREEMENTS
from draw import Impossible, SeededDraw
from engine import failures
from survey import configurations_under, configure, is_under, schemas
from third_judge import third_judge

# For each version of an operator.
DRAWN = 6
# Operators of which PyTorch supports few forms.
RARELY = ("Attention", "GRU", "GridSample", "LSTM", "RNN", "Resize", "Selu", "Unique")
# Operators for which PyTorch 1.13 has no function.
NEWER = {"Attention", "RMSNormalization", "SimplifiedLayerNormalization"}
# The beginnings of PyTorch's reasons for refusals.
REFUSALS = ("no counterpart", "values that are no numbers", "RuntimeError", "NotImplementedError", "ValueError")


@pytest.fixture(scope="module")
def judge():
    found = third_judge()
    if found is None:
        pytest.skip("no Python with PyTorch: install python3-torch, or name one in LINNET_TORCH_PYTHON")
    return found


def in_float32(schema):
    """Returns the type variables that may be float."""
    return {c.type_param_str: "float" for c in schema.type_constraints if "tensor(float)" in c.allowed_type_strs}


def drawn(schema):
    """Returns configurations, half of them in float32, the type that PyTorch supports most."""
    found, count = [], DRAWN * (6 if schema.name in RARELY else 1)
    for seed in range(10 * count):
        with contextlib.suppress(Impossible):
            found.append(configure(SeededDraw(schema, seed, in_float32(schema) if seed % 2 else ())))
        if len(found) == count:
            break
    return found


def excused(configuration):
    return any(is_under(known, configuration, PYTORCH) for known in DISAGREEMENTS)


def different(run_model, answered):
    """Returns the configurations that Linnet computes differently, as text."""
    found = failures(run_model, answered)
    return [f"{answered[i][0].describe()}\n    {answered[i][1].name}: {reason[:300]}" for i, reason in found.items()]


def test_agrees_with_pytorch(run_model, judge):
    """Some configuration of each operator has an answer, and no counterpart fails because of a bug."""
    configurations = [configuration for schema in schemas(judge.names) for configuration in drawn(schema)]
    answers = judge.ask(configurations)
    faults = [reason for reason in judge.reasons if reason and not reason.startswith(REFUSALS)]
    assert not faults
    unanswered = set(judge.names) - {title(c.schema) for c, answer in zip(configurations, answers) if answer}
    assert unanswered <= NEWER
    answered = [(c, answer) for c, answer in zip(configurations, answers) if answer and not excused(c)]
    found = different(run_model, answered)
    assert not found, "\n".join([f"{len(found)} of {len(answered)} differ:", *found])


@pytest.mark.parametrize(
    "known", [known for known in DISAGREEMENTS if PYTORCH in known.reference], ids=lambda known: known.operators[0]
)
def test_disagreements_with_pytorch_are_needed(run_model, judge, known):
    configurations = list(configurations_under(known, 60))
    answered = [(c, answer) for c, answer in zip(configurations, judge.ask(configurations)) if answer]
    assert different(run_model, answered)
