"""ultralytics' AutoBackend on YOLO models with random weights."""

import numpy as np
import torch
from ultralytics import YOLO
from ultralytics.nn.autobackend import AutoBackend

MODELS = {"yolo11n": {}, "yolov8n": {"dynamic": True}, "yolo11n-seg": {}, "yolo11n-cls": {}}


def prepare(folder):
    for name, options in MODELS.items():
        torch.manual_seed(0)
        exported = YOLO(f"{name}.yaml").export(format="onnx", imgsz=160, simplify=False, **options)
        (folder / f"{name}.onnx").write_bytes(open(exported, "rb").read())


def results(folder):
    found = {}
    for name, options in MODELS.items():
        model = AutoBackend(folder / f"{name}.onnx", device=torch.device("cpu"), verbose=False)
        found[f"{name}, classes"] = (model.names, int(model.stride), model.task)
        for size in (160, 224) if options.get("dynamic") else (160,):
            image = torch.from_numpy(np.random.default_rng(size).random((1, 3, size, size), np.float32))
            outputs = model(image)
            parts = outputs if isinstance(outputs, (list, tuple)) else [outputs]
            found[f"{name}, {size}"] = [np.asarray(part) for part in parts]
    return found
