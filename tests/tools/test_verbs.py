"""run_model bench, check, compare, inspect, ops, devices."""

import json
import re
import shutil

import ml_dtypes
import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnx_files import identity, save_model, save_tensor

BENCH_KEYS = [
    "model", "opset", "isa", "threads", "iterations", "load_ms", "median_ms", "mean_ms", "min_ms", "max_ms", "p90_ms",
    "p99_ms", "stddev_ms", "throughput_per_s", "weights_bytes", "packed_bytes", "arena_bytes", "allocations_per_run",
]  # fmt: skip


def document(run_model, *arguments, code=0):
    return json.loads(run_model(*arguments, "--json", "-", code=code).stdout)


def test_bench_json_has_exactly_the_keys_of_the_contract(run_model, linear):
    result = document(run_model, "bench", linear[0], "-r", 20, "-x", 1)
    assert list(result) == BENCH_KEYS
    assert (result["opset"], result["threads"], result["iterations"]) == (17, 1, 20)
    assert result["min_ms"] <= result["median_ms"] <= result["p90_ms"] <= result["p99_ms"] <= result["max_ms"]
    assert result["weights_bytes"] == 4 * (3 * 2 + 2)


def test_bench_allocates_nothing_per_run(run_model, linear):
    assert document(run_model, "bench", linear[0], "--iters", 50)["allocations_per_run"] == 0


def test_bench_statistics_are_those_of_the_raw_times(run_model, linear, tmp_path):
    result = document(
        run_model, "bench", linear[0], "-r", 31, "-c", 2, "--percentiles", "25,75.5", "--raw-times", tmp_path / "raw.txt"
    )
    times = np.loadtxt(tmp_path / "raw.txt")
    assert len(times) == result["iterations"] == 31
    expected = {
        "median_ms": np.median(times), "mean_ms": times.mean(), "min_ms": times.min(), "max_ms": times.max(),
        "p90_ms": np.percentile(times, 90), "p25_ms": np.percentile(times, 25), "p75.5_ms": np.percentile(times, 75.5),
        "stddev_ms": times.std(),
    }  # fmt: skip
    for key, value in expected.items():
        assert result[key] == pytest.approx(value, abs=2e-6), key


def test_bench_ends_after_iterations_and_duration(run_model, linear):
    assert document(run_model, "bench", linear[0], "-r", 3, "-t", 0.05)["iterations"] > 3


def test_bench_text_has_a_line_per_topic(run_model, linear, tmp_path):
    text = run_model("bench", linear[0], "-r", 5, "--warmup", 0, "--profile-table", "--json", tmp_path / "b.json").stdout
    topics = [line.split()[0] for line in text.splitlines()]
    assert topics[:7] == ["model", "load", "memory", "isa", "latency", "throughput", "allocations"]
    assert list(json.loads((tmp_path / "b.json").read_text())) == BENCH_KEYS


def test_check_counts_passed_cases(run_model, cases):
    assert run_model("check", cases).stdout == "2 passed, 0 failed, 0 skipped\n"


def test_check_says_why_a_case_fails(run_model, cases):
    save_tensor(cases / "deep/good/test_data_set_1/output_0.pb", np.zeros((2, 2), np.float32))
    (cases / "other/model.onnx").write_text("no model")
    lines = run_model("check", cases, code=4).stdout.splitlines()
    assert len(lines) == 3 and lines[-1] == "0 passed, 2 failed, 0 skipped"
    assert "test_data_set_1: output 'y': 4 of 4 elements differ" in lines[0]
    assert "other" in lines[1] and "text" in lines[1]


def test_check_reads_tolerances_beside_the_model(run_model, cases):
    path = cases / "other/test_data_set_0/output_0.pb"
    expected = np.frombuffer(path.read_bytes()[-8:], np.float32).reshape(1, 2)
    save_tensor(path, expected * np.float32(1.05))
    run_model("check", cases / "other", code=4)
    (cases / "other/data.json").write_text('{"rtol": 0.1, "atol": 1e-7}')
    run_model("check", cases / "other")


