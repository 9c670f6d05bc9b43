"""Libraries of custom operators."""

import ctypes
import shutil

import numpy as np
import pytest
from abi_models import X
from alone import alone, answer
from c_compiler import compiled
from custom_ops import custom_model
from session_support import ARGUMENT, FAIL, RUNTIME, Ort, in_threads, refused


@pytest.fixture(scope="session", params=[14, 17, 30])
def operators(request, tmp_path_factory):
    """Returns the library of custom operators, which requests a version of the table."""
    target = tmp_path_factory.mktemp("operators") / f"libcustom{request.param}.so"
    return compiled("custom_library.c", target, "-shared", "-fPIC", f"-DREQUESTED={request.param}")


VERSIONS = ["v8", "v14", "v16", "v17", "v30"]


def scale(version, factor=3.0):
    return custom_model("Scale", domain=f"library.{version}", factor=factor)


@pytest.mark.parametrize("version", VERSIONS)
def test_operators_of_a_library(ort, operators, version):
    options = ort.options()
    ort.api.RegisterCustomOpsLibrary_V2(options, str(operators).encode())
    session = ort.session(scale(version), options)
    ort.release("SessionOptions", options)
    assert ort.run(session, {"x": X}, "z")[0].tolist() == (3 * X).tolist()


@pytest.mark.parametrize("threads", [1, 2])
def test_rows_are_filled_in_parallel(ort, operators, threads):
    options = ort.options()
    ort.api.SetIntraOpNumThreads(options, threads)
    ort.api.RegisterCustomOpsLibrary_V2(options, str(operators).encode())
    session = ort.session(custom_model("Rows", domain="library.v30"), options)
    for rows in (0, 1, 1000):
        result = ort.run(session, {"x": np.zeros((rows, 3), np.float32)}, "z")[0]
        assert np.array_equal(result, np.repeat(np.arange(rows, dtype=np.float32)[:, None], 3, 1))


def test_the_failure_of_a_kernel(ort, operators):
    options = ort.options()
    ort.api.RegisterCustomOpsLibrary_V2(options, str(operators).encode())
    session = ort.session(custom_model("Scale", domain="library.v30", shape=None), options)
    refused(ARGUMENT, "two dims are needed", ort.run, session, {"x": X[0]}, "z")


def test_the_caller_keeps_the_library(ort, operators):
    options = ort.options()
    handle = ort.api.RegisterCustomOpsLibrary(options, str(operators).encode())
    assert ctypes.CDLL(None).dlsym(ctypes.c_void_p(handle), b"RegisterCustomOps")
    assert ort.run(ort.session(scale("v30"), options), {"x": X}, "z")[0].tolist() == (3 * X).tolist()


def register_function(api, path):
    library = ctypes.CDLL(path, ctypes.RTLD_GLOBAL)
    assert library
    ort = Ort(api, api.CreateEnv(4, b"tests"))
    options = ort.options()
    api.RegisterCustomOpsUsingFunction(options, b"RegisterCustomOps")
    refused(RUNTIME, "the library says no", api.RegisterCustomOpsUsingFunction, ort.options(), b"RegisterNothing")
    result = ort.run(ort.session(scale("v30"), options), {"x": X}, "z")[0].tolist()
    ort.close()
    return result


def test_a_function_of_the_process_registers(library, operators):
    assert answer(library, register_function, str(operators)) == (3 * X).tolist()


def test_libraries_that_cannot_be_used(ort, tmp_path):
    for name in ("RegisterCustomOpsLibrary", "RegisterCustomOpsLibrary_V2"):
        call = getattr(ort.api, name)
        refused(FAIL, "failed to load library.*none.so", call, ort.options(), str(tmp_path / "none.so").encode())
        refused(FAIL, "failed to get symbol RegisterCustomOps", call, ort.options(), b"libm.so.6")
    refused(FAIL, "failed to get symbol nothing", ort.api.RegisterCustomOpsUsingFunction, ort.options(), b"nothing")


def test_the_library_outlives_its_file_and_options(ort, operators, tmp_path):
    copy = tmp_path / "copy.so"
    shutil.copy(operators, copy)
    options = ort.options()
    ort.api.RegisterCustomOpsLibrary_V2(options, str(copy).encode())
    clone = ort.new("SessionOptions", ort.api.CloneSessionOptions(options))
    ort.release("SessionOptions", options)
    copy.unlink()
    session = ort.session(scale("v17"), clone)
    ort.release("SessionOptions", clone)
    assert ort.run(session, {"x": X}, "z")[0].tolist() == (3 * X).tolist()


def test_many_threads_run_the_operators(ort, operators):
    options = ort.options()
    ort.api.RegisterCustomOpsLibrary_V2(options, str(operators).encode())
    session = ort.session(scale("v30"), options)

    def work(i):
        mine = Ort(ort.api, ort.env)
        for _ in range(50):
            assert mine.run(session, {"x": X * i}, "z")[0].tolist() == (3 * X * i).tolist()
        mine.close()

    in_threads(4, work)


def end_with_everything_open(api, path):
    ort = Ort(api, api.CreateEnv(4, b"tests"))
    options = ort.options()
    api.RegisterCustomOpsLibrary_V2(options, path.encode())
    ort.run(ort.session(scale("v30"), options), {"x": X}, "z")
    return True


def test_a_process_may_end_with_everything_open(library, operators):
    outcome = alone(library, end_with_everything_open, str(operators))
    assert (outcome.code, outcome.result) == (0, True), outcome.errors
