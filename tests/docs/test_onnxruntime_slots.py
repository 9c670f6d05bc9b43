"""docs/onnxruntime_abi.md must list the same slots of ONNX Runtime's table as bindings/onnxruntime_abi/slots.inc."""

import re

from locations import ROOT

# The beginning of the list of each state.
LISTS = {"IMPLEMENTED": "are implemented:", "REFUSED": "answer `ORT_NOT_IMPLEMENTED`", "ABSENT": "execution providers that",
         "NOTHING": "free what never exists"}  # fmt: skip


def slots():
    lines = re.findall(r"^(\w+)\((.*)", (ROOT / "bindings/onnxruntime_abi/slots.inc").read_text(), re.MULTILINE)
    for state, rest in lines:
        parts = rest.split(", ") if state == "IMPLEMENTED" else [None, re.match(r"\w+", rest)[0]]
        yield state, parts[1]


def test_each_slot_is_listed_by_its_state():
    _, _, section = (ROOT / "docs/onnxruntime_abi.md").read_text().partition("## Slots\n")
    begins = {state: section.index(words) for state, words in LISTS.items()}
    assert list(begins.values()) == sorted(begins.values())
    ends = [*list(begins.values())[1:], section.index("\n\nThe tables that")]
    for (state, begin), end in zip(begins.items(), ends):
        listed = re.findall(r"`([A-Z][A-Za-z0-9_]*[a-z0-9][A-Za-z0-9_]*)`", section[begin:end])
        expected = [name for own, name in slots() if own == state]
        assert sorted(set(listed) - {"ORT_NOT_IMPLEMENTED"}) == sorted(expected), state
