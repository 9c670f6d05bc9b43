"""Operators that read one value several times, and may write over it."""

import warnings
from concurrent.futures import ThreadPoolExecutor

import pytest
from shared_inputs import same_inputs, write_shared


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """Returns a folder for each case of one node and each set of inputs that could be a single value."""
    from onnx.backend.test.case.node import collect_testcases

    root = tmp_path_factory.mktemp("shared")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cases = [case for case in collect_testcases(None) if len(case.model.graph.node) == 1]
    found = []
    for case in cases:
        for group in same_inputs(case):
            found.append(root / f"{case.name}_{'_'.join(map(str, group))}")
            write_shared(case, group, found[-1])
    return found


def compare(run_model, folder, *flags):
    return run_model(
        "compare", folder / "model.onnx", "--test-data", folder / "test_data_set_0", "--guard-memory", *flags, code=None
    )


def test_values_are_the_same_in_memory_of_their_own(run_model, folders):
    """The run may fail, since some inputs are only valid with their original values."""
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda folder: compare(run_model, folder, "--threads", 1), folders))
    assert sum(result.returncode == 0 for result in results) > 400
    different = [f"{f.name}: {r.stdout}{r.stderr}" for f, r in zip(folders, results) if r.returncode not in (0, 2, 3)]
    assert not different, "\n".join(different)
