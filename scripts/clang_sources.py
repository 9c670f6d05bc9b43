#!/usr/bin/env python3
"""clang_sources.py BUILD_DIRECTORY: prints the sources of the library and the tools that clang can parse.

Writes the commands for parsing them to BUILD_DIRECTORY/tidy/compile_commands.json. The build's commands are for GCC.
clang cannot read GCC's precompiled headers, which this script compiles again, and lacks some of GCC's warnings.
"""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("engine", "ops", "frontends/onnx", "frontends/ort", "bindings/c", "bindings/onnxruntime_abi",
           "bindings/onnxruntime_terms", "tools")
OF_GCC = re.compile(r" (-W\S*|--param=\S+|-fvect-cost-model=\S+|-fgcse-after-reload)")
INCLUDED = re.compile(r'^#include "(.*)"$', re.MULTILINE)
PRECOMPILED = re.compile(r"-include (\S+cmake_pch\.hxx)")


def is_parsed(path):
    """Whether clang can parse the file. executor.cc includes GCC's omp.h, which it cannot."""
    return not path.name.endswith(".simd.cc") and path.name != "executor.cc"


def of_each_source(entry):
    """Returns the command of a source, or one for each source in a batch that CMake compiles as one file."""
    batch = Path(entry["file"])
    if batch.parent.name != "Unity":
        return [entry]
    sources = INCLUDED.findall(batch.read_text())
    return [entry | {"file": source, "command": entry["command"].replace(str(batch), source)} for source in sources]


def precompile(header, command, output):
    words = shlex.split(PRECOMPILED.sub("", command))
    flags = [word for word in words if word.startswith(("-I", "-D", "-O", "-f", "-std="))]
    subprocess.run(["clang++", *flags, "-x", "c++-header", header, "-o", output], check=True, stderr=subprocess.DEVNULL)


def main(build):
    tidy = Path(build).resolve() / "tidy"
    tidy.mkdir(exist_ok=True)
    sources = sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.cc") if is_parsed(path))
    commands = json.loads((tidy.parent / "compile_commands.json").read_text())
    commands = [command for entry in commands for command in of_each_source(entry)]
    entries, made = [entry for entry in commands if Path(entry["file"]) in sources], {}
    for entry in entries:
        entry["command"] = OF_GCC.sub("", entry["command"])
        if match := PRECOMPILED.search(entry["command"]):
            if match[1] not in made:
                made[match[1]] = tidy / f"{len(made)}.pch"
                precompile(match[1], entry["command"], made[match[1]])
            entry["command"] = PRECOMPILED.sub(f"-include-pch {made[match[1]]}", entry["command"])
    (tidy / "compile_commands.json").write_text(json.dumps(entries, indent=1))
    print(*(path.relative_to(ROOT) for path in sources), sep="\n")


main(*sys.argv[1:])
