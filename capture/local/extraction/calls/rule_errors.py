"""Errors that state a rule: those of linters, type checkers and wrong calls, as they stand in a command's output."""

from __future__ import annotations

import re
from typing import NamedTuple

from memoryserver.common.text import one_line, shorten

LONGEST_MESSAGE = 200
_LONGEST_LINE = 400
_MAX_ERRORS = 4
_SHORTEST_NAME = 6  # of the part before a dot, since `os` or `self` are everywhere
_PLACE = r"(?:(?P<file>[\w./\\@-]+\.\w+)[:(]\d+(?:[:,]\d+)?\)?:?(?: -)? )?"
_RULE_LINES = tuple(
    (is_rule, re.compile(pattern))
    for is_rule, pattern in (
        (
            True,
            rf"^{_PLACE[:-1]}(?P<message>\S.{{10,220}} \((?P<rule>(?!report[A-Z])[a-z][\w-]{{2,30}})\))$",
        ),  # golangci-lint
        (False, rf"^{_PLACE}error: (?P<message>.{{10,220}} \((?P<rule>report[A-Z]\w+)\))$"),  # pyright
        (False, rf"^{_PLACE}error: (?P<message>.{{10,220}}  \[(?P<rule>[a-z-]+)\])$"),  # mypy
        (
            True,
            rf"^{_PLACE}(?P<message>(?P<rule>[A-Z]{{1,5}}\d{{3,4}}) (?:\[\*\] )?[A-Z`].{{10,220}})$",
        ),  # ruff, flake8
        (False, rf"^{_PLACE}error (?P<message>(?P<rule>TS\d{{3,5}}): .{{10,220}})$"),
        (True, r"^\d+:\d+ +error +(?P<message>.{10,220}? {2,}(?P<rule>@?[a-z][\w/-]+))$"),  # ESLint
        (False, r"^error\[(?P<rule>[\w-]+)\]: (?P<message>.{10,220})$"),  # rustc, ty
        (False, r"^(?:E +)?(?P<message>(?P<rule>TypeError): [\w.]+\(\) .{10,200})$"),  # a call with wrong arguments
    )
)
_HINTS = ("error", "(", "Error", "[")
_NO_LESSON = frozenset(  # rules of layout, size and leftovers, which everybody knows
    {
        *("E501", "W291", "W292", "W293", "F401", "F841", "I001", "gofmt", "goimports", "lll", "prettier/prettier"),
        *("typecheck", "syntax", "dupl", "funlen", "gocognit", "gocyclo", "cyclop", "nestif", "unused", "max-len"),
        *("no-unused-vars", "@typescript-eslint/no-unused-vars", "unused-import", "unused-variable"),
    }
)
_CODE = re.compile(r"[\w.]*[A-Za-z_]\w*(?:[._]\w+)+|\b[a-z]+[A-Z]\w+|\b[A-Z][a-z]+[A-Z]\w*")


class RuleError(NamedTuple):
    """An error that states a rule: its message, the rule's name, the file (base name, "" if unknown).

    A wrong call (TypeError) breaks a rule without a name, which is its message.

    `is_rule` tells a linter's, which says what to do, from one about types, which says what is wrong.
    """

    message: str
    rule: str
    file: str
    is_rule: bool


def rule_errors(output: str) -> list[RuleError]:
    """Return the first errors in `output`, printable and without secrets, that state a rule, one for each rule."""
    errors: dict[str, RuleError] = {}
    for raw in output.split("\n"):
        line = raw.strip()
        if len(line) > _LONGEST_LINE or not (line[:1].isupper() or any(hint in line for hint in _HINTS)):
            continue
        for is_rule, pattern in _RULE_LINES:
            match = pattern.match(line)
            if match and match["rule"] not in _NO_LESSON:
                found = match.groupdict()
                file = re.split(r"[/\\]", found.get("file") or "")[-1]
                message = shorten(one_line(found["message"]), LONGEST_MESSAGE)
                rule = message if found["rule"] == "TypeError" else found["rule"]
                errors.setdefault(rule, RuleError(message, rule, file, is_rule))
                break
        if len(errors) >= _MAX_ERRORS:
            break
    return list(errors.values())


def code_names(message: str) -> list[str]:
    """Return the names of code in an error's message (with a dot, an underscore or a capital inside), whole first."""
    names = [name.strip(".") for name in _CODE.findall(message)]
    firsts = [name.partition(".")[0] for name in names]
    return list(dict.fromkeys([*names, *(first for first in firsts if len(first) >= _SHORTEST_NAME)]))
