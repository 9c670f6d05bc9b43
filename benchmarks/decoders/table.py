"""Rows as lines of Markdown."""

COLUMNS = ["model", "past", "Linnet, ms", "ONNX Runtime, ms", "ratio", "weights, GB/s", "weights, of the rate",
           "with states", "time over the first", "grown, KiB", "allocations"]  # fmt: skip


def lines(rows, heading):
    """Returns the lines of one model. The times of all rows are relative to the first one."""
    head = ["| " + " | ".join(COLUMNS) + " |", "|" + "---|" * len(COLUMNS)] if heading else []
    return "\n".join(head + ["| " + " | ".join(cells(row, rows[0])) + " |" for row in rows])


def cells(row, first):
    name = [row["model"]]
    if "problem" in row:
        return [*name, row["problem"], *[""] * (len(COLUMNS) - 2)]
    if "linnet_ms" not in row:
        return [*name, str(row["past"]), f"outputs differ: {row['difference']:.3g}", *[""] * (len(COLUMNS) - 3)]
    seconds = row["linnet_ms"] / 1e3
    rate = row["weight_bytes"] / seconds
    return [
        *name, str(row["past"]), f"{row['linnet_ms']:.2f}", f"{row['ort_ms']:.2f}", f"{row['ort_ms'] / row['linnet_ms']:.2f}",
        f"{rate / 1e9:.1f}", f"{rate / row['read_rate']:.0%}",
        f"{(row['weight_bytes'] + row['state_bytes']) / seconds / row['read_rate']:.0%}",
        f"{row['linnet_ms'] / first['linnet_ms']:.2f}",
        f"{row['grown_bytes'] / 1024:.0f}" if "grown_bytes" in row else "", str(row.get("allocations", "")),
    ]  # fmt: skip
