"""Functions by the operators that they are for."""


MICROSOFT = "com.microsoft"


def title(schema):
    """The operator's name; with the domain where ONNX has operators of the same names."""
    return f"{MICROSOFT}.{schema.name}" if schema.domain == MICROSOFT else schema.name


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
