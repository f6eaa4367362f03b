"""Reads of git's configuration what names a repository's remote, as git reads it, without starting git.

The system's, the user's and the repository's files in git's order, with `include`, `includeIf` and `insteadOf`; what
`git -c` and `$GIT_CONFIG_COUNT` set for one command does not count. A test compares it with `git remote get-url`.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_MAX_BYTES = 4 << 20
_MAX_DEPTH = 10  # of includes, as in git
_BLANKS = " \t\r\n"  # git's isspace
_ESCAPES = {"t": "\t", "b": "\b", "n": "\n", "\\": "\\", '"': '"'}
_SYSTEM = ("/etc/gitconfig", "/opt/homebrew/etc/gitconfig", "/usr/local/etc/gitconfig")

Entry = tuple[str, str, str, str]
"""Section in lower case, subsection, key in lower case, value."""


class Settings:
    """The settings of the repository with the git folder `git_folder`, as its main checkout has them."""

    def __init__(self, git_folder: str) -> None:
        self.git_folder = git_folder
        self._urls: list[str] | None = None

    def entries(self, *, has_urls: bool = True) -> Iterator[Entry]:
        """Yield the entries of all files in git's order; without `has_urls` no include that asks for a URL is read."""
        for path in _user_files():
            yield from self._file(path, 0, has_urls)
        of_worktree = False
        for entry in self._file(os.path.join(self.git_folder, "config"), 0, has_urls):
            if entry[0] == "extensions" and entry[2] == "worktreeconfig":
                of_worktree = entry[3].lower() in ("", "true", "yes", "on", "1")
            yield entry
        if of_worktree:
            yield from self._file(os.path.join(self.git_folder, "config.worktree"), 0, has_urls)

    def urls(self) -> list[str]:
        """Return the URLs of all remotes, as conditions of includes see them."""
        if self._urls is None:
            entries = self.entries(has_urls=False)
            self._urls = [value for section, _, key, value in entries if (section, key) == ("remote", "url")]
        return self._urls

    def _file(self, path: str, depth: int, has_urls: bool) -> Iterator[Entry]:
        for entry in parse(_text(path)):
            yield entry
            section, condition, key, value = entry
            if key != "path" or not value or depth >= _MAX_DEPTH or section not in ("include", "includeif"):
                continue
            if section == "includeif":
                from memoryserver.client import git_conditions

                urls = self.urls if has_urls else list
                if not git_conditions.holds(condition, path, self.git_folder, urls):
                    continue
            included = os.path.join(os.path.dirname(path), os.path.expanduser(value))
            yield from self._file(included, depth + 1, has_urls)


def remote_url(git_folder: str) -> str:
    """Return what `git remote get-url` says in the main checkout of the remote, "" where there is none.

    That is `origin`; else `upstream`, else the first that is configured.
    """
    remotes: dict[str, list[str]] = {}
    bases: dict[str, str] = {}
    for section, name, key, value in Settings(git_folder).entries():
        if section == "remote" and key == "url" and name:
            urls = remotes.setdefault(name, [])
            if value:
                urls.append(value)
            else:  # an empty one takes back those before it
                urls.clear()
        elif section == "url" and key == "insteadof":
            bases.setdefault(value, name)
    names = [name for name, urls in remotes.items() if urls]
    remote = next((name for name in ("origin", "upstream", *names) if name in names), None)
    url = remotes[remote][0] if remote else ""
    prefix = max((prefix for prefix in bases if url.startswith(prefix)), key=len, default=None)
    return url if prefix is None else bases[prefix] + url[len(prefix) :]


def worktree(git_folder: str) -> str:
    """Return `core.worktree` of the repository, "" where it is not set."""
    values = [
        value
        for section, _, key, value in parse(_text(os.path.join(git_folder, "config")))
        if (section, key) == ("core", "worktree")
    ]
    return values[-1] if values else ""


