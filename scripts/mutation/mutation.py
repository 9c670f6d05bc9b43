#!/usr/bin/env python3
"""Inserts small faults into the code, one at a time, and reports those that no test detects.

usage: mutation.py BUILD [PATH...] [--count 200] [--seed 1] [--results FILE] [--again | --table]

Works on the tree that contains it, and restores all files. BUILD is a build configured with LINNET_BUILD_TESTS and
-DLINNET_UNITY=OFF, so that a fault requires compiling one file. PATH is a file or folder; the default is engine and
ops. The results, one JSON object per fault, are appended to FILE. Faults that FILE contains are skipped, so an
interrupted run can be continued. --again repeats the faults of FILE that no test detected. --table only writes FILE as
a table to docs/conformance.md. equivalent.json lists faults without an effect that a test could detect, each with the
reason. They are counted separately.
"""

import argparse
import collections
import dataclasses
import json
import os
import re
import subprocess
import sys
from pathlib import Path

from faults import Fault, draw, plant

ROOT = Path(__file__).resolve().parents[2]
EQUIVALENT = Path(__file__).with_name("equivalent.json")
PAGE = ROOT / "docs" / "conformance.md"
BEGIN, END = "<!-- mutation.py: begin -->\n", "<!-- mutation.py: end -->\n"
PYTHON = ROOT / ".venv" / "bin" / "python"
SECONDS = 900


def passes(command):
    """Whether the command succeeds within the time limit."""
    environment = os.environ | {"OMP_NUM_THREADS": "2"}
    try:
        result = subprocess.run(command, cwd=ROOT, capture_output=True, timeout=SECONDS, env=environment)
    except subprocess.TimeoutExpired:
        return False
    return result.returncode == 0


def near_tests(path):
    """Returns gtest's filter for the tests of the folder that mirrors the file's, and of files with similar names."""
    source, suites = Path(path), set()
    tests = list((ROOT / "tests" / source.parent).rglob("*_test.cc"))
    tests += (ROOT / "tests").rglob(f"{source.name.split('.')[0]}*_test.cc")
    for test in tests:
        suites.update(re.findall(r"^TEST(?:_[FP])?\((\w+),", test.read_text(), re.MULTILINE))
    return ":".join(f"*{suite}.*" for suite in sorted(suites))


def operators(path):
    """Returns the operators that the file registers."""
    text = (ROOT / path).read_text()
    expanded = re.findall(r'add_expanded<\w+>\(registry, "(\w+)", {\.domain = kMicrosoft', text)
    return sorted({*re.findall(r'registry\.add(?:<\w+>)?\("(\w+)"', text), *(f"com.microsoft.{n}" for n in expanded)})


class Judge:
    def __init__(self, build):
        self.build = Path(build).resolve()
        self.unit = self.build / "bin" / "linnet_tests"

    def compiles(self):
        return passes(["cmake", "--build", self.build, "--target", "linnet_tests", "run_model", "-j", "2"])

    def verdict(self, path):
        """Returns the first of these tests that fails, or `None` if all pass."""
        near = near_tests(path)
        unit = [self.unit, "--gtest_brief=1", "--gtest_fail_fast"]
        run_model = self.build / "bin" / "run_model"
        survey = [PYTHON, ROOT / "tests" / "differential" / "survey.py", run_model, *operators(path)]
        tests = [("unit test of the folder", [*unit, f"--gtest_filter={near}"] if near else None)]
        tests += [("unit test elsewhere", [*unit, f"--gtest_filter=-{near}"])]
        tests += [("ONNX suite", [PYTHON, "-m", "pytest", "-q", "-x", ROOT / "tests" / "onnx_backend"])]
        tests += [("survey", survey if operators(path) else None)]
        return next((name for name, command in tests if command and not passes(command)), None)


def seen_by(judge, fault):
    original = plant(ROOT, fault)
    try:
        return judge.verdict(fault.path) if judge.compiles() else "compiler"
    finally:
        (ROOT / fault.path).write_text(original)


