"""onnxruntime-genai: a small decoder generates the same tokens as with ONNX Runtime's library."""

import json

import pytest
from decoder_model import write_decoder

CLIENT = {"name": "genai", "packages": ["onnxruntime==1.32.0", "onnxruntime-genai", "numpy"], "script": "run_genai.py",
          "way": "package"}  # fmt: skip
ONE, TWO = [[3, 9, 4, 7, 11]], [[3, 9, 4, 7, 11], [80, 1, 1, 33, 5]]
GREEDY = {"max_length": 40}
SAMPLED = {"max_length": 40, "do_sample": True, "top_k": 20, "top_p": 0.9, "temperature": 1.3, "random_seed": 7}
SEARCHES = {"greedy": GREEDY, "sampled": SAMPLED, "repeated": {**GREEDY, "repetition_penalty": 1.2},
            "beams": {**GREEDY, "num_beams": 3}}  # fmt: skip


@pytest.fixture(scope="module", params=[True, False], ids=["shared", "separate"])
def decoder(request, tmp_path_factory):
    return write_decoder(tmp_path_factory.mktemp("genai") / "model", request.param)


@pytest.mark.parametrize("prompts", [ONE, TWO], ids=["one", "two"])
@pytest.mark.parametrize("search", SEARCHES)
def test_tokens_do_not_depend_on_the_library(client, decoder, prompts, search, tmp_path):
    if (
        search == "beams"
        and json.loads((decoder / "genai_config.json").read_text())["search"]["past_present_share_buffer"]
    ):
        pytest.skip("onnxruntime-genai has separate caches for beams")
    expected, found = client.both(tmp_path, decoder, json.dumps(prompts), json.dumps(SEARCHES[search]), 2)
    assert found == expected
    assert len(expected[0]) == len(prompts) and all(len(sequence) > 6 for sequence in expected[0])


@pytest.mark.parametrize("options", [
    {"intra_op_num_threads": 2, "inter_op_num_threads": 1}, {"enable_cpu_mem_arena": False, "enable_mem_pattern": False},
    {"log_severity_level": 3, "graph_optimization_level": "ORT_ENABLE_BASIC", "session.intra_op.allow_spinning": "0"}],
    ids=["threads", "memory", "others"])  # fmt: skip
def test_options_of_sessions(client, options, tmp_path):
    decoder = write_decoder(tmp_path / "model", True, **options)
    expected, found = client.both(tmp_path, decoder, json.dumps(ONE), json.dumps(GREEDY), 1)
    assert found == expected
