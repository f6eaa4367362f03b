"""Cuts secrets out of text before it is kept or sent anywhere; what was cut is counted by kind, never shown.

Every text passes here before it reaches a file that is sent, the server, a log or a message, and a second time on the
server, so redacting what is redacted changes nothing. docs/privacy.md lists the places. A rule is compiled when a text
holds one of its hints: ordinary text costs a few dozen searches for short strings.
"""

from __future__ import annotations

import re
from functools import lru_cache

from memoryserver.common.private_parts import cut_private
from memoryserver.common.secrets.kinds import OPEN_ENDED, Kind, hinted, without_aws_secrets
from memoryserver.common.secrets.places import hinted_places
from memoryserver.common.secrets.values import HEADER, LITERAL, USUAL, VAGUE, is_secret, secret_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_ESCAPE = r"(?:\x1b|\\u001[bB]|\\x1[bB]|\\033|\\e)\[[0-9:;<=>?]*[ -/]*[@-~]"
_ESCAPE_SIGNS = ("\x1b[", "1b[", "1B[", "\\033[", "\\e[")
_LONGEST_RUN = 4096  # characters looked at on each side of a line break that may have split a secret
_SHORTEST_SPLIT = 16
_LONGEST_WORD = 30
_RUN = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./+=-"
_RUN_STARTS = frozenset(_RUN)
_RUN_ENDS = _RUN_STARTS | {"]"}
_SHORTEST_REST = 8
_KEY = 64  # characters of a key that may be the name of a field
_SHORT = 200  # characters of a text that may come again
_MOST_HARMLESS = 4096
_harmless: set[str] = set()
"""Short texts in which no secret was found: ids, paths and names come with every event, and searching one again takes
18 microseconds instead of 1. Texts with secrets are not remembered.
"""

_DIGEST = r"(?i)[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_BREAK = r"((?:\r\n|\n|\\r\\n|\\n|\\r)[ \t]*)"
_KEY_LABEL = r"(?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?"
_PRIVATE_KEY = (
    rf"(?s)-----BEGIN {_KEY_LABEL}-----.*?(?:-----END {_KEY_LABEL}-----|\Z)"
    rf"|\A(?:[A-Za-z0-9+/=]|\\[nr]|\s)*-----END {_KEY_LABEL}-----"
)
_IN_URL = r"""(?i)(\b[a-z][a-z0-9+.-]{0,30}:(?:\\*/){2}[^\s/:@"'<>\\]*:)([^\s/"'<>\\]+)(?=@[\w\[$%{-])"""
_BEARER = r"""(?i)(\b(?:bearer|basic)(?:\s+|%20|\+))([A-Za-z0-9_.~+/%=-]{8,})"""
_HEADER = (
    r"""(?i)(\b(?:proxy-)?authorization\\*["']?\s*[:=]\s*\\*["']?(?:(?:bearer|basic|token|apikey|digest)\s+)?)"""
    r"""([A-Za-z0-9_.~+/%=:-]{8,})"""
)
_COOKIES = r"""(?i)\b(?:set-)?cookie\\*["']?\s*[:=]\s*[^\r\n]{1,8000}"""
_COOKIE = r"""([\w.-]+=)([^\s;"'\\,]{12,4096})"""
_ESCAPE_REST = r"[nrt]|u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}"  # behind the backslash
_NAMES = ("pass", "pwd", "secret", "token", "key", "credential", "auth", "salt", "sig")
_ASSIGNED = (
    r"""(?i)(?<![\w$.-])(?<!\[redacted:)([\w$.-]{3,140}+)(?:\\*["'`\]]){0,4}+"""
    r"""(?:\s*:\s*[a-z_][\w.\[\]| ]{0,40}?(?=\s*=))?"""
    r"""([ \t]*+(?:=>|:=|==|=|:|%3d|\\u003d)[ \t]*+)"""
)
_VALUE = r"""(\\*["'`])((?:(?!\1)[^\r\n]){1,512}?)\1|((?:(?!\\[nrt"'])[^\s"'`,;<>&(){}\[\]|]){4,1024})"""


class Redacted:
    """A text without its secrets; `counts` says how many of each kind were cut out of it."""

    __slots__ = ("counts", "text")

    def __init__(self, text: str, counts: dict[str, int]) -> None:
        self.text = text
        self.counts = counts


