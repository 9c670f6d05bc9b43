"""Speech by espeak-ng."""

import io
import subprocess
import wave

import numpy as np

TEXTS = ["Linnet runs models on processors.", "The quick brown fox jumps over the lazy dog.", "One. Two. Three."]


def speech(rate=16000):
    """Returns the texts with a second of noise between them, as float32."""
    rng = np.random.default_rng(0)
    parts = [rng.normal(0, 1e-3, rate)]
    for text in TEXTS:
        parts += [spoken(text, rate), rng.normal(0, 1e-3, rate)]
    return np.concatenate(parts).astype(np.float32)


def spoken(text, rate):
    data = subprocess.run(["espeak-ng", "--stdout", text], check=True, capture_output=True).stdout
    with wave.open(io.BytesIO(data)) as file:
        samples = np.frombuffer(file.readframes(len(data) // 2), np.int16) / 32768
        seconds = len(samples) / file.getframerate()
        return np.interp(np.arange(0, seconds, 1 / rate), np.arange(len(samples)) / file.getframerate(), samples)