def test_check_holds_every_type_to_the_tolerance_beside_the_model(run_model, tmp_path):
    one = np.array([1], ml_dtypes.bfloat16)
    save_case(tmp_path / "case", one, one + np.array(2**-7, ml_dtypes.bfloat16))
    run_model("check", tmp_path)
    (tmp_path / "case/data.json").write_text('{"rtol": 1e-3, "atol": 0}')
    run_model("check", tmp_path, code=4)


@pytest.mark.parametrize("dtype", [np.int64, np.uint64])
def test_check_tells_neighbouring_large_integers_apart(run_model, tmp_path, dtype):
    large = np.array([2**62 + 1], dtype)
    save_case(tmp_path / "same", large, large)
    run_model("check", tmp_path / "same")
    save_case(tmp_path / "other", large, large - 1)
    (tmp_path / "other/data.json").write_text('{"rtol": 0, "atol": 0}')
    run_model("check", tmp_path / "other", code=4)


def save_case(folder, given, expected):
    """Saves a case of Identity of `given` that claims `expected` as its output."""
    save_tensor(folder / "test_data_set_0/input_0.pb", given)
    save_tensor(folder / "test_data_set_0/output_0.pb", expected)
    identity(folder / "model.onnx", helper.np_dtype_to_tensor_dtype(given.dtype), given.shape)


def test_check_compares_maps_by_their_keys(run_model, tmp_path):
    node = helper.make_node("ZipMap", ["x"], ["y"], domain="ai.onnx.ml", classlabels_strings=["b", "a"])
    maps = helper.make_map_type_proto(TensorProto.STRING, helper.make_tensor_type_proto(TensorProto.FLOAT, []))
    graph = helper.make_graph(
        [node],
        "zip",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 2])],
        [helper.make_value_info("y", helper.make_sequence_type_proto(maps))],
    )
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", 3)]
    data = tmp_path / "case/test_data_set_0"
    save_tensor(data / "input_0.pb", np.array([[2, 1]], np.float32))
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), tmp_path / "case/model.onnx")
    expected = onnx.SequenceProto(elem_type=onnx.SequenceProto.MAP)
    entries = expected.map_values.add(key_type=TensorProto.STRING, string_keys=[b"a", b"b"])
    entries.values.elem_type = onnx.SequenceProto.TENSOR
    entries.values.tensor_values.extend(numpy_helper.from_array(np.float32(x).reshape(())) for x in (1, 2))
    (data / "output_0.pb").write_bytes(expected.SerializeToString())
    run_model("check", tmp_path / "case")
    entries.string_keys[:] = [b"b", b"a"]
    (data / "output_0.pb").write_bytes(expected.SerializeToString())
    assert ".values: 2 of 2 elements differ" in run_model("check", tmp_path / "case", code=4).stdout


def test_check_skips_models_without_data(run_model, cases):
    shutil.rmtree(cases / "other/test_data_set_0")
    result = document(run_model, "check", cases)
    assert (result["passed"], result["failed"], result["skipped"]) == (1, 0, 1)


@pytest.mark.parametrize("dtype, x, y", [
    (TensorProto.FLOAT, [np.nan, np.inf], [np.nan, np.inf]),
    (TensorProto.FLOAT, [1.0, 1000.0], [1.0009, 1000.9]),
    (TensorProto.BFLOAT16, [1.0078125], [1.0]),
    (TensorProto.INT64, [2**60], [2**60]),
    (TensorProto.BOOL, [True, False], [True, False]),
    (TensorProto.STRING, ["a", ""], ["a", ""]),
])  # fmt: skip
def test_check_accepts_what_the_official_runner_accepts(run_model, tmp_path, dtype, x, y):
    case(tmp_path, dtype, x, y)
    run_model("check", tmp_path / "case")


