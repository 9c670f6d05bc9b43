"""Colours and progress bars appear only on a terminal. Control characters in a model's names never appear."""

import json
import os
import pty
import subprocess

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper
from onnx_files import save_tensor

RED, BAR = b"\x1b[31m", b"#]"


def on_terminal(run_model, *arguments, **environment):
    """Returns what a terminal shows of stdout and stderr."""
    master, slave = pty.openpty()
    env = {k: v for k, v in os.environ.items() if k != "NO_COLOR"} | {"TERM": "xterm"} | environment
    process = subprocess.Popen([run_model.binary, *map(str, arguments)], stdout=slave, stderr=slave, env=env)
    os.close(slave)
    shown = b""
    try:
        while part := os.read(master, 4096):
            shown += part
    except OSError:  # the end of a terminal's output
        pass
    os.close(master)
    process.wait()
    return shown


@pytest.fixture
def failing(cases):
    save_tensor(cases / "other/test_data_set_0/output_0.pb", np.zeros((1, 2), np.float32))
    return cases


def comparison(folder):
    return "compare", folder / "other/model.onnx", "--test-data", folder / "other/test_data_set_0"


def test_failures_are_red_on_a_terminal(run_model, failing):
    assert RED + b"FAIL\x1b[m  " in on_terminal(run_model, "check", failing)
    assert RED + b"differs\x1b[m" in on_terminal(run_model, *comparison(failing))
    assert RED not in on_terminal(run_model, "check", failing / "deep")


def test_no_color_leaves_colours_out(run_model, failing):
    for verb in (("check", failing), comparison(failing), ("bench", failing / "other/model.onnx", "-r", 20)):
        assert b"m" not in {part[-1:] for part in escapes(on_terminal(run_model, *verb, NO_COLOR="1"))}
    assert RED in on_terminal(run_model, "check", failing, NO_COLOR="")


def escapes(shown):
    """Yields the escape sequences of a text, up to their last letter."""
    for part in shown.split(b"\x1b[")[1:]:
        yield part[: next(i for i, c in enumerate(part) if chr(c).isalpha()) + 1]


def test_long_runs_draw_a_bar_on_a_terminal(run_model, failing):
    model = failing / "other/model.onnx"
    for verb in (("check", failing), ("bench", model, "-r", 50), ("compare", model, "--verify-opt", "--per-node")):
        shown = on_terminal(run_model, *verb, NO_COLOR="1")
        assert b"\r" + verb[0].encode() + b" [#" in shown and b"100 %" in shown, verb
        assert b"\r\x1b[K" in shown[shown.rindex(b" %") :], "the bar is wiped off"


def test_lines_do_not_run_into_the_bar(run_model, failing):
    before = on_terminal(run_model, "check", failing, "-v").split(b"FAIL")[0]
    assert before.endswith((b"\r\x1b[K" + RED, b"\n" + RED))


@pytest.mark.parametrize("environment", [{}, {"TERM": "xterm-256color"}])
def test_pipes_and_files_get_text_alone(run_model, failing, environment):
    for verb in (("check", failing), comparison(failing), ("bench", failing / "other/model.onnx", "-r", 20)):
        result = run_model(*verb, code=None, env=environment)
        assert "\x1b" not in result.stdout + result.stderr and "\r" not in result.stdout + result.stderr


def test_a_dumb_terminal_gets_text_alone(run_model, failing):
    assert b"\x1b" not in on_terminal(run_model, "check", failing, TERM="dumb")


def test_json_is_ascii(run_model, tmp_path):
    name = "x\x7f\x9b2J\u202e\u061c\u00fc"
    x, y = (helper.make_tensor_value_info(value, TensorProto.FLOAT, [1]) for value in (name, "y"))
    graph = helper.make_graph([helper.make_node("Relu", [name], ["y"])], "g", [x], [y])
    path = tmp_path / "model.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    shown = run_model("inspect", path, "--json", "-").stdout
    assert shown.isascii() and "\x7f" not in shown
    assert json.loads(shown)["inputs"][0]["name"] == name
