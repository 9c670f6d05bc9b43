"""Proposals of similar names follow the rule of tests/engine/tensor/did_you_mean_test.cc."""

import pytest
from linnet_torch.similar import did_you_mean

NAMES = ["Conv", "MatMul", "Relu", "Gelu", "Add"]


@pytest.mark.parametrize(
    "name, expected",
    [
        ("Cnov", "Conv"),
        ("MatMull", "MatMul"),
        ("atMl", "MatMul"),
        ("tMl", ""),
        ("Gelo", "Gelu"),
        ("elu", "Relu"),
        ("MATMUL", "MatMul"),
    ],
)
def test_nearest_name_within_two_letters(name, expected):
    assert did_you_mean(name, NAMES) == (f"; did you mean '{expected}'?" if expected else "")


@pytest.mark.parametrize("name, expected", [("z", ""), ("cd", ""), ("", ""), ("ac", "; did you mean 'ab'?")])
def test_names_of_other_letters_are_not_similar(name, expected):
    assert did_you_mean(name, ["x", "y", "ab"]) == expected


def test_names_need_not_be_texts():
    assert did_you_mean(12, [13, "key"]) == "; did you mean '13'?"
    assert did_you_mean(None, ["auto"]) == ""
