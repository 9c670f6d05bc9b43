#!/usr/bin/env python3
"""Draws docs/assets/speed.svg and speed_dark.svg from the totals that the pages of performance state.

    scripts/draw_speed.py           writes both pictures
    scripts/draw_speed.py --check   fails if they are not what it would write
"""

import argparse
import re
import sys
from html import escape
from pathlib import Path

DOCS = Path(__file__).resolve().parent.parent / "docs"
PAGES = {
    "networks": "Networks, float32",
    "quantized": "Quantised models, 8 bits",
    "transformers": "Transformers, float32",
}
PEERS = "ONNX Runtime", "OpenVINO", "ncnn"
COLOURS = {
    "speed.svg": {"text": "#1f2328", "quiet": "#59636e", "line": "#8c959f", "bars": ("#0969da", "#8250df", "#1a7f37"),
                  "id": "only-light"},
    "speed_dark.svg": {"text": "#f0f6fc", "quiet": "#9198a1", "line": "#656c76", "bars": ("#4493f8", "#ab7df8", "#3fb950"),
                       "id": "only-dark"},
}  # fmt: skip
WIDTH, LEFT, UNIT, BAR = 760, 150, 200, 18  # UNIT: the length of a ratio of 1
FONT = "font-family='system-ui, -apple-system, Segoe UI, Helvetica, Arial, sans-serif'"


def totals(page):
    """Of one thread, batch 1 and all instruction sets: [(peer, models, geometric mean)]; the processor and the date."""
    text = (DOCS / f"performance_{page}.md").read_text()
    rows = re.findall(rf"^\| ({'|'.join(PEERS)}) \| 1 \| 1 \| auto \| (\d+) \| ([\d.]+) \|", text, re.MULTILINE)
    processor = re.search(r"^Processor: ([^;]*);", text, re.MULTILINE)[1]
    date = re.search(r"^Measured: (.*)\.$", text, re.MULTILINE)[1]
    found = [(name, int(models), float(mean)) for name, models, mean in rows]
    return sorted(found, key=lambda row: PEERS.index(row[0])), processor, date


def draw(colours):
    parts, y = [], 24

    def text(x, y, content, colour="text", size=13, more=""):
        parts.append(f"<text x='{x}' y='{y}' fill='{colours[colour]}' font-size='{size}' {more}>{escape(content)}</text>")

    bold = "font-weight='600'"
    text(10, y, "The other engine's time over Linnet's (geometric mean; above 1 Linnet is faster)", size=14, more=bold)
    for page, title in PAGES.items():
        rows, processor, date = totals(page)
        y += 32
        text(10, y, title, more=bold)
        text(WIDTH - 10, y, f"{processor}, {date}", "quiet", 11, "text-anchor='end'")
        top = y + 6
        for name, models, mean in rows:
            y += BAR + 6
            text(LEFT - 10, y - 4, name, more="text-anchor='end'")
            colour, length = colours["bars"][PEERS.index(name)], round(mean * UNIT)
            parts.append(f"<rect x='{LEFT}' y='{y - BAR}' width='{length}' height='{BAR}' rx='2' fill='{colour}'/>")
            text(LEFT + length + 8, y - 4, f"{mean:.2f} ({models} models)")
        x = LEFT + UNIT
        parts.append(f"<line x1='{x}' y1='{top}' x2='{x}' y2='{y + 4}' stroke='{colours['line']}' stroke-dasharray='4 3'/>")
    text(LEFT + UNIT, y + 20, "1: as fast as Linnet", "quiet", 11, "text-anchor='middle'")
    command = "Command: python benchmarks/compare; docs/performance.md has the method."
    text(10, y + 42, f"One thread, batch 1, virtual machines. {command}", "quiet", 11)
    height = y + 54
    head = (f"<svg xmlns='http://www.w3.org/2000/svg' id='{colours['id']}' viewBox='0 0 {WIDTH} {height}' width='{WIDTH}' "
            f"height='{height}' {FONT} role='img'>")  # fmt: skip
    return "\n".join([head, "<title>Other engines' time over Linnet's</title>", *parts, "</svg>", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    for name, colours in COLOURS.items():
        path, drawn = DOCS / "assets" / name, draw(colours)
        if not arguments.check:
            path.write_text(drawn)
        elif not path.exists() or path.read_text() != drawn:
            sys.exit(f"{path} does not show what the pages state: run scripts/draw_speed.py")


if __name__ == "__main__":
    main()
