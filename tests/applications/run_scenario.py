"""run_scenario.py NAME FOLDER OUT: writes the results of the scenario to OUT, pickled. Without OUT, prepares FOLDER."""

import importlib
import pickle
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "scenarios"))
scenario = importlib.import_module(sys.argv[1])
folder = Path(sys.argv[2])
if len(sys.argv) == 3:
    scenario.prepare(folder)
else:
    begin = time.monotonic()
    found = scenario.results(folder)
    seconds = time.monotonic() - begin
    version = getattr(sys.modules["onnxruntime"], "linnet_version", None)
    Path(sys.argv[3]).write_bytes(pickle.dumps((version, seconds, found)))
