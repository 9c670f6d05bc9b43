"""Where the Python tests find what they test, and what they test it with."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# The build under test.
BUILD = Path(os.environ.get("LINNET_BUILD", ROOT / "build")).absolute()
RUN_MODEL = Path(os.environ.get("LINNET_RUN_MODEL", BUILD / "bin" / "run_model")).absolute()
# Models with trained weights, kept outside the project; tests of those that are not there skip.
REAL_MODELS = Path(os.environ.get("LINNET_SHARED_MODELS", ROOT.parent / "shared" / "models"))
