"""Transcribes a sound of moonshine-voice's package. Arguments: the folder with the models, the seconds of sound."""

import shutil
import sys
from pathlib import Path

from moonshine_voice import get_assets_path, load_wav_file
from moonshine_voice.moonshine_api import ModelArch
from moonshine_voice.transcriber import Transcriber
from report import report


def main(folder, seconds):
    assets = Path(get_assets_path())
    shutil.copy(assets / "tiny-en" / "tokenizer.bin", folder)
    sound, rate = load_wav_file(str(assets / "beckett.wav"))
    transcriber = Transcriber(folder, ModelArch.TINY)
    transcripts = [transcriber.transcribe_without_streaming(sound[: rate * int(seconds)], rate) for _ in range(2)]
    report([[[line.text, round(line.start_time, 3), round(line.duration, 3)] for line in t.lines] for t in transcripts])


main(*sys.argv[1:])
