"""`memory import`: store data that `memory export` wrote, as the user's own."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from http import HTTPStatus
from pathlib import Path
from typing import Any

from memorycli.delivery import connection
from memorycli.errors import CommandError
from memorycli.rendering.progress import Progress
from memoryserver.client.http import RefusedError, ServerError
from memoryserver.common.text import decode, one_line, printable, shorten

_PATH = "/import"
_MAX_ROWS = 200  # in a request
_MAX_BYTES = 4_000_000
_MAX_LINE = 32 * 1024 * 1024
_MAX_REASONS = 20
_QUESTION = "is this a file that `memory export` wrote?"


def configure(parser: ArgumentParser) -> None:
    """Add the file."""
    parser.add_argument("file", metavar="FILE", type=Path, help="a file that `memory export` wrote")
    parser.add_argument("--json", action="store_true", help="the counts as JSON")


def run(args: Namespace) -> int:
    """Send the rows; 1 if the server refused some, and the others are stored. Sending a file again changes nothing."""
    counts = {"stored": 0, "unchanged": 0, "refused": 0}
    reasons: list[str] = []
    try:
        for number, result in _results(args.file):
            counts[result["status"]] += 1
            if result["status"] == "refused":
                reasons.append(f"line {number}: {one_line(printable(str(result['reason'])))}")
    except OSError as error:
        raise CommandError(f"cannot read {args.file}: {error.strerror or error}") from error
    except (KeyError, TypeError, ValueError) as error:
        raise CommandError(f"the server does not answer like a memoryserver ({error})") from error
    print(json.dumps(counts) if args.json else ", ".join(f"{number} {name}" for name, number in counts.items()))
    if reasons:
        more = f"; and {len(reasons) - _MAX_REASONS} more" if reasons[_MAX_REASONS:] else ""
        raise CommandError(shorten("; ".join(reasons[:_MAX_REASONS]), 4000) + more)
    return 0


_Rows = list[tuple[int, dict[str, Any]]]


def _results(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Send the rows of the file, with a bar of progress; yield the number of each row's line and the server's result.

    Raises what `_batches` and `_send` raise, and ValueError if the server's results are not one for each row.
    """
    size = path.stat().st_size
    with Progress("Importing") as progress:
        for header, rows, read in _batches(path):
            results = _send(header, [row for _, row in rows])
            yield from zip((number for number, _ in rows), results, strict=True)
            progress.update(read, size)


def _batches(path: Path) -> Iterator[tuple[dict[str, Any], _Rows, int]]:
    """Yield the header, some rows with the numbers of their lines, and how many bytes of the file are read.

    Raises CommandError for a line that is not an object, and OSError.
    """
    header: dict[str, Any] | None = None
    rows: _Rows = []
    read = size = 0
    with path.open("rb") as file:
        for number, line in enumerate(iter(lambda: file.readline(_MAX_LINE), b""), 1):
            read += len(line)
            if not line.strip():
                continue
            row = _object(line, number)
            if header is None:
                header = row
                continue
            if rows and (len(rows) == _MAX_ROWS or size + len(line) > _MAX_BYTES):
                yield header, rows, read - len(line)
                rows, size = [], 0
            rows.append((number, row))
            size += len(line)
    yield header or {}, rows, read


def _object(line: bytes, number: int) -> dict[str, Any]:
    try:
        value = json.loads(decode(line))
    except (ValueError, RecursionError) as error:
        raise CommandError(f"line {number} is not JSON; {_QUESTION}") from error
    if not isinstance(value, dict):
        raise CommandError(f"line {number} is not a JSON object; {_QUESTION}")
    return value


def _send(header: dict[str, Any], rows: Sequence[dict[str, Any]]) -> Sequence[dict[str, Any]]:
    try:
        answer = connection.load(timeout=120.0).post(_PATH, {"header": header, "rows": rows})
    except RefusedError as error:
        if error.status == HTTPStatus.UNPROCESSABLE_ENTITY and not header:
            raise CommandError(f"the file is empty; {_QUESTION}") from error
        raise CommandError(str(error)) from error
    except ServerError as error:
        raise CommandError(f"{error}; run it again, what is stored already stays as it is") from error
    results: Sequence[dict[str, Any]] = answer["results"]
    return results
