"""The errors that the package raises; each is also a RuntimeError."""


class ExportError(RuntimeError):
    """The model cannot be exported, or the written file cannot be run."""


class MismatchError(ExportError):
    """The written file runs, but does not compute what PyTorch computes. The file is not removed."""


def cause_of(error: BaseException) -> str:
    """Returns the first line of the error that caused the others."""
    while error.__cause__ is not None:
        error = error.__cause__
    return first_line(error)


def first_line(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def without_frames(error: BaseException) -> BaseException:
    """Returns the error without its frames, which keep values alive.

    PyTorch 1.13 confuses a new graph with an old one whose values Python still references.
    """
    link = error
    while link is not None:
        link.__traceback__ = None
        link = link.__cause__ or link.__context__
    return error
