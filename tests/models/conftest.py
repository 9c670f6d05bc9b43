"""Shared by the whole-model tests. The command under test is the one that LINNET_RUN_MODEL names."""

import json
import os
import subprocess

import numpy as np
import onnxruntime
import pytest

THREADS = (1, 2, 3, 8)


class RunModel:
    """run_model, called as a function of arrays."""

    def __init__(self, binary, folder):
        self.binary, self.folder = binary, folder
        devices = json.loads(self.call("devices", "--json", "-"))
        self.isas = [isa["name"] for isa in devices["isas"] if isa["supported"]]

    def call(self, *arguments, isa="auto"):
        """What the command prints; an exit code other than 0 fails the test."""
        command = [self.binary, *map(str, arguments)]
        environment = {**os.environ, "LINNET_ISA": isa}
        result = subprocess.run(command, capture_output=True, text=True, timeout=600, env=environment)
        assert result.returncode == 0, f"exit code {result.returncode}\n{result.stdout}\n{result.stderr}"
        return result.stdout

    def outputs(self, model, feeds, threads=0, isa="auto"):
        """The model's outputs by name for inputs by name. threads 0: as many as cores."""
        np.savez(self.folder / "in.npz", **feeds)
        files = ["--input-npz", self.folder / "in.npz", "--save-outputs", self.folder / "out.npz"]
        self.call("run", model, *files, "--print", 0, "--threads", threads, isa=isa)
        return dict(np.load(self.folder / "out.npz"))


@pytest.fixture(scope="session")
def run_model(tmp_path_factory):
    binary = os.environ.get("LINNET_RUN_MODEL")
    if not binary:
        pytest.skip("LINNET_RUN_MODEL does not name the run_model command")
    return RunModel(binary, tmp_path_factory.mktemp("arrays"))


class OnnxRuntime:
    """A session of ONNX Runtime, the independent reference."""

    def __init__(self, model, optimized=True):
        options = onnxruntime.SessionOptions()
        if not optimized:
            options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.intra_op_num_threads = 2
        options.log_severity_level = 3
        self.session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])

    def outputs(self, feeds):
        names = [output.name for output in self.session.get_outputs()]
        return dict(zip(names, self.session.run(names, feeds)))


def assert_close(got, expected, atol=1e-4, rtol=1e-3):
    """Same names, dtypes and shapes; values within atol + rtol * |expected|."""
    assert got.keys() == expected.keys()
    for name, want in expected.items():
        assert (got[name].dtype, got[name].shape) == (want.dtype, want.shape), name
        np.testing.assert_allclose(got[name], want, rtol=rtol, atol=atol, err_msg=name)


def assert_bitwise_equal_for_any_thread_count(run_model, model, feeds):
    first = run_model.outputs(model, feeds, threads=THREADS[0])
    for threads in THREADS[1:]:
        for name, value in run_model.outputs(model, feeds, threads=threads).items():
            assert value.tobytes() == first[name].tobytes(), f"{name} with {threads} threads"


def assert_close_under_each_isa(run_model, model, feeds, expected):
    for isa in run_model.isas:
        try:
            assert_close(run_model.outputs(model, feeds, isa=isa), expected)
        except AssertionError as error:
            raise AssertionError(f"LINNET_ISA={isa}") from error
