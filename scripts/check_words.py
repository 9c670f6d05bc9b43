#!/usr/bin/env python3
"""Finds words that docs/writing.md excludes, in comments, messages and pages.

    scripts/check_words.py            prints the places, and fails if there are any
    scripts/check_words.py --count    prints how often each form occurs
    scripts/check_words.py PATH...    reads only these files and folders
"""

import argparse
import io
import re
import subprocess
import sys
import tokenize
from collections import Counter
from pathlib import Path

FORMS = {
    "lies": r"\b(lies?|lay|lying)\b",
    "stands": r"\b(stands?|stood|standing)\b(?!-)",
    "tells": r"\b(tells?|told|telling)\b",
    "says": r"\b(says?|said|saying)\b",
    "let go": r"\b(let|lets|letting) (it |them )?go\b",
    "given back": r"\b(given|gives?|gave|giving) (it |them )?back\b",
    "mended": r"\bmend(s|ed|ing)?\b",
    "of its own": r"\bof (its|their|your|our|his|one's) own\b",
    "as ever": r"\bas ever\b",
    "any more": r"\bany ?more\b",
    "behind": r"\bbehind\b",
    "beside": r"\bbeside\b",
    "alike": r"\balike\b",
    "drawn": r"\bdrawn\b",
    "strangers": r"\b(foreign|strangers)\b",
    "handed": r"\b(hands?|handed|handing) (it |them )?(over|out|on)\b",
    "nobody": r"\b(nobody|somebody|whoever|whosoever)\b",
    "is none": r"(?<!there )\b(is|are|has|have|had|was|were) none\b",
    "anew": r"\b(anew|again and again)\b",
    "the like": r"\band the like\b",
    "thereof": r"\b(thereof|therein|whereof|wherein|hereby|thereby)\b",
    "in the way of": r"\bin the way of\b",
}
PATTERNS = {name: re.compile(pattern, re.IGNORECASE) for name, pattern in FORMS.items()}
CODE = {".h", ".cc", ".c", ".cpp"}
# Prose, which only pages may quote from; docs/writing.md lists the excluded words themselves.
IGNORED = {"docs/writing.md", "scripts/check_words.py", "LICENSE"}
C_TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.DOTALL)
QUOTED = re.compile(r"`[^`\n]*`")


def tracked(paths):
    names = subprocess.run(["git", "ls-files", "--", *paths], capture_output=True, text=True, check=True).stdout
    return [Path(name) for name in names.splitlines() if name not in IGNORED]


def of_code(text, literals):
    """Yields comments, and string literals if `literals` is set, as pairs of line number and text."""
    for match in C_TOKEN.finditer(text):
        token = match.group()
        if token.startswith("/") or (literals and not token.startswith("'")):
            first = text.count("\n", 0, match.start()) + 1
            yield from enumerate(token.split("\n"), first)


def of_python(text, literals):
    """Comments and docstrings; other string literals where `literals` is set."""
    before, depth = tokenize.NEWLINE, 0
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        starts_statement = depth == 0 and before in (tokenize.NEWLINE, tokenize.INDENT, tokenize.NL)
        is_string = token.type == tokenize.STRING
        if token.type == tokenize.COMMENT or is_string and (literals or starts_statement):
            yield from enumerate(token.string.split("\n"), token.start[0])
        if token.type == tokenize.OP:
            depth += (token.string in "([{") - (token.string in ")]}")
        if token.type != tokenize.COMMENT:
            before = token.type


def of_page(text):
    """Yields lines outside of fenced and indented code."""
    fenced = False
    for number, line in enumerate(text.split("\n"), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced and not line.startswith("    "):
            yield number, line


def of_script(text):
    for number, line in enumerate(text.split("\n"), 1):
        if match := re.search(r"(^|\s)#(?!!)(.*)", line):
            yield number, match.group(2)


def prose(path):
    """Yields pairs of line number and text that is written for people."""
    # The literals of tests are their expectations and data.
    literals = path.parts[0] != "tests"
    if path.suffix in CODE:
        return of_code(path.read_text(), literals)
    if path.suffix == ".py":
        return of_python(path.read_text(), literals)
    if path.suffix == ".md":
        return of_page(path.read_text())
    if path.suffix in {".sh", ".cmake"} or path.name == "CMakeLists.txt":
        return of_script(path.read_text())
    return ()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", action="store_true")
    parser.add_argument("paths", nargs="*")
    arguments = parser.parse_args()
    counts, places = Counter(), []
    for path in tracked(arguments.paths):
        for number, line in prose(path):
            for name, pattern in PATTERNS.items():
                found = len(pattern.findall(QUOTED.sub("", line)))
                counts[name] += found
                if found:
                    places.append(f"{path}:{number}: {name}: {line.strip()}")
    if arguments.count:
        for name in FORMS:
            print(f"{counts[name]:5}  {name}")
        print(f"{sum(counts.values()):5}  in all")
    elif places:
        print("\n".join(places))
        sys.exit(f"{len(places)} lines use words that docs/writing.md excludes")


if __name__ == "__main__":
    main()
