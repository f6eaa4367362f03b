"""The error that ends a command with one line on standard error."""


class CommandError(Exception):
    """The command could not do what was asked; the text is one line that says why and what to do."""