def redact(text: str) -> Redacted:
    """`text` with each secret replaced by `[redacted:KIND]`, such as `[redacted:github-token]`.

    Never raises. Cut are the keys and tokens of well-known vendors, also where a line break splits them,
    private keys, JWTs, passwords in URLs, in assignments, in commands, sentences and HTTP headers, and
    all between `<private>` and `</private>` in any spelling. Names, placeholders
    (`<your-token>`, `$TOKEN`) and code stay. A text with a secret loses its terminal colours, which may split it.
    """
    if "[" in text and any(sign in text for sign in _ESCAPE_SIGNS):
        plain = _redact(re.compile(_ESCAPE).sub("", text))
        if plain.counts:
            return plain
    return _redact(text)


def _redact(text: str) -> Redacted:
    counts: dict[str, int] = {}
    if len(text) < 8 or text in _harmless:
        return Redacted(text, counts)
    original, lowered = text, text.lower()
    text = _whole_spans(text, lowered, counts)
    text = _credentials(text, lowered, counts)
    if "\n" in text or "\\n" in text or "\\r" in text:
        text = _split_credentials(text, counts)
    text = _named(text, lowered, counts)
    text = without_aws_secrets(text, lambda: _placeholder("aws-secret", counts))
    if len(original) <= _SHORT and text == original:
        _note_harmless(original)
    return Redacted(text, counts)


def _note_harmless(text: str) -> None:
    if len(_harmless) >= _MOST_HARMLESS:
        _harmless.clear()
    _harmless.add(text)


def redact_value(value: Any) -> Any:
    """Return `value` with every text in it redacted: in objects (keys too), lists and tuples, however deep.

    A text under a key such as `password` is judged by that key as well. Numbers, booleans, ids, digests and times stay
    as they are. Two keys that become the same are told apart by a number. Bytes are read as UTF-8. Raises
    RecursionError for what is nested too deeply for the interpreter.
    """
    if isinstance(value, str):
        return redact(value).text
    if isinstance(value, dict):
        return _redacted_object(value)
    if isinstance(value, list):
        return list(map(redact_value, value))
    if isinstance(value, bytes | bytearray):
        return redact(value.decode("utf-8", "surrogateescape")).text.encode("utf-8", "surrogateescape")
    return type(value)(map(redact_value, value)) if type(value) in (tuple, set, frozenset) else value


def _redacted_object(value: dict[Any, Any]) -> dict[Any, Any]:
    result: dict[Any, Any] = {}
    for key, item in value.items():
        new_key = redacted_key = _redacted_key(key) if isinstance(key, str) and len(key) <= _KEY else redact_value(key)
        number = 2
        while new_key != key and (new_key in value or new_key in result):
            new_key, number = f"{redacted_key} {number}", number + 1
        result[new_key] = (
            _named_value(key, item) if isinstance(key, str) and isinstance(item, str) else redact_value(item)
        )
    return result


@lru_cache(maxsize=2048)
def _redacted_key(key: str) -> str:
    """Return the key of an object redacted: most are the names of fields, and come again and again."""
    return redact(key).text


def _named_value(name: str, text: str) -> str:
    redacted = redact(text).text
    kind, firmness = secret_name(name, env_line=False)
    if not kind or (firmness == VAGUE and re.fullmatch(_DIGEST, redacted)):
        return redacted
    return f"[redacted:{kind}]" if is_secret(redacted, firmness, quoted=True) else redacted


def _placeholder(kind: str, counts: dict[str, int]) -> str:
    counts[kind] = counts.get(kind, 0) + 1
    return f"[redacted:{kind}]"


def _whole_spans(text: str, lowered: str, counts: dict[str, int]) -> str:
    if "private" not in lowered:
        return text
    text = cut_private(text, lambda: _placeholder("private", counts))
    return (
        re.compile(_PRIVATE_KEY).sub(lambda _: _placeholder("private-key", counts), text)
        if "PRIVATE KEY" in text
        else text
    )


def _credentials(text: str, lowered: str, counts: dict[str, int]) -> str:
    for kind in hinted(lowered):
        text = kind.pattern().sub(lambda _, name=kind.name: _placeholder(name, counts), text)  # type: ignore[misc]
    return text


def _split_credentials(text: str, counts: dict[str, int]) -> str:
    """Those that a line break (a real one, or one escaped in JSON) cuts in two."""
    parts = re.compile(_BREAK).split(text)
    for position in range(2, len(parts), 2):
        left, right = parts[position - 2], parts[position]
        if left[-1:] not in _RUN_ENDS or right[:1] not in _RUN_STARTS:
            continue
        head = _last_run(left)
        tail = _first_run(right)
        kind = _split_kind(head, tail)
        if kind is not None:
            matched = kind.pattern().search(head + tail)
            assert matched is not None
            parts[position - 2] = left[: len(left) - len(head) + matched.start()] + _placeholder(kind.name, counts)
            parts[position] = right[matched.end() - len(head) :]
        elif _goes_on(left, tail):
            parts[position] = right[len(tail) :]
    return "".join(parts)


