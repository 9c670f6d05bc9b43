"""Determines which operator versions and types of the ONNX schemas Linnet runs, by testing it.

For each operator version, type variable and type, a few valid configurations with that type are generated. The type
counts as supported if run_model loads, plans and runs all of them.
"""

import collections
import contextlib
import json

from draw import Impossible, SeededDraw, allowed
from engine import refusals
from families import family_of
from onnx import defs
from references import complaint

ATTEMPTS = 3


def all_schemas():
    """Returns every operator version by (domain, name), in ascending order."""
    found = collections.defaultdict(list)
    for schema in sorted(defs.get_all_schemas_with_history(), key=lambda s: s.since_version):
        found[schema.domain, schema.name].append(schema)
    return dict(sorted(found.items()))


def registered(run_model):
    """Returns the versions that this build registers, by (domain, name)."""
    output = run_model("ops", "--json", "-").stdout
    found = json.loads(output)
    return {("" if op["domain"] == "ai.onnx" else op["domain"], op["name"]): op["since"] for op in found}


def variables(schema):
    """Returns (type variable, type) for every tensor type of the schema."""
    return [(c.type_param_str, t) for c in schema.type_constraints for t in allowed(schema, c.type_param_str)]


def draw_with(schema, variable, name, attempt):
    """Returns a valid configuration with this type for the type variable, or `None` if the family has no such
    configuration."""
    for seed in range(5 * attempt, 5 * attempt + 5):
        with contextlib.suppress(Impossible):
            configuration = family_of(schema)(SeededDraw(schema, seed, {variable: name}))
            if configuration.types.get(variable) == name and not complaint(configuration):
                return configuration
    return None


def probe(run_model, schemas):
    """Returns the reason why a type does not run, or `None` if it runs, by (domain, name, version, variable, type).
    Omits types without a configuration."""
    probes = []
    for schema in schemas:
        for variable, name in variables(schema):
            drawn = [draw_with(schema, variable, name, attempt) for attempt in range(ATTEMPTS)]
            probes += [(key(schema, variable, name), configuration) for configuration in drawn if configuration]
    refused = refusals(run_model, [configuration for _, configuration in probes])
    result = {found: None for found, _ in probes}
    result.update({probes[i][0]: reason for i, reason in refused.items()})
    return result


def key(schema, variable, name):
    return schema.domain, schema.name, schema.since_version, variable, name
