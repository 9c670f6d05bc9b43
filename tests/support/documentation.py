"""The code blocks in the documentation, and a folder with the files that they use."""

import re
import textwrap
import wave
from dataclasses import dataclass

import numpy as np
import pt2_archive
from code_models import save_models
from locations import BUILD, ROOT
from onnx import numpy_helper

PAGES = sorted(str(path.relative_to(ROOT)) for names in ("*.md", "docs/**/*.md") for path in ROOT.glob(names))
FENCE = re.compile(r'^( *)```(\w*)(?: title="([^"\n]+)")?\n(.*?)^\1```$', re.MULTILINE | re.DOTALL)
PYTORCH = re.compile(r"\btorch\.|linnet_torch|bin/export_model|linnet/lowering\.h")


# Pages of programs to copy, which compile without warnings.
COOKBOOKS = {"docs/cpp_snippets.md", "docs/c_snippets.md", "docs/python_snippets.md"}


@dataclass(frozen=True)
class Block:
    page: str
    language: str
    number: int  # among the page's blocks of that language
    file: str  # the file whose text it is, or ""
    text: str

    @property
    def key(self):
        return self.page, self.language, self.number

    @property
    def needs_pytorch(self):
        """Whether tests/torch runs it, instead of tests/docs."""
        return self.language != "text" and bool(PYTORCH.search(self.text))


def blocks(page, *languages):
    """Returns the blocks of a page in order, of these languages or of all."""
    found = []
    for _, language, file, text in FENCE.findall((ROOT / page).read_text()):
        number = sum(block.language == language for block in found)
        found.append(Block(page, language, number, file or "", textwrap.dedent(text)))
    return [block for block in found if not languages or block.language in languages]


def commands(block):
    """Returns the command lines of a block of sh, without comments."""
    lines = re.sub(r"\s*\\\n\s*", " ", block.text).splitlines()
    return [line for line in (re.sub(r"(^|\s)#\s.*", "", line).strip() for line in lines) if line]


# A program that was written for ONNX Runtime.
APPLICATION = """import sys, onnxruntime
assert onnxruntime.InferenceSession(sys.argv[1]).get_inputs()[0].name == "x"
"""


def fill(folder):
    """Fills a folder with the files that the pages use."""
    for name in ("build", "build-test"):
        (folder / name).symlink_to(BUILD)
    for name in ("engine", "examples"):
        (folder / name).symlink_to(ROOT / name)
    save_models(folder)
    (folder / "linear.pt2").write_bytes(pt2_archive.zip_bytes(pt2_archive.members()))
    np.save(folder / "image.npy", np.random.default_rng(0).random((1, 3, 224, 224), np.float32))
    (folder / "photo.ppm").write_bytes(b"P6\n320 240\n255\n" + np.random.default_rng(0).bytes(320 * 240 * 3))
    with wave.open(str(folder / "speech.wav"), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(16000)
        file.writeframes(np.random.default_rng(0).integers(-9999, 9999, 4000, np.int16).tobytes())
    (folder / "input_0.pb").write_bytes(numpy_helper.from_array(np.ones((2, 3), np.float32), "x").SerializeToString())
    (folder / "app.py").write_text(APPLICATION)
    (folder / "program.c").write_text(blocks("docs/c.md", "c")[0].text)
