"""magika tells what the files of the system are."""

from pathlib import Path

import magika


def prepare(folder):
    pass


def results(folder):
    roots = [Path("/etc"), Path("/usr/bin"), Path("/usr/share/doc"), Path(magika.__file__).parents[1]]
    files = [path for root in roots for path in sorted(root.rglob("*"))[:400] if path.is_file()][:300]
    found = magika.Magika().identify_paths(files)
    return {str(path): (str(one.output.label), one.score) for path, one in zip(files, found)}
