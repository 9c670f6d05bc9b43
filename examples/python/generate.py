"""generate.py MODEL PROMPT [--tokenizer FOLDER] [--tokens 64]: the likeliest text after a prompt, as it is generated.

MODEL is a language model with a cache, as exporters write it: inputs input_ids, attention_mask and position_ids where
it has them, past_key_values.X for outputs present.X. Its keys and values are states of a context, which grow in place.
FOLDER is what transformers saves of a tokenizer, and needs that package; without one the prompt is numbers of tokens.
"""

import argparse
import time

import linnet
import numpy as np


class Decoder:
    def __init__(self, path):
        session = linnet.Session(path)
        self.names, self.context, self.length = [info.name for info in session.inputs], session.context(), 0
        for name, dtype, shape in ((info.name, info.dtype, info.shape) for info in session.inputs):
            if name.startswith("past"):
                none = [1, *(dim if isinstance(dim, int) else 0 for dim in shape[1:])]
                self.context.bind_state("present" + name[name.index(".") :], name, np.zeros(none, dtype))

    def append(self, tokens):
        """Appends tokens to the sequence; returns the scores of the tokens that may follow."""
        values = {
            "input_ids": tokens,
            "attention_mask": [1] * (self.length + len(tokens)),
            "position_ids": range(self.length, self.length + len(tokens)),
        }
        inputs = {name: np.array([[*value]]) for name, value in values.items() if name in self.names}
        self.length += len(tokens)
        return self.context.run(inputs, ["logits"])["logits"][0, -1]


def answer(decoder, tokens, most, end):
    for _ in range(most):
        token = int(decoder.append(tokens).argmax())
        if token == end:
            return
        yield token
        tokens = [token]


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
        prompt, end = [int(token) for token in flags.prompt.split()], None
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
    main()
