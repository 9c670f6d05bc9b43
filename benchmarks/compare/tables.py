"""The results as Markdown."""

from collections import Counter

from engines import TITLES
from summary import geometric_mean

PEERS = ("onnxruntime", "openvino", "ncnn")


def configuration(row):
    return row["threads"], row["batch"], row["isa"]


def table(header, lines):
    head = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return "\n".join(head + ["| " + " | ".join(line) + " |" for line in lines]) + "\n"


def ms(value):
    return f"{value:.3f}" if value < 1 else f"{value:.2f}" if value < 100 else f"{value:.0f}"


def peers(rows):
    return [name for name in PEERS if any(name in row.get("engines", {}) for row in rows)]


def label(row):
    return [row["model"], str(row["threads"]), str(row["batch"]), row["isa"]]


def ratio_cells(result):
    """Median; ratio with interval and verdict."""
    if "ratio" not in result:
        return ["", ""]
    low, high = result["interval"]
    return [ms(result["median_ms"]), f"{result['ratio']:.2f} ({low:.2f}-{high:.2f}) {result['verdict']}"]


def time_table(rows):
    names = peers(rows)
    header = ["model", "threads", "batch", "isa", "Linnet, ms"]
    for name in names:
        header += [f"{TITLES[name]}, ms", "ratio (95 %)"]
    lines = []
    for row in (row for row in rows if "engines" in row):
        line = [*label(row), ms(row["engines"]["linnet"]["median_ms"])]
        for name in names:
            line += ratio_cells(row["engines"].get(name, {}))
        lines.append(line)
    return table(header, lines)


def start_table(rows):
    names = ["linnet", *peers(rows)]
    header = ["model", "threads", "batch", "isa"]
    header += [f"{TITLES[name]}: {what}" for name in names for what in ("load, ms", "first run, ms", "peak, MiB")]
    lines = []
    for row in (row for row in rows if "engines" in row):
        results = [row["engines"].get(name, {}) for name in names]
        cells = [[ms(r["load_ms"]), ms(r["first_run_ms"]), f"{r['peak_rss_mib']:.0f}"] if "load_ms" in r else [""] * 3
                 for r in results]  # fmt: skip
        lines.append(label(row) + sum(cells, []))
    return table(header, lines)


def results_by_configuration(rows, name):
    """[(configuration, [(model, result)])] of the rows where this engine was timed."""
    found = {}
    for row in rows:
        result = row.get("engines", {}).get(name, {})
        if "ratio" in result:
            found.setdefault(configuration(row), []).append((row["model"], result))
    return sorted(found.items())


def totals_table(rows):
    """Geometric means of the ratios and how many intervals are above 1, around it and below it."""
    lines = []
    for name in peers(rows):
        for (threads, batch, isa), results in results_by_configuration(rows, name):
            verdicts = [result["verdict"] for _, result in results]
            mean = geometric_mean([result["ratio"] for _, result in results])
            counts = [str(verdicts.count(verdict)) for verdict in ("win", "tie", "loss")]
            lines.append([TITLES[name], str(threads), str(batch), isa, str(len(results)), f"{mean:.2f}", *counts])
    return table(["against", "threads", "batch", "isa", "models", "geometric mean", "wins", "ties", "losses"], lines)


def list_of(rows, verdict, name="onnxruntime"):
    """Per configuration the models with this verdict, the farthest from 1 first."""
    lines = []
    for (threads, batch, isa), results in results_by_configuration(rows, name):
        found = sorted((r["ratio"], model) for model, r in results if r["verdict"] == verdict)
        texts = [f"{model} {ratio:.2f}" for ratio, model in (found if verdict == "loss" else reversed(found))]
        lines.append(f"- threads {threads}, batch {batch}, isa {isa}: " + (", ".join(texts) or "none"))
    return "\n".join(lines) + "\n"


def problems(rows):
    """What was not timed and why: a line per model, engine and reason, with the number of configurations."""
    found, configurations = Counter(), Counter(row["model"] for row in rows)
    for row in rows:
        if "problem" in row:
            found[row["model"], "Linnet", row["problem"]] += 1
        for name, result in row.get("engines", {}).items():
            if "problem" in result:
                found[row["model"], TITLES[name], result["problem"]] += 1
    lines = [
        f"- {model}, {engine}: {problem} ({count} of {configurations[model]} configurations)"
        for (model, engine, problem), count in found.items()
    ]
    return "\n".join(lines or ["- none"]) + "\n"
