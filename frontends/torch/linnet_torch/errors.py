"""The errors that the package raises; each is also a RuntimeError."""


class ExportError(RuntimeError):
    """The model cannot be exported, or the written file cannot be run."""


class MismatchError(ExportError):
    """The written file runs, but does not compute what PyTorch computes. The file is kept."""
