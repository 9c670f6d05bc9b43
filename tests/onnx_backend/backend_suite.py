"""Writes the backend test suite of the installed onnx package as folders for `run_model check`.

The node cases exist only in memory. The light models (the architectures of the old model zoo with constants for
weights) have neither inputs nor a data set. Both are written to files; the other suites are already folders.
Source: https://github.com/onnx/onnx/blob/main/docs/OnnxBackendTest.md and onnx/backend/test/runner.
"""

import json
import shutil
import warnings
from pathlib import Path

import numpy as np
import onnx
from onnx import SequenceProto, TensorProto, numpy_helper

DATA = Path(onnx.__file__).parent / "backend" / "test" / "data"
FOLDER_SUITES = ("simple", "pytorch-converted", "pytorch-operator")
MANIFEST = Path(__file__).parent / "expected_failures.txt"


def to_proto(value, type_proto):
    """Returns the protobuf message of a value. The graph determines whether a list is a sequence, and None an
    optional."""
    if hasattr(value, "SerializeToString"):
        return value
    kind = type_proto.WhichOneof("value")
    if kind == "sequence_type":
        element = type_proto.sequence_type.elem_type.WhichOneof("value")
        dtype = {"tensor_type": SequenceProto.TENSOR, "map_type": SequenceProto.MAP}[element]
        return numpy_helper.from_list(value, dtype=dtype)
    if kind == "optional_type":
        return numpy_helper.from_optional(value)
    if kind == "map_type":
        return numpy_helper.from_dict(value)
    return numpy_helper.from_array(np.asarray(value))


def write_values(folder, kind, values, infos):
    folder.mkdir(parents=True, exist_ok=True)
    for i, (value, info) in enumerate(zip(values, infos)):
        proto = to_proto(value, info.type)
        proto.name = info.name
        (folder / f"{kind}_{i}.pb").write_bytes(proto.SerializeToString())


def relative_tolerance(case):
    """Returns the case's own tolerance. The official runner allows at least two units in the last place for
    bfloat16."""
    outputs = [info.type.tensor_type.elem_type for info in case.model.graph.output]
    return max(case.rtol, 2**-6) if set(outputs) == {TensorProto.BFLOAT16} else case.rtol


def write_node_case(case, folder):
    folder.mkdir(parents=True)
    onnx.save(case.model, folder / "model.onnx")
    (folder / "data.json").write_text(json.dumps({"rtol": relative_tolerance(case), "atol": case.atol}))
    for i, (inputs, outputs) in enumerate(case.data_sets):
        write_values(folder / f"test_data_set_{i}", "input", inputs, case.model.graph.input)
        write_values(folder / f"test_data_set_{i}", "output", outputs, case.model.graph.output)


def ramp(info):
    """Returns the input for which the expected outputs of the light models were computed: k / n for element k of n."""
    shape = [dim.dim_value if dim.HasField("dim_value") else 1 for dim in info.type.tensor_type.shape.dim]
    n = int(np.prod(shape))
    return (np.arange(n).reshape(shape) / n).astype(np.float32)


def write_light_case(description, folder):
    """Writes the case that data/real/<name>/data.json describes: a model and outputs under data/light."""
    source = DATA / "light" / Path(description["url"]).name
    folder.mkdir(parents=True)
    shutil.copy(source, folder / "model.onnx")
    (folder / "data.json").write_text(json.dumps({key: description[key] for key in ("rtol", "atol")}))
    graph = onnx.load(source).graph
    weights = {tensor.name for tensor in graph.initializer}
    inputs = [info for info in graph.input if info.name not in weights]
    write_values(folder / "test_data_set_0", "input", [ramp(info) for info in inputs], inputs)
    for i in range(len(graph.output)):
        shutil.copy(f"{source.with_suffix('')}_output_{i}.pb", folder / "test_data_set_0" / f"output_{i}.pb")


def write_suite(folder):
    """Writes every suite as folder/<suite>/<case>."""
    from onnx.backend.test.case.node import collect_testcases

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        node_cases = collect_testcases(None)
    for case in node_cases:
        write_node_case(case, folder / "node" / case.name)
    for file in sorted(DATA.glob("real/*/data.json")):
        write_light_case(json.loads(file.read_text()), folder / "light" / file.parent.name)
    for suite in FOLDER_SUITES:
        shutil.copytree(DATA / suite, folder / suite)


def cases(folder):
    """Returns the names of all cases, as <suite>/<case>."""
    return {str(path.parent.relative_to(folder)) for path in folder.rglob("model.onnx")}


def check(run_model, folder, *flags):
    """Runs all cases of the folder. Returns ("ok", "FAIL" or "skip", the reason) of each by name."""
    result = run_model("check", "-v", *flags, folder, code=None, timeout=None)
    found = {}
    for line in result.stdout.splitlines():
        if line.startswith(("ok    ", "FAIL  ", "skip  ")):
            path, _, reason = line[6:].partition(": ")
            found[str(Path(path).relative_to(folder))] = line[:6].strip(), reason
    missing = sorted(cases(folder) - found.keys())
    assert not missing, f"exit code {result.returncode} at {missing[0]}: {result.stderr}"
    return found


def run_suite(run_model, folder):
    """Returns a reason for each case that fails, or has other values in guarded memory. A skipped case counts as
    failed."""
    found = check(run_model, folder, "--guard-memory")
    return {case: reason for case, (outcome, reason) in found.items() if outcome != "ok"}


def read_manifest():
    """Returns the reasons of failing cases by their pattern, which fnmatch reads."""
    lines = [line for line in MANIFEST.read_text().splitlines() if line and not line.startswith("#")]
    return dict(line.split(maxsplit=1) for line in lines)