def _last_run(text: str) -> str:
    end = text[-_LONGEST_RUN:]
    return end[len(end.rstrip(_RUN)) :]


def _first_run(text: str) -> str:
    start = text[:_LONGEST_RUN]
    return start[: len(start) - len(start.lstrip(_RUN))]


def _split_kind(head: str, tail: str) -> Kind | None:
    if not head or not tail or len(head) + len(tail) < _SHORTEST_SPLIT:
        return None
    joined = head + tail
    if _is_word(joined):
        return None
    for kind in hinted(joined.lower()):
        matched = kind.pattern().search(joined)
        if matched and matched.start() < len(head) < matched.end():
            return kind
    return None


def _is_word(joined: str) -> bool:
    """Whether two lines only go on with each other as words do: shorter, plainer than any secret that is split."""
    if len(joined) >= _LONGEST_WORD or "_" in joined or "-" in joined:
        return False
    return joined.islower() and not any(char.isdigit() for char in joined)


def _goes_on(left: str, tail: str) -> bool:
    """Return whether `tail` is the rest of a secret of no fixed length whose front has just been cut off `left`."""
    matched = re.search(r"\[redacted:([a-z-]+)\]\Z", left) if left[-1:] == "]" else None
    if not matched or matched[1] not in OPEN_ENDED:
        return False
    if len(tail) < _SHORTEST_REST or tail.startswith("["):
        return False
    mixed = len(re.findall(r"[a-z][A-Z]|[A-Z]{2}[a-z]", tail)) >= 2
    return mixed or bool(re.search(r"\d", tail) and re.search(r"[A-Za-z]", tail))


def _named(text: str, lowered: str, counts: dict[str, int]) -> str:
    """Redact values that are secrets because of the text before them."""

    def cut(pattern: str, kind: str, firmness: str, text: str) -> str:
        def replace(match: re.Match[str]) -> str:
            value = match[2]
            return match[1] + _placeholder(kind, counts) if is_secret(value, firmness, quoted=False) else match[0]

        return re.compile(pattern).sub(replace, text)

    if "@" in text and ":" in text:
        text = cut(_IN_URL, "url-password", LITERAL, text)
    if "authorization" in lowered:
        text = cut(_HEADER, "authorization", HEADER, text)
    if "bearer" in lowered or "basic" in lowered:
        text = cut(_BEARER, "bearer", HEADER, text)
    if "cookie" in lowered:
        text = re.compile(_COOKIES).sub(lambda match: cut(_COOKIE, "cookie", USUAL, match[0]), text)
    for place in hinted_places(lowered):
        text = cut(place.pattern, "password", place.firmness, text)
    assigns = "=" in text or ":" in text or "%3d" in lowered or r"\u003d" in lowered
    return _assignments(text, counts) if assigns and any(name in lowered for name in _NAMES) else text


def _name_of(text: str, match: re.Match[str]) -> str:
    r"""Return the name in `match` without the rest of an escape before it, as in `\nAPI_TOKEN` of a file in JSON."""
    name = match[1]
    escape = re.match(_ESCAPE_REST, name) if text.endswith("\\", 0, match.start()) else None
    return name[escape.end() :] if escape and name[escape.end() :].isupper() else name


def _assignments(text: str, counts: dict[str, int]) -> str:
    """Secrets after a name that says so; other values are looked into in their turn: addresses hold names too."""
    assigned, value = re.compile(_ASSIGNED), re.compile(_VALUE)
    parts: list[str] = []
    done = position = 0
    while match := assigned.search(text, position):
        position = match.end(1)
        kind, firmness = secret_name(_name_of(text, match), env_line=match[2] == "=")
        given = value.match(text, match.end()) if kind else None
        if given is None:
            continue
        quote, quoted, bare = given.groups()
        if is_secret(quoted or bare, firmness, quoted=bool(quote)):
            rest = "" if quote else bare[len(bare.rstrip(".,:!?")) :]
            around = quote or ""
            parts += [text[done : given.start()], around, _placeholder(kind, counts), around, rest]
            done = position = given.end()
    return "".join([*parts, text[done:]])
