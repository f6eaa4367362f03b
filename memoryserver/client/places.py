"""Says which project a folder belongs to, and where that project's journal and assessments are.

`of` is the one answer for commands, hooks, tools for agents and capture; `here` and `of_event` say for which folder
they ask it:

1. A repository is a project: a session in a sub-folder or a worktree of it has the same key. Each worktree has a
   journal of its own, so that agents at work in several have an active entry each. All journals are in the main
   checkout, where `git worktree remove` does not delete them.
2. A folder without version control is one where it, or a folder above it, has the file `.memoryserver.json`, or where
   it has a journal already.
3. All other folders share `NO_PROJECT`, and one journal in the home folder.
4. A folder that is gone has the project that it had when it was last seen.
"""

from __future__ import annotations

import os
from pathlib import Path

from memoryserver.client import config, home_folder, repository
from memoryserver.common import text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memoryserver.client.repository import Repository
    from memoryserver.client.sightings import Sighting

TRAJECTORY_FOLDER = Path(str(config.KEYS["trajectory_dir"].default))
NO_PROJECT = "no-project"
SESSION_VARIABLE = "CLAUDE_CODE_SESSION_ID"  # what Claude Code gives to the commands that an agent runs
CODEX_SESSION_VARIABLE = "CODEX_THREAD_ID"  # the same of Codex
_MAX_KEY = 500
_JOURNAL = str(config.KEYS["journal_dir"].default)
_OWN_JOURNAL = "journal"  # of NO_PROJECT, below the home folder
_NAMED_JOURNALS = "journals"  # of projects named by the environment alone
_WORKTREES = "worktrees"  # below the journal of the main checkout


class Project:
    """The project that a folder belongs to.

    `root` is the checkout's top folder, `main` the folder that stands for the whole project: the main checkout, the
    bare repository or the folder with `.memoryserver.json`; "" for NO_PROJECT. `repository` is None without version
    control.
    """

    __slots__ = ("_key", "_top", "main", "repository", "root")

    def __init__(self, root: str, main: str, found: Repository | None = None, seen: Sighting | None = None) -> None:
        self.root, self.main = Path(root), main
        self.repository = found
        self._top = found.top if found else seen.folder if seen else main
        self._key: str | None = None if seen is None else seen.key

    @property
    def journal(self) -> Path:
        """The folder of the checkout's journal.

        That of the main checkout is `.claude/journal` in `main`, those of worktrees are in `worktrees/` there, unless
        the setting `journal_dir` names another folder; an absolute one is the journal of all of them.
        """
        if self.main:
            main = Path(self.main)
            setting = os.path.expanduser(config.text("journal_dir", main))
            is_shared = self._top == self.main or os.path.isabs(setting)
            return main / setting if is_shared else main / setting / _WORKTREES / _file_name(self._top)
        setting = os.path.expanduser(config.text("journal_dir"))
        if os.path.isabs(setting):
            return Path(setting)
        name = config.text("project")
        if name:
            from memoryserver.common.digest import digest

            return home_folder.path() / _NAMED_JOURNALS / digest(name)
        return home_folder.path() / _OWN_JOURNAL

    def key(self, *, environment: bool = True) -> str:
        """Return the name under which every laptop knows it, "" for a folder that is gone and was never seen.

        The setting `project` if there is one; else the repository's remote (`github.com/acme/shop`, see `remote_key`);
        else the name of the folder `main`, in lower case. Without `environment` the setting does not count: it names
        the project worked in, and this may be any.
        """
        name = config.text("project") if environment else ""
        if name:
            return name
        if self._key is None:
            if self.repository is not None:
                self._key = _key_of(self.repository)
            elif self.main:
                self._key = _key_of_folder(self.main)
            else:
                self._key = NO_PROJECT if self.root.is_dir() else ""
        return self._key

    @property
    def is_repository(self) -> bool:
        """Whether it is under version control."""
        return self.repository is not None

    def checkouts(self) -> list[str]:
        """Return the folders of all worktrees of its repository."""
        return self.repository.checkouts() if self.repository else []


def of(folder: Path | str) -> Project:
    """Return the project that `folder` belongs to, whatever is there. Raises ValueError for a name with a NUL."""
    start = os.path.abspath(folder)
    try:
        real = os.path.realpath(start)
    except UnicodeEncodeError:  # half an emoji: no folder has such a name
        return Project(start, "")
    found = repository.around(real)
    if found is not None:
        seen = None if found.common else _seen(found.top)  # of a worktree whose main checkout was moved
        main = seen.main if seen and seen.main else found.main
        return Project(_as_asked(start, real, found.top), main, found, seen)
    marked = _marked(real)
    if not marked and os.path.isdir(os.path.join(real, _JOURNAL)):  # of a version that made one in each folder
        marked = real
    if marked:
        return Project(_as_asked(start, real, marked), marked)
    seen = None if os.path.isdir(real) else _seen(real)
    return Project(start, seen.main if seen else "", None, seen)


def agents_session() -> str:
    """Return the id of the agent's session that runs this process, as the agent gave it; "" where none did.

    Codex counts first: where both are named, it was most likely started from the shell of the other.
    """
    return os.environ.get(CODEX_SESSION_VARIABLE) or os.environ.get(SESSION_VARIABLE) or ""


