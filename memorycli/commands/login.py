"""`memory login`: tell this laptop which server to use, by a page in the browser or with a token."""

from __future__ import annotations

import argparse
import getpass
import sys
import webbrowser
from pathlib import Path

from memorycli.delivery import connection, device_login
from memorycli.errors import CommandError
from memoryserver.client.http import RefusedError, ServerError, UnauthorizedError
from memoryserver.common import text

_MAX_TOKEN = 4096  # bytes


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `memory login`."""
    parser.add_argument("url", metavar="URL", help="the server's address, like https://memory.example.org")
    source = parser.add_mutually_exclusive_group()
    source.add_argument("--token-file", metavar="FILE", type=Path, help="read a token from FILE")
    source.add_argument("--paste", action="store_true", help="ask for a token instead of opening a page")
    source.add_argument("--no-browser", action="store_true", help="only print the page and the code")


def run(args: argparse.Namespace) -> int:
    """Get a token, check it with the server, and store it only if the server accepts it.

    A token comes from the file, from standard input, or from the device flow: at a terminal, or with --no-browser where
    standard input is empty.
    """
    url = connection.typed_address(args.url)
    token = _given_token(args)
    if not token:
        token = _by_device_flow(url, opens_browser=not args.no_browser)
    user = _user_of(url, token)
    connection.store(url, token)
    print(f"logged in to {url} as {text.one_line(text.printable(user))}")
    return 0


def _given_token(args: argparse.Namespace) -> str:
    """Return the token that was given; "" if the device flow is to get one. Raises CommandError if one is missing."""
    if args.token_file is not None:
        token = _read(args.token_file)
    elif args.paste and sys.stdin.isatty():
        token = _typed()
    elif not sys.stdin.isatty():
        token = text.decode(sys.stdin.buffer.read(_MAX_TOKEN)).strip()
    else:
        return ""
    if not token and (args.token_file is not None or args.paste):
        raise CommandError("no token given; make one on the server's page Tokens and paste it")
    if not token and not args.no_browser:  # nobody may be there to open a page, and the device flow waits ten minutes
        raise CommandError("the token on standard input is empty; --no-browser shows a page that gives one")
    return token


def _by_device_flow(url: str, *, opens_browser: bool) -> str:
    client = connection.client(url, "")
    try:
        request = device_login.ask(client)
        print(f"Open {request.page}\nand type the code {request.user_code}", flush=True)
        if opens_browser and sys.stdin.isatty() and _open(request.page_with_code):
            print("(your browser shows the page)", flush=True)
        token, _ = device_login.wait(client, request)
    except device_login.NoDeviceFlowError as error:
        if not sys.stdin.isatty():
            raise CommandError(f"{url} has no page for this; make a token there and use --token-file") from error
        print(f"{url} has no page for this; make a token there and paste it.")
        token = _typed()
        if not token:
            raise CommandError("no token given; make one on the server and paste it") from error
    except ServerError as error:
        raise CommandError(f"{error}; nothing was stored") from error
    return token


def _open(page: str) -> bool:
    try:
        return webbrowser.open(page)
    except webbrowser.Error:  # the page and the code are printed already
        return False


def _user_of(url: str, token: str) -> str:
    """Return whose token it is. Raises CommandError if the server does not accept it."""
    try:
        answer = connection.client(url, token).get("/whoami")
    except UnauthorizedError as error:
        raise CommandError(f"{url} does not accept this token; create a new one there") from error
    except RefusedError as error:
        raise CommandError(f"{error}; is this the address of a memoryserver?") from error
    except ServerError as error:
        raise CommandError(f"{error}; nothing was stored") from error
    user = answer.get("user") if isinstance(answer, dict) else None
    if not isinstance(user, str):
        raise CommandError(f"{url} does not answer like a memoryserver; nothing was stored")
    return user


def _typed() -> str:
    return getpass.getpass("Token: ").strip()


def _read(file: Path) -> str:
    try:
        with file.open("rb") as stream:
            return text.decode(stream.read(_MAX_TOKEN)).strip()
    except OSError as error:
        raise CommandError(f"cannot read the token from {file}: {error.strerror or error}") from error
