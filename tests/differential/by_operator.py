"""Tables of functions by the operators that they are for."""


MICROSOFT = "com.microsoft"


def title(schema):
    """Returns the operator's name, with the domain if ONNX has an operator of the same name."""
    return f"{MICROSOFT}.{schema.name}" if schema.domain == MICROSOFT else schema.name


def table():
    """Returns an empty table, and a decorator that adds a function for the operators that it names."""
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
