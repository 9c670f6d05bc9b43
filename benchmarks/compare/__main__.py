"""python benchmarks/compare MODEL... [flags]; --help describes it."""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # for the canary

import itertools  # noqa: E402
import json  # noqa: E402
import pathlib  # noqa: E402
import shutil  # noqa: E402
import sys  # noqa: E402

import machine  # noqa: E402
import options  # noqa: E402
import report  # noqa: E402
import tables  # noqa: E402
from canary import Canary, Watch  # noqa: E402
from case import Case  # noqa: E402
from engines import HERE, TITLES, Linnet, Peer, Problem, Setup, cores  # noqa: E402
from measure import measure  # noqa: E402


def make_engines(names):
    """Returns Linnet and the other engines that are installed."""
    program = os.environ.get("LINNET_RUN_MODEL", str(HERE.parent.parent / "build/bin/run_model"))
    if not shutil.which(program):
        sys.exit(f"there is no program {program}; LINNET_RUN_MODEL names the command run_model")
    engines = [Linnet(program)]
    for name in names:
        try:
            engines.append(Peer(name))
        except Problem as problem:
            print(f"without {TITLES.get(name, name)}: {problem}", file=sys.stderr)
    return engines


def prepare(engines, case):
    """Returns the engines that support the model, and the problems of the others by name."""
    ready, problems = [], {}
    for engine in engines:
        try:
            engine.prepare(case)
            ready.append(engine)
        except Problem as problem:
            problems[engine.name] = {"problem": str(problem)}
    return ready, problems


def name_of(path):
    """Returns the name of the file, or of its folder if the file is called model.onnx."""
    return path.resolve().parent.name if path.stem == "model" else path.stem


def rows_of(model, batch, engines, canaries, flags):
    """Measures a model with one batch size. Yields a row for each number of threads and instruction set."""
    row = {"model": name_of(pathlib.Path(model)), "batch": batch}
    setups = [Setup(threads, batch, isa) for threads, isa in itertools.product(flags.threads, flags.isa)]
    try:
        case = Case(model, batch, dict(flags.dim), dict(flags.value), flags.quantized)
    except Problem as problem:
        yield from (row | {"threads": s.threads, "isa": s.isa, "problem": str(problem)} for s in setups)
        return
    ready, problems = prepare(engines, case)
    for setup in setups:
        try:
            result = measure(ready, case, setup, flags, Watch(canaries[setup.threads], flags.repeats))
        except Problem as problem:
            result = {"problem": str(problem)}
        result.get("engines", {}).update(problems)
        yield row | {"threads": setup.threads, "isa": setup.isa} | result


def key_of(row):
    return row["model"], *tables.configuration(row)


def load(path, description):
    """Returns earlier results, or empty ones. If a description is given, they must be of the same machine and
    versions."""
    if not path or not pathlib.Path(path).exists():
        return {"machine": description, "options": {}, "rows": []}
    result = json.loads(pathlib.Path(path).read_text())
    then, versions = result["machine"], description.get("versions", {})
    lasting = {name: value for name, value in description.items() if name != "date"}
    if then | lasting | {"versions": versions | then["versions"]} != then | {"versions": then["versions"] | versions}:
        sys.exit(f"{path} holds results of another machine or other versions")
    then["versions"] |= versions
    return result


def compare(flags):
    """Measures the models and saves the results after each row."""
    if not flags.models:
        return load(flags.json, {})
    engines = make_engines(flags.engines)
    result = load(flags.json, machine.describe() | {"versions": {engine.name: engine.version for engine in engines}})
    result["options"] = {name: getattr(flags, name) for name in ("rounds", "seconds", "repeats", "quantized")}
    result["bare_mib"] = result.get("bare_mib", {}) | {engine.name: engine.bare_mib for engine in engines}
    canaries = {threads: Canary(cores()[:threads]) for threads in flags.threads}
    for model, batch in itertools.product(flags.models, flags.batch):
        for row in rows_of(model, batch, engines, canaries, flags):
            add(row, result, flags.json)
    return result


def add(row, result, path):
    """Prints a row and saves the result with it. The row replaces an older one of the same model and configuration."""
    result["rows"] = [old for old in result["rows"] if key_of(old) != key_of(row)] + [row]
    print(tables.time_table([row]) if "engines" in row else tables.problems([row]), flush=True)
    if path:
        pathlib.Path(path).write_text(json.dumps(result, indent=1) + "\n")


def main():
    flags = options.parse()
    result = compare(flags)
    if flags.report:
        report.write(flags.report, result)
    print(tables.totals_table(result["rows"]), tables.problems(result["rows"]), sep="\n")
    wrong = [row for row in result["rows"] if "problem" in row and row["problem"] != "the batch is fixed"]
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
