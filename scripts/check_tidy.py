#!/usr/bin/env python3
"""check_tidy.py BUILD_DIRECTORY [--write | FILE...]: passes if clang-tidy finds nothing in the library and the tools.

In addition to the checks in .clang-tidy, there are two checks for products that may overflow: of sizes
(tidy/unchecked_product.cc), and of values from files and callers (tidy/unchecked_value.cc). tidy/known_products.txt
lists the products that are older than these checks. It may only become shorter; --write writes the current findings to
it.
"""

import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parent
ROOT = SCRIPTS.parent
TIDY = SCRIPTS / "tidy"
KNOWN = TIDY / "known_products.txt"
FINDING = re.compile(r"^(/.*):(\d+):(\d+): \w+: (.*) \[([^]]+)\]$", re.MULTILINE)
PRODUCTS = "linnet-unchecked-product", "linnet-unchecked-value"


def build_plugin(folder):
    """Builds the project's checks as a library for clang-tidy."""
    include = Path(shutil.which("clang-tidy")).resolve().parents[1] / "include"
    plugin = folder / "plugin.so"
    flags = ["-std=c++17", "-fno-rtti", "-shared", "-fPIC", "-isystem", include, "-o", plugin]
    subprocess.run(["clang++", *flags, *sorted(TIDY.glob("*_*.cc"))], check=True)
    return plugin


def findings(plugin, *arguments):
    """Returns {(path, line, column, text, check)} for the given sources and the project's headers that they include."""
    command = ["clang-tidy", f"--load={plugin}", "--checks=linnet-*", "--quiet", *arguments]
    result = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    found = set()
    for path, line, column, text, check in FINDING.findall(result.stdout):
        path = os.path.relpath(os.path.realpath(path), ROOT)  # rooms include each other through links
        found.add((path, int(line), int(column), text, check))
    if result.returncode and not found:
        sys.exit(f"{' '.join(command)}\n{result.stdout[-2000:]}{result.stderr[-2000:]}")
    return found


def check_samples(plugin):
    for sample in sorted((TIDY / "samples").glob("*.cc")):
        found = {line for _, line, *_ in findings(plugin, str(sample), "--", "-std=c++20", "-Iengine/include")}
        wanted = {i for i, line in enumerate(sample.read_text().splitlines(), 1) if line.endswith("// found")}
        if found != wanted:
            sys.exit(f"{sample.name}: found lines {sorted(found)}, wanted {sorted(wanted)}")


def find_all(plugin, build, sources):
    batches = [sources[i : i + 8] for i in range(0, len(sources), 8)]
    with ThreadPoolExecutor(os.cpu_count()) as executor:
        return set().union(*executor.map(lambda batch: findings(plugin, "-p", f"{build}/tidy", *batch), batches))


def entry(finding):
    return f"{finding[0]}: {finding[3].split(chr(39))[1]}"


def listed_products(found):
    """Returns the entries of products, each of which both checks may find."""
    places = {finding[:3]: finding for finding in found if finding[4] in PRODUCTS}
    return Counter(entry(finding) for finding in places.values())


def main(build, *options):
    build = Path(build).resolve()
    sources = subprocess.run([SCRIPTS / "clang_sources.py", build], stdout=subprocess.PIPE, text=True)
    if sources.returncode:
        return sources.returncode
    plugin = build_plugin(build / "tidy")
    check_samples(plugin)
    files = [option for option in options if option != "--write"]
    found = sorted(find_all(plugin, build, files or sources.stdout.split()))
    products = listed_products(found)
    if "--write" in options:
        KNOWN.write_text("".join(f"{line}\n" for line in sorted(products.elements())))
        return 0
    known = Counter(KNOWN.read_text().splitlines())
    new = [finding for finding in found if finding[4] not in PRODUCTS or entry(finding) in products - known]
    for path, line, column, text, check in new:
        print(f"{path}:{line}:{column}: {text} [{check}]")
    gone = [] if files else sorted((known - products).elements())
    for line in gone:
        print(f"{KNOWN.relative_to(ROOT)}: no longer there, remove the line: {line}")
    return int(bool(new or gone))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
