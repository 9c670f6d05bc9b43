"""The locations of what the Python tests test, and of the data that they test it with."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# The build under test.
BUILD = Path(os.environ.get("LINNET_BUILD", ROOT / "build")).absolute()
RUN_MODEL = Path(os.environ.get("LINNET_RUN_MODEL", BUILD / "bin" / "run_model")).absolute()
# Models with trained weights, which are outside of the project. Their tests are skipped if they are missing.
REAL_MODELS = Path(os.environ.get("LINNET_SHARED_MODELS", ROOT.parent / "shared" / "models"))
