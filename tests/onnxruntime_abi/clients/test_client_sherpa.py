"""sherpa-onnx: voices and words are the same with both libraries."""

import pytest
from speech_models import write_detector, write_recogniser, write_tokens

CLIENT = {"name": "sherpa", "packages": ["sherpa-onnx", "numpy"], "script": "run_sherpa.py", "way": "preload"}


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    folder = tmp_path_factory.mktemp("speech")
    return (
        write_detector(folder / "detector.onnx"),
        write_recogniser(folder / "recogniser.onnx"),
        write_tokens(folder / "tokens.txt"),
    )


@pytest.mark.parametrize("threads", [1, 2])
def test_speech_does_not_depend_on_the_library(client, models, threads, tmp_path):
    expected, found = client.both(tmp_path, *models, threads)
    assert len(expected["voices"]) == 2
    assert all(text for text, _, _ in expected["words"])
    assert found == expected
