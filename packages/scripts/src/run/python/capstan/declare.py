"""The decorator by which a script declares what its functions may do."""


def tool(function=None, **declared):
    """Declares what a function may do. It is read from the file, and counts once a person approved it."""

    def mark(function):
        for name, value in declared.items():
            setattr(function, name, value)
        return function

    return mark if function is None else mark(function)
