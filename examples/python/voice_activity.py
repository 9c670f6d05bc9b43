"""voice_activity.py MODEL SPEECH.wav: prints where speech begins and ends, by silero-vad (version 5) or a similar model.
It takes 576 samples of 16 kHz (64 of them of the block before) and a state, and returns a probability and the next
state."""

import sys
import wave

import linnet
import numpy as np

RATE, BLOCK, BEFORE = 16000, 512, 64


def read_wav(path):
    """The samples of a WAV file in -1..1, and how many a second there are. Channels are averaged."""
    try:
        with wave.open(path) as file:
            rate, channels, width = file.getframerate(), file.getnchannels(), file.getsampwidth()
            data = np.frombuffer(file.readframes(file.getnframes()), np.uint8)
    except (wave.Error, EOFError) as error:
        raise ValueError(f"{path}: not a WAV file of integers (PCM): {error}") from error
    parts = data[: len(data) // width * width].reshape(-1, width)
    if width == 1:
        parts = parts ^ 128  # bytes have no sign
    whole = np.zeros((len(parts), 4), np.uint8)
    whole[:, 4 - width :] = parts
    samples = whole.reshape(-1).view("<i4") / 2.0**31
    return samples[: len(samples) // channels * channels].reshape(-1, channels).mean(1), rate


def resample(samples, rate):
    """The same at RATE: each sample is the mean of those during it."""
    if rate == RATE:
        return samples
    sums = np.concatenate([[0], np.cumsum(samples)])
    edges = np.arange(len(samples) * RATE // rate + 1) * (rate / RATE)
    return np.diff(np.interp(edges, np.arange(len(sums)), sums)) * (RATE / rate)


def check(session):
    inputs, outputs = ({value.name for value in values} for values in (session.inputs, session.outputs))
    if inputs != {"input", "state", "sr"} or not {"output", "stateN"} <= outputs:
        raise ValueError(f"the model takes {sorted(inputs)} and returns {sorted(outputs)}; expected silero-vad version 5: it "
                         "takes 'input', 'state', 'sr' and returns 'output', 'stateN'")  # fmt: skip


def main(model, speech):
    session = linnet.Session(model)
    check(session)
    samples = np.concatenate([np.zeros(BEFORE), resample(*read_wav(speech))]).astype(np.float32)
    state, speaking = np.zeros((2, 1, 128), np.float32), False
    for at in range(0, len(samples) - BEFORE - BLOCK + 1, BLOCK):
        x = samples[None, at : at + BEFORE + BLOCK]  # read without a copy
        outputs = session.run({"input": x, "state": state, "sr": RATE})
        state = outputs["stateN"]
        probability = outputs["output"].item()
        if probability < 0.35 if speaking else probability >= 0.5:
            speaking = not speaking
            print(f"{at / RATE:g} s: speech {'begins' if speaking else 'ends'}")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: voice_activity MODEL SPEECH.wav")
    try:
        main(*sys.argv[1:])
    except (linnet.Error, OSError, ValueError) as error:
        sys.exit(f"voice_activity: {error}")