@pytest.mark.parametrize("dtype, x, y", [
    (TensorProto.FLOAT, [np.nan], [1.0]),
    (TensorProto.FLOAT, [1.0], [np.nan]),
    (TensorProto.FLOAT, [3.4e38], [np.inf]),
    (TensorProto.FLOAT, [np.inf], [-np.inf]),
    (TensorProto.FLOAT, [1.002], [1.0]),
    (TensorProto.BFLOAT16, [1.0234375], [1.0]),
    (TensorProto.BOOL, [True], [False]),
    (TensorProto.STRING, ["a"], ["b"]),
])  # fmt: skip
def test_check_refuses_what_the_official_runner_refuses(run_model, tmp_path, dtype, x, y):
    case(tmp_path, dtype, x, y)
    run_model("check", tmp_path / "case", code=4)


def case(tmp_path, dtype, x, y):
    data = tmp_path / "case/test_data_set_0"
    data.mkdir(parents=True)
    identity(tmp_path / "case/model.onnx", dtype, [len(x)])
    for name, values in (("input_0.pb", x), ("output_0.pb", y)):
        (data / name).write_bytes(helper.make_tensor("", dtype, [len(values)], values).SerializeToString())


def test_compare_against_itself_and_files(run_model, linear, cases):
    data = cases / "other/test_data_set_0"
    result = document(run_model, "compare", linear[0], "--verify-opt", "--bisect-opt", "--test-data", data)
    assert [(o["output"], o["agrees"]) for o in result["outputs"]] == [("y", True), ("y", True)]
    assert "no rewrite" in result["bisect"]
    save_tensor(data / "output_0.pb", np.zeros((1, 2), np.float32))
    assert "differs" in run_model("compare", linear[0], "--test-data", data, code=4).stdout
    run_model("compare", linear[0], code=1)


def test_compare_and_check_in_guarded_memory(run_model, linear, cases):
    result = run_model("compare", linear[0], "--guard-memory")
    assert "guarded memory: all values are equal" in result.stdout
    assert document(run_model, "compare", linear[0], "--guard-memory")["guarded_memory"] == ""
    plain, guarded = (run_model("check", cases, *flags, code=None).stdout for flags in ([], ["--guard-memory"]))
    assert plain == guarded


def test_inspect_shows_the_interface_and_the_weights(run_model, linear):
    result = document(run_model, "inspect", linear[0], "--show", "io,ops,weights,memory,plan", "--opt", 0, "--dim", "N=5")
    assert result["inputs"] == [{"name": "x", "dtype": "float32", "shape": ["N", 3]}]
    assert result["outputs"][0]["name"] == "y"
    assert result["operators"] == {"Add": 1, "MatMul": 1}
    assert {w["name"]: w["bytes"] for w in result["weights"]} == {"w": 24, "b": 8}
    assert result["memory"]["weights_bytes"] == 32
    assert [node["op"] for node in result["plan"]] == ["MatMul", "Add"]
    text = run_model("inspect", linear[0]).stdout
    assert "input      x  float32[N,3]" in text and "opset 17" in text


def test_inspect_shows_what_is_known_of_values(run_model, tmp_path):
    """It shows shape arithmetic, also in a body. The value of -1 is unknown if the product may be 0."""
    number, node = numpy_helper.from_array(np.array([-1]), "rest"), helper.make_node
    inner = [node("Add", ["shape", "shape"], ["twice"])]
    branch = helper.make_graph(inner, "branch", [], [helper.make_tensor_value_info("twice", TensorProto.INT64, [2])])
    nodes = [
        node("Shape", ["x"], ["shape"]),
        node("ReduceProd", ["shape"], ["count"], keepdims=1),
        node("Concat", ["count", "rest"], ["target"], axis=0),
        node("Reshape", ["x", "target"], ["y"]),
        node("If", ["c"], ["chosen"], "choice", then_branch=branch, else_branch=branch),
    ]
    inputs = [("x", TensorProto.FLOAT, ["N", "M"]), ("c", TensorProto.BOOL, [])]
    outputs = [("y", TensorProto.FLOAT, None), ("chosen", TensorProto.INT64, None)]
    path = save_model(tmp_path / "model.onnx", nodes, inputs, outputs, [number])
    text = run_model("inspect", path, "--show", "values", "--opt", 0).stdout
    assert "value      target  int64[2]  = {M*N,-1}" in text and "value      choice/twice  int64[2]  = {2*N,2*M}" in text
    values = {each["name"]: each for each in document(run_model, "inspect", path, "--show", "values", "--opt", 0)["values"]}
    assert values["shape"]["elements"] == ["N", "M"] and values["y"]["shape"] == [None, None]


