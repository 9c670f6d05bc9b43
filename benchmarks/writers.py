"""What the programs that write models for benchmarks/compare share: their arguments."""

import argparse
import pathlib


def among(known):
    """The type of an argument: some of these names, with commas between them."""

    def names(text):
        chosen = text.split(",")
        if unknown := set(chosen) - set(known):
            raise argparse.ArgumentTypeError(f"{', '.join(sorted(unknown))}: there are {', '.join(known)}")
        return chosen

    return names


def parser(description):
    """With --out, a folder."""
    result = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    result.add_argument("--out", required=True, metavar="FOLDER", type=pathlib.Path)
    return result
