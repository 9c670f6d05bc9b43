"""onnxruntime-extensions: its operators return the same results with both libraries."""

import pytest
from extension_models import CASES

CLIENT = {"name": "extensions", "packages": ["onnxruntime-extensions", "onnxruntime==1.32.0", "numpy", "onnx", "ml_dtypes", "pytest"],
          "script": "run_extensions.py", "way": "path"}  # fmt: skip
SOME = ["upper", "length", "replace", "bert"]


@pytest.fixture(scope="module")
def results(client, tmp_path_factory):
    """Returns the results of all cases with both libraries."""
    return client.both(tmp_path_factory.mktemp("extensions"), "kept")


@pytest.mark.parametrize("case", CASES)
def test_operators_do_not_depend_on_the_library(results, case):
    expected, found = (result[case] for result in results)
    if isinstance(expected[0], int):
        assert found[0] == expected[0], found
        return
    assert [part[0] for part in found] == [part[0] for part in expected]
    for (_, values), (_, others) in zip(found, expected):
        assert values == others or values == pytest.approx(others, rel=1e-5)


@pytest.mark.parametrize("how", ["library", "kept", "function"])
def test_ways_to_register_the_operators(client, how, tmp_path):
    expected, found = client.both(tmp_path, how, *SOME)
    assert found == expected
    assert all(not isinstance(expected[case][0], int) for case in SOME)