def test_ops_lists_every_operator_once(run_model):
    entries = document(run_model, "ops")
    names = [(entry["domain"], entry["name"]) for entry in entries]
    assert len(set(names)) == len(names) and ("ai.onnx", "MatMul") in names
    assert all(entry["since"] == sorted(entry["since"]) for entry in entries)
    assert run_model("ops").stdout.splitlines()[-1] == f"{len(entries)} operators"


def test_devices_names_one_chosen_instruction_set(run_model):
    result = document(run_model, "devices")
    chosen = [isa["name"] for isa in result["isas"] if isa["chosen"]]
    assert chosen == [result["chosen"].split("+")[0]] and result["threads"] >= 1
    assert "chosen: LINNET_ISA=baseline" in run_model("devices", env={"LINNET_ISA": "baseline"}).stdout


def test_devices_lists_features_and_what_each_family_of_kernels_uses(run_model):
    result = document(run_model, "devices")
    isa = next(isa for isa in result["isas"] if isa["chosen"])
    features = [feature["name"] for feature in isa["features"] if feature["supported"]]
    assert features == [feature["name"] for feature in isa["features"] if feature["chosen"]]
    assert result["chosen"] == "+".join([isa["name"], *features])
    assert {"attention", "unary"} <= result["kernels"].keys()
    for name in [isa["name"], *(f"{isa['name']}+{feature}" for feature in features)]:
        forced = json.loads(run_model("devices", "--json", "-", env={"LINNET_ISA": name}).stdout)
        assert forced["chosen"] == name and forced["reason"] == f"LINNET_ISA={name}"
        assert all(set(kernels.split("+")) <= set(name.split("+")) for kernels in forced["kernels"].values())


def test_an_unknown_feature_leaves_nothing_chosen(run_model):
    text = run_model("devices", env={"LINNET_ISA": "baseline+mmx"}).stdout
    assert "none chosen: instruction set 'baseline+mmx' is unknown; known: auto, " in text


@pytest.mark.parametrize("arguments", [["--help"], [], ["--version"], *([v, "--help"] for v in "run bench check compare inspect quantize ops devices".split())])
def test_help_and_version_succeed(run_model, arguments):
    assert "run_model" in run_model(*arguments).stdout


@pytest.mark.parametrize("arguments, flag, verb", [
    (["--bogus"], "--bogus", "run"), (["bench", "--bogus"], "--bogus", "bench"), (["compare", "m.onnx", "--bogus=3", "more"], "--bogus=3", "compare"),
    (["check", "-q", "folder"], "-q", "check"), (["ops", "--bogus"], "--bogus", "ops"), (["m.onnx", "--bogus"], "--bogus", "run"),
])  # fmt: skip
def test_unknown_flag_is_named_with_where_to_read_on(run_model, arguments, flag, verb):
    assert run_model(*arguments, code=1).stderr == f"run_model: unknown flag '{flag}'; run_model {verb} --help lists the flags\n"


@pytest.mark.parametrize("arguments, hint", [
    (["m.onnx", "--treads", 1], "unknown flag '--treads'; did you mean '--threads'? run_model run --help lists the flags"),
    (["bench", "m.onnx", "--raw-time=f"], "unknown flag '--raw-time=f'; did you mean '--raw-times'?"),
    (["bnech", "m.onnx"], "there is no verb and no file 'bnech'; did you mean 'bench'?"),
])  # fmt: skip
def test_a_similar_flag_or_verb_is_proposed(run_model, arguments, hint):
    assert hint in run_model(*arguments, code=1).stderr


def test_a_file_may_have_almost_the_name_of_a_verb(run_model, linear, tmp_path):
    shutil.copy(linear[0], tmp_path / "runn")
    run_model("runn", cwd=tmp_path)


