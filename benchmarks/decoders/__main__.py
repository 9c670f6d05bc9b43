"""Compares steps of decoders in Linnet, with states, and in ONNX Runtime, with bound values, alternating in one process
per model.

A step computes the logits of one token after past ones. Outputs are compared before anything is timed. Needs Linnet's
Python package (PYTHONPATH=build/python) and the packages numpy, onnx and onnxruntime; benchmarks/decoder_models.py and
benchmarks/microsoft_decoders.py write models. Allocations are counted if run_model is in build/bin or LINNET_RUN_MODEL.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "compare"))

import allocations  # noqa: E402
import machine  # noqa: E402
import table  # noqa: E402
from engines import cores, launcher  # noqa: E402


def parse():
    parser = argparse.ArgumentParser(prog="benchmarks/decoders", description=__doc__)
    parser.add_argument("models", nargs="+", type=pathlib.Path, metavar="MODEL.onnx")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--past", type=lambda text: [int(n) for n in text.split(",")], default=[32, 1024], metavar="N,...")
    parser.add_argument("--steps", type=int, default=16, help="of each block (16)")
    parser.add_argument("--rounds", type=int, default=6, help="blocks of each engine (6)")
    parser.add_argument("--soak", type=int, default=1000, help="steps after the longest past in which memory is watched (1000)")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="written after every model")
    flags = parser.parse_args()
    if flags.threads > len(cores()):
        parser.error(f"there are {len(cores())} cores for {flags.threads} threads")
    return flags


def measure(model, flags):
    """Returns the rows of a model, one for each length of the past."""
    job = {"model": str(model), "lengths": flags.past}
    job |= {name: getattr(flags, name) for name in ("threads", "steps", "rounds", "soak")}
    command, environment = launcher([sys.executable, HERE / "worker.py", json.dumps(job)], flags.threads)
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, env=environment)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    if done.returncode:
        rows.append({"problem": f"the process ended with code {done.returncode}"})
    return [{"model": model.stem, "threads": flags.threads} | row for row in rows]


def main():
    flags = parse()
    result = {"machine": machine.describe(), "rows": []}
    program = os.environ.get("LINNET_RUN_MODEL", str(HERE.parents[1] / "build" / "bin" / "run_model"))
    for model in flags.models:
        rows = measure(model, flags)
        if flags.soak and pathlib.Path(program).exists():
            rows[-1]["allocations"] = allocations.per_step(program, model, max(flags.past), flags.soak)
        result["rows"] += rows
        print(table.lines(rows, heading=model == flags.models[0]), flush=True)
        if flags.json:
            flags.json.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
