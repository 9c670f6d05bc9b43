"""Compares what generate writes with the greedy text of transformers and, for int4, of ONNX Runtime.

usage: python check.py GENERATE FOLDER    (the program, and the folder that export.py wrote)

The file in int4 requests products in 8 bits, to which the engines round differently, so that answers differ where two
tokens are about equally likely. The comparison uses a copy that requests products in float32, int4/exact.onnx.
"""

import pathlib
import subprocess
import sys

import numpy as np
import onnx
import onnxruntime
from transformers import AutoModelForCausalLM, AutoTokenizer

PROMPTS = ["Why is the sky blue?", "Write a haiku about the sea.", "What is the capital of France?",
           "Explain what a compiler does in two sentences.", "List three fruits."]  # fmt: skip
TOKENS, END = 64, 2


def of_transformers(folder):
    model = AutoModelForCausalLM.from_pretrained(folder / "transformers", dtype="float32")
    return lambda inputs: model.generate(**inputs, max_new_tokens=TOKENS, do_sample=False)[0, inputs.input_ids.shape[1] :]


def save_exact(model, out):
    model = onnx.load(model, load_external_data=False)
    for node in model.graph.node:
        for attribute in node.attribute:
            if attribute.name == "accuracy_level":
                attribute.i = 1
    onnx.save(model, out)


def of_onnxruntime(model):
    session = onnxruntime.InferenceSession(model)
    names = [output.name.replace("present", "past_key_values") for output in session.get_outputs()[1:]]
    empty = {value.name: np.zeros([1, value.shape[1], 0, value.shape[3]], np.float32)
             for value in session.get_inputs() if value.name in names}  # fmt: skip

    def tokens(inputs):
        read, past, written, length = inputs.input_ids.numpy(), empty, [], 0
        while len(written) < TOKENS and END not in written:
            length += read.shape[1]
            feed = {"input_ids": read, "attention_mask": np.ones((1, length), np.int64), **past}
            logits, *present = session.run(None, feed)
            read, past = logits[:, -1:].argmax(-1), dict(zip(names, present))
            written.append(int(read[0, 0]))
        return written

    return tokens


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    tokenizer = AutoTokenizer.from_pretrained(folder / "transformers")
    transformers, exact = of_transformers(folder), folder / "int4" / "exact.onnx"
    save_exact(folder / "int4" / "model.onnx", exact)
    models = {folder / form / "model.onnx": transformers for form in ("standard", "float32")}
    for model, tokens in {**models, exact: of_onnxruntime(exact)}.items():
        for prompt in PROMPTS:
            inputs = tokenizer.apply_chat_template([{"role": "user", "content": prompt}], add_generation_prompt=True,
                                                   return_tensors="pt", return_dict=True)  # fmt: skip
            text = tokenizer.decode(tokens(inputs), skip_special_tokens=True)
            command = [program, model, prompt, "--tokenizer", folder / "transformers"]
            command += ["--tokens", str(TOKENS), "--end", str(END)]
            written = subprocess.run(command, capture_output=True, text=True, check=True).stdout
            print(f"{model}: {'equal' if written == text else 'DIFFERENT'}: {prompt} {written!r}", flush=True)


if __name__ == "__main__":
    main()
