"""The default number of threads of run_model: OMP_NUM_THREADS, or else what the system permits the process."""

import json
import os

import pytest


def threads(run_model, **options):
    return json.loads(run_model("devices", "--json", "-", **options).stdout)["threads"]


def test_omp_num_threads_decides(run_model):
    assert threads(run_model, env={"OMP_NUM_THREADS": "3"}) == 3


def test_affinity_decides_otherwise(run_model):
    allowed = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {min(allowed)})
        assert threads(run_model, env={"OMP_NUM_THREADS": ""}) == 1
    finally:
        os.sched_setaffinity(0, allowed)
    if len(allowed) == 1:
        pytest.skip("only one processor")
    assert 1 <= threads(run_model, env={"OMP_NUM_THREADS": ""}) <= len(allowed)


def test_a_thread_that_openmp_binds_stands_for_all_places(run_model):
    free, bound = ({"OMP_NUM_THREADS": "", "OMP_PROC_BIND": bind} for bind in ("false", "true"))
    assert threads(run_model, env=bound) == threads(run_model, env=free)


@pytest.mark.parametrize(("executor", "threads"), [("threads", 2), ("openmp", 2), ("serial", 1)])
def test_executors_run_on_so_many_threads(run_model, linear, executor, threads):
    flags = ["--threads", "2", "--executor", executor, "--iters", "1", "--json", "-"]
    assert json.loads(run_model("bench", linear[0], *flags).stdout)["threads"] == threads


def test_other_executors_are_refused(run_model, linear):
    assert "--executor" in run_model("run", linear[0], "--executor", "pool", code=1).stderr
