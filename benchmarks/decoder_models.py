"""Writes decoders with seeded random weights as ONNX files, for benchmarks/decoders.

usage: python benchmarks/decoder_models.py --out FOLDER [--models NAME,...] [--exporter torchscript|dynamo]

NAME.onnx takes tokens after any number of past ones, whose keys and values are inputs past_key_values.LAYER.WHAT and
outputs present.LAYER.WHAT, as PyTorch traces the caches of transformers. Needs both packages; the architectures are
those of their configuration classes, nothing is downloaded.
"""

import warnings

import torch
import transformers as t
import writers

POSITIONS = 4096
TRACED = 8  # past tokens in the trace
BATCH = 2  # in the trace


class Step(torch.nn.Module):
    """Of a decoder: logits, and the keys and values of past and new tokens. `names`: of the inputs."""

    def __init__(self, model, names, given):
        super().__init__()
        self.model, self.names, self.given = model, names, given

    def forward(self, *values):
        inputs = dict(zip(self.names, values))
        own, crossed = (pairs(inputs, keys) for keys in (".decoder.key", ".encoder.key"))
        own = t.DynamicCache(own)
        cache = t.EncoderDecoderCache(own, t.DynamicCache(crossed)) if crossed else own
        inputs = {name: value for name, value in inputs.items() if not name.startswith("past")}
        logits = self.model(**inputs, **self.given, past_key_values=cache, use_cache=True).logits
        return logits, *(value for layer in own.layers for value in (layer.keys, layer.values))


def pairs(inputs, keys):
    """The keys and values of each layer."""
    return [(inputs[name], inputs[name[:-3] + "value"]) for name in inputs if name.endswith(keys)]


def caches(layers, part, heads, rows, width):
    return {
        f"past_key_values.{i}.{part}.{what}": torch.randn(BATCH, heads, rows, width)
        for i in range(layers)
        for what in ("key", "value")
    }


def language(kind, layers, heads, width, **sizes):
    """`kind`: the name of its configuration class without Config; `heads`: of keys and values, `width` of one."""
    config = getattr(t, f"{kind}Config")(**sizes)
    inputs = {
        "input_ids": torch.randint(5, 1000, (BATCH, 1)),
        "attention_mask": torch.ones(BATCH, TRACED + 1, dtype=torch.int64),
        "position_ids": torch.full((BATCH, 1), TRACED),
    }
    model = "GPT2LMHeadModel" if kind == "GPT2" else f"{kind}ForCausalLM"
    return lambda: (getattr(t, model)(config), inputs | caches(layers, "decoder", heads, TRACED, width), {})


def whisper(width, layers, heads, frames=1500):
    config = t.WhisperConfig(d_model=width, encoder_layers=1, encoder_attention_heads=heads, decoder_layers=layers,
                             decoder_attention_heads=heads, decoder_ffn_dim=4 * width,
                             max_target_positions=POSITIONS)  # fmt: skip
    inputs = {"decoder_input_ids": torch.randint(5, 1000, (BATCH, 1))}
    for part, rows in ("decoder", TRACED), ("encoder", frames):
        inputs |= caches(layers, part, heads, rows, width // heads)
    given = {"encoder_outputs": (torch.zeros(BATCH, 1, width),)}  # the cache has the keys and values of it
    return lambda: (t.WhisperForConditionalGeneration(config), inputs, given)


LLAMA = {"hidden_size": 1024, "num_hidden_layers": 8, "num_attention_heads": 16, "num_key_value_heads": 4,
         "intermediate_size": 2816, "vocab_size": 32000, "max_position_embeddings": POSITIONS}  # fmt: skip
MODELS = {
    "gpt2": language("GPT2", 12, 12, 64, n_positions=POSITIONS),
    "llama": language("Llama", 8, 4, 64, **LLAMA),
    "qwen3": language("Qwen3", 8, 4, 64, **LLAMA, head_dim=64, tie_word_embeddings=True),
    "whisper_base": whisper(512, 6, 8),
}


def varying(name):
    """Its symbolic dims."""
    lengths = {"attention_mask": {1: "total"}, "input_ids": {1: "tokens"}, "position_ids": {1: "tokens"}}
    own = {2: "past"} if ".decoder." in name else {}
    return {0: "batch"} | own | lengths.get(name, {})


def export(name, out, exporter):
    torch.manual_seed(0)
    model, inputs, given = MODELS[name]()
    present = [f"present{name[name.index('.') :]}" for name in inputs if ".decoder." in name]
    outputs = {"logits": {0: "batch", 1: "tokens"}} | {name: {0: "batch", 2: "total"} for name in present}
    axes = {name.removeprefix("decoder_"): varying(name.removeprefix("decoder_")) for name in inputs}
    options = {"dynamic_axes": axes | outputs, "opset_version": 17, "dynamo": False}
    if exporter == "dynamo":
        options = {"dynamic_shapes": [tuple({i: torch.export.Dim.DYNAMIC for i in dims} for dims in axes.values())],
                   "opset_version": 18, "dynamo": True, "external_data": False}  # fmt: skip
    torch.onnx.export(Step(model.eval(), list(inputs), given), tuple(inputs.values()), str(out),
                      input_names=list(axes), output_names=list(outputs), **options)  # fmt: skip


def main():
    parser = writers.parser(__doc__)
    parser.add_argument("--models", type=writers.among(MODELS), default=list(MODELS), metavar="NAME,...")
    parser.add_argument("--exporter", choices=["torchscript", "dynamo"], default="torchscript")
    flags = parser.parse_args()
    warnings.simplefilter("ignore")
    flags.out.mkdir(parents=True, exist_ok=True)
    for name in flags.models:
        out = flags.out / f"{name}.onnx"
        export(name, out, flags.exporter)
        print(out, flush=True)


if __name__ == "__main__":
    main()
