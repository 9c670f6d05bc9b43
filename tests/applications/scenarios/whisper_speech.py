"""faster-whisper's voice activity detection."""

from faster_whisper.vad import VadOptions, get_speech_timestamps, get_vad_model
from speech import speech


def prepare(folder):
    pass


def results(folder):
    audio = speech()
    padded = audio[: len(audio) // 512 * 512]
    return {
        "probabilities": get_vad_model()(padded),
        "spans": get_speech_timestamps(audio),
        "short spans": get_speech_timestamps(audio, VadOptions(min_silence_duration_ms=200, speech_pad_ms=50)),
    }
