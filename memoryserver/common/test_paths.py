"""Tells the files of tests from other files by their paths."""

from __future__ import annotations

_FOLDERS = frozenset({"test", "tests", "__tests__", "spec", "specs"})
WORDS = ("test", "tests", "spec")


def is_test(path: str) -> bool:
    """Return whether the file at `path` (with `/`) holds tests, by its name or the folders that it lies in.

    `tests/data.py`, `test_config.py`, `config.spec.ts` and `config_test.go` do; `contest.py` does not.
    """
    *folders, name = path.split("/")
    stem = name.rpartition(".")[0] or name
    words = stem.lower().replace(".", "_").replace("-", "_").split("_")
    return any(word in words for word in WORDS) or not _FOLDERS.isdisjoint(folders)
