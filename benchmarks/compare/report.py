"""The generated part of a Markdown file."""

import pathlib

import plots
import tables
from engines import TITLES

METHOD = """\
Every block of runs is a separate process that loads the model, warms up and runs for {seconds:g} s, on as many cores as
threads, one thread on each core. Blocks of the engines alternate in the order A B B A, {rounds} of each. Outputs are
compared with ONNX Runtime's before anything is timed ({tolerance}). A canary loop on the same
cores before and after each block discards blocks where the machine was more than 5 % off its median: {thrown_out}
were discarded and repeated; {kept_disturbed} stayed disturbed after {repeats} repetitions and are included.
ONNX Runtime uses all optimisations or the level "extended", whichever a trial finds faster ({extended} of {timed} times
the latter), with bound inputs and outputs, and may spin. OpenVINO and ncnn compute floats in float32; pnnx converts for ncnn. `isa`
limits Linnet only: the other engines use what the processor has.

A time is the median of the blocks' medians. A ratio is the median of the other engine's time over Linnet's in
neighbouring blocks with its 95 % bootstrap interval: above 1 Linnet is faster. A win or a loss is Linnet's and means an
interval without 1; anything else is a tie.
"""

TOLERANCE = "absolute tolerance 1e-4, times the largest value where that is above 1; relative 1e-3"
QUANTIZED_TOLERANCE = "of models of bytes the norm of the difference, at most a tenth of the output's"


def machine_text(machine):
    kind = "virtual machine" if machine["virtual"] else "machine"
    sets = ", ".join(machine["instruction_sets"])
    # Results of before 2026-11-29 have no date.
    measured = f"Measured: {machine['date']}.\n\n" if "date" in machine else ""
    versions = ", ".join(f"{TITLES[name]} {version}" for name, version in machine["versions"].items())
    return (f"Processor: {machine['processor']}; {sets}; {kind} with {machine['cores']} cores, "
            f"{machine['memory_gib']} GiB; {machine['system']}.\n\n{measured}Engines: {versions}.\n")  # fmt: skip


def method_text(result):
    rows = [row for row in result["rows"] if "engines" in row]
    levels = [row["engines"].get("onnxruntime", {}).get("level") for row in rows]
    counts = {key: sum(row[key] for row in rows) for key in ("thrown_out", "kept_disturbed")}
    tolerance = QUANTIZED_TOLERANCE if result["options"].get("quantized") else TOLERANCE
    return METHOD.format(**result["options"], **counts, tolerance=tolerance, extended=levels.count("extended"), timed=len(levels))


def generate(result, images):
    """`images`: [(title, path relative to the file)]."""
    rows = result["rows"]
    parts = [machine_text(result["machine"]), method_text(result), *(f"![{title}]({path})\n" for title, path in images)]
    parts += ["### Totals\n", tables.totals_table(rows)]
    parts += ["### Slower than ONNX Runtime\n", tables.list_of(rows, "loss")]
    parts += ["### Faster than ONNX Runtime\n", tables.list_of(rows, "win")]
    parts += ["### Time of a run\n", tables.time_table(rows)]
    parts += ["### Load and memory\n", load_text(result.get("bare_mib", {})), tables.start_table(rows)]
    parts += ["### Not timed\n", tables.problems(rows)]
    return "\n".join(parts)


LOAD = """\
Fresh processes, the model's file in the system's cache, medians of three: time until the engine is ready for the first
run (Linnet: `load_onnx` and `Model::specialized`; ONNX Runtime: making the session), time of the first run, and the
process's peak resident memory after it.
"""


def load_text(bare_mib):
    """Returns the text on loading, with the memory of the processes without a model."""
    parts = ", ".join(f"{TITLES[name]} {mib:.0f} MiB" for name, mib in bare_mib.items())
    return LOAD + (f"This includes what the process takes without a model: {parts}.\n" if parts else "")


def replace(path, program, text):
    """Replaces the text between the two markers of the program in a file, or appends the markers with the text."""
    path, begin, end = pathlib.Path(path), f"<!-- {program}: begin -->", f"<!-- {program}: end -->"
    old = path.read_text() if path.exists() else "# Performance\n"
    before, _, rest = old.partition(begin)
    after = rest.partition(end)[2] or "\n"
    path.write_text(f"{before.rstrip()}\n\n{begin}\n\n{text}\n{end}{after}")


def write(path, result):
    """Writes the generated part of the file, and plots next to it."""
    path = pathlib.Path(path)
    images = plots.write(result["rows"], path.parent, path.stem)
    replace(path, "benchmarks/compare", generate(result, images))
