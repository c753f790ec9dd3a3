"""The decorator with which a script declares the permissions of its functions."""


def tool(function=None, **declared):
    """Declares the permissions of a function. They are read from the file, and take effect once a user approves them."""

    def mark(function):
        for name, value in declared.items():
            setattr(function, name, value)
        return function

    return mark if function is None else mark(function)
