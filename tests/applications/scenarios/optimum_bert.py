"""optimum's models of a small BERT with random weights: features and classes, with and without IOBinding."""

import torch
from optimum.onnxruntime import ORTModelForCustomTasks, ORTModelForFeatureExtraction, ORTModelForSequenceClassification
from transformers import BertConfig, BertForSequenceClassification, BertModel

MODELS = {"features": (BertModel, ORTModelForFeatureExtraction, "feature-extraction"),
          "classes": (BertForSequenceClassification, ORTModelForSequenceClassification, "text-classification")}  # fmt: skip


def prepare(folder):
    from optimum.exporters.onnx import main_export

    torch.manual_seed(0)
    config = BertConfig(vocab_size=200, hidden_size=64, num_hidden_layers=3, num_attention_heads=4, intermediate_size=128,
                        num_labels=5)  # fmt: skip
    for name, (kind, _, task) in MODELS.items():
        kind(config).save_pretrained(folder / f"{name}.torch")
        main_export(str(folder / f"{name}.torch"), folder / name, task=task, do_validation=False, opset=17)


def results(folder):
    generator = torch.Generator().manual_seed(1)
    found = {}
    for name, (_, kind, _) in MODELS.items():
        for binding in (False, True):
            model = kind.from_pretrained(folder / name, use_io_binding=binding)
            for batch, length in ((1, 7), (3, 16)):
                ids = torch.randint(0, 200, (batch, length), generator=torch.Generator().manual_seed(length))
                mask = torch.ones_like(ids)
                mask[:, length // 2 :] = torch.randint(0, 2, mask[:, length // 2 :].shape, generator=generator)
                outputs = model(input_ids=ids, attention_mask=mask, token_type_ids=torch.zeros_like(ids))
                key = f"{name}, {batch} x {length}, {'bound' if binding else 'run'}"
                found[key] = {key: value.detach().numpy() for key, value in outputs.items()}
    custom = ORTModelForCustomTasks.from_pretrained(folder / "features")
    found["custom"] = custom(input_ids=ids, attention_mask=mask, token_type_ids=torch.zeros_like(ids)).to_tuple()[0].numpy()
    return found
