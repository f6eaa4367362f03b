"""Django's command line, which has the garbage collector work once the apps are loaded."""

import gc

from django.core.management import BaseCommand, ManagementUtility


class CommandLine(ManagementUtility):
    """Finds and runs a command; `ops.management.program` has turned the collector off before."""

    def fetch_command(self, subcommand: str) -> BaseCommand:
        """Return the command. From now on there is garbage, but not among what was loaded so far."""
        gc.freeze()
        gc.enable()
        return super().fetch_command(subcommand)
