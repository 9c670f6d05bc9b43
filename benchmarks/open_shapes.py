"""Loading and the first run of hostile models with open dims, compared with the same models with numbers instead.

python benchmarks/open_shapes.py [NODES] [FORM...]: of so many nodes (2,000), and of twice as many.
"""

import statistics
import sys
import time
from pathlib import Path

sys.path += [str(Path(__file__).resolve().parents[1] / "tests" / folder) for folder in ("hostile", "support")]

import linnet_of_build  # noqa: E402, F401
import linnet  # noqa: E402
import open_forms  # noqa: E402

ROUNDS = 5


def times_of(model, feeds):
    """Milliseconds of the processor for loading and for the first run."""
    begin = time.process_time()
    session = linnet.Session(model, threads=1)
    loaded = time.process_time()
    session.run(feeds)
    return 1e3 * (loaded - begin), 1e3 * (time.process_time() - loaded)


def medians(models, feeds):
    """Of each model, measured by turns."""
    measured = [[times_of(model, feeds) for model in models] for _ in range(ROUNDS)]
    return [[statistics.median(times) for times in zip(*rounds)] for rounds in zip(*measured)]


def main(arguments):
    count = int(arguments[0]) if arguments else 2000
    print(f"{'form':12} {'nodes':>6}   open: load, run [ms]   numbers: load, run [ms]   ratio")
    for form in open_forms.FORMS:
        if len(arguments) > 1 and form.__name__ not in arguments[1:]:
            continue
        for nodes in (count, 2 * count):
            made, outputs = form(nodes)
            models = [made.model(outputs, is_open).SerializeToString() for is_open in (True, False)]
            (load, run), (known_load, known_run) = medians(models, made.feeds())
            ratio = (load + run) / (known_load + known_run)
            print(f"{form.__name__:12} {nodes:6} {load:12.1f} {run:9.1f} {known_load:14.1f} {known_run:9.1f} {ratio:12.2f}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
