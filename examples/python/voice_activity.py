"""voice_activity.py MODEL SPEECH.wav: prints where speech begins and ends, by silero-vad (version 5) or a similar model.
It takes 576 samples of 16 kHz (64 of them of the block before) and a state, and returns a probability and the next
state."""

import sys
import wave

import linnet
import numpy as np

BLOCK, BEFORE = 512, 64


def read_wav(path):
    """The samples of a WAV file of 16 kHz, one channel, 16 bits, in -1..1."""
    with wave.open(path) as file:
        if (file.getframerate(), file.getnchannels(), file.getsampwidth()) != (16000, 1, 2):
            raise ValueError(f"{path}: not a WAV file of 16 kHz, one channel, 16 bits")
        return np.frombuffer(file.readframes(file.getnframes()), "<i2").astype(np.float32) / 32768


def main(model, speech):
    session = linnet.Session(model)
    samples = np.concatenate([np.zeros(BEFORE, np.float32), read_wav(speech)])
    state, speaking = np.zeros((2, 1, 128), np.float32), False
    for at in range(0, len(samples) - BEFORE - BLOCK + 1, BLOCK):
        x = samples[None, at : at + BEFORE + BLOCK]  # read without a copy
        outputs = session.run({"input": x, "state": state, "sr": 16000})
        state = outputs["stateN"]
        probability = outputs["output"].item()
        if probability < 0.35 if speaking else probability >= 0.5:
            speaking = not speaking
            print(f"{at / 16000:g} s: speech {'begins' if speaking else 'ends'}")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: voice_activity MODEL SPEECH.wav")
    main(*sys.argv[1:])
