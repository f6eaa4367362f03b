#!/bin/sh
# Installs the `memory` command for this user, as shipped by the server named below, and logs this laptop in.
# Nothing outside your home folder is changed. Run it again at any time; to undo it: memory uninstall --all
#
# MEMORY_PYTHON=/path/to/python3   the Python to use (@PYTHON@ or later)
# MEMORY_BIN_DIR=/some/folder      where the command goes (default: ~/.local/bin)
# MEMORYSERVER_TOKEN=msv_...       a token, to log in without a browser
set -eu

server=@SERVER@
path=@PATH@
sha256=@SHA256@
version=@VERSION@
oldest=@PYTHON@

fail() {
    printf 'memory: %s\n' "$1" >&2
    exit 1
}

is_new_enough() {
    "$1" -c 'import sys; sys.exit(sys.version_info < tuple(map(int, sys.argv[1].split("."))))' "$oldest" \
        </dev/null >/dev/null 2>&1
}

find_python() {
    if [ -n "${MEMORY_PYTHON:-}" ]; then
        is_new_enough "$MEMORY_PYTHON" || fail "MEMORY_PYTHON=$MEMORY_PYTHON is not Python $oldest or later"
        python=$MEMORY_PYTHON
        return
    fi
    for name in python3 python3.14 python3.13 python3.12 python3.11 python; do
        if command -v "$name" >/dev/null 2>&1 && is_new_enough "$name"; then
            python=$(command -v "$name")
            return
        fi
    done
    present=$(python3 --version 2>&1 </dev/null) || present='no python3'
    fail "Python $oldest or later is needed, and there is $present. Install it (Debian, Ubuntu: apt install python3; \
macOS: brew install python), or name one with MEMORY_PYTHON=/path/to/python3, and run this again."
}

download() {
    if command -v curl >/dev/null 2>&1; then
        curl -fsS --max-time 300 -o "$2" "$1" </dev/null
    elif command -v wget >/dev/null 2>&1; then
        wget -q -T 60 -O "$2" "$1" </dev/null
    else
        "$python" -c 'import sys, urllib.request
try:
    urllib.request.urlretrieve(sys.argv[1], sys.argv[2])
except OSError as error:
    sys.exit(str(error))' "$1" "$2" </dev/null
    fi
}

has_checksum() {
    "$python" -c 'import hashlib, sys
with open(sys.argv[1], "rb") as file:
    sys.exit(hashlib.sha256(file.read()).hexdigest() != sys.argv[2])' "$1" "$sha256" </dev/null
}

main() {
    [ -n "${HOME:-}" ] || fail 'HOME is not set, so there is no folder to install into'
    python=
    find_python
    folder=$(mktemp -d "${TMPDIR:-/tmp}/memory.XXXXXX") || fail 'no temporary folder can be made'
    trap 'rm -rf "$folder"' EXIT
    trap 'exit 130' INT TERM HUP
    printf 'Fetching memory %s from %s\n' "$version" "$server"
    download "$server$path" "$folder/client.pyz" ||
        fail "$server$path could not be fetched; nothing was changed. Run this again."
    has_checksum "$folder/client.pyz" ||
        fail "what came from $server$path is damaged, or the server was updated just now; nothing was changed. \
Run this again."
    # This script may be standard input; questions are asked on the terminal, if there is one.
    if (: </dev/tty) 2>/dev/null; then
        "$python" "$folder/client.pyz" --server "$server" --sha256 "$sha256" </dev/tty
    else
        "$python" "$folder/client.pyz" --server "$server" --sha256 "$sha256" </dev/null
    fi
}

# The last line: a script of which only a part has arrived does nothing.
main
