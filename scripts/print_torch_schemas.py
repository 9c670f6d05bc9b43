"""Prints frontends/pt2/schemas.inc: the operators that the exporter's rules name, as the PyTorch of this Python has them.

python scripts/print_torch_schemas.py > frontends/pt2/schemas.inc

A .pt2 file leaves out arguments that have their default, and says nothing about memory that results share. Each line is
an operator: "aten::add_.Tensor self! other alpha=1". An argument is followed by "!" where the operator writes to it, by
"@" where a result may be a view of it.
"""

import re
from pathlib import Path

import torch

RULES = Path(__file__).resolve().parents[1] / "frontends" / "torch" / "exporter" / "rules"


def stems():
    """Names of operators, or how they begin, as rules spell them: without overload."""
    text = "".join(path.read_text() for path in sorted(RULES.glob("*.cc")))
    names = set(re.findall(r'"aten::([A-Za-z0-9_]+)', text))
    synonyms = (RULES / "synonyms.cc").read_text()
    return names | set(re.findall(r'[{ ]"([A-Za-z0-9_]+)(?:\.[A-Za-z_]+)?"', synonyms))


def default_of(argument):
    value = argument.default_value
    if isinstance(value, str):
        return f"'{value}'"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(str(v) for v in value) + "]"
    return str(value)


def words(schema):
    yield schema.name + (f".{schema.overload_name}" if schema.overload_name else "")
    for argument in schema.arguments:
        alias = argument.alias_info
        mark = "" if alias is None else "!" if alias.is_write else "@"
        yield argument.name + mark + (f"={default_of(argument)}" if argument.has_default_value() else "")


def main():
    known = stems()
    # Rules put names together of these: "aten::max_pool" + "2d".
    open_stems = tuple(stem for stem in known if re.fullmatch(r".*(pool|pad|nearest|exact)", stem))
    lines = []
    for schema in torch._C._jit_get_all_schemas():
        if not schema.name.startswith("aten::") or schema.overload_name.endswith("out"):
            continue
        stem = schema.name[6:]
        plain = stem[:-1] if stem.endswith("_") and not stem.startswith("__") else stem
        if {stem, plain} & known or re.fullmatch(rf"({'|'.join(open_stems)})[123]d", plain):
            lines.append(" ".join(words(schema)))
    for line in sorted(set(lines)):
        print(f'"{line}\\n"')


main()
