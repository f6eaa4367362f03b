"""`memory login`: tell this laptop which server to use."""

from __future__ import annotations

import argparse
import getpass
import sys
from pathlib import Path

from memorycli.delivery import connection
from memorycli.errors import CommandError
from memoryserver.client.http import RefusedError, ServerError, UnauthorizedError
from memoryserver.common import text

_MAX_TOKEN = 4096  # bytes


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `memory login`."""
    parser.add_argument("url", metavar="URL", help="the server's address, like https://memory.example.org")
    parser.add_argument(
        "--token-file",
        metavar="FILE",
        type=Path,
        help="read the token from FILE; by default from standard input, or typed at the prompt",
    )


def run(args: argparse.Namespace) -> int:
    """Check the token with the server, and store it only if the server accepts it."""
    url = args.url.rstrip("/")
    token = _token(args.token_file)
    if not token:
        raise CommandError("no token given; create one on the server and paste it")
    client = connection.client(url, token)
    try:
        answer = client.get("/whoami")
    except UnauthorizedError as error:
        raise CommandError(f"{url} does not accept this token; create a new one there") from error
    except RefusedError as error:
        raise CommandError(f"{error}; is this the address of a memoryserver?") from error
    except ServerError as error:
        raise CommandError(f"{error}; nothing was stored") from error
    user = answer.get("user") if isinstance(answer, dict) else None
    if not isinstance(user, str):
        raise CommandError(f"{url} does not answer like a memoryserver; nothing was stored")
    connection.store(url, token)
    print(f"logged in to {url} as {text.one_line(text.printable(user))}")
    return 0


def _token(file: Path | None) -> str:
    if file is not None:
        try:
            with file.open("rb") as stream:
                content = stream.read(_MAX_TOKEN)
        except OSError as error:
            raise CommandError(f"cannot read the token from {file}: {error.strerror or error}") from error
    elif sys.stdin.isatty():
        return getpass.getpass("Token: ").strip()
    else:
        content = sys.stdin.buffer.read(_MAX_TOKEN)
    return text.decode(content).strip()