def here() -> Project:
    """Return the project that this process works for.

    That of the agent's project folder (`$CLAUDE_PROJECT_DIR`), else of the folder in which the agent's session that
    runs this command began, else of the current folder. Raises OSError where that was removed and has no name.
    """
    agents = os.environ.get("CLAUDE_PROJECT_DIR") or _folder_of_session(agents_session())
    return of(agents or _current_folder())


def of_event(event: dict[str, object]) -> Project:
    """Return the project in which the hook event `event` happened; never raises.

    That of `$CLAUDE_PROJECT_DIR` if the agent set it, else of the folder in which the session began, else of the
    event's `cwd`, else of the current folder.
    """
    try:
        agents = os.environ.get("CLAUDE_PROJECT_DIR") or _folder_of_session(event.get("session_id"))
        return of(agents or folder_of(event) or _current_folder())
    except OSError:  # the current folder was removed; the event counts all the same
        return of(os.sep)


def folder_of(event: dict[str, object]) -> str:
    """Return the folder in which the shell was at the hook event `event`, "" where it names none."""
    cwd = event.get("cwd")
    if not isinstance(cwd, str) or "\0" in cwd or not os.path.isabs(cwd):
        return ""
    return _with_its_bytes(cwd) if "\ufffd" in cwd else cwd


def _with_its_bytes(cwd: str) -> str:
    """Return the current folder if `cwd` is its name with U+FFFD for bytes that are not UTF-8, else `cwd`."""
    try:
        current = _current_folder()
    except OSError:  # it was removed
        return cwd
    return current if cwd in (os.fsencode(current).decode("utf-8", "replace"), text.clean(current)) else cwd


def record(project: Project) -> None:
    """Remember the project for the time when its checkouts are gone. Raises OSError."""
    from memoryserver.client import sightings

    key = project.key(environment=False)
    for folder in (str(project.root), *project.checkouts()):
        sightings.record(os.path.realpath(folder), project.main, key)


def project_root(start: Path | None = None) -> Path:
    """Return the top folder of the checkout around `start`, else `start` itself.

    Without `start` it is that of `$CLAUDE_PROJECT_DIR`, else of the current folder: where settings files lie.
    """
    return of(start or os.environ.get("CLAUDE_PROJECT_DIR") or _current_folder()).root


def root_of_event(event: dict[str, object]) -> Path:
    """Return the `root` of `of_event`."""
    return of_event(event).root


def journal_dir(root: Path) -> Path:
    """Return the journal of the project that `root` belongs to."""
    return of(root).journal


def trajectory_dir(root: Path) -> Path:
    """Return the folder of the assessments of the project at `root`: `.wink/trajectory` in it unless set."""
    return root / os.path.expanduser(config.text("trajectory_dir", root))


def project_key(root: Path, *, environment: bool = True) -> str:
    """Return the key of the project that `root` belongs to."""
    return of(root).key(environment=environment)


def named(name: str) -> str:
    """Return the key of a project with that name, of a folder mostly."""
    from memoryserver.common import project_key as keys

    return _bounded(keys.normalized(name)) or "root"


def _key_of(found: Repository) -> str:
    from memoryserver.client import git_config, remote_key

    url = git_config.remote_url(found.common) if found.common else ""
    return _bounded(remote_key.of(url)) or named(found.name)


def _key_of_folder(folder: str) -> str:
    """Return the name that `.memoryserver.json` gives the project, else that of its folder.

    A name with a slash is ignored: such names belong to repositories, and the file may come from anybody.
    """
    try:
        name = config.read(config.project_file(Path(folder))).get("project")
    except config.ConfigError:  # `memory doctor` reports it
        name = None
    is_valid = isinstance(name, str) and "/" not in name and name.strip()
    return named(str(name) if is_valid else os.path.basename(folder))


def _bounded(key: str) -> str:
    return text.one_line(text.printable(key))[:_MAX_KEY]


def _marked(folder: str) -> str:
    """Return the nearest folder from `folder` upward that has a project's settings file, "" without one."""
    while not os.path.isfile(os.path.join(folder, config.PROJECT_FILE)):
        parent = os.path.dirname(folder)
        if parent == folder:
            return ""
        folder = parent
    return folder


def _as_asked(start: str, real: str, top: str) -> str:
    """Return the real folder `top` as the path `start` leads to it, through a symbolic link perhaps.

    Agents name files by the path on which they work, and these are compared with the root.
    """
    folder = start
    while start != real:
        if os.path.realpath(folder) == top:
            return folder
        parent = os.path.dirname(folder)
        if parent == folder:
            break
        folder = parent
    return top


def _file_name(folder: str) -> str:
    """Return a name for a file about `folder`: its last part, and a digest of the whole."""
    from memoryserver.common.digest import digest

    return f"{text.clean(os.path.basename(folder))[:60]}-{digest(text.clean(folder), 4)}"


def _seen(folder: str) -> Sighting | None:
    from memoryserver.client import sightings

    return sightings.of(folder)


def _folder_of_session(session_id: object) -> str:
    """Return the folder in which the session began, "" where that is not known."""
    if not session_id or not isinstance(session_id, str):
        return ""
    from memoryserver.client.hook_state import SessionMemory
    from memoryserver.common.hook_event import identifier

    return SessionMemory(identifier(session_id)).root


def _current_folder() -> str:
    try:
        return os.getcwd()
    except FileNotFoundError:  # a worktree that was removed; the shell knows what it was called
        folder = os.environ.get("PWD", "")
        if not os.path.isabs(folder):
            raise
        return folder
