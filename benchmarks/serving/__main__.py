"""python benchmarks/serving MODEL.onnx... [--clients 1,2,4,8] [--seconds 1] [--rounds 5] [--starts 7] [--out PAGE.md]

Measures the tasks of a server with Linnet and with ONNX Runtime in one run: concurrent clients of one model, requests
of one size and of random batches and lengths, the first answer of a process, and memory. Models need open dims for the
random sizes. Tables are printed, or with --out written to a page.
"""

import argparse
import datetime
import importlib
import os
import pathlib
import statistics
import sys

os.environ["ORT_DISABLE_TELEMETRY"] = "1"
sys.path.insert(0, str(pathlib.Path(__file__).parent))

import engines  # noqa: E402
import measure  # noqa: E402
from feeds import BATCHES, LENGTHS, Requests  # noqa: E402

MEBI = 1 << 20
PAGE = """# Performance of serving

| Linnet over ONNX Runtime, geometric mean of {count} models | |
|---|---|
{summary}

Throughput above 1 and times and memory below 1 are in Linnet's favour. Measured: {date}, {processor}, {processors}
processors, Linnet {linnet}, ONNX Runtime {onnxruntime}, one thread for each run, with this command:

```sh
{command}
```

## Method

Before a model is timed, its outputs are compared. Each client is a thread of one Python process that waits for its answer
before it sends the next request. The engines take turns, {rounds} of {seconds:g} s each after one to warm up; throughput
is the median of the turns, p99 (the time that 99 of 100 requests stay below) is over all requests. Random sizes are
batches of 1 to {batch} and lengths of {shortest} to {longest}, the same 64 requests for both engines. A cold start is the
time from the start of a Python process to its first answer, the median of {starts}; it includes the imports of NumPy and
of the engine. A process with no engine imports NumPy and reads the request: no engine can start faster. Memory is
resident memory minus that of the process before it loads the engine: with the model loaded, after the first answer, after
1,000 requests of random sizes, and after the model is freed.

{tables}

Next: [Serving](serving.md) for servers and settings, [Performance](performance.md) for single runs.
"""


def ratio(ours, theirs):
    return f"{ours / theirs:.2f}"


def interval(texts):
    return " to ".join(sorted({min(texts, key=float), max(texts, key=float)}, key=float))


def table(head, rows):
    return "\n".join([f"| {' | '.join(head)} |", "|---" * len(head) + "|", *(f"| {' | '.join(row)} |" for row in rows)])


def client_table(models, counts, drawn, flags):
    """Returns the throughput and p99 of Linnet divided by those of ONNX Runtime."""
    rows, values = [], []
    for path in models:
        requests = Requests(path)
        runs = {name: engines.load(name, str(path)) for name in engines.NAMES}
        difference = measure.answers_agree(runs, requests.feeds())
        if difference > flags.tolerance:
            sys.exit(f"{path}: outputs differ by {difference:.1e} of their largest magnitude")
        cells, found = [], []
        for count in counts:
            by = measure.throughput(runs, requests, count, drawn=drawn, seconds=flags.seconds, rounds=flags.rounds)
            (rate, _, p99), (their_rate, _, their_p99) = by["linnet"], by["onnxruntime"]
            found += [rate / their_rate, p99 / their_p99]
            cells += [ratio(rate, their_rate), ratio(p99, their_p99)]
        rows.append([path.stem, *cells])
        values.append(found)
        print(" ".join(rows[-1]), file=sys.stderr, flush=True)
    means = [f"{statistics.geometric_mean(column):.2f}" for column in zip(*values)]
    head = ["model", *(text for count in counts for text in (f"{count} client{'s' * (count > 1)}: throughput", "p99"))]
    summary = f"throughput {interval(means[::2])}, p99 {interval(means[1::2])}"
    return table(head, [*rows, ["geometric mean", *means]]), summary


