"""The manual page and the completions of shells contain the verbs and flags of run_model."""

import re
import shutil
import subprocess

import pytest
from installed import call
from locations import ROOT

COMPLETIONS = ROOT / "tools" / "completions"
# Each prints, one per line, what its shell offers for the words of a command line, the last of which is incomplete.
SHELLS = {
    "bash": 'source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _run_model; printf "%s\\n" "${COMPREPLY[@]}"',
    "zsh": 'compadd() { print -l -- ${(P)2} }; _describe() { print -l -- ${(P)2} }; _files() { :; }; '
           'words=("$@"); CURRENT=$#; source "$0"',
    "fish": 'source $argv[1]; complete -C "$argv[2..]"',
}  # fmt: skip
FILES = {"bash": "run_model.bash", "zsh": "_run_model", "fish": "run_model.fish"}


def verbs_of(run_model):
    listed = run_model("--help").stdout.split("Subcommands:")[1].split("\n\n")[0]
    return re.findall(r"^  (\w+) ", listed, re.MULTILINE)


def flags_of(run_model, *verb):
    names = re.findall(r"^ +((?:-\w,)?--[\w-]+|-\w\b)", run_model(*verb, "--help").stdout, re.MULTILINE)
    return {flag for name in names for flag in name.split(",")}


@pytest.fixture
def complete(request, run_model):
    """Returns a function of words, which returns what the shell offers."""
    shell = request.param
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not installed")

    def offered(*words):
        lines = call(shell, "-c", SHELLS[shell], COMPLETIONS / FILES[shell], run_model.binary, *words).splitlines()
        offers = {re.split("[\t:]", line)[0] for line in lines}  # without the descriptions of zsh and fish
        return {offer for offer in offers if offer.startswith(words[-1])}

    return offered


@pytest.mark.parametrize("complete", SHELLS, indirect=True)
def test_shells_complete_the_verbs(complete, run_model):
    assert set(verbs_of(run_model)) <= complete("")


@pytest.mark.parametrize("complete", SHELLS, indirect=True)
@pytest.mark.parametrize("verb", ["bench", "ops"])
def test_shells_complete_the_flags_of_a_verb(complete, run_model, verb):
    assert complete(verb, "--") == {flag for flag in flags_of(run_model, verb) if flag.startswith("--")}


@pytest.mark.parametrize("complete", SHELLS, indirect=True)
def test_shells_complete_the_flags_of_run_where_no_verb_is_named(complete, run_model):
    assert "--save-outputs" in complete("model.onnx", "--")


def test_the_manual_page_tells_every_flag(run_model):
    page = run_model("--man").stdout.replace("\\-", "-")
    told = {flag for names in re.findall(r"^\\fB(-.*?)\\fR", page, re.MULTILINE) for flag in names.split(", ")}
    flags = flags_of(run_model).union(*(flags_of(run_model, verb) for verb in verbs_of(run_model)))
    assert {"--threads", "-R", "--percentiles"} <= flags
    assert told == flags
    assert re.findall(r"^\.SH (\w+)$", page, re.MULTILINE)[3:-1] == [*verbs_of(run_model)]


def test_the_manual_page_is_sound_roff(run_model):
    if not shutil.which("groff"):
        pytest.skip("groff is not installed")
    page = run_model("--man").stdout
    result = subprocess.run(["groff", "-man", "-ww", "-Tutf8"], input=page, capture_output=True, text=True)
    assert (result.returncode, result.stderr) == (0, "")


@pytest.mark.parametrize("verb", "run bench check compare inspect quantize ops".split())
def test_the_letter_o_is_output_wherever_it_is_a_flag(run_model, verb):
    text = run_model(verb, "--help").stdout
    assert "-o,--output" in text if verb == "quantize" else " -o" not in text
