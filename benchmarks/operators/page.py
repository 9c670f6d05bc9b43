"""The results as text and as the generated part of a Markdown file."""

import collections

import picture
import report
from notation import SIZES
from summary import geometric_mean
from tables import table

METHOD = """\
Each case is a model of one node. Linnet and ONNX Runtime run it in one process and take turns in the order A B B A,
{rounds} blocks of {seconds:g} s each, with inputs and large outputs in place, after their outputs were found to agree. A
time of one thread is its processor time. With more threads the caller has one processor, the threads of both engines
have the others, and no thread spins while the other engine is timed. A ratio is the median of ONNX Runtime's time
over Linnet's in neighbouring blocks with its 95 % bootstrap interval; above 1 Linnet is faster. The percent of the
machine is the time that the bytes of inputs and outputs take at the bandwidth of a copy of that size, or the
multiply-adds at the rate of NumPy's product of large matrices, over Linnet's time; a small case mostly takes the
time of the call from Python.
"""


def us(value):
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 1000 else f"{value:.0f}"


def line(row):
    title = f"{row['size']:6} {row['threads']} "
    if "problem" in row:
        return f"{title}{row['case']}: {row['problem']}"
    ratio = "alone"
    if "ratio" in row:
        low, high = row["interval"]
        ratio = f"{row['ratio']:.2f} ({low:.2f}-{high:.2f})"
    return f"{title}{ratio:18} {us(row['linnet_us']):>8} us {row['percent']:5.1f} % of the machine  {row['case']}"


def timed(rows):
    return [row for row in rows if "ratio" in row]


def by(rows, *names):
    found = collections.defaultdict(list)
    for row in timed(rows):
        found[tuple(row[name] for name in names)].append(row)
    return found


def totals(rows):
    """Returns geometric means by threads, instruction set and size."""
    lines = []
    for (threads, isa, size), found in by(rows, "threads", "isa", "size").items():
        verdicts = [row["verdict"] for row in found]
        counts = [str(verdicts.count(verdict)) for verdict in ("win", "tie", "loss")]
        mean = geometric_mean([row["ratio"] for row in found])
        lines.append([str(threads), isa, size, str(len(found)), f"{mean:.2f}", *counts])
    return table(["threads", "isa", "size", "cases", "geometric mean", "wins", "ties", "losses"], lines)


def slowest(rows, count=None, below=None):
    """Returns the rows with the smallest ratios: `count` of them, or all below `below`."""
    found = sorted(timed(rows), key=lambda row: row["ratio"])
    found = [row for row in found if below is None or row["ratio"] < below][:count]
    cells = [[f"`{row['case']}`", row["size"], str(row["threads"]), us(row["linnet_us"]), us(row["onnxruntime_us"]),
              f"{row['ratio']:.2f} ({row['interval'][0]:.2f}-{row['interval'][1]:.2f})", f"{row['percent']:.0f}"]
             for row in found]  # fmt: skip
    return table(
        ["case", "size", "threads", "Linnet, us", "ONNX Runtime, us", "ratio (95 %)", "% of the machine"], cells
    )


def problems(rows):
    found = [
        f"- `{row['case']}` ({row['size']}, threads {row['threads']}): {row['problem']}"
        for row in rows
        if "problem" in row
    ]
    return "\n".join(found or ["- none"]) + "\n"


def cells_of(found):
    """For each size, returns the geometric mean of an operator's ratios and, except for the small size, Linnet's
    percentage."""
    cells = []
    for size in SIZES:
        rows = [row for row in found if row["size"] == size]
        mean = f"{geometric_mean([row['ratio'] for row in rows]):.2f}" if rows else ""
        percents = [row["percent"] for row in rows]
        cells.append(mean if size == "small" or not rows else f"{mean} ({min(percents):.0f}-{max(percents):.0f} %)")
    return cells


def operators(rows):
    """Returns a line for each operator."""
    threads = sorted({row["threads"] for row in rows})
    header = ["operator", "cases", *(f"{size}, {n} threads" for n in threads for size in SIZES), "slowest"]
    lines = []
    for (operator,), found in sorted(by(rows, "operator").items()):
        cells = sum((cells_of([row for row in found if row["threads"] == n]) for n in threads), [])
        lines.append([operator, str(len(found)), *cells, f"{min(row['ratio'] for row in found):.2f}"])
    return table(header, lines)


def generate(result, images):
    rows = result["rows"]
    parts = [report.machine_text(result["machine"]), roofs_text(result["roofs"]), METHOD.format(**result["options"])]
    parts += [f"![{title}]({path})\n" for title, path in images]
    parts += ["### Totals of operators\n", totals(rows)]
    parts += ["### Operators slower than ONNX Runtime\n", slowest(rows, below=1)]
    parts += ["### Every operator\n", operators(rows)]
    parts += ["### Operators not timed\n", problems(rows)]
    return "\n".join(parts)


def roofs_text(roofs):
    texts = []
    for threads, found in sorted(roofs.items()):
        copies = {name: found["copy"][str(size)] / 1e9 for name, size in (("64 KiB", 1 << 16), ("256 MiB", 1 << 28))}
        peaks = ", ".join(f"{dtype} {rate / 1e9:.0f} GFLOP/s" for dtype, rate in found["peak"].items())
        rates = ", ".join(f"{rate:.0f} GB/s over {name}" for name, rate in copies.items())
        texts.append(f"The machine with {threads} threads: copies read and write {rates}; products {peaks}.\n")
    return "".join(texts)


def write(path, result):
    """Replaces the part of the file between the markers, or appends it, and writes the picture next to the file."""
    report.replace(path, "benchmarks/operators", generate(result, picture.write(result["rows"], path)))
