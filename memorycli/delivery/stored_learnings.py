"""What was stored by hand on this laptop, so that nothing is stored twice in other words.

$MEMORYSERVER_HOME/stored_learnings.jsonl    a line {"project": KEY, "type": ..., "content": ...} for each
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from capture.local.extraction.learning_form import is_copy
from memoryserver.client import context_cache, home_folder
from memoryserver.common import files
from memoryserver.common.text import clean_json, one_line, wording

FILE = "stored_learnings.jsonl"
MAX_LINES = 500  # of which the oldest are forgotten
_MAX_BYTES = 8 << 20
_LINE = re.compile(r"^[^\]]*\] (.*?)(?: \[\d+\])?$")  # of a context: "- [gotcha] CONTENT [12]"


def path() -> Path:
    """Return the path of the file."""
    return home_folder.path() / FILE


def contains(body: Mapping[str, object]) -> bool:
    """Return whether a learning with the type, project and wording of `body` was stored here before."""
    return any(
        other.get("type") == body["type"] and wording(str(other["content"])) == wording(str(body["content"]))
        for other in _of_project(body)
    )


def similar_to(body: Mapping[str, object]) -> str:
    """Return the wording of a learning that says the same as `body`; "" if none is known here.

    Known are those that were stored here and those in the project's context.
    """
    content = str(body["content"])
    known = [str(other["content"]) for other in _of_project(body)]
    cached = context_cache.load(str(body["project"])) if body["project"] else None
    known += [_LINE.sub(r"\1", line) for line in cached.text.splitlines()] if cached else []
    return next((one_line(other) for other in known if is_copy(content, other)), "")


def add(body: Mapping[str, object]) -> None:
    """Remember that `body` was stored. Raises OSError, LockTimeoutError."""
    home = files.make_folder(home_folder.path())
    line = json.dumps(clean_json({name: body[name] for name in ("project", "type", "content")}))
    with files.lock(home / ".stored_learnings.lock"):
        lines = [json.dumps(other) for other in _stored()]
        if len(lines) < MAX_LINES:
            files.append_line(path(), line, durable=False)
        else:
            files.write_atomic(path(), "\n".join([*lines[-MAX_LINES // 2 :], line]) + "\n")


def forget(learning: Mapping[str, object]) -> None:
    """Forget that a learning was stored here, by its project and content. Raises OSError, LockTimeoutError."""
    statement = (learning["project"] or "", wording(str(learning["content"])))
    home = files.make_folder(home_folder.path())
    with files.lock(home / ".stored_learnings.lock"):
        known = list(_stored())
        others = [other for other in known if (other.get("project") or "", wording(str(other["content"]))) != statement]
        if len(others) < len(known):
            files.write_atomic(path(), "".join(f"{json.dumps(other)}\n" for other in others))


def _of_project(body: Mapping[str, object]) -> list[dict[str, object]]:
    return [other for other in _stored() if other.get("project") == body["project"]]


def _stored() -> Iterator[dict[str, object]]:
    """Yield the stored learnings, oldest first; lines that a crash has cut are left out."""
    try:
        with path().open("rb") as file:
            lines = file.read(_MAX_BYTES).splitlines()
    except FileNotFoundError:
        return
    for line in lines:
        try:
            content = json.loads(line)
        except ValueError:
            continue
        if isinstance(content, dict) and isinstance(content.get("content"), str):
            yield content
