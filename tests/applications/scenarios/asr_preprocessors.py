"""onnx-asr's preprocessors and resamplers on speech."""

from importlib.resources import files

import numpy as np
import onnx_asr.preprocessors
from onnx_asr.preprocessors.preprocessor import ConcurrentPreprocessor, OnnxPreprocessor
from onnx_asr.preprocessors.resampler import Resampler
from speech import speech

OPTIONS = {"providers": ["CPUExecutionProvider"], "provider_options": [{}]}


def prepare(folder):
    pass


def results(folder):
    waves = np.stack([speech()[:64000], speech()[32000:96000]])
    lengths = np.array([64000, 48000])
    found = {}
    data = files(onnx_asr.preprocessors).joinpath("data")
    names = sorted(path.name.removesuffix(".onnx") for path in data.iterdir() if path.name.endswith(".onnx"))
    for name in names:
        if not name.startswith("resample"):
            features = OnnxPreprocessor(name, OPTIONS)
            found[name] = features(waves, lengths)
            found[name + ", threads"] = ConcurrentPreprocessor(features)(waves, lengths)
    for target in (8000, 16000):
        resampler = Resampler(target, OPTIONS)
        for rate in resampler._preprocessors:
            found[f"{rate} to {target}"] = resampler(waves, lengths, rate)
    return found
