"""The JSON of run_model: numbers that JSON lacks, omitted values, errors."""

import json

import numpy as np
import pytest
from onnx import TensorProto
from onnx_files import identity, save_tensor

X = np.array([1.5, np.nan, np.inf, -np.inf], np.float32)


def strict(text):
    """Returns the document. Python by itself would also accept NaN without quotes."""
    return json.loads(text, parse_constant=pytest.fail)


def error_of(text):
    document = strict(text)
    assert list(document) == ["error"]
    return document["error"]


@pytest.fixture
def special(tmp_path):
    """A model that returns its input of 4 floats, and a file of NaN and infinities for it."""
    np.save(tmp_path / "x.npy", X)
    return identity(tmp_path / "m.onnx", TensorProto.FLOAT, [4]), tmp_path / "x.npy"


@pytest.mark.parametrize("target", ["-", "result.json"])
def test_numbers_that_json_lacks_are_texts(run_model, special, tmp_path, target):
    model, x = special
    printed = run_model(model, "-i", f"x={x}", "--json", target, cwd=tmp_path).stdout
    document = strict(printed if target == "-" else (tmp_path / target).read_text())
    assert document["outputs"][0]["values"] == [1.5, "NaN", "Infinity", "-Infinity"]


def test_infinite_difference_is_a_text(run_model, special, tmp_path):
    model, x = special
    save_tensor(tmp_path / "set" / "output_0.pb", np.ones(4, np.float32))
    result = run_model("compare", model, "-i", f"x={x}", "--test-data", tmp_path / "set", "--json", "-", code=4)
    assert strict(result.stdout)["outputs"][0]["max_difference"] == "Infinity"


@pytest.mark.parametrize("printed", [0, 3, 4, 9])
def test_values_left_out_are_counted(run_model, special, printed):
    model, x = special
    output = strict(run_model(model, "-i", f"x={x}", "--print", printed, "--json", "-").stdout)["outputs"][0]
    assert (len(output["values"]), output["values_left_out"]) == (min(printed, 4), max(0, 4 - printed))


FAILURES = {
    "an unknown flag": (["run", "MODEL", "--no-such-flag"], 1, "usage", "--no-such-flag"),
    "a flag without its value": (["run", "MODEL", "--print"], 1, "usage", "--print"),
    "no model": (["run"], 1, "usage", "model is missing"),
    "no file": (["run", "none.onnx"], 2, "load", "none.onnx"),
    "an input of another name": (["run", "MODEL", "-i", "z=x.npy"], 3, "run", "no input 'z'"),
    "too little memory": (["run", "MODEL", "--max-memory", "1"], 5, "limit", "--max-memory"),
}


@pytest.mark.parametrize("failure", FAILURES)
@pytest.mark.parametrize("flag", [["--json", "-"], ["--json=-"], ["--json", "result.json"]], ids=" ".join)
def test_failure_is_an_object_where_json_is_asked_for(run_model, special, tmp_path, failure, flag):
    words, code, kind, words_of_message = FAILURES[failure]
    verb, *rest = [str(special[0]) if word == "MODEL" else word for word in words]
    result = run_model(verb, *flag, *rest, code=code, cwd=tmp_path)
    error = error_of((tmp_path / "result.json").read_text() if "result.json" in flag else result.stdout)
    assert error["kind"] == kind and words_of_message in error["message"]
    assert result.stderr == f"run_model: {error['message']}\n"


def test_outputs_that_differ_are_a_result_and_no_error(run_model, special, tmp_path):
    model, x = special
    save_tensor(tmp_path / "set" / "output_0.pb", np.ones(4, np.float32))
    for verb in ("run", "compare"):
        result = run_model(verb, model, "-i", f"x={x}", "--test-data", tmp_path / "set", "--json", "-", code=4)
        assert "error" not in strict(result.stdout)


def test_without_json_nothing_but_a_line_on_stderr(run_model):
    assert run_model("run", "none.onnx", code=2).stdout == ""
