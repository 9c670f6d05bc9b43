"""Prints frontends/pt2/schemas.inc: the operators that have a lowering rule, with the schemas of this Python's PyTorch.

export_model --list-operators | python scripts/print_torch_schemas.py > frontends/pt2/schemas.inc

A .pt2 file omits arguments that have their default, and does not record which results share memory. Each line is an
operator: "aten::add_.Tensor self! other alpha=1". An argument is followed by "!" if the operator writes to it, and by
"@" if a result may be a view of it. In-place operators use the rule of the operator without the last underscore.
"""

import sys

import torch


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
    rules = set(sys.stdin.read().split())
    lines = set()
    for schema in torch._C._jit_get_all_schemas():
        overload = f".{schema.overload_name}" if schema.overload_name else ""
        plain = schema.name[:-1] if schema.name.endswith("_") else schema.name
        if schema.name.startswith("aten::") and {schema.name + overload, plain + overload} & rules:
            lines.add(" ".join(words(schema)))
    for line in sorted(lines):
        print(f'"{line}\\n"')


main()
