"""Writes transformers with seeded random weights as ONNX files, for benchmarks/compare.

usage: python benchmarks/transformer_models.py --out FOLDER [--models NAME,...] [--lengths 16,128,512]
       [--exporter torchscript|dynamo] [--attention sdpa|eager]

NAME.LENGTH.onnx, or NAME.onnx for images and sounds, whose size the model fixes. The first dim is symbolic. Needs torch
and transformers. The architectures are those of their configuration classes; nothing is downloaded.
"""

import warnings

import torch
import transformers as t
import writers


class FirstOutput(torch.nn.Module):
    """Returns the first output of a model with inputs of these names."""

    def __init__(self, model, names):
        super().__init__()
        self.model, self.names = model, names

    def forward(self, *inputs):
        return self.model(**dict(zip(self.names, inputs)), return_dict=True)[0]


def made(kind, config, attention):
    """Returns the model of a configuration, with eager attention if its class has no other."""
    make = getattr(t, kind)
    try:
        config._attn_implementation = attention
        return make(config)
    except ValueError:
        config._attn_implementation = "eager"
        return make(config)


def text(kind, model="{}Model", **sizes):
    """A model of token ids. `kind`: the name of its configuration class without "Config"."""
    config = getattr(t, f"{kind}Config")(**sizes)
    return lambda attention, length: (
        made(model.format(kind), config, attention),
        {"input_ids": torch.randint(5, 1000, (2, length)), "attention_mask": torch.ones(2, length, dtype=torch.int64)},
    )


def image(kind, **sizes):
    config = getattr(t, f"{kind}Config")(**sizes)
    return lambda attention, _: (made(f"{kind}Model", config, attention), {"pixel_values": torch.randn(2, 3, 224, 224)})


def whisper(width, layers, heads):
    config = t.WhisperConfig(d_model=width, encoder_layers=layers, encoder_attention_heads=heads, encoder_ffn_dim=4 * width,
                             decoder_layers=1, decoder_attention_heads=heads)  # fmt: skip
    return lambda attention, _: (
        made("WhisperModel", config, attention).encoder,
        {"input_features": torch.randn(2, 80, 3000)},
    )


TEXTS = {
    "minilm": text("Bert", hidden_size=384, num_hidden_layers=6, num_attention_heads=12, intermediate_size=1536),
    "distilbert": text("DistilBert"),
    "bert_base": text("Bert"),
    "roberta": text("Roberta", vocab_size=50265, max_position_embeddings=514, type_vocab_size=1, pad_token_id=1),
    "deberta_v3_small": text("DebertaV2", vocab_size=128100, hidden_size=768, num_hidden_layers=6, num_attention_heads=12,
                             intermediate_size=3072, relative_attention=True, position_buckets=256,
                             norm_rel_ebd="layer_norm", share_att_key=True, pos_att_type=["p2c", "c2p"],
                             position_biased_input=False, type_vocab_size=0, max_relative_positions=-1),
    "mpnet": text("MPNet", max_position_embeddings=514),
    "t5_small": text("T5", "{}EncoderModel", d_model=512, d_kv=64, d_ff=2048, num_layers=6, num_heads=8),
    "gpt2": text("GPT2", use_cache=False),
}  # fmt: skip
OF_ONE_SIZE = {
    "vit_b_16": image("ViT"),
    "swin_t": image("Swin"),
    "convnext_v2_t": image("ConvNextV2"),
    "clip_vision_b32": image("CLIPVision"),
    "whisper_tiny": whisper(384, 4, 6),
    "whisper_base": whisper(512, 6, 8),
}
MODELS = TEXTS | OF_ONE_SIZE


def export(name, length, out, exporter, attention):
    torch.manual_seed(0)
    model, inputs = MODELS[name](attention, length)
    options = {"dynamic_axes": {x: {0: "batch"} for x in inputs}, "opset_version": 17, "dynamo": False}
    if exporter == "dynamo":
        batch = torch.export.Dim("batch")
        options = {"dynamic_shapes": [tuple({0: batch} for _ in inputs)], "opset_version": 18, "dynamo": True,
                   "external_data": False}  # fmt: skip
    torch.onnx.export(FirstOutput(model.eval(), list(inputs)), tuple(inputs.values()), str(out),
                      input_names=list(inputs), output_names=["y"], **options)  # fmt: skip


def main():
    parser = writers.parser(__doc__)
    parser.add_argument("--models", type=writers.among(MODELS), default=list(MODELS), metavar="NAME,...")
    parser.add_argument("--lengths", type=lambda text: [int(n) for n in text.split(",")], default=[16, 128, 512])
    parser.add_argument("--exporter", choices=["torchscript", "dynamo"], default="torchscript")
    parser.add_argument("--attention", choices=["sdpa", "eager"], default="sdpa")
    flags = parser.parse_args()
    warnings.simplefilter("ignore")
    flags.out.mkdir(parents=True, exist_ok=True)
    for name in flags.models:
        for length in flags.lengths if name in TEXTS else [None]:
            out = flags.out / (f"{name}.{length}.onnx" if length else f"{name}.onnx")
            export(name, length, out, flags.exporter, flags.attention)
            print(out, flush=True)


if __name__ == "__main__":
    main()