def known_results(path):
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def again(judge, path):
    """Repeats the faults that no test detected, if their lines still exist, and records which tests detect them now."""
    results = known_results(path)
    for result in results:
        fault = Fault(**{field.name: result[field.name] for field in dataclasses.fields(Fault)})
        if result["seen_by"] is None and not is_equivalent(result):
            moved = located(fault)
            result["seen_by"] = seen_by(judge, moved) if moved else "code is gone"
            print(f"{result['seen_by'] or 'NOT SEEN'}: {fault.path}:{fault.line}: {fault.after}", flush=True)
            path.write_text("".join(json.dumps(entry) + "\n" for entry in results))


def located(fault):
    """Returns the fault at the line with its text that is nearest to its former place, or `None` if there is no such
    line."""
    lines = (ROOT / fault.path).read_text().splitlines()
    found = [number for number, line in enumerate(lines, 1) if line.strip() == fault.before]
    nearest = min(found, key=lambda number: abs(number - fault.line), default=None)
    return nearest and dataclasses.replace(fault, line=nearest)


def is_equivalent(result):
    keys = ("path", "before", "after")
    return any(all(entry[key] == result[key] for key in keys) for entry in json.loads(EQUIVALENT.read_text()))


def room(path):
    return "/".join(path.split("/")[:2])


def table(results):
    counted = [r for r in results if r["seen_by"] not in ("compiler", "code is gone")]
    rooms = collections.defaultdict(list)
    for result in counted:
        seen = result["seen_by"] or ("changes nothing" if is_equivalent(result) else "no test")
        rooms[room(result["path"])].append(seen)
    rows = [*sorted(rooms.items()), ("all", [seen for found in rooms.values() for seen in found])]
    names = ("unit test of the folder", "unit test elsewhere", "ONNX suite", "survey", "no test", "changes nothing")
    lines = ["Each result is the first test that fails; a fault at which the build fails counts for nothing.", ""]
    lines += [f"| folder | faults | {' | '.join(names)} |", "|---" * (2 + len(names)) + "|"]
    for name, seen in rows:
        lines.append(f"| {name} | {len(seen)} | " + " | ".join(str(seen.count(n)) for n in names) + " |")
    every = rows[-1][1]
    real = len(every) - every.count("changes nothing")
    unseen = [r for r in counted if r["seen_by"] is None and not is_equivalent(r)]
    lines += ["", f"Of {real} that change something, {100 * (1 - len(unseen) / max(1, real)):.0f} % are seen."]
    lines += ["Those that no test sees:", ""] if unseen else []
    lines += [f"- {r['path']}: `{r['before']}` as `{r['after']}`" for r in unseen]
    return "\n".join(lines) + "\n"


def write_table(results):
    before, rest = PAGE.read_text().split(BEGIN)
    PAGE.write_text(before + BEGIN + "\n" + table(results) + "\n" + END + rest.split(END)[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("paths", nargs="*", default=["engine", "ops"])
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--results", type=Path, default=Path("mutation.jsonl"))
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--table", action="store_true")
    options = parser.parse_intermixed_args()
    results = known_results(options.results)
    if options.table:
        return write_table(results)
    keys = {(r["path"], r["line"], r["after"]) for r in results}
    judge = Judge(options.build)
    if not judge.compiles():
        sys.exit("the build fails without a fault")
    if options.again:
        return again(judge, options.results)
    for fault in draw(ROOT, options.paths, options.count, options.seed):
        if (fault.path, fault.line, fault.after) in keys or is_equivalent(dataclasses.asdict(fault)):
            continue
        seen = seen_by(judge, fault)
        print(f"{seen or 'NOT SEEN'}: {fault.path}:{fault.line}: {fault.after}", flush=True)
        with options.results.open("a") as out:
            out.write(json.dumps(dataclasses.asdict(fault) | {"seen_by": seen}) + "\n")


if __name__ == "__main__":
    main()
