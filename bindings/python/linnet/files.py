"""Model files that a program stores outside of the file system."""

from __future__ import annotations

from typing import Protocol


class ModelFiles(Protocol):
    """The type of the argument files= of Session, for encrypted files or those of another machine.

    Only loading calls it, from several threads at once. A name is the path that the Session was given, or the location
    of external data in the folder of that path. The model specifies this location, which is relative and has no part
    "..". An exception that one of the functions raises becomes the cause of the IoError that the Session raises.
    """

    def size(self, name: str) -> int:
        """Returns the size of a file in bytes."""
        ...

    def read(self, name: str, offset: int, size: int) -> bytes | bytearray | memoryview:
        """Returns up to `size` bytes from `offset` on. If it returns fewer, it is called again for the rest. If it
        returns none, the file ends here, which is an IoError."""
        ...
