"""Generates with onnxruntime-genai. Arguments: the folder of the model, prompts and search options as JSON."""

import json
import sys

import numpy as np
import onnxruntime_genai as genai
from report import report


def generator_of(model, prompts, search):
    parameters = genai.GeneratorParams(model)
    parameters.set_search_options(batch_size=len(prompts), **search)
    generator = genai.Generator(model, parameters)
    generator.append_tokens(np.array(prompts, np.int32))
    return generator


def finished(generator, count):
    """Returns the sequences after the last token."""
    while not generator.is_done():
        generator.generate_next_token()
    return [[int(token) for token in generator.get_sequence(i)] for i in range(count)]


def continued(generator):
    """Truncates the sequence and continues it with other tokens."""
    generator.rewind_to(6)
    generator.append_tokens(np.array([[5, 6]], np.int32))
    return finished(generator, 1)


def main(folder, prompts, search, number):
    prompts, search = json.loads(prompts), json.loads(search)
    model, results = genai.Model(folder), []
    for _ in range(int(number)):
        generator = generator_of(model, prompts, search)
        results.append(finished(generator, len(prompts)))
        results.append(list(generator.get_output("logits").shape))
    if len(prompts) == 1 and search.get("num_beams", 1) == 1:
        results.append(continued(generator))
    report(results)


main(*sys.argv[1:])
