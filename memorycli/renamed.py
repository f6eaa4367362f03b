"""Notices that the project worked in was known under another key before: its remote, or its folder, was renamed.

The server has its memory under the old key until somebody renames the project there (`memory projects rename`). A
repository is recognised by its git folder, which moves with it: a clone, a copy and a fork have another one.
"""

from __future__ import annotations

import os

from memorycli.delivery import connection
from memoryserver.client import context_cache, places, sightings
from memoryserver.client.sightings import Sighting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memoryserver.client.places import Project

COMMAND = "memory projects rename"
# Of what `git init` makes. The time of the first of them that there is tells a git folder from its successor.
_NEVER_CHANGED = ("description", "hooks")


def earlier_keys(project: Project) -> tuple[str, ...]:
    """Return the keys that `project` had before and whose memory nobody has brought over; none without a server."""
    sighting = _present(project) if connection.is_configured() else None
    return sighting.earlier if sighting else ()


def news(project: Project) -> tuple[str, ...]:
    """Return `earlier_keys` if no session has got them yet, and remember that this one has. Raises OSError."""
    sighting = _present(project)
    if sighting is None:
        return ()
    is_news = bool(sighting.earlier) and not sighting.announced and connection.is_configured()
    sighting.announced = sighting.announced or is_news
    sightings.store(sighting)
    return sighting.earlier if is_news else ()


def settle(project: Project, old: str, *, is_same: bool) -> None:
    """Remember that nothing under the key `old` is left to be brought over to `project`. Raises OSError.

    `is_same` says that it was the same project: the folders that were seen in it, gone ones too, belong to this one.
    """
    sighting = _present(project)
    if sighting is not None:
        sighting.earlier = tuple(each for each in sighting.earlier if each != old)
        sightings.store(sighting)
    if is_same:
        sightings.rename(old, project.key(environment=False), project.main)


def hint(earlier: Sequence[str]) -> str:
    """Return for a person where the memory of the project is, and the command that brings it over."""
    return f"its memory is under its former name, {' and '.join(earlier)}; to bring it over: {COMMAND}"


def _present(project: Project) -> Sighting | None:
    """Return the sighting of `project` as it is now; None if it has no key or folder of its own."""
    key, identity = project.key(environment=False), _identity(project)
    if not identity or key != project.key() or key in ("", places.NO_PROJECT):
        return None
    seen = sightings.exact(identity)
    if seen is None:
        return Sighting(identity, project.main, key)
    if seen.key == key:
        return Sighting(identity, project.main, key, seen.earlier, announced=seen.announced)
    keys = seen.earlier if _is_another(project, seen, key) else (*seen.earlier, seen.key)
    earlier = tuple(dict.fromkeys(each for each in keys if each != key))
    return Sighting(identity, project.main, key, earlier, announced=seen.announced and earlier == seen.earlier)


def _is_another(project: Project, seen: Sighting, key: str) -> bool:
    """Return whether nothing is to be brought over from the project that was `seen`.

    It has been renamed on the server already; its remote is still one of the repository's, so that this works in a fork
    of it; or its folder is still there beside this one.
    """
    if context_cache.renamed_to(seen.key) == key:
        return True
    if seen.main != project.main and os.path.isdir(seen.main):
        return True
    if project.repository is None:
        return False
    from memoryserver.client import git_config, remote_key

    urls = git_config.Settings(project.repository.common).urls()
    return seen.key in map(remote_key.of, urls)


def _identity(project: Project) -> str:
    """Return what identifies the project on this laptop whatever it is called, "" if nothing does.

    Of a repository that is its git folder, by its number in the file system, which the next folder may get when it is
    deleted, and the time of a file in it that nobody changes; without version control the path.
    """
    if project.repository is None:
        return f"folder {project.main}" if project.main else ""
    folder = project.repository.common
    for name in _NEVER_CHANGED if folder else ():
        try:
            return f"git {os.stat(folder).st_ino} {os.stat(os.path.join(folder, name)).st_mtime_ns}"
        except OSError:  # the user's template of repositories has none
            continue
    return ""
