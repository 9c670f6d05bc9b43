"""Runs models with onnxruntime-extensions' operators on a library. Arguments: how to register, and names of cases."""

import ctypes
import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parents[1] / "support")]

from onnxruntime_extensions import get_library_path  # noqa: E402
from report import report  # noqa: E402
from session_support import Ort  # noqa: E402
from table import Failed, Library  # noqa: E402


def register(api, options, how):
    path = get_library_path().encode()
    if how == "library":
        api.RegisterCustomOpsLibrary(options, path)
    elif how == "kept":
        api.RegisterCustomOpsLibrary_V2(options, path)
    else:
        ctypes.CDLL(path.decode(), ctypes.RTLD_GLOBAL)
        api.RegisterCustomOpsUsingFunction(options, b"RegisterCustomOps")


def run_case(ort, options, contents, feeds, names):
    """Returns the outputs as lists, or the code and the text of the failure."""
    try:
        return [[list(a.shape), a.tolist()] for a in ort.run(ort.session(contents, options), feeds, *names)]
    except Failed as failure:
        return [failure.code, failure.text]


def main(how, *cases):
    from extension_models import CASES, case_model

    api = Library(os.environ["LINNET_TEST_LIBRARY"]).api()
    ort = Ort(api, api.CreateEnv(4, b"tests"))
    options = ort.options()
    register(api, options, how)
    results = {case: run_case(ort, options, *case_model(case)) for case in cases or CASES}
    ort.close()
    report(results)


if __name__ == "__main__":
    main(*sys.argv[1:])
