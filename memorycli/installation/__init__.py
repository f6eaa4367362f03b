"""The client's own files on a laptop that joined by a server's line: `memory update` and undoing it.

$MEMORYSERVER_HOME/client/
    env/             a virtual environment, whose Python runs everything; its path never changes
    versions/NAME/   the code of a version, of which `current` is one
    current          the version in use: a symbolic link (on Windows a folder that is moved)
    installed.json   {"version", "sha256", "name", "previous", "launcher"}
~/.local/bin/memory  the command
"""
