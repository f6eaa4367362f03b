"""Run as a file by the command that `hook_command` gives: the hook, found beside this file."""

import os
import sys

if __name__ == "__main__":
    sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

    from memorycli.hook import run

    run()
