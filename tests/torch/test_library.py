"""Tests the libraries that pip built next to the package."""

from pathlib import Path

import linnet_torch
import pytest
from linnet_torch import library


def test_libraries_beside_the_package_load():
    if not (Path(linnet_torch.__file__).parent / "liblinnet_torch_ops.so").is_file():
        pytest.skip("pip installed no libraries")
    library.require()
    library.exporter()
