"""The summary of a call: its arguments by tool, the lines of its error that name it. Redacted, then bounded.

Only for display: two calls with the same summary need not be the same call.
"""

from __future__ import annotations

import os

from memoryserver.common import text
from trajectory.local import outcome

MAX_SUMMARY = 200
MAX_ERROR = 500
_RULES = frozenset("=-_*~#!+")
_LEAST_RULE = 3  # of its sign at each end
_MAX_ITEM = 120
_MAX_LINES = 6
_MAX_READ = 20_000  # of an error text; the message is near its head or at its very end

WRITE, READ, SEARCH, COMMAND, OTHER = "write", "read", "search", "command", "other"
_KINDS = {
    WRITE: "edit multiedit write notebookedit edit_file write_file create_file apply_patch patch replace "
    "insert_edit write_to_file replace_in_file apply_diff search_replace str_replace_editor "
    "str_replace_based_edit_tool",
    READ: "read read_file notebookread view view_file open_file read_many_files cat",
    SEARCH: "grep glob ls search list_dir list_files list_directory search_files search_file_content codebase_search",
    COMMAND: "bash shell powershell exec_command local_shell run_shell_command execute_command run_command "
    "run_terminal_cmd terminal execute_bash",
}
_KIND_OF = {name: kind for kind, names in _KINDS.items() for name in names.split()}
_NETWORK_TOOLS = frozenset({"webfetch", "websearch", "web_fetch", "web_search", "google_web_search", "task", "agent"})

_PATH_KEYS = ("file_path", "path", "filePath", "notebook_path", "absolute_path", "target_file", "filename")
_COMMAND_KEYS = ("command", "cmd", "script")
_SHOWN_NEXT = ("pattern", "query", "url", "glob", "offset", "limit", "view_range", "prompt", "skill")
_SECRET_WORDS = ("password", "passwd", "secret", "token", "api_key", "apikey", "credential", "private_key")
_PATCH_HEADS = ("*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: ")
_MAX_PATHS = 8
_MAX_PATH = 300

_ERROR_WORDS = (
    "error",
    "exception",
    "failed",
    "failure",
    "cannot",
    "can't",
    "not found",
    "no such",
    "denied",
    "fatal",
    "panic",
    "no replacement",
    "did not ",
)


def kind_of(tool_name: str, arguments: object = None) -> str:
    """Return what a tool does with files: "write", "read", "search", "command" (a shell) or "other"."""
    name = tool_name.rsplit("__", 1)[-1].lower()
    kind = _KIND_OF.get(name, OTHER)
    if kind == WRITE and isinstance(arguments, dict) and arguments.get("command") == "view":
        return READ  # one tool for both, told apart by its first argument
    return kind


def is_network_tool(tool_name: str) -> bool:
    """Return whether the tool calls a remote service, so that an HTTP 5xx is not the agent's doing."""
    return tool_name.startswith("mcp__") or tool_name.lower() in _NETWORK_TOOLS


def is_own_tool(tool_name: str, command: str) -> bool:
    """Return whether the call is one of this memory: one of its tools, or of its command line."""
    return tool_name.startswith("mcp__memoryserver__") or command.lstrip().startswith("memory ")


def command_of(tool_name: str, arguments: object) -> str:
    """Return the shell command that the call ran, "" for a tool that is not a shell."""
    if kind_of(tool_name) != COMMAND:
        return ""
    command = _first(arguments, _COMMAND_KEYS) if isinstance(arguments, dict) else arguments
    if isinstance(command, list):  # ["bash", "-lc", "make"]: the last word is the command
        command = command[-1] if len(command) > 2 and command[1] in ("-c", "-lc") else " ".join(map(str, command))
    return command if isinstance(command, str) else ""


def paths_of(arguments: object, base: str, root: str) -> list[str]:
    """Return the files that the arguments name: below `root` relative to it, with `/`; at most eight."""
    if isinstance(arguments, str):
        paths = _patched(arguments)
    elif isinstance(arguments, dict):
        path_argument = _first(arguments, _PATH_KEYS)
        patch = _first(arguments, ("patch", "input"))
        paths = ([path_argument] if isinstance(path_argument, str) else []) + (
            _patched(patch) if isinstance(patch, str) else []
        )
    else:
        paths = []
    return [relative(path, base, root) for path in dict.fromkeys(paths) if path][:_MAX_PATHS]


def relative(path: str, base: str, root: str) -> str:
    """Return `path` (relative to `base`) relative to `root`: `src/a.py`; absolute if it is outside of `root`."""
    path = text.printable(path[:_MAX_PATH]).replace("\\", "/").replace("\n", " ")
    absolute = os.path.normpath(os.path.join(base or root, path)).replace("\\", "/") if base or root else path
    root_prefix = os.path.normpath(root).replace("\\", "/").rstrip("/") if root else ""
    if root_prefix and absolute.startswith(root_prefix + "/"):
        return absolute[len(root_prefix) + 1 :]
    return os.path.normpath(absolute).replace("\\", "/")


