"""`memory logout`: revoke this laptop's token on the server, and forget it here."""

from __future__ import annotations

import argparse

from memorycli.delivery import connection
from memorycli.errors import CommandError
from memoryserver.client.http import ServerError, UnauthorizedError


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `memory logout`."""
    parser.add_argument("--local", action="store_true", help="forget the token without asking the server to revoke it")


def run(args: argparse.Namespace) -> int:
    """Revoke and forget the stored token. It is kept if the server cannot revoke it now."""
    url, token = connection.stored()
    if not url:
        print("not logged in")
        return 0
    if args.local:
        connection.forget()
        print(f"logged out here; the token stays valid until it is revoked on {url}")
        return 0
    try:
        connection.client(url, token).delete("/tokens/current")
    except UnauthorizedError:
        connection.forget()
        print(f"logged out of {url}; the server did not accept the token any more")
        return 0
    except ServerError as error:
        raise CommandError(f"{error}; still logged in (memory logout --local forgets the token here alone)") from error
    connection.forget()
    print(f"logged out of {url}; the token is revoked")
    return 0
