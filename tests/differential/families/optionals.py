"""Optionals of tensors and sequences."""

from by_operator import family
from configuration import Configuration
from containers import EMPTY, type_proto
from draw import COMMON

from .sequences import tensors


def value(draw, prefix, variable):
    """Returns (type, value) of a tensor or a sequence that the variable allows inside the prefix."""
    constraint = next(c for c in draw.schema.type_constraints if c.type_param_str == variable)
    texts = [text[len(prefix) :] for text in sorted(constraint.allowed_type_strs) if text.startswith(prefix)]
    names = [text.rstrip(")").removeprefix("tensor(") for text in texts if text.startswith("tensor(")]
    forced = draw.forced.get("V") or draw.forced.get("O")
    kind = forced or draw.pick([name for name in names if name in COMMON or draw.rare()])
    if not forced and draw.flag():
        return f"seq(tensor({kind}))", tensors(draw, kind, 0, 3)
    return kind, tensors(draw, kind)[0]


def schema_text(kind):
    return kind if "(" in kind else f"tensor({kind})"


@family("Optional")
def optional(draw):
    kind, x = value(draw, "", "V")
    draw.types.update(V=kind, O=f"optional({schema_text(kind)})")
    if draw.flag():
        return Configuration(draw.schema, [x], {}, types=draw.types)
    return Configuration(draw.schema, [], {"type": type_proto(kind)}, types=draw.types)


@family("OptionalGetElement")
def get_element(draw):
    kind, x = value(draw, "optional(", "O")
    bare = draw.schema.since_version >= 18 and (draw.flag() or "O" in draw.forced)
    draw.types.update(V=kind, O=kind if bare else f"optional({schema_text(kind)})")
    return Configuration(draw.schema, [x], {}, types=draw.types)


@family("OptionalHasElement")
def has_element(draw):
    kind, x = value(draw, "optional(", "O")
    since = draw.schema.since_version
    bare = since >= 18 and (draw.flag() or "O" in draw.forced)
    draw.types.update(B="bool", O=kind if bare else f"optional({schema_text(kind)})")
    if draw.flag() and draw.types["O"] != kind:
        x = EMPTY
    inputs = [] if since >= 18 and draw.rare() else [x]
    return Configuration(draw.schema, inputs, {}, types=draw.types)
