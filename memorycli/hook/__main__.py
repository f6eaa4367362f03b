"""Run as a file by the command that `memorycli.hook.command` gives: the hook, found beside this file."""

import os
import sys

if __name__ == "__main__":
    sys.path.append(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))

    from memorycli.hook.events import run

    run()
