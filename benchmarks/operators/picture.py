"""The results as a picture, where matplotlib is installed."""

import pathlib
import sys

from notation import SIZES
from plots import RATIOS, save
from summary import geometric_mean

COLUMNS = 3


def write(rows, page):
    """Returns [(title, name of the file)]. Without matplotlib, returns no picture and prints a line to stderr."""
    try:
        import matplotlib
    except ModuleNotFoundError:
        print("no picture: matplotlib is not installed", file=sys.stderr)
        return []
    matplotlib.use("Agg")
    page = pathlib.Path(page)
    name = f"{page.stem}_operators.png"
    rows = [row for row in rows if "ratio" in row and row["threads"] == min(row["threads"] for row in rows)]
    save(plot(rows), page.parent / name)
    return [("ONNX Runtime's time over Linnet's, by operator", name)]


def plot(rows):
    """Draws a column per operator, the slowest first, with a point for each case."""
    from matplotlib import pyplot

    ratios = {}
    for row in rows:
        ratios.setdefault(row["operator"], []).append(row["ratio"])
    operators = sorted(ratios, key=lambda name: geometric_mean(ratios[name]))
    height = -(-len(operators) // COLUMNS)
    columns = [operators[i : i + height] for i in range(0, len(operators), height)]
    size = 1.5 + 4.5 * len(columns), 1.5 + 0.17 * max(map(len, columns))
    figure, axes = pyplot.subplots(1, len(columns), squeeze=False, sharex=True, figsize=size, layout="constrained")
    for axis, names in zip(axes[0], columns):
        plot_column(axis, names[::-1], rows)
    axes[0][0].legend(fontsize="small", loc="lower right")
    return figure


def plot_column(axis, names, rows):
    places = {name: i for i, name in enumerate(names)}
    for number, size in enumerate(SIZES):
        found = [row for row in rows if row["size"] == size and row["operator"] in places]
        axis.plot([row["ratio"] for row in found], [places[row["operator"]] for row in found], "o^s"[number],
                  color=f"C{number}", markersize=3, linestyle="", label=size)  # fmt: skip
    axis.axvline(1, color="black", linewidth=0.8)
    axis.set_yticks(range(len(names)), names, fontsize=6)
    axis.set(xscale="log", ylim=(-0.8, len(names) - 0.2), xlabel="ONNX Runtime's time / Linnet's")
    axis.set_xticks(RATIOS[::2], [f"{ratio:g}" for ratio in RATIOS[::2]], fontsize=6)
    axis.set_xticks([], minor=True)
    axis.grid(alpha=0.3)
