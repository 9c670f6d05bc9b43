"""The command under test is the one that LINNET_RUN_MODEL names."""

import os

import pytest


@pytest.fixture(scope="session")
def run_model():
    binary = os.environ.get("LINNET_RUN_MODEL")
    if not binary:
        pytest.skip("LINNET_RUN_MODEL does not name the run_model command")
    return binary
