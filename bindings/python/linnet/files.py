"""Files that a program has elsewhere than in the file system."""

from __future__ import annotations

from typing import Protocol


class ModelFiles(Protocol):
    """What Session(files=) takes: encrypted files, or those of another machine.

    Loading alone calls it, from several threads at once. A name is the path that the Session is made of, or a location
    of external data in that one's folder: it is the model that says it. It is relative and has no part "..". What the
    functions raise is the cause of the IoError that the Session raises.
    """

    def size(self, name: str) -> int:
        """The bytes that a file has."""
        ...

    def read(self, name: str, offset: int, size: int) -> bytes | bytearray | memoryview:
        """Up to `size` bytes from an offset on. Where there are fewer, the rest is asked for; none: the file ends here,
        which is an IoError."""
        ...
