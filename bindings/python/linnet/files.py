"""Files that a program stores elsewhere than in the file system."""

from __future__ import annotations

from typing import Protocol


class ModelFiles(Protocol):
    """The protocol of Session(files=): files that are encrypted, in an archive or on another machine.

    Session calls the functions only while it loads, from several threads at the same time. A name is the path that
    Session got, or the location of external data in the folder of that path. Locations come from the model; they are
    relative and have no part "..". An exception of a function is the cause of the IoError that Session raises.
    """

    def size(self, name: str) -> int:
        """Returns the size of a file.

        Args:
            name: The name of the file.

        Returns:
            The size in bytes.
        """
        ...

    def read(self, name: str, offset: int, size: int) -> bytes | bytearray | memoryview:
        """Reads a part of a file.

        Args:
            name: The name of the file.
            offset: The first byte, below the file's size.
            size: The number of bytes, at most 16 MiB.

        Returns:
            Up to `size` bytes. If there are fewer, another call asks for the rest. No bytes mean that the file ends
            here, which is an IoError.
        """
        ...
