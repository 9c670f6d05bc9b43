"""Runs the same bindings in random orders, from four contexts at once, with and without cached plans. The bits must be
equal.

python play_orders.py 10000 plays this many games with random models, half of them of integers, half of floats.
python play_orders.py MODEL... plays with files, whose open dims have sizes of 0 to 13, or those in the arguments:
H=32,64 or M=P+T.
"""

import random
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

if __name__ == "__main__":
    sys.path.append(str(Path(__file__).resolve().parents[1] / "support"))

import drawn_integers
import drawn_networks
import linnet
from open_model import of_files

BINDINGS, CONTEXTS = 20, 4


def bits(run, feeds):
    try:
        return [(value.dtype, value.shape, value.tobytes()) for value in run(feeds).values()]
    except linnet.Error as error:
        return str(error)


def difference(model, seed):
    """Returns where a run differs from the first of a session, or an empty text if none does or the file is refused."""
    try:
        linnet.Session(model.bytes)
    except linnet.Error:
        return ""
    chosen = random.Random(seed)
    feeds = [chosen.choice(model.feeds) for _ in range(BINDINGS)]
    alone = {id(x): bits(linnet.Session(model.bytes, threads=1).run, x) for x in feeds}
    for kept in (None, 0):
        session = linnet.Session(model.bytes, threads=2, plan_cache_bytes=kept)
        orders = [chosen.sample(feeds, BINDINGS) for _ in range(CONTEXTS)]
        with ThreadPoolExecutor(CONTEXTS) as threads:
            found = list(threads.map(lambda order: in_order(session, order, alone), orders))
        if any(found):
            return f"plan_cache_bytes={kept}: {next(filter(None, found))}"
    return ""


def in_order(session, order, alone):
    context = session.context()
    for x in order:
        got = bits(context.run, x)
        if got != alone[id(x)]:
            shapes = {name: value.shape for name, value in x.items()}
            texts = [each if isinstance(each, str) else "other values" for each in (got, alone[id(x)])]
            return f"{shapes}: {texts[0]}, alone {texts[1]}"
    return ""


def drawn(seed):
    return (drawn_integers, drawn_networks)[seed % 2].draw(seed)


def main(arguments):
    if arguments[0].isdigit():
        games = ((f"seed {seed}", drawn(seed)) for seed in range(int(arguments[0])))
    else:
        games = of_files(arguments)
    played = differing = 0
    for name, model in games:
        found = difference(model, played)
        played, differing = played + 1, differing + bool(found)
        if found:
            print(f"{name}: {found}", flush=True)
    print(f"{played} games, {differing} that differ")
    return bool(differing)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
