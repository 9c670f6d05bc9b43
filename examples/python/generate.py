"""generate.py MODEL PROMPT [--tokenizer FOLDER] [--tokens 64]: the likeliest text after a prompt, as it is generated.

MODEL is a language model, as exporters write it: inputs input_ids, attention_mask and position_ids where it has them,
past_key_values.X for outputs present.X. Its keys and values are states of a context, which grow in place. A model without
a cache reads the whole sequence again for each token.
FOLDER is what transformers saves of a tokenizer, and needs that package; without one the prompt is numbers of tokens.
"""

import argparse
import sys
import time

import linnet
import numpy as np


class Decoder:
    def __init__(self, path):
        session = linnet.Session(path)
        self.context, self.length, self.read = session.context(), 0, []
        self.dtypes = {info.name: info.dtype for info in session.inputs if not info.name.startswith("past")}
        caches = [info for info in session.inputs if info.name.startswith("past")]
        self.has_cache = bool(caches)
        self.check([info.name for info in session.outputs])
        for info in caches:
            none = [1, *(dim if isinstance(dim, int) else 0 for dim in info.shape[1:])]
            self.context.bind_state("present" + info.name[info.name.find(".") :], info.name, np.zeros(none, info.dtype))

    def check(self, outputs):
        if "logits" not in outputs:
            raise ValueError("the model has no output 'logits': it is not a language model")
        for name in self.dtypes.keys() - {"input_ids", "attention_mask", "position_ids"}:
            raise ValueError(f"the model has an input of another kind: '{name}'; known are input_ids, attention_mask, "
                             "position_ids and past_key_values.X")  # fmt: skip

    def append(self, tokens):
        """Appends tokens to the sequence; returns the scores of the tokens that may follow."""
        if self.has_cache:
            self.length += len(self.read)
            self.read = []
        self.read = [*self.read, *tokens]
        values = {
            "input_ids": self.read,
            "attention_mask": [1] * (self.length + len(self.read)),
            "position_ids": range(self.length, self.length + len(self.read)),
        }
        inputs = {name: np.array([[*values[name]]], dtype) for name, dtype in self.dtypes.items()}
        return self.context.run(inputs, ["logits"])["logits"][0, -1]


def answer(decoder, tokens, most, end):
    for _ in range(most):
        token = int(decoder.append(tokens).argmax())
        if token == end:
            return
        yield token
        tokens = [token]


def numbers(prompt):
    try:
        tokens = [int(token) for token in prompt.split()]
    except ValueError:
        tokens = []
    if not tokens:
        raise ValueError('without --tokenizer the prompt is tokens: "1 5 7"')
    return tokens


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("prompt")
    parser.add_argument("--tokenizer", metavar="FOLDER")
    parser.add_argument("--tokens", type=int, default=64)
    flags = parser.parse_args()
    decoder = Decoder(flags.model)
    if flags.tokenizer:
        from transformers import AutoTokenizer, TextStreamer

        tokenizer = AutoTokenizer.from_pretrained(flags.tokenizer)
        prompt = tokenizer.apply_chat_template([{"role": "user", "content": flags.prompt}], add_generation_prompt=True,
                                               return_dict=False)  # fmt: skip
        streamer, end = TextStreamer(tokenizer), tokenizer.eos_token_id
    else:
        prompt, end = numbers(flags.prompt), None
    begin, count = time.monotonic(), 0
    for token in answer(decoder, prompt, flags.tokens, end):
        count += 1
        if flags.tokenizer:
            streamer.put(np.array([token]))
        else:
            print(token, end=" ", flush=True)
    if flags.tokenizer:
        streamer.end()
    print(f"\n{count / (time.monotonic() - begin):.1f} tokens per second")


if __name__ == "__main__":
    try:
        main()
    except (linnet.Error, OSError, ValueError) as error:
        sys.exit(f"generate: {error}")