def start_table(models, flags):
    rows, values = [], []
    for path in models:
        seconds = measure.cold_start(path, Requests(path), flags.starts)
        none, theirs = seconds["none"], seconds["onnxruntime"]
        found = [seconds["linnet"] / theirs, seconds["cached"] / theirs,
                 (seconds["linnet"] - none) / (theirs - none), (seconds["cached"] - none) / (theirs - none)]  # fmt: skip
        values.append(found)
        rows.append([path.stem, f"{1e3 * none:.0f}", f"{1e3 * theirs:.0f}", *(f"{value:.2f}" for value in found)])
        print(" ".join(rows[-1]), file=sys.stderr, flush=True)
    means = [f"{statistics.geometric_mean(column):.2f}" for column in zip(*values)]
    head = ["model", "no engine, ms", "ONNX Runtime, ms", "Linnet over it", "with a cache", "less no engine", "with a cache"]
    summary = f"{means[0]}; with a cache {means[1]}; less what Python and NumPy take: {means[2]} and {means[3]}"
    return table(head, [*rows, ["geometric mean", "", "", *means]]), summary


def memory_table(models):
    rows, values = [], []
    for path in models:
        by = measure.memory("memory", path)
        values.append([ours / theirs for ours, theirs in zip(by["linnet"][:3], by["onnxruntime"])])
        rows.append([path.stem, *(f"{ours / MEBI:.0f} / {theirs / MEBI:.0f}" for ours, theirs in zip(*by.values()))])
        print(" ".join(rows[-1]), file=sys.stderr, flush=True)
    if len(models) > 1:
        by = measure.memory("many", *models)
        loaded, asked, freed = (f"{ours / MEBI:.0f} / {theirs / MEBI:.0f}" for ours, theirs in zip(*by.values()))
        rows.append([f"all {len(models)} in one process", loaded, asked, "", freed])
    means = [f"{statistics.geometric_mean(column):.2f}" for column in zip(*values)]
    head = ["model", "Linnet / ONNX Runtime, MiB: loaded", "first answer", "1,000 requests", "freed"]
    return table(head, [*rows, ["geometric mean", *means, ""]]), f"{means[1]} after one request, {means[2]} after 1,000"


def processor():
    lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    name, family, model = (next(line.split(":", 1)[1].strip() for line in lines if line.startswith(f"{key}\t"))
                           for key in ("model name", "cpu family", "model"))  # fmt: skip
    return f"{name} (family {family}, model {model})"


def version(module):
    return importlib.import_module(module).__version__


def command():
    """Returns the command as it was typed, without the folders of models and of the page."""
    flags = [pathlib.Path(text).name if "/" in text else text for text in sys.argv[1:]]
    return f"python benchmarks/serving {' '.join(flags)}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+", metavar="MODEL.onnx", type=pathlib.Path)
    parser.add_argument("--clients", type=lambda text: [int(n) for n in text.split(",")], default=[1, 2, 4, 8])
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--starts", type=int, default=7, help="cold starts of each model")
    parser.add_argument("--tolerance", type=float, default=1e-2)
    parser.add_argument("--out", type=pathlib.Path)
    flags = parser.parse_args()
    parts = [
        ("Clients with requests of one size", lambda: client_table(flags.models, flags.clients, False, flags)),
        ("Clients with requests of random batches and lengths", lambda: client_table(flags.models, flags.clients, True, flags)),
        ("Time from the start of a process to its first answer", lambda: start_table(flags.models, flags)),
        ("Resident memory", lambda: memory_table(flags.models)),
    ]  # fmt: skip
    made = [(title, *make()) for title, make in parts]
    text = PAGE.format(count=len(flags.models), linnet=version("linnet"), onnxruntime=version("onnxruntime"),
                       date=datetime.date.today(), processor=processor(), processors=os.cpu_count(), command=command(),
                       rounds=flags.rounds, starts=flags.starts, seconds=flags.seconds, batch=BATCHES[-1], shortest=LENGTHS[0], longest=LENGTHS[-1],
                       summary="\n".join(f"| {title} | {summary} |" for title, _, summary in made),
                       tables="\n\n".join(f"## {title}\n\n{body}" for title, body, _ in made))  # fmt: skip
    if flags.out:
        flags.out.write_text(text)
    else:
        print(text)


if __name__ == "__main__":
    main()
