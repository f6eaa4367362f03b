"""Walks the folders in which agents keep transcripts, and follows links to folders that lie elsewhere."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

Skip = Callable[[Path, str], None]
"""Called with a path that is not read, and the reason."""


def ignore(path: Path, reason: str) -> None:
    """Report nothing: a `Skip` for callers who do not want to know."""


def walk(root: Path, skip: Skip = ignore) -> Iterator[tuple[str, list[str], list[str]]]:
    """Yield what `os.walk` yields for `root` and for each folder elsewhere that a link below it leads to.

    The caller removes from the second list, in place, folders that are not to be entered. Links are followed one level:
    what is linked inside a linked folder is skipped. A folder that cannot be listed is skipped too.
    """

    def skip_unreadable(error: OSError) -> None:
        skip(Path(str(error.filename)), f"cannot be listed ({error.strerror or error})")

    links: list[str] = []
    for folder, folders, names in os.walk(root, onerror=skip_unreadable):
        yield folder, folders, names
        links += _links(folder, folders)
    real_root = os.path.realpath(root)
    for link in links:
        target = os.path.realpath(link)
        if _is_within(target, real_root):
            continue  # its files are found where they lie
        if _is_within(real_root, target):
            skip(Path(link), "links to a folder that it lies in")
            continue
        for folder, folders, names in os.walk(link, onerror=skip_unreadable):
            yield folder, folders, names
            for inner in _links(folder, folders):
                skip(Path(inner), "is a link inside a linked folder, which is not followed")


def _links(folder: str, folders: list[str]) -> list[str]:
    paths = (os.path.join(folder, name) for name in folders)
    return [path for path in paths if os.path.islink(path)]


def _is_within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)
