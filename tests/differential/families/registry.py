"""The families by operator name."""

FAMILIES = {}


def family(*names):
    """Registers a function draw -> Configuration for these operators."""

    def register(configure):
        FAMILIES.update({name: configure for name in names})
        return configure

    return register
