"""Functions by the operators that they are for."""


def table():
    """An empty table, and the decorator that enters a function for the operators that it names."""
    functions = {}

    def of(*names):
        def decorate(function):
            functions.update({name: function for name in names})
            return function

        return decorate

    return functions, of


# Draw -> Configuration
FAMILIES, family = table()
# Configuration -> outputs
OWN, own = table()
