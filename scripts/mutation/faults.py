"""Small faults that can be inserted into C++ code."""

import dataclasses
import random
import re
from pathlib import Path

# A pattern, its replacement, and the kind of the fault.
KINDS = [
    ("bound", r"(?<=[\w)\]] )<(?= [\w(])", "<="),
    ("bound", r"(?<=[\w)\]] )<=(?= [\w(-])", "<"),
    ("bound", r"(?<=[\w)\]] )>(?= [\w(])", ">="),
    ("bound", r"(?<=[\w)\]] )>=(?= [\w(-])", ">"),
    ("sign", r"(?<=[\w)\]] )\+(?= [\w(])", "-"),
    ("sign", r"(?<=[\w)\]] )-(?= [\w(])", "+"),
    ("sign", r" \+= ", " -= "),
    ("factor", r"(?<=[\w)\]] )\*(?= [\w(])", "+"),
    ("factor", r"(?<=[\w)\]] )/(?= [\w(])", "*"),
    ("index", r"(?<=\w)\[(\w+)\](?! = \{)", r"[\1 + 1]"),
    ("index", r"(?<=\w) \+ 1\b(?![.\d])", ""),
    ("index", r"(?<=\w) - 1\b(?![.\d])", ""),
    ("index", r"(?<== )0(?=;)", "1"),
    ("rounding", r"std::(nearbyint|rint|round)\b", "std::trunc"),
    ("rounding", r"\bceil_div\((\w+), ", r"ceil_div(\1 - 1, "),
    ("rounding", r"std::floor\b", "std::ceil"),
    ("choice", r"std::min(?=[<(])", "std::max"),
    ("choice", r"std::max(?=[<(])", "std::min"),
    ("choice", r"(?<=[\w)\]] )&&(?= )", "||"),
    ("choice", r"(?<=[\w)\]] )\|\|(?= )", "&&"),
    ("choice", r"(?<=[\w)\]] )==(?= )", "!="),
    ("choice", r"(?<=[\w)\]] )!=(?= )", "=="),
    ("choice", r"\bif \(([^()]*(?:\([^()]*\)[^()]*)*)\)", r"if (!(\1))"),
    ("choice", r"\breturn true;", "return false;"),
    ("choice", r"\breturn false;", "return true;"),
    ("omission", r"^(\s+)[\w.>-]+\((?:[^;{}]*)\);$", r"\1;"),
    ("omission", r"^(\s+)const std::lock_guard\b.*;", r"\1;"),
]

# Lines without faults: messages, sizes that affect only time or memory, and declarations.
NOT_HERE = re.compile(
    r"^\s*(//|#|using |namespace |template|static_assert|typedef|throw |require_|case |default:)|str\(|Error\(|"
    r"constexpr .*k[A-Z]|reserve\(|describe|kChunk|kSpins|prefetch|parallel_items|\"|operator[<>+*-]|\bconst char\b"
)


@dataclasses.dataclass(frozen=True)
class Fault:
    path: str
    line: int
    kind: str
    before: str
    after: str


def faults_of_line(path, number, text):
    if NOT_HERE.search(text):
        return
    code = text.split(" //")[0]
    for kind, pattern, replacement in KINDS:
        for match in re.finditer(pattern, code):
            changed = code[: match.start()] + match.expand(replacement) + code[match.end() :]
            yield Fault(path, number, kind, text.strip(), changed.strip())


def faults_of_file(root, path):
    lines = (root / path).read_text().splitlines()
    return [fault for i, text in enumerate(lines, 1) for fault in faults_of_line(path, i, text)]


def sources(root, path):
    return sorted((root / path).rglob("*.cc")) if (root / path).is_dir() else [root / path]


def draw(root, paths, count, seed):
    """Returns `count` random faults of files and folders. A folder gives at most two per file. A file's share is
    proportional to its length."""
    root = Path(root)
    files = {str(file.relative_to(root)): 2 if (root / path).is_dir() else count
             for path in paths for file in sources(root, path)}  # fmt: skip
    found = [fault for file in files for fault in faults_of_file(root, file)]
    random.Random(seed).shuffle(found)
    chosen = []
    for fault in found:
        if files[fault.path] > 0 and len(chosen) < count:
            files[fault.path] -= 1
            chosen.append(fault)
    return chosen


def plant(root, fault):
    """Inserts the fault into the file. Returns the original text."""
    path = Path(root) / fault.path
    text = path.read_text()
    lines = text.splitlines(keepends=True)
    line = lines[fault.line - 1]
    lines[fault.line - 1] = line.replace(fault.before, fault.after, 1)
    path.write_text("".join(lines))
    return text
