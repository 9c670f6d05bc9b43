"""moonshine-voice: its voice detector, and models in ONNX Runtime's file format with random weights."""

import pytest
from libraries import load
from session_support import Ort
from transcriber_models import write_models

CLIENT = {"name": "moonshine", "packages": ["moonshine-voice", "numpy"], "script": "run_moonshine.py", "way": "preload"}


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """Returns the models, written with the original library."""
    library, reason = load("onnxruntime")
    if library is None:
        pytest.skip(reason)
    ort = Ort(library.api(), library.api().CreateEnv(4, b"tests"))
    yield write_models(ort, tmp_path_factory.mktemp("moonshine"))
    ort.close()


def test_transcripts_do_not_depend_on_the_library(client, models, tmp_path):
    expected, found = client.both(tmp_path, models, 6)
    assert expected[0] and all(text for text, _, _ in expected[0])
    assert found == expected