def summarise(arguments: object, paths: list[str]) -> str:
    """Return the arguments in at most 200 characters on one line: path, command or pattern first."""
    if isinstance(arguments, str):
        return _shown(arguments, MAX_SUMMARY)
    if not isinstance(arguments, dict):
        return "" if arguments is None else _shown(str(arguments)[:_MAX_READ], MAX_SUMMARY)
    parts = [f"path={paths[0]}"] if paths else []
    command = _first(arguments, _COMMAND_KEYS)
    if command is not None:
        parts.append(f"command={_plain(command)}")
    parts += [f"{key}={_plain(arguments[key])}" for key in _SHOWN_NEXT if arguments.get(key) is not None]
    if not parts:
        parts = [f"{key}={_value(key, value)}" for key, value in list(arguments.items())[:4]]
    return _shown(", ".join(parts), MAX_SUMMARY)


def error_lines(error: str) -> str:
    """Return the lines of an error text that say what went wrong, at most 500 characters.

    Frames of a traceback are left out, and rules with or without a title in them; of a report of pytest the errors are
    returned, and which tests they are of. Where no line names an error, the first lines are returned.
    """
    for tag in ("<tool_use_error>", "</tool_use_error>"):
        error = error.replace(tag, "")
    if len(error) > _MAX_READ:
        error = error[: _MAX_READ // 2] + "\n" + error[-_MAX_READ // 2 :]
    lines = [line for line in text.printable(error).split("\n") if line.strip()]
    first = lines[:1] if outcome.exit_status(error) is not None else []
    lines = [line for line in lines if not is_rule(line)] or lines
    relevant = _exception(lines) or _of_pytest(lines) or [line for line in lines if _names_error(line)][:_MAX_LINES]
    shown = dict.fromkeys(first + relevant) if relevant else lines[:_MAX_LINES]
    return text.shorten(_redacted("\n".join(line.strip() for line in shown)[: MAX_ERROR * 4]), MAX_ERROR)


def is_rule(line: str) -> bool:
    """Return whether a line is drawn, as `=== FAILURES ===` or `-----` is: what is in it is a title."""
    line = line.strip()
    return (
        line[:1] in _RULES
        and len(line) > _LEAST_RULE
        and line[:_LEAST_RULE] == line[0] * _LEAST_RULE
        and (line[-_LEAST_RULE:] == line[0] * _LEAST_RULE)
    )


def _of_pytest(lines: list[str]) -> list[str]:
    """Return the first line of each error in a report of pytest, which begins with an E, and the tests that failed."""
    marked = [line.startswith("E   ") for line in lines]
    errors = [line[4:] for number, line in enumerate(lines) if marked[number] and not (number and marked[number - 1])]
    named = [line for line in lines if line.startswith(("FAILED ", "ERROR "))]
    return [*errors[: _MAX_LINES // 2], *named[: _MAX_LINES // 2]] if errors else []


def _exception(lines: list[str]) -> list[str]:
    """Return the line below a traceback's frames, which names the exception, and the one after it."""
    frames = [number for number, line in enumerate(lines) if line.startswith('  File "')]
    below = lines[frames[-1] + 1 :] if frames else []
    named = (number for number, line in enumerate(below) if not line.startswith(" "))
    start = next(named, len(below))
    return below[start : start + 2]


def _names_error(line: str) -> bool:
    lowered = line[:400].lower()
    return any(mark in lowered for mark in _ERROR_WORDS)


def _patched(patch: str) -> list[str]:
    heads = (line for line in patch.split("\n") if line.startswith("*** "))
    return [line[len(head) :].strip() for line in heads for head in _PATCH_HEADS if line.startswith(head)]


def _first(arguments: dict[str, object], keys: tuple[str, ...]) -> object:
    return next((arguments[key] for key in keys if arguments.get(key) is not None), None)


def _value(key: str, value: object) -> str:
    if any(word in key.lower() for word in _SECRET_WORDS):
        return "[redacted]"
    return text.shorten(_plain(value), _MAX_ITEM)


def _plain(value: object) -> str:
    if isinstance(value, list):
        return " ".join(_plain(item) for item in value[:20])
    return (value if isinstance(value, str) else str(value))[: MAX_SUMMARY * 4]


def _shown(value: str, limit: int) -> str:
    """Return one line, redacted before it is cut: half a secret would not be recognised as one."""
    return text.shorten(_redacted(text.one_line(text.printable(value[: MAX_SUMMARY * 8]))), limit)


def _redacted(value: str) -> str:
    from memoryserver.common.redaction import redact

    return redact(value).text
