"""run_model when its output cannot be written: an error, never success."""

import subprocess

import pytest

MODEL = object()  # replaced by the path of the model
VERBS = {
    "run": ["run", MODEL],
    "json": ["run", MODEL, "--json", "-"],
    "bench": ["bench", MODEL, "-r", 1],
    "compare": ["compare", MODEL, "--verify-opt"],
    "inspect": ["inspect", MODEL],
    "ops": ["ops"],
    "needed": ["ops", "--needed", MODEL],
    "devices": ["devices"],
    "help": ["--help"],
    "help of a verb": ["bench", "--help"],
    "version": ["--version"],
    "manual": ["--man"],
}


def arguments_of(words, model):
    return [str(model if word is MODEL else word) for word in words]


def line_of(result):
    assert result.stderr.count("\n") == 1, result.stderr
    return result.stderr


@pytest.mark.parametrize("verb", VERBS)
def test_full_stdout_is_an_error(run_model, linear, verb):
    with open("/dev/full", "w") as full:
        command = [run_model.binary, *arguments_of(VERBS[verb], linear[0])]
        result = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    assert result.returncode == 3
    assert line_of(result) == "run_model: stdout: cannot be written: No space left on device\n"


@pytest.mark.parametrize("verb", VERBS)
def test_closed_stdout_is_an_error(run_model, linear, verb):
    command = ["sh", "-c", 'exec "$0" "$@" >&-', run_model.binary, *arguments_of(VERBS[verb], linear[0])]
    result = subprocess.run(command, stderr=subprocess.PIPE, text=True)
    assert result.returncode == 3
    assert "stdout: cannot be written" in line_of(result)


def test_closed_stdout_does_not_spoil_files(run_model, linear, tmp_path):
    """Otherwise, the next opened file would have the descriptor of stdout and receive its text."""
    command = ["sh", "-c", 'exec "$0" "$@" >&-', run_model.binary, linear[0], "--save-optimized", tmp_path / "m.onnx"]
    subprocess.run(command, stderr=subprocess.PIPE)
    run_model(tmp_path / "m.onnx")


def test_check_tells_that_its_lines_were_not_written(run_model, cases):
    with open("/dev/full", "w") as full:
        result = subprocess.run([run_model.binary, "check", "-v", cases], stdout=full, stderr=subprocess.PIPE, text=True)
    assert result.returncode == 3 and "stdout: cannot be written" in line_of(result)


FILES = {
    "run": ["--json", "--save-outputs", "--save-optimized", "--profile"],
    "bench": ["--json", "--raw-times", "--profile"],
    "inspect": ["--json", "--save-memory-plan"],
}


@pytest.mark.parametrize("verb,flag", [(verb, flag) for verb, flags in FILES.items() for flag in flags])
@pytest.mark.parametrize("path", ["/dev/full", "none/at/all"])
def test_file_that_cannot_be_written_is_named(run_model, linear, tmp_path, verb, flag, path):
    few = ["-r", 1] if verb == "bench" else ["--dim", "N=1"]
    result = run_model(verb, linear[0], *few, flag, path, code=3, cwd=tmp_path)
    assert path in line_of(result)


def test_folder_of_outputs_that_cannot_be_made_is_named(run_model, linear, tmp_path):
    (tmp_path / "file").write_text("")
    assert "file/" in line_of(run_model(linear[0], "--save-outputs", f"{tmp_path}/file/", code=3))


def test_outputs_replace_no_device(run_model, linear, tmp_path):
    (tmp_path / "link").symlink_to("/dev/null")
    result = run_model(linear[0], "--save-outputs", tmp_path / "link", code=3)
    assert "link: cannot be written: not a regular file" in line_of(result)
    assert (tmp_path / "link").is_symlink()
