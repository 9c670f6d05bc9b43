"""python benchmarks/operators [flags]; --help describes it."""

import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "compare"))

import machine  # noqa: E402
import options  # noqa: E402
import page  # noqa: E402
import roof  # noqa: E402
from cases import CASES  # noqa: E402
from engines import cores, launcher  # noqa: E402
from node_model import describe  # noqa: E402
from engine_pair import VERSIONS  # noqa: E402

KEY = ("case", "size", "threads", "isa")


class Worker:
    """A process that measures. If it ends, a new one replaces it."""

    def __init__(self, threads, flags):
        setup = {name: getattr(flags, name) for name in ("rounds", "seconds", "repeats")}
        setup |= {"threads": threads, "processors": cores()[:threads]}
        self.command, self.environment = launcher([sys.executable, HERE / "worker.py", json.dumps(setup)], threads)
        self.environment |= {"OPENBLAS_NUM_THREADS": "1", "LINNET_ISA": flags.isa}
        self.process = None

    def start(self):
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self.process = subprocess.Popen(self.command, text=True, env=self.environment, **pipes)

    def ask(self, request):
        if self.process is None:
            self.start()
        print(request, file=self.process.stdin, flush=True)
        line = self.process.stdout.readline()
        if line:
            return json.loads(line)
        code, self.process = self.process.wait(), None
        return {"problem": f"the process ended with code {code}"}

    def close(self):
        if self.process:
            self.process.stdin.close()
            self.process.wait()


def chosen(flags):
    """Returns (index, case, name) of the cases that the flags select."""
    named = ((i, case, describe(case)) for i, case in enumerate(CASES))
    sizes = flags.size or options.SIZES
    return [(i, case, name) for i, case, name in named if case.size in sizes and flags.filter.search(name)]


def load(path):
    """Returns earlier results, or empty ones."""
    if path and pathlib.Path(path).exists():
        return json.loads(pathlib.Path(path).read_text())
    return {"machine": machine.describe() | {"versions": VERSIONS}, "roofs": {}, "rows": []}


def save(result, path):
    if path:
        pathlib.Path(path).write_text(json.dumps(result, indent=1) + "\n")


def add(result, row):
    """Replaces an older row of the same case."""
    key = [row[name] for name in KEY]
    result["rows"] = [old for old in result["rows"] if [old[name] for name in KEY] != key] + [row]


def with_percent(row, roofs):
    """Adds the percentage of the machine's capability, in time."""
    if "problem" in row:
        return row
    least = roof.least_seconds(roofs[str(row["threads"])], row["bytes"], row["operations"], row["dtype"])
    return row | {"percent": 100 * 1e6 * least / row["linnet_us"]}


def improve(result, threads, found):
    """Recomputes earlier rows with the better measurement of the machine."""
    result["roofs"][str(threads)] = roof.best(result["roofs"].get(str(threads), found), found)
    result["rows"] = [with_percent(row, result["roofs"]) for row in result["rows"]]


def sweep(flags, result):
    """Measures the chosen cases with each number of threads. Returns the rows that it adds."""
    rows, result["options"] = [], {"rounds": flags.rounds, "seconds": flags.seconds}
    for threads in flags.threads:
        worker = Worker(threads, flags)
        improve(result, threads, worker.ask("roof"))
        for i, case, name in chosen(flags):
            row = {"case": name, "size": case.size, "threads": threads, "isa": flags.isa,
                   "operator": case.operator, "group": case.group}  # fmt: skip
            rows.append(with_percent(row | worker.ask(i), result["roofs"]))
            add(result, rows[-1])
            print(page.line(rows[-1]), flush=True)
            if len(rows) % 20 == 0:
                save(result, flags.json)
        worker.close()
    save(result, flags.json)
    return rows


def main():
    flags = options.parse()
    if flags.list:
        for _, case, name in chosen(flags):
            print(f"{case.size:6} {name}")
        return 0
    result = load(flags.json)
    rows = sweep(flags, result) if flags.measure else result["rows"]
    if flags.report:
        page.write(flags.report, result)
    print(page.totals(rows), page.slowest(rows, flags.slowest), page.problems(rows), sep="\n")
    return any("problem" in row for row in rows)


if __name__ == "__main__":
    sys.exit(main())
