"""Fixtures for the tests of the backend suite. The command is the one that LINNET_RUN_MODEL names."""

import os

import pytest
from backend_suite import write_suite


@pytest.fixture(scope="session")
def run_model():
    """The command."""
    binary = os.environ.get("LINNET_RUN_MODEL")
    if not binary:
        pytest.skip("LINNET_RUN_MODEL does not name the run_model command")
    return binary


@pytest.fixture(scope="session")
def suite_folder(tmp_path_factory):
    """The folder with all cases."""
    folder = tmp_path_factory.mktemp("suite")
    write_suite(folder)
    return folder