def test_a_similar_rewrite_or_input_is_proposed(run_model, linear, tmp_path):
    rewrite = run_model("run", linear[0], "--disable-rewrite", "drop_identiy", code=1).stderr
    assert rewrite.endswith("; did you mean 'drop_identity'?\n")
    node = helper.make_node("Relu", ["tokens"], ["y"])
    model = save_model(tmp_path / "m.onnx", [node], [("tokens", TensorProto.FLOAT, [2])], [("y", TensorProto.FLOAT, [2])])
    np.save(tmp_path / "x.npy", np.ones(2, np.float32))
    error = run_model("run", model, "-i", f"token={tmp_path}/x.npy", code=None).stderr
    assert "the model has no input 'token'" in error and error.endswith("; did you mean 'tokens'?\n")


def test_reports_have_numbers_in_fixed_notation_with_units(run_model, linear):
    number = r"\d{1,3}(,\d{3})*(\.\d+)?"
    time = rf"{number} (ns|us|ms|s)"
    report = run_model("run", linear[0]).stdout.splitlines()[-1]
    assert re.fullmatch(rf"time  load {time}, first run {time}", report)
    lines = {line.split()[0]: line for line in run_model("bench", linear[0], "-r", 3).stdout.splitlines()}
    shown = " \\| ".join(f"{name} {time}" for name in ("median", "mean", "min", "max", "p90", "p99", "stddev"))
    assert re.fullmatch(rf"latency     {shown}", lines["latency"])
    assert re.fullmatch(rf"load        {time}  \(parse {time}, optimise {time}, pack {time}\)  first run {time}", lines["load"])
    assert re.fullmatch(rf"throughput  {number} inferences/s   3 iterations in {time}", lines["throughput"])


@pytest.mark.parametrize("arguments", [
    ["run", "--top", 0], ["run", "--print", -1], ["run", "--deadline", 0], ["run", "--range", "3,1"], ["run", "--fill", "none"],
    ["bench", "-r", 0], ["bench", "-t", -1], ["bench", "--warmup", -1], ["bench", "-c", 0], ["bench", "--percentiles", 101], ["run", "--opt", 3],
    ["bench", "--percentiles", "50,nan"], ["bench", "-t", "nan"], ["bench", "-t", "inf"], ["bench", "-r", "nan"], ["run", "--deadline", "1e30"],
    ["quantize", "--percentile", "nan"], ["quantize", "--exclude-below", "nan"], ["run", "--max-memory", "nan"], ["run", "--seed", "nan"], ["run", "--seed", -1], ["run", "--seed", 2**64],
])  # fmt: skip
def test_values_out_of_range_are_named_in_one_short_line(run_model, linear, arguments):
    error = run_model(*arguments, linear[0], code=1).stderr
    assert arguments[1].lstrip("-") in error or arguments[1] in ("-r", "-t", "-c")
    assert error.count("\n") == 1 and len(error) < 200


@pytest.mark.parametrize("verb", ["bench", "check", "compare", "inspect", "run"])
def test_missing_argument_is_named(run_model, verb):
    assert "missing" in run_model(verb, code=1).stderr


def test_missing_library_is_a_load_error(run_model, linear):
    assert "none.so" in run_model("run", linear[0], "-R", "none.so", code=2).stderr


def test_inspect_works_where_generated_inputs_do_not_fit(run_model, tmp_path):
    node = helper.make_node("Conv", ["x", "w"], ["y"])
    model = save_model(
        tmp_path / "m.onnx", [node], [("x", TensorProto.FLOAT, [1, 1, "H", "W"])], [("y", TensorProto.FLOAT, None)],
        [numpy_helper.from_array(np.ones((1, 1, 3, 3), np.float32), "w")],
    )  # fmt: skip
    assert document(run_model, "inspect", model)["memory"] is None
    run_model("inspect", model, "--show", "memory", code=3)
    assert document(run_model, "inspect", model, "--dim", "H=3", "--dim", "W=3")["memory"]["weights_bytes"] == 36
