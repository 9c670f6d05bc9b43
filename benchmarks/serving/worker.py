"""A process of one engine: worker.py ENGINE cold MODEL [CACHE] | memory MODEL | many MODEL...; prints JSON.

cold: seconds from the start of the process to the first answer. ENGINE none has no answer: NumPy reads the request.
memory: resident bytes before the engine is loaded, after the model is loaded, after the first answer, after 1,000
requests of random sizes, and after the model is freed.
many: the same for several models, which are loaded one after the other and run once, and after they are freed.
"""

import gc
import json
import os
import pathlib
import sys
import time

REQUESTS = 1000


def since_start():
    """Returns the seconds since the process began."""
    started = int(pathlib.Path("/proc/self/stat").read_text().rsplit(")", 1)[1].split()[19]) / os.sysconf("SC_CLK_TCK")
    return time.clock_gettime(time.CLOCK_BOOTTIME) - started


def resident():
    return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def cold(engine, feeds_of, path, cache=None):
    feeds = feeds_of(path)
    if engine != "none":
        import engines

        engines.load(engine, path, cache)(feeds)
    return since_start()


def memory(engine, path):
    import engines
    from feeds import Requests

    requests = Requests(path)
    feeds = [requests.drawn() for _ in range(64)]
    found = [resident()]
    run = engines.load(engine, path)
    found.append(resident())
    run(requests.feeds())
    found.append(resident())
    for i in range(REQUESTS):
        run(feeds[i % len(feeds)])
    found.append(resident())
    del run
    gc.collect()
    found.append(resident())
    return found


def many(engine, *paths):
    import engines
    from feeds import Requests

    feeds = [Requests(path).feeds() for path in paths]
    found, loaded = [resident()], []
    for path in paths:
        loaded.append(engines.load(engine, path))
    found.append(resident())
    for run, values in zip(loaded, feeds):
        run(values)
    found.append(resident())
    del run
    loaded.clear()
    gc.collect()
    found.append(resident())
    return found


def saved_feeds(path):
    """Returns the request that the parent wrote, so that generating it takes no time here."""
    import numpy as np

    return dict(np.load(os.environ["SERVING_REQUEST"]))


if __name__ == "__main__":
    engine, task, *rest = sys.argv[1:]
    result = cold(engine, saved_feeds, *rest) if task == "cold" else {"memory": memory, "many": many}[task](engine, *rest)
    print(json.dumps(result))
