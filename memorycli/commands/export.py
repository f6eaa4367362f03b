"""`memory export`: everything that the server has of the user, or of a project, as JSON lines."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace
from http import HTTPStatus
from pathlib import Path

from memorycli.delivery import connection
from memorycli.errors import CommandError
from memoryserver.client.http import RefusedError, ServerError
from memoryserver.common.project_key import normalized


def configure(parser: ArgumentParser) -> None:
    """Add the project and the file."""
    parser.add_argument("--project", help="all rows in the project with this key that you see, of all authors")
    parser.add_argument("--output", type=Path, metavar="FILE", help="write to this file (default: standard output)")


def run(args: Namespace) -> int:
    """Write the lines; a file is there only once it is complete."""
    params = {"project": normalized(args.project) if args.project else None}
    try:
        if args.output is None:
            sys.stdout.flush()
            connection.load().download("/export", params, sys.stdout.buffer.write)
            sys.stdout.buffer.flush()
        else:
            _write(args.output, params)
    except RefusedError as error:
        if error.status == HTTPStatus.NOT_FOUND and args.project:
            raise CommandError(f"you see no project {args.project!r}; memory projects lists yours") from error
        raise CommandError(str(error)) from error
    except ServerError as error:
        raise CommandError(str(error)) from error
    except OSError as error:
        where = args.output or "the export"
        raise CommandError(f"{where} cannot be written: {error.strerror or error}") from error
    return 0


def _write(path: Path, params: dict[str, str | None]) -> None:
    part = path.with_name(f"{path.name}.part")
    try:
        with open(part, "wb", opener=_private) as file:
            connection.load().download("/export", params, file.write)
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


def _private(name: str, flags: int) -> int:
    """Open a file that only its owner can read: it has what nobody else may see."""
    return os.open(name, flags, 0o600)
