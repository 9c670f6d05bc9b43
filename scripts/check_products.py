#!/usr/bin/env python3
"""check_products.py BUILD_DIRECTORY [--write]: passes when what becomes a size is multiplied by checked_mul alone.

clang-query finds products of 64-bit integers that a function returns, a constructor keeps, or that make a tensor or
memory (unchecked_products.query; unchecked_products_sample.cc shows which). They may overflow, and memory that is too
small is then written past its end. What was there before the rule stands in unchecked_products.txt, which may only
become shorter; --write writes what is found there. Offsets into memory that exists are std::ptrdiff_t, or stand where
they are added to a pointer.
"""

import os
import re
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parent
ROOT = SCRIPTS.parent
KNOWN = SCRIPTS / "unchecked_products.txt"
FAILED = re.compile(r"^\S+: (fatal )?error: |^\d+:\d+: Error", re.MULTILINE)
FOUND = re.compile(r'^(/.*):(\d+):(\d+): note: "product" binds here$')


def query(sources, *arguments):
    """The products in these sources and the headers of ours that they include: {(path, line, column): text}."""
    command = ["clang-query", "-f", str(SCRIPTS / "unchecked_products.query"), *sources, *arguments]
    result = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    if result.returncode or FAILED.search(result.stdout) or FAILED.search(result.stderr):
        sys.exit(f"{' '.join(command)}\n{result.stdout[-2000:]}{result.stderr[-2000:]}")
    lines = result.stdout.splitlines()
    products = {}
    for i, line in enumerate(lines):
        if match := FOUND.match(line):
            path, number, begin = match[1], int(match[2]), int(match[3]) - 1
            underline = re.search(r"[~^]+", lines[i + 2])[0]
            place = os.path.relpath(os.path.realpath(path), ROOT), number, begin  # rooms see each other by links
            products[place] = lines_of(path)[number - 1][begin : begin + len(underline)]
    return products


@cache
def lines_of(path):
    return Path(path).read_text().splitlines()


def check_query():
    sample = SCRIPTS / "unchecked_products_sample.cc"
    found = {line for _, line, _ in query([str(sample)], "--", "-std=c++20", "-Iengine/include")}
    wanted = {i for i, line in enumerate(sample.read_text().splitlines(), 1) if line.endswith("// found")}
    if found != wanted:
        sys.exit(f"{sample.name}: found lines {sorted(found)}, wanted {sorted(wanted)}")


def find_products(build):
    sources = subprocess.run([SCRIPTS / "clang_sources.py", build], capture_output=True, text=True, check=True).stdout.split()
    batches = [sources[i : i + 8] for i in range(0, len(sources), 8)]
    products = {}
    with ThreadPoolExecutor(os.cpu_count()) as executor:
        for found in executor.map(lambda batch: query(batch, "-p", f"{build}/tidy"), batches):
            products |= found
    return products


def main(build, *options):
    check_query()
    products = find_products(os.path.abspath(build))
    entries = {place: f"{place[0]}: {text}" for place, text in sorted(products.items())}
    if "--write" in options:
        KNOWN.write_text("".join(f"{entry}\n" for entry in sorted(entries.values())))
        return 0
    found, known = Counter(entries.values()), Counter(KNOWN.read_text().splitlines())
    for (path, line, column), entry in entries.items():
        if entry in found - known:
            text = products[path, line, column]
            print(f"{path}:{line}: {text} may overflow: use checked_mul, or std::ptrdiff_t for an offset")
    for entry in sorted((known - found).elements()):
        print(f"{KNOWN.relative_to(ROOT)}: no longer there, remove the line: {entry}")
    return int(found != known)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
