"""The errors that end a command with one line on standard error."""


class CommandError(Exception):
    """The command could not do what was asked; the text is one line that says why and what to do."""


class UsageError(CommandError):
    """The command cannot be used like that: status 2, as for the errors that the parser finds."""
