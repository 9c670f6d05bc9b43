"""The results as pictures, where matplotlib is installed."""

import sys

from engines import TITLES
from tables import configuration, peers

TOP_TYPES = 9
TITLE = "threads {}, batch {}, isa {}"
RATIOS = (0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.4, 2, 3, 5, 10, 20, 50, 100)


def write(rows, folder, stem):
    """Returns [(title, name of the file)]. Without matplotlib, returns no plots and prints a line to stderr."""
    rows = [row for row in rows if "engines" in row]
    try:
        import matplotlib
    except ModuleNotFoundError:
        print("no plots: matplotlib is not installed", file=sys.stderr)
        return []
    matplotlib.use("Agg")
    images = []
    if peers(rows):
        images.append(("Other engines' time over Linnet's", f"{stem}_ratio.png", plot_ratios))
    if rows:
        images.append(("Linnet's time per layer type", f"{stem}_layers.png", plot_layers))
    for _, name, plot in images:
        save(plot(rows), folder / name)
    return [image[:2] for image in images]


def save(figure, path):
    figure.savefig(path, dpi=100, bbox_inches="tight")
    figure.clear()


def subplots(models, columns):
    from matplotlib import pyplot

    size = 1.5 + 3.2 * columns, 1.5 + 0.3 * models
    figure, axes = pyplot.subplots(1, columns, sharex=True, sharey=True, squeeze=False, figsize=size)
    return figure, axes[0]


def plot_ratios(rows):
    """Draws a panel per configuration: ratio and interval by model and engine. Linnet is faster to the right of 1."""
    models = list(dict.fromkeys(row["model"] for row in rows))[::-1]
    configurations = sorted({configuration(row) for row in rows})
    figure, axes = subplots(len(models), len(configurations))
    for axis, key in zip(axes, configurations):
        for number, name in enumerate(peers(rows)):
            plot_engine([row for row in rows if configuration(row) == key], name, models, axis, number)
        axis.axvline(1, color="black", linewidth=0.8)
        axis.set(xscale="log", title=TITLE.format(*key), xlabel="time / Linnet's time")
        axis.set_yticks(range(len(models)), models)
        axis.set_ylim(-0.6, len(models) - 0.4)
        axis.set_xticks(RATIOS, [f"{ratio:g}" for ratio in RATIOS])
        axis.set_xticks([], minor=True)
        axis.grid(axis="x", alpha=0.3)
    axes[0].set_xlim(*limits(rows))
    axes[-1].legend(bbox_to_anchor=(1, 1), loc="upper left", fontsize="small")
    return figure


def limits(rows):
    """Returns the limits of all intervals and 1."""
    results = [result for row in rows for result in row["engines"].values() if "interval" in result]
    ends = [1.0, *(end for result in results for end in result["interval"])]
    return 0.95 * min(ends), 1.05 * max(ends)


def plot_engine(rows, name, models, axis, number):
    results = [(row["model"], row["engines"].get(name, {})) for row in rows]
    results = [(model, result) for model, result in results if "ratio" in result]
    ratios = [result["ratio"] for _, result in results]
    errors = [[r["ratio"] - r["interval"][0] for _, r in results], [r["interval"][1] - r["ratio"] for _, r in results]]
    heights = [models.index(model) + 0.2 * (1 - number) for model, _ in results]
    axis.errorbar(ratios, heights, xerr=errors, fmt="o^s"[number], color=f"C{number}", markersize=5, label=TITLES[name])


def plot_layers(rows):
    """Draws a bar per model: the share of each operator type in a run, in the configuration that was measured first."""
    rows = [row for row in rows if configuration(row) == configuration(rows[0])][::-1]
    totals = {}
    for row in rows:
        for name, time in row["layers_ms"].items():
            totals[name] = totals.get(name, 0) + time / sum(row["layers_ms"].values())
    top = sorted(totals, key=totals.get, reverse=True)[:TOP_TYPES]
    figure, (axis,) = subplots(len(rows), 1)
    figure.set_figwidth(9)
    left = [0.0] * len(rows)
    for name in [*top, "others"]:
        shares = [share(row["layers_ms"], name, top) for row in rows]
        axis.barh(range(len(rows)), shares, left=left, label=name)
        left = [a + b for a, b in zip(left, shares)]
    axis.set_yticks(range(len(rows)), [f"{row['model']}, {sum(row['layers_ms'].values()):.3g} ms" for row in rows])
    axis.set(xlabel="% of a run", xlim=(0, 100), title=TITLE.format(*configuration(rows[0])))
    axis.legend(bbox_to_anchor=(1, 1), loc="upper left", fontsize="small")
    return figure


def share(layers, name, top):
    """Returns the share in percent. "others" are all types that are not in `top`."""
    part = sum(time for key, time in layers.items() if (key not in top if name == "others" else key == name))
    return 100 * part / sum(layers.values())
