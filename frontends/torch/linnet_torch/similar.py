"""Proposals in errors on unknown names, by the rule of linnet/did_you_mean.h."""

_MOST_LETTERS = 2


def did_you_mean(name, known) -> str:
    """Returns the end of a message on an unknown name: "; did you mean 'x'?", where x is the first of the nearest names
    in `known`. Returns "" if no name is near.

    A name is near if at most two letters have to be inserted, removed or replaced, and one stays; case does not count.
    """
    wanted, nearest, least = str(name).lower(), None, _MOST_LETTERS + 1
    for candidate in map(str, known):
        letters = _distance(wanted, candidate.lower(), least - 1)
        if letters < min(least, len(wanted), len(candidate)):
            nearest, least = candidate, letters
    return f"; did you mean '{nearest}'?" if nearest is not None else ""


def _distance(a: str, b: str, most: int) -> int:
    """Returns how many letters are inserted, removed or replaced between two texts; more than `most` where it is
    more."""
    if abs(len(a) - len(b)) > most:
        return most + 1
    same = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
    a, b = a[same:], b[same:]
    if not a or not b or most == 0:
        return max(len(a), len(b))
    return 1 + min(_distance(*pair, most - 1) for pair in ((a[1:], b), (a, b[1:]), (a[1:], b[1:])))
