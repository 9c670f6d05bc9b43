"""The families by operator name."""

FAMILIES = {}


def family(*names):
    """Decorates a function draw -> Configuration of these operators."""

    def decorate(configure):
        FAMILIES.update({name: configure for name in names})
        return configure

    return decorate
