"""Edit JSON text in place: set or remove a member or an item; every other byte is unchanged.

So a person's settings keep their order, indentation and line breaks. A position in a document is a path of keys and
indices, such as `("hooks", "Stop", 0)`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]:,]|[^\s{}\[\]:,"]+')
Path = Sequence[str | int]


class JsonTextError(ValueError):
    """The text is invalid JSON or has no such position; the message is one line."""


@dataclass
class _Node:
    """A value: its start and end, and its children with the start of their keys (in an array, of themselves)."""

    start: int
    end: int = 0
    keys: list[str] = field(default_factory=list)
    begins: list[int] = field(default_factory=list)
    children: list[_Node] = field(default_factory=list)


def parse(text: str) -> Any:
    """Return the value of `text`. Raises JsonTextError with the error and its line."""
    if text.startswith("\ufeff"):
        raise JsonTextError("begins with a byte order mark; save it as UTF-8 without BOM")
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        comment = re.search(r"(?m)^\s*(//|/\*)|[,{}\[\]\"]\s*(//|/\*)", text)
        more = "; it has comments, which this command cannot preserve" if comment else ""
        raise JsonTextError(f"is invalid JSON: {error.msg} in line {error.lineno}{more}") from error
    except RecursionError as error:
        raise JsonTextError("is nested too deeply") from error


def set_value(text: str, path: Path, value: object) -> str:
    """Return `text` with `value` at `path`.

    A path that ends in a key sets that member. A path that ends in an integer appends to the array before it. The
    position before the last step must exist; raises JsonTextError.
    """
    *before, last = path
    node = _find(text, before)
    if isinstance(last, str) and last in node.keys:
        old = node.children[node.keys.index(last)]
        return text[: old.start] + _render(value, text, _line_indent(text, old.start)) + text[old.end :]
    label = "" if isinstance(last, int) else json.dumps(last, ensure_ascii=False) + ": "
    if not node.children:
        return _add_first(text, node, label, value)
    previous, begin = node.children[-1], node.begins[-1]
    if "\n" not in text[previous.end : node.end]:
        return text[: previous.end] + ", " + label + json.dumps(value, ensure_ascii=False) + text[previous.end :]
    indent = _line_indent(text, begin)
    new = "," + _break(text) + indent + label + _render(value, text, indent)
    return text[: previous.end] + new + text[previous.end :]


def remove(text: str, path: Path) -> str:
    """Return `text` without the member or item at `path`. Raises JsonTextError."""
    *before, last = path
    node = _find(text, before)
    index = last if isinstance(last, int) else _index(node, last)
    if len(node.children) == 1:
        return text[: node.start + 1] + text[node.end - 1 :]
    if index:
        return text[: node.children[index - 1].end] + text[node.children[index].end :]
    return text[: node.begins[0]] + text[node.begins[1] :]


def _add_first(text: str, node: _Node, label: str, value: object) -> str:
    if "\n" not in text.strip() and len(text.strip()) > len("{}"):  # the whole document is on one line
        return text[: node.start + 1] + label + json.dumps(value, ensure_ascii=False) + text[node.end - 1 :]
    outer = _line_indent(text, node.start)
    indent = outer + _unit(text)
    inner = _break(text) + indent + label + _render(value, text, indent) + _break(text) + outer
    return text[: node.start + 1] + inner + text[node.end - 1 :]


def _find(text: str, path: Path) -> _Node:
    node = _tree(text)
    for step in path:
        node = node.children[step if isinstance(step, int) else _index(node, step)]
    return node


def _index(node: _Node, key: str) -> int:
    if node.keys.count(key) > 1:
        raise JsonTextError(f'has "{key}" twice in one object; remove one of them')
    if key not in node.keys:
        raise JsonTextError(f'has no "{key}"')
    return node.keys.index(key)


def _tree(text: str) -> _Node:
    """Return the tree of `text`, which must be valid JSON."""
    root: _Node | None = None
    open_nodes: list[_Node] = []
    key: tuple[str, int] | None = None
    for token in _TOKEN.finditer(text):
        word = token[0]
        if word in "}]":
            open_nodes.pop().end = token.end()
        elif word == ":":
            continue
        elif word == ",":
            key = None
        elif word[0] == '"' and key is None and open_nodes and text[open_nodes[-1].start] == "{":
            key = (json.loads(word), token.start())
        else:
            node = _Node(token.start(), token.end())
            if open_nodes:
                parent = open_nodes[-1]
                parent.begins.append(key[1] if key else token.start())
                parent.children.append(node)
                if key:
                    parent.keys.append(key[0])
            root = root or node
            key = None
            if word in "{[":
                open_nodes.append(node)
    if root is None:
        raise JsonTextError("is empty")
    return root


def _render(value: object, text: str, indent: str) -> str:
    lines = json.dumps(value, indent=_unit(text), ensure_ascii=False).split("\n")
    return (_break(text) + indent).join(lines)


def _unit(text: str) -> str:
    """Return one level of the document's indentation; two spaces if it has none."""
    match = re.search(r"^\s*[{\[]\s*?\n([ \t]+)\S", text)
    return match[1] if match else "  "


def _break(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _line_indent(text: str, at: int) -> str:
    """Return the indentation of the line at the offset `at`."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]
