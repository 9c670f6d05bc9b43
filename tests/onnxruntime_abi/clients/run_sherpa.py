"""Finds voices and recognises words with sherpa-onnx. Arguments: the detector, the recogniser, its tokens, threads."""

import sys

import numpy as np
import sherpa_onnx
from report import report

RATE = 16000


def sound():
    """Returns two loud parts between silent ones."""
    random = np.random.default_rng(1)
    time = np.arange(RATE * 6) / RATE
    loud = ((time > 1) & (time < 2.5)) | ((time > 3.5) & (time < 5))
    return (loud * np.sin(2 * np.pi * 220 * time) * 0.5 + random.standard_normal(len(time)) * 0.001).astype(np.float32)


def voices(path, samples, threads):
    """Returns the start and the length of each part with a voice."""
    config = sherpa_onnx.VadModelConfig()
    config.silero_vad.model, config.sample_rate, config.num_threads = path, RATE, threads
    detector = sherpa_onnx.VoiceActivityDetector(config, buffer_size_in_seconds=30)
    for i in range(0, len(samples) - 511, 512):
        detector.accept_waveform(samples[i : i + 512])
    detector.flush()
    found = []
    while not detector.empty():
        found.append([detector.front.start, len(detector.front.samples)])
        detector.pop()
    return found


def words(path, tokens, samples, threads):
    """Returns the text and the times of its tokens, for one stream and for two that are decoded together."""
    recogniser = sherpa_onnx.OfflineRecognizer.from_zipformer_ctc(model=path, tokens=tokens, num_threads=threads)
    streams = [recogniser.create_stream() for _ in range(2)]
    streams[0].accept_waveform(RATE, samples)
    streams[1].accept_waveform(RATE, samples[RATE : RATE * 3])
    recogniser.decode_streams(streams)
    return [
        [stream.result.text, stream.result.tokens, [round(t, 3) for t in stream.result.timestamps]]
        for stream in streams
    ]


def main(detector, recogniser, tokens, threads):
    samples = sound()
    report(
        {"voices": voices(detector, samples, int(threads)), "words": words(recogniser, tokens, samples, int(threads))}
    )


main(*sys.argv[1:])
