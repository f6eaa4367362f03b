"""Regular expressions for modules that are loaded at a tool call: compiled once for a machine, then read from a file.

    $MEMORYSERVER_HOME/cache/patterns.<interpreter>.marshal

Compiling the sixty patterns that a hook may need takes longer than the call it records; what comes of it is a list of
numbers that the interpreter's own engine checks when it is loaded. The file belongs to one build of one interpreter.
Where it is missing, damaged or not to be written, `compiled` does as `re.compile` does.
"""

from __future__ import annotations

import re
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_MAX_KEPT = 400
_MAX_BYTES = 4 << 20

_kept: dict[tuple[str, int], tuple[Any, ...]] | None = None
_new: dict[tuple[str, int], tuple[Any, ...]] = {}
_made: dict[tuple[str, int], re.Pattern[str]] = {}


def compiled(source: str, flags: int = 0) -> re.Pattern[str]:
    """`re.compile(source, flags)`; asked again in the same process it costs a look into a dictionary."""
    key = (source, int(flags))
    if key not in _made:
        _made[key] = _compiled(source, flags, key)
    return _made[key]


def _compiled(source: str, flags: int, key: tuple[str, int]) -> re.Pattern[str]:
    global _kept  # noqa: PLW0603 - read once in a process
    if _kept is None:
        _kept = _load()
    found = _kept.get(key)
    if found is not None:
        try:
            import _sre  # type: ignore[import-not-found]

            return _sre.compile(source, *found)  # type: ignore[no-any-return]
        except (TypeError, ValueError, RuntimeError, OverflowError):  # not what this engine understands
            _kept.clear()
    made = re.compile(source, flags)
    code = _code_of(source, flags)
    if code is not None:
        _new[key] = code
    return made


def save() -> None:
    """Keep what was compiled in this process for the next ones. Never raises."""
    if not _new:
        return
    try:
        import marshal

        from memoryserver.local import files

        kept = {**_load(), **_new}
        if len(kept) > _MAX_KEPT:  # those of earlier versions
            kept = dict(_new)
        path = _path()
        files.make_folder(path.parent)
        files.write_atomic(path, marshal.dumps(kept), durable=False)
        _new.clear()
    except (OSError, ValueError):  # a folder that cannot be written: the next process compiles again
        return


def _code_of(source: str, flags: int) -> tuple[Any, ...] | None:
    """What `_sre.compile` makes the pattern of; None where this interpreter keeps its compiler elsewhere."""
    try:
        from re import _compiler, _parser  # type: ignore[attr-defined]

        parsed = _parser.parse(source, int(flags))
        code = _compiler._code(parsed, int(flags))
        groups = dict(parsed.state.groupdict)
        names: list[str | None] = [None] * parsed.state.groups
        for name, number in groups.items():
            names[number] = name
        return (
            int(flags) | parsed.state.flags,
            [int(one) for one in code],
            parsed.state.groups - 1,
            groups,
            tuple(names),
        )
    except (ImportError, AttributeError, TypeError):
        return None


def _load() -> dict[tuple[str, int], tuple[Any, ...]]:
    try:
        import marshal

        with open(_path(), "rb") as file:
            kept = marshal.loads(file.read(_MAX_BYTES))  # noqa: S302 - of the user's own folder, as `.pyc` files are
    except (OSError, ValueError, EOFError, TypeError):
        return {}
    return kept if isinstance(kept, dict) else {}


def _path() -> Path:
    import _sre

    from memoryserver.local import places

    build = "".join(letter if letter.isalnum() else "-" for letter in sys.version.partition(" (")[0])
    return places.home() / "cache" / f"patterns.{sys.implementation.cache_tag}.{build}.{_sre.MAGIC}.marshal"


if TYPE_CHECKING:
    from pathlib import Path
