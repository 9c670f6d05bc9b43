"""silero-vad detects speech."""

import torch
from silero_vad import VADIterator, get_speech_timestamps, load_silero_vad
from speech import speech


def prepare(folder):
    pass


def results(folder):
    found = {}
    for rate in (16000, 8000):
        audio = torch.from_numpy(speech(rate))
        model = load_silero_vad(onnx=True)
        found[f"spans at {rate}"] = get_speech_timestamps(audio, model, sampling_rate=rate)
        found[f"probabilities at {rate}"] = model.audio_forward(audio, sr=rate).numpy()
    iterator = VADIterator(load_silero_vad(onnx=True, opset_version=15))
    chunks = torch.from_numpy(speech())[: 512 * 100].split(512)
    found["events"] = [event for event in map(iterator, chunks) if event]
    model = load_silero_vad(sequence=True)
    found["sequence"] = model.audio_forward(speech())
    return found
