"""What a shell command is for, by its programs: to wait, to change something, or only to look."""

from __future__ import annotations

import re

_SEPARATORS = re.compile(r"\|\||&&|[|;&\n]")
_PREFIX = re.compile(r"^(?:\(|!|sudo|time|env|command|nohup|then|do|\w+=\S*)\s+")
_MAX_COMMAND = 4000

_WAITS = re.compile(
    r"(?:sleep|watch|wait|jobs|pgrep|uptime)\b|ps\b"
    r"|gh (?:run|pr) (?:watch|view|status|checks|list)\b|glab ci\b|systemctl (?:status|is-active)\b"
    r"|kubectl (?:get|rollout status|wait|describe)\b|docker (?:ps|wait|logs|inspect)\b|squeue\b|sacct\b"
    r"|aws \S+ (?:wait|describe-\S+)|gcloud \S+ .*describe\b|nvidia-smi\b"
)
_BESIDE_WAITS = re.compile(r"(?:echo|true|tail|head|cat|grep|wc|date|done|while|until|for|if|fi|curl|jq|\[|test)\b")
_POLLED_URL = re.compile(r"curl\b.*(?:health|ready|status|localhost|127\.0\.0\.1)")
_CHANGES = re.compile(
    r"(?:mv|cp|rm|rmdir|mkdir|touch|ln|chmod|chown|tee|patch|truncate|install|rsync|unzip|dd|make|ninja)\b"
    r"|tar\b.* -?\w*x|sed\b.* -i|perl\b.* -\w*i|git (?:add|apply|am|checkout|switch|commit|merge|rebase|reset|restore"
    r"|revert|stash|cherry-pick|clean|clone|pull|push|rm|mv|init)\b"
    r"|(?:pip3?|npm|pnpm|yarn|uv|cargo|go|gem|apt|apt-get|brew|conda"
    r"|poetry|bundle) (?:add|install|remove|uninstall|update|upgrade|get|mod|i|sync|ci|fmt)\b"
    r"|(?:black|prettier|isort|gofmt|rustfmt)\b|ruff (?:format|check .*--fix)|(?:docker|podman|kubectl|terraform) "
    r"(?:build|run|rm|apply|delete|create|exec|start|stop|restart|compose)\b|(?:createdb|dropdb|psql|mysql|sqlite3)\b"
)
_REDIRECTS = re.compile(r"(?<![0-9&<>=-])>{1,2}(?!&|\s*/dev/null|=)")
_LOOKS = re.compile(
    r"(?:ls|cat|head|tail|less|more|grep|egrep|fgrep|rg|ag|find|fd|tree|wc|file|stat|pwd|cd|echo|printf|which|type|diff"
    r"|cmp|sort|uniq|cut|awk|sed|jq|du|df|env|date|true|nl|tac|column|xargs (?:grep|cat|ls|wc|head))\b|\[ "
    r"|git (?:log|status|diff|show|blame|grep|branch|remote|ls-files|rev-parse|describe)\b"
)
_QUOTED = re.compile(r"'[^']*'|\"(?:[^\"\\]|\\.)*\"")


def waits(command: str) -> bool:
    """Whether the command does nothing but wait for something or ask how it is getting on."""
    found = parts(command)
    waiting = [bool(_WAITS.match(part) or _POLLED_URL.match(part)) for part in found]
    return any(waiting) and all(wait or _BESIDE_WAITS.match(part) for wait, part in zip(waiting, found, strict=True))


def changes(command: str) -> bool:
    """Whether one of the command's programs is known to change files, or its output goes into one."""
    return any(map(_CHANGES.match, parts(command))) or bool(_REDIRECTS.search(_bare(command)))


def only_looks(command: str) -> bool:
    """Whether each of the command's programs is known to read alone."""
    found = parts(command)
    return bool(found) and all(map(_LOOKS.match, found)) and not changes(command)


def _bare(command: str) -> str:
    """The command without what is quoted, which may hold any sign."""
    return _QUOTED.sub("''", command[:_MAX_COMMAND])


def parts(command: str) -> list[str]:
    """Its simple commands, without words that stand before a program."""
    found = []
    for part in _SEPARATORS.split(_bare(command).replace(">&", ">").replace("&>", ">")):
        command_part = _without_prefixes(part.strip())
        if command_part and command_part not in ("1", "2"):
            found.append(command_part)
    return found


def _without_prefixes(part: str) -> str:
    while (shorter := _PREFIX.sub("", part)) != part:
        part = shorter.lstrip()
    return part
