"""Compares examples/generate on a seeded Llama with NumPy in double precision, which computes the whole sequence
again."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from locations import BUILD, ROOT
from networks import Network
from onnx import TensorProto
from tiny_llama import TinyLlama, logits, make_weights

PROMPT, STEPS = [3, 1, 4, 1, 5], 32


def call(*arguments):
    program = BUILD / "bin" / "example_generate"
    if not program.exists():
        pytest.skip(f"{program} is not there: build with LINNET_BUILD_EXAMPLES")
    return subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, timeout=60)


def generate(*arguments, code=0):
    result = call(*arguments)
    assert result.returncode == code, result.stderr
    return result.stdout if code == 0 else result.stderr


def numbers(*arguments):
    return [int(token) for token in generate(*arguments).split()]


@pytest.fixture(scope="module")
def weights():
    return make_weights()


@pytest.fixture(scope="module")
def llama(weights, tmp_path_factory):
    return TinyLlama(weights).save(tmp_path_factory.mktemp("llama") / "m.onnx")


@pytest.fixture(scope="module")
def greedy(weights):
    """Returns the most probable tokens. Their scores differ by more than rounding errors."""
    tokens = list(PROMPT)
    for _ in range(STEPS):
        scores = logits(weights, tokens)[-1]
        *_, second, first = np.argsort(scores)
        assert scores[first] - scores[second] > 1e-3
        tokens.append(int(first))
    return tokens[len(PROMPT) :]


def prompt(tokens):
    return " ".join(map(str, tokens))


def test_the_likeliest_tokens_are_those_of_the_whole_sequence(llama, greedy):
    assert len(set(greedy)) > STEPS / 2
    assert numbers(llama, prompt(PROMPT), "--tokens", STEPS) == greedy


def test_the_program_in_python_gives_the_same(llama, greedy):
    assert [int(token) for token in in_python(llama, prompt(PROMPT), "--tokens", STEPS).splitlines()[0].split()] == greedy


def in_python(*arguments, code=0):
    if not list(BUILD.glob("python/linnet/_linnet*.so")):
        pytest.skip(f"{BUILD} has no Python binding: build with LINNET_BUILD_PYTHON")
    command = [sys.executable, ROOT / "examples/python/generate.py", *map(str, arguments)]
    variables = os.environ | {"PYTHONPATH": str(BUILD / "python"), "PYTHONDONTWRITEBYTECODE": "1"}
    result = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=60)
    assert result.returncode == code, result.stderr
    return result.stdout if code == 0 else result.stderr


@pytest.mark.parametrize("program", [generate, in_python])
@pytest.mark.parametrize("kind", [TensorProto.INT64, TensorProto.INT32])
def test_a_model_without_a_cache_reads_the_whole_sequence(program, kind, tmp_path):
    """The next token is one more than the sum of all, modulo 50."""
    n = Network()
    n.input("input_ids", kind, [1, "n"])
    ids = n.op("Cast", "input_ids", to=TensorProto.INT64)
    one = n.vector([1], np.int64)
    sum_ = n.op("Mod", n.op("Add", n.op("ReduceSum", ids, one), one), n.vector(50, np.int64))
    n.op("Gather", n.vector(np.eye(50), np.float32), sum_, out="logits")
    n.save(tmp_path / "m.onnx", "logits")
    tokens = [3, 4]
    for _ in range(5):
        tokens.append((sum(tokens) + 1) % 50)
    first = program(tmp_path / "m.onnx", "3 4", "--tokens", 5).splitlines()[0]
    assert [int(token) for token in first.split()] == tokens[2:]


def test_in_python_what_does_not_fit_is_said(llama, tmp_path):
    assert "without --tokenizer the prompt is tokens" in in_python(llama, "hello", code=1)
    n = Network([1, 3])
    n.save(tmp_path / "m.onnx", n.op("Relu", "x"))
    assert in_python(tmp_path / "m.onnx", "1", code=1) == "generate: the model has no output 'logits': it is not a language model\n"
    assert in_python(tmp_path / "absent.onnx", "1", code=1).startswith("generate: cannot read")


def test_a_prompt_may_be_one_token_and_end_where_an_answer_began(llama, greedy):
    assert numbers(llama, prompt(PROMPT + greedy[:7]), "--tokens", 5) == greedy[7:12]
    assert len(numbers(llama, "9", "--tokens", 1)) == 1


def test_an_answer_ends_before_the_token_that_ends_it(llama, greedy):
    end = greedy[6]
    assert numbers(llama, prompt(PROMPT), "--end", end) == greedy[: greedy.index(end)]


def test_drawn_tokens_are_the_likeliest_where_few_are_kept(llama, greedy):
    assert numbers(llama, prompt(PROMPT), "--tokens", STEPS, "--top-p", 1e-6) == greedy


def test_drawn_tokens_have_their_probabilities(weights, llama):
    """Tests the probabilities of the first token with 60 seeds: only the tokens that make up 0.8 occur, in
    proportion."""
    p = np.exp(logits(weights, PROMPT)[-1] / 3)
    p /= p.sum()
    order = np.argsort(-p)
    kept = order[: 1 + np.searchsorted(np.cumsum(p[order]), 0.8)]
    flags = "--tokens", 1, "--top-p", 0.8, "--temperature", 3
    drawn = [numbers(llama, prompt(PROMPT), *flags, "--seed", seed)[0] for seed in range(60)]
    assert set(drawn) <= set(kept)
    assert len(set(drawn)) > 3
    likeliest = p[kept[0]] / p[kept].sum()
    assert abs(drawn.count(kept[0]) / 60 - likeliest) < 4 * np.sqrt(likeliest * (1 - likeliest) / 60)
    assert numbers(llama, prompt(PROMPT), *flags, "--seed", 5) == drawn[5:6]


def test_what_does_not_fit_is_said(llama, tmp_path):
    assert "usage: generate" in generate(llama, code=1)
    assert "usage: generate" in generate(llama, "1", "--token", "5", code=1)
    assert "without --tokenizer the prompt is tokens" in generate(llama, "hello", code=1)
    assert "Gather" in generate(llama, "61", code=1)
    n = Network([1, 3])
    other = tmp_path / "other.onnx"
    n.save(other, n.op("Relu", "x"))
    assert "the model has no output 'logits': it is not a language model" in generate(other, "1", code=1)
    n = Network([1, 1, 3])
    n.op("Relu", "x", out="logits")
    n.save(other, "logits")
    assert "the model has an input of another kind: 'x'" in generate(other, "1", code=1)
    assert "absent.onnx" in generate(tmp_path / "absent.onnx", "1", code=1)


CHARACTERS = "abcdefghijklmnopqrstuvwxyz"


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory):
    """Returns a folder with a byte-level BPE tokenizer: letters, "Ġ" for a space, one merge, and the two bytes of
    "é"."""
    folder = tmp_path_factory.mktemp("tokenizer")
    names = [*CHARACTERS, "Ġ", "ab", "Ã", "©", "<s>", "?", '"', "\\"]
    special = {"id": names.index("<s>"), "content": "<s>", "single_word": False, "lstrip": False, "rstrip": False,
               "normalized": False, "special": True}  # fmt: skip
    bytes_ = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    model = {"type": "BPE", "vocab": {name: i for i, name in enumerate(names)}, "merges": [["a", "b"]]}
    whole = {"version": "1.0", "added_tokens": [special], "normalizer": None, "pre_tokenizer": bytes_,
             "post_processor": None, "decoder": bytes_, "model": model}  # fmt: skip
    (folder / "tokenizer.json").write_text(json.dumps(whole))
    settings = {"tokenizer_class": "PreTrainedTokenizerFast", "eos_token": "<s>"}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    template = "{% for message in messages %}<s>{{ message['content'] }}{% endfor %}{% if add_generation_prompt %}?{% endif %}"
    (folder / "chat_template.jinja").write_text(template)
    return folder, names


def following_sum(path, vocabulary):
    """Returns a model whose most probable next token is one more than the sum of its input, modulo the vocabulary."""
    n = Network()
    n.input("input_ids", TensorProto.INT64, [1, "n"])
    one = n.vector([1], np.int64)
    sum_ = n.op("Add", n.op("ReduceSum", "input_ids", one), one)
    n.op("Gather", n.vector(np.eye(vocabulary), np.float32), n.op("Mod", sum_, n.vector(vocabulary, np.int64)), out="logits")
    # With a cache, so that a token is read once.
    past = n.input("past_key_values.0.key", TensorProto.FLOAT, [1, 1, "past", 1])
    rows = n.op("Cast", n.op("Reshape", "input_ids", n.vector([1, 1, -1, 1], np.int64)), to=TensorProto.FLOAT)
    n.op("Concat", past, rows, axis=2, out="present.0.key")
    n.save(path, "logits", "present.0.key")
    return path


def test_text_is_read_by_the_template_and_streamed(tokenizer, tmp_path):
    folder, names = tokenizer
    model = following_sum(tmp_path / "m.onnx", len(names))
    result = call(model, 'ab \u00e9 "\\', "--tokenizer", folder, "--tokens", 6)
    if "built without LINNET_WITH_TOKENIZER" in result.stderr:
        pytest.skip("the build under test has no tokenizer")
    read = [names.index(name) for name in ("<s>", "ab", "Ġ", "Ã", "©", "Ġ", '"', "\\", "?")]
    assert (sum(read) + 1) % len(names) == names.index("z")
    assert result.stdout == "z ab\u00e9"  # the sixth is the special one, which has no text
    assert "tokenizer: " in generate(model, "a", "--tokenizer", tmp_path / "absent", code=1)
