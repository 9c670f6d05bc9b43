"""voice_activity.py MODEL SPEECH.wav: prints when speech begins and ends, by silero-vad (version 5) or a similar model.
The model takes 576 samples at 16 kHz, of which the first 64 belong to the previous block, and a state. It returns a
probability and the next state."""

import sys
import wave

import linnet
import numpy as np

BLOCK, BEFORE = 512, 64


def read_wav(path):
    """Returns the samples, in -1..1, of a WAV file of 16 kHz, one channel and 16 bits."""
    with wave.open(path) as file:
        if (file.getframerate(), file.getnchannels(), file.getsampwidth()) != (16000, 1, 2):
            raise ValueError(f"{path}: not a WAV file of 16 kHz, one channel, 16 bits")
        return np.frombuffer(file.readframes(file.getnframes()), "<i2").astype(np.float32) / 32768


def main(model, speech):
    session = linnet.Session(model)
    samples = np.concatenate([np.zeros(BEFORE, np.float32), read_wav(speech)])
    state, speaking = np.zeros((2, 1, 128), np.float32), False
    for at in range(0, len(samples) - BEFORE - BLOCK + 1, BLOCK):
        x = samples[None, at : at + BEFORE + BLOCK]  # read in place
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
