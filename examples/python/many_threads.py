"""many_threads.py MODEL: runs one session on several threads at once, without the interpreter's lock. All get the same
bits."""

import sys
from concurrent.futures import ThreadPoolExecutor

import linnet
from inputs import constant_inputs


def main(model):
    session = linnet.Session(model, threads=1)  # the calling threads are enough
    inputs = constant_inputs(session, 0)
    output = session.outputs[0].name
    expected = session.run(inputs)[output].tobytes()
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda _: session.run(inputs)[output].tobytes(), range(100)))
    equal = sum(result == expected for result in results)
    print(f"{equal} of {len(results)} runs are equal")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: many_threads MODEL")
    try:
        main(*sys.argv[1:])
    except (linnet.Error, OSError, ValueError) as error:
        sys.exit(f"many_threads: {error}")
