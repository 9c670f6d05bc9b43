"""Finds entities with gliner-cpp. Arguments: the model, the tokenizer."""

import sys

import gliner_cpp
from report import report

TEXTS = ["Anna lives in Berlin .", "Berlin and Anna"]


def main(model, tokenizer):
    gliner = gliner_cpp.Model(model, tokenizer, gliner_cpp.Config(12, 64, gliner_cpp.SPAN_LEVEL))
    found = [gliner.inference(texts, ["person", "city"], threshold=0.5) for texts in (TEXTS, TEXTS[1:])]
    report(
        [[[[e["text"], e["class_label"], round(e["prob"], 4)] for e in spans] for spans in texts] for texts in found]
    )


main(*sys.argv[1:])