def parse(text: str) -> Iterator[Entry]:
    """Yield the entries in the text of a configuration file, up to the first line at which git would give up.

    A key without a value has the value "".
    """
    text = text.replace("\r\n", "\n")
    section = subsection = ""
    position, end = 0, len(text)
    while position < end:
        char = text[position]
        if char in _BLANKS:
            position += 1
        elif char in "#;":
            position = _line_end(text, position)
        elif char == "[":
            header = _header(text, position + 1)
            if header is None:
                return
            section, subsection, position = header
        elif char.isascii() and char.isalpha():
            entry = _entry(text, position)
            if entry is None:
                return
            key, value, position = entry
            yield section, subsection, key, value
        else:
            return


def _header(text: str, start: int) -> tuple[str, str, int] | None:
    """Return the section, the subsection and the end of the header `[section "subsection"]` after its `[`."""
    position = start
    while text[position : position + 1] not in ("]", "", *_BLANKS):
        position += 1
    section = text[start:position].lower()
    if not section.replace(".", "").replace("-", "").isalnum() or not section.isascii():
        return None
    if text[position : position + 1] == "]":
        section, _, subsection = section.partition(".")
        return section, subsection, position + 1
    while text[position : position + 1] in (" ", "\t", "\r"):
        position += 1
    if text[position : position + 1] != '"':
        return None
    subsection, position = "", position + 1
    while (char := text[position : position + 1]) != '"':
        if char == "\\":
            position += 1
            char = text[position : position + 1]
        if char in ("", "\n"):
            return None
        subsection, position = subsection + char, position + 1
    return (section, subsection, position + 2) if text[position + 1 : position + 2] == "]" else None


def _entry(text: str, start: int) -> tuple[str, str, int] | None:
    """Return the key in lower case, the value and the end of the entry that begins at `start`."""
    position = start
    while ((char := text[position : position + 1]).isalnum() and char.isascii()) or char == "-":
        position += 1
    key = text[start:position].lower()
    while text[position : position + 1] in (" ", "\t"):
        position += 1
    char = text[position : position + 1]
    if char in ("", "\n"):
        return key, "", position
    if char != "=":
        return None
    value = _value(text, position + 1)
    return None if value is None else (key, *value)


def _value(text: str, start: int) -> tuple[str, int] | None:
    """Return the value after the `=` and its end; None where a quote is not closed or an escape is unknown."""
    end = _line_end(text, start)
    line = text[start:end]
    if not any(char in line for char in '"\\#;'):
        return line.strip(_BLANKS), end
    value, trimmed, quoted, position = "", None, False, start
    while (char := text[position : position + 1]) not in ("", "\n"):
        position += 1
        if char in _BLANKS and not quoted:
            trimmed = len(value) if trimmed is None else trimmed
            value += char if value else ""
            continue
        if char in "#;" and not quoted:
            position = _line_end(text, position)
            break
        trimmed = None
        if char == "\\":
            escaped = text[position : position + 1]
            position += 1
            if escaped not in ("", "\n") and escaped not in _ESCAPES:
                return None
            value += _ESCAPES.get(escaped, "")
        elif char == '"':
            quoted = not quoted
        else:
            value += char
    return None if quoted else (value[:trimmed], position)


def _line_end(text: str, start: int) -> int:
    end = text.find("\n", start)
    return len(text) if end < 0 else end


def _user_files() -> list[str]:
    """Return the paths of the system's and the user's files."""
    get = os.environ.get
    paths = []
    if get("GIT_CONFIG_NOSYSTEM", "").lower() not in ("1", "true", "yes", "on"):
        system = get("GIT_CONFIG_SYSTEM")
        paths += [system] if system else list(_SYSTEM[: None if sys.platform == "darwin" else 1])
    if "GIT_CONFIG_GLOBAL" in os.environ:
        return [*paths, os.environ["GIT_CONFIG_GLOBAL"]]
    home = os.path.expanduser("~")
    xdg = get("XDG_CONFIG_HOME") or os.path.join(home, ".config")
    return [*paths, os.path.join(xdg, "git", "config"), os.path.join(home, ".gitconfig")]


def _text(path: str) -> str:
    try:
        with open(path, "rb") as file:
            data = file.read(_MAX_BYTES)
    except (OSError, ValueError):  # git goes on without it, too
        return ""
    return os.fsdecode(data.removeprefix(b"\xef\xbb\xbf"))
