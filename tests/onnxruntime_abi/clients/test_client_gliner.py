"""gliner-cpp: entities are the same with both libraries."""

from entity_model import write_model, write_tokenizer

CLIENT = {"name": "gliner", "packages": ["gliner-cpp", "numpy"], "script": "run_gliner.py", "way": "preload"}


def test_entities_do_not_depend_on_the_library(client, tmp_path):
    expected, found = client.both(
        tmp_path, write_model(tmp_path / "m.onnx"), write_tokenizer(tmp_path / "tokenizer.json")
    )
    assert expected[0][0]
    assert found == expected
