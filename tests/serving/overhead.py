"""python tests/serving/overhead.py [SERVER...]: prints the table of docs/serving.md, for all servers or for the given
ones.

One client requests one row at a time, then eight clients do. For comparison, the same call of a session is measured in
this process.
"""

import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

import linnet  # noqa: E402
import numpy as np  # noqa: E402
from served_models import ROWS, save_rows_model  # noqa: E402
from servers import SERVERS, ask_at_once, running  # noqa: E402

REQUESTS = 400
RUNS = "nv_inference_exec_count_total"


def milliseconds(call, requests):
    """Returns the tenth percentile of the calls, which hardly depends on other load of the machine."""
    times = []
    for request in requests:
        begin = time.perf_counter()
        call(request)
        times.append((time.perf_counter() - begin) * 1e3)
    return statistics.quantiles(times, n=10)[0]


def processor_seconds(processes):
    fields = [(process / "stat").read_text().rsplit(")", 1)[1].split() for process in processes]
    return sum(int(user) + int(system) for user, system in (line[11:13] for line in fields)) / os.sysconf("SC_CLK_TCK")


def measure(running, requests, alone):
    """Prints the server's row: milliseconds of one client's request; with eight clients, milliseconds of processor time
    per request, and rows per batch."""
    ask_at_once(running, requests[:80])
    one = milliseconds(running.client().ask, requests)
    used, runs = processor_seconds(running.left()), running.metrics()[RUNS]
    ask_at_once(running, requests)
    used, runs = processor_seconds(running.left()) - used, running.metrics()[RUNS] - runs
    print(f"| {running.server.packages} | {one:.1f} | {one - alone:.1f} | {used / len(requests) * 1e3:.1f} | {len(requests) / runs:.1f} |",
          flush=True)  # fmt: skip


def main(names):
    requests = [{"x": x} for x in np.random.default_rng(2).standard_normal((REQUESTS, ROWS)).astype(np.float32)]
    with tempfile.TemporaryDirectory(prefix="linnet-") as folder:
        model = save_rows_model(Path(folder) / "rows.onnx")
        with linnet.Session(model, threads=1, batch_invariant=True) as session:
            alone = milliseconds(lambda request: session.run({"x": request["x"][None]}), requests)
        print(f"the call: {alone:.2f} ms; load: {os.getloadavg()[0]:.1f}")
        for server in SERVERS:
            if not names or server.name in names:
                with running(server, model) as found:
                    measure(found, requests, alone)


if __name__ == "__main__":
    main(sys.argv[1:])
