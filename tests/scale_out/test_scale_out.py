"""Runs the programs of examples/scale_out on two workers. Each row must have the bits of a single process, even if
workers are killed.

pip installs each engine into a separate environment in the build folder, with half a gigabyte each. test.sh runs only
Dask; pytest tests/scale_out runs all.
"""

import os
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

import linnet
import numpy as np
import pytest
from environments import CACHE, install, once
from locations import BUILD, ROOT
from onnx import TensorProto, helper, numpy_helper
from onnx_files import save_model

HERE = Path(__file__).parent
ROWS = 10000
ENGINES = {
    "dask_dataframe": "dask[dataframe,distributed]==2026.8.0 numpy",
    "ray_data": "ray[data]==2.60.0 numpy pandas pyarrow",
    "spark": "pyspark==4.3.0 numpy pandas pyarrow",
}


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """Returns a model that computes scores of 10 classes for images of 8 x 8."""
    rng = np.random.default_rng(1)
    nodes = [helper.make_node("Reshape", ["x", "shape"], ["i"]), helper.make_node("Conv", ["i", "w"], ["c"]),
             helper.make_node("Relu", ["c"], ["r"]), helper.make_node("Flatten", ["r"], ["f"]),
             helper.make_node("MatMul", ["f", "v"], ["s"]), helper.make_node("Softmax", ["s"], ["y"])]  # fmt: skip
    w, v = (rng.standard_normal(shape).astype(np.float32) / 9 for shape in ((16, 1, 3, 3), (576, 10)))
    weights = numpy_helper.from_array(w, "w"), numpy_helper.from_array(v, "v")
    shape = numpy_helper.from_array(np.array([-1, 1, 8, 8]), "shape")
    values = [("x", TensorProto.FLOAT, ["N", 64])], [("y", TensorProto.FLOAT, ["N", 10])]
    return save_model(tmp_path_factory.mktemp("model") / "model.onnx", nodes, *values, [*weights, shape])


@pytest.fixture(scope="module")
def x():
    return np.random.default_rng(2).standard_normal((ROWS, 64)).astype(np.float32)


@pytest.fixture
def folder():
    """Returns a folder for all files of the engines, which is removed after the test. Their processes are ended, too.
    Sockets need a short path."""
    path = Path(tempfile.mkdtemp(prefix="linnet-"))
    yield path
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if f"LINNET_NOTES={path}/".encode() in (process / "environ").read_bytes():
                os.kill(int(process.name), signal.SIGKILL)
        except (OSError, ProcessLookupError):
            pass
    shutil.rmtree(path)


def environment(python, folder, **variables):
    """Returns the variables of an activated environment, and those of the engines and of noted/linnet."""
    (folder / "notes").mkdir()
    unset = {name: value for name, value in os.environ.items() if name != "OMP_NUM_THREADS"}
    return unset | {
        "PATH": f"{python.parent}:{os.environ['PATH']}", "PYTHONPATH": f"{HERE / 'noted'}:{BUILD / 'python'}",
        "LINNET_NOTES": f"{folder}/notes", "TMPDIR": str(folder), "HOME": str(folder),
        "RAY_TMPDIR": str(folder), "RAY_USAGE_STATS_ENABLED": "0",
        "JAVA_TOOL_OPTIONS": f"-Djava.io.tmpdir={folder} -XX:-UsePerfData", **variables,
    }  # fmt: skip


@pytest.fixture(params=ENGINES)
def run(request, folder, model, x):
    """Runs a program on two workers, with additional variables. Returns its rows, and the records of each process."""
    name = request.param
    if name == "spark" and not (shutil.which("java") or os.environ.get("JAVA_HOME")):
        pytest.skip("Spark needs Java, which is not installed")
    python = once(CACHE / name, lambda: install(CACHE / name, *ENGINES[name].split())) / "bin" / "python"
    np.save(folder / "x.npy", x)

    def call(*command, **variables):
        result = subprocess.run([python, *command], env=variables or None, capture_output=True, text=True, cwd=folder,
                                timeout=300)  # fmt: skip
        assert result.returncode == 0, result.stdout[-3000:] + result.stderr[-6000:]

    def rows(**variables):
        call(HERE / "parquet.py", "write", "x.npy", "in", "8")
        program = ROOT / "examples" / "scale_out" / f"{name}.py"
        call(program, model, folder / "in", folder / "out", "2", **environment(python, folder, **variables))
        call(HERE / "parquet.py", "read", "out", "y.npz")
        return np.load(folder / "y.npz"), [path.read_text() for path in (folder / "notes").iterdir()]

    return rows


@pytest.fixture(scope="module")
def expected(model, x):
    return linnet.batched(linnet.Session(model), {"x": x}, 64)["y"]


def test_each_row_has_the_bits_of_one_process(run, model, expected):
    found, notes = run()
    np.testing.assert_array_equal(found["id"], np.arange(ROWS))
    np.testing.assert_array_equal(found["y"], expected)
    assert len(notes) == 2 and all("run" in note for note in notes)
    check_notes(notes, model)


def test_a_killed_worker_is_replaced(run, folder, model, expected):
    found, notes = run(LINNET_KILL=f"{folder}/killed")
    assert (folder / "killed").exists()
    np.testing.assert_array_equal(found["id"], np.arange(ROWS))
    np.testing.assert_array_equal(found["y"], expected)
    assert len(notes) >= 2
    check_notes(notes, model)


def check_notes(notes, model):
    """Expects one load in each process, followed by runs with one thread."""
    for lines in map(str.splitlines, notes):
        assert lines[0] == f"load {model}, threads: 1" and {*lines[1:]} <= {"run"}
