"""Comparisons of run_model's outputs with those of others, and of its other configurations."""

import json
import tempfile

import numpy as np

THREADS = (1, 2, 3, 8)


def assert_close(got, expected, atol=1e-4, rtol=1e-3):
    """Expects the same names, dtypes and shapes, and values within atol + rtol * |expected|."""
    assert got.keys() == expected.keys()
    for name, want in expected.items():
        assert (got[name].dtype, got[name].shape) == (want.dtype, want.shape), name
        np.testing.assert_allclose(got[name], want, rtol=rtol, atol=atol, err_msg=name)


def assert_bitwise_equal_for_any_thread_count(run_model, model, feeds):
    first = run_model.outputs(model, feeds, "--threads", THREADS[0])
    for threads in THREADS[1:]:
        for name, value in run_model.outputs(model, feeds, "--threads", threads).items():
            assert value.tobytes() == first[name].tobytes(), f"{name} with {threads} threads"


def assert_equal_in_guarded_memory(run_model, model, feeds):
    """Expects every value to be bitwise equal to its value in separate memory."""
    with tempfile.TemporaryDirectory() as folder:
        np.savez(f"{folder}/inputs.npz", **feeds)
        run_model("compare", model, "--guard-memory", "--input-npz", f"{folder}/inputs.npz")


def assert_close_under_each_isa(run_model, model, feeds, expected):
    isas = json.loads(run_model("devices", "--json", "-").stdout)["isas"]
    for isa in [isa["name"] for isa in isas if isa["supported"]]:
        try:
            assert_close(run_model.outputs(model, feeds, env={"LINNET_ISA": isa}), expected)
        except AssertionError as error:
            raise AssertionError(f"LINNET_ISA={isa}") from error
