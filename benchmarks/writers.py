"""The arguments that the programs that write models for benchmarks/compare share."""

import argparse
import pathlib


def among(known):
    """Returns the type of an argument: a list of some of these names, separated by commas."""

    def names(text):
        chosen = text.split(",")
        if unknown := set(chosen) - set(known):
            raise argparse.ArgumentTypeError(f"{', '.join(sorted(unknown))}: there are {', '.join(known)}")
        return chosen

    return names


def parser(description):
    """Returns a parser with --out, a folder."""
    result = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    result.add_argument("--out", required=True, metavar="FOLDER", type=pathlib.Path)
    return result
