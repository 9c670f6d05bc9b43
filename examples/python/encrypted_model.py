"""encrypted_model.py MODEL KEY: runs a model whose files, including external data, are stored encrypted. They are
decrypted while they are read, and no decrypted data is written to disk.

The cipher is a placeholder, not cryptography: XOR with a repeated key, which is easily broken. Replace it by that of a
library. AES in counter mode also decrypts from any offset."""

import os
import sys

import linnet
import numpy as np
from inputs import constant_inputs


class Encrypted:
    def __init__(self, key):
        self.key = np.frombuffer(key.encode(), np.uint8)

    def size(self, name):
        return os.path.getsize(name)

    def read(self, name, offset, size):
        with open(name, "rb") as file:
            file.seek(offset)
            stored = np.frombuffer(file.read(size), np.uint8)
        return stored ^ np.resize(np.roll(self.key, -offset), stored.size)


def main(model, key):
    session = linnet.Session(model, files=Encrypted(key))
    outputs = session.run(constant_inputs(session, 1))
    for name, values in outputs.items():
        print(f"{name}:", *(f"{value:g}" for value in values.flat))


if __name__ == "__main__":
    if len(sys.argv) != 3 or not sys.argv[2]:
        sys.exit("usage: encrypted_model.py MODEL KEY")
    try:
        main(*sys.argv[1:])
    except (linnet.Error, OSError, ValueError) as error:
        sys.exit(f"encrypted_model: {error}")
