"""Tells whether the value after a name like `password` is a secret, or code, a word, a placeholder.

Text of developers is full of `token = next(tokens)` and `password: str`, so the name alone proves nothing.
"""

from __future__ import annotations

import binascii
import re
from functools import lru_cache

# What the place alone says of the value there, from the strongest to the weakest.
LITERAL = "literal"  # it is the secret itself, unless it is a placeholder
PASSWORD = "password"  # noqa: S105 - a password, if it is a literal at all; may look like a word
HEADER = "header"  # a secret if it looks like one, or is a name and a password in base64
USUAL = "usual"  # a secret if it looks like one
VAGUE = "vague"  # a secret only if it looks like nothing else

_PLACEHOLDER_STARTS = (
    "[redacted", "<", "$", "{", "%", "...", "\u2026", "***", "env:", "vault:", "op://", "arn:", "secret:", "ref+",
    "\\u003c", "&lt;", "-", "?",
)  # fmt: skip
_PLACEHOLDER_PARTS = (
    "your", "example", "placeholder", "changeme", "change-me", "change_me", "dummy", "xxxx", "redacted", "****",
    "insert", "replace", "todo", "....",
)  # fmt: skip


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_WORDS = _words(
    "password passwd pass pwd secret token key auth none null nil true false undefined string str text bytes int "
    "bool any optional required hidden missing invalid valid expired empty unset default user username admin root "
    "postgres mysql guest anonymous test testing foo bar baz value number basic bearer"
)
_CODE_STARTS = ("/", "./", "../", "~/", "http:", "https:", "file:", "postgres:", "mysql:", "redis:", "@", "\\")

# Compiled when first needed, by `re`: most texts need none of them.
_DOTTED = r"[A-Za-z_]\w*(?:(?:\.|->|::)[A-Za-z_]\w*)+"
_SNAKE = r"_*[a-z]+\d{0,2}(?:_[a-z]*\d{0,2})+|_*[A-Z]+\d?(?:_[A-Z]+\d?)+"
_CAMEL = r"[a-z]+(?:[A-Z][a-z]+)+\d{0,2}|(?:[A-Z][a-z]+){2,}\d{0,2}"

_PASSWORDS = ("password", "passwords", "passwd", "pwd", "passphrase", "passcode")
_KEY_BEFORE = _words(
    "api access secret private encryption encrypt signing sign master auth service account deploy jwt session "
    "license client app application shared webhook admin"
)
_KEY_NEVER = _words("public primary foreign sort cache partition index publishable idempotency row composite")
_NOT_THE_VALUE = _words(
    "type count limit url uri path file filename name field id ids expires expiry expiration ttl length len size "
    "env regex pattern policy header prefix suffix index usage budget timeout hash digest kind format provider "
    "manager service class error errors message rate age hint label column reset required error callback handler "
    "schema min max bytes position pos start end line algorithm endpoint issuer status state valid enabled arn ref "
    "version"
)


@lru_cache(maxsize=1024)
@lru_cache(maxsize=2048)
def secret_name(name: str, *, env_line: bool) -> tuple[str, str]:
    """Return what kind of secret a variable, field or option called `name` holds and how surely; ("", "") for none.

    `env_line`: the value follows the name and `=` without a space, as in a `.env` file.
    """
    parts = [part.lower() for part in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", name)]
    if not parts or parts[-1] in _NOT_THE_VALUE:
        return "", ""
    sure = LITERAL if env_line and name.isupper() else USUAL
    if any(part.endswith(_PASSWORDS) for part in parts) or (parts[-1:] == ["pass"] and name.isupper()):
        return "password", LITERAL if sure == LITERAL else PASSWORD
    if parts[-1].endswith(("secret", "token", "credential", "credentials")) or "secret" in parts:
        return ("token" if parts[-1].endswith("token") else "secret"), sure
    if parts[-1] in ("key", "apikey", "accesskey", "secretkey"):
        return _key_name(parts, sure)
    if parts[-1] in ("auth", "sig", "signature", "salt"):
        return "secret", VAGUE
    return "", ""


def _key_name(parts: list[str], sure: str) -> tuple[str, str]:
    before = set(parts[:-1])
    if parts[-1] != "key" or before & _KEY_BEFORE:
        return "api-key", sure
    return ("", "") if before & _KEY_NEVER or not before else ("api-key", VAGUE)


def is_secret(value: str, firmness: str, *, quoted: bool) -> bool:
    """Return whether `value`, at a place that says `firmness` of it, is a secret."""
    core = value if quoted else value.rstrip(".,:!?")
    if not _is_literal(core):
        return False
    if firmness == LITERAL:
        return re.fullmatch(_DOTTED, core) is None
    if not quoted and _is_code(core):
        return False
    if firmness == PASSWORD:
        is_word = all(char.isalpha() or char in "._-" for char in core)
        return len(core) >= 6 if quoted else not is_word and not core.isdecimal()
    return (firmness == HEADER and _is_basic(core)) or _looks_random(core, 20 if firmness == VAGUE else 8)


def _is_literal(core: str) -> bool:
    """Return whether `core` can be a value at all, and not a word of the language, a placeholder, a path."""
    lowered = core.lower()
    if len(core) < 4 or len(set(core)) < 3 or any(char.isspace() for char in core) or lowered in _WORDS:
        return False
    placeholder = lowered.startswith(_PLACEHOLDER_STARTS) or any(part in lowered for part in _PLACEHOLDER_PARTS)
    return not placeholder and not core.startswith(_CODE_STARTS)


def _is_code(core: str) -> bool:
    """Return whether it is a reference to something, as `settings.TOKEN`, `new_token` and `accessToken` are."""
    return any(re.fullmatch(form, core) for form in (_DOTTED, _SNAKE, _CAMEL))


def _is_basic(core: str) -> bool:
    """Return whether `core` is `name:password` as HTTP's Basic authentication writes it."""
    try:
        decoded = binascii.a2b_base64(core + "=" * (-len(core) % 4))
    except ValueError:
        return False
    return b":" in decoded and decoded.isascii() and decoded.decode("ascii").isprintable()


def _looks_random(core: str, shortest: int) -> bool:
    if len(core) < shortest:
        return False
    words = re.fullmatch(r"[A-Za-z]+\d{0,3}(?:[-_./: ][A-Za-z]*\d{0,3})*", core)
    if words is None:
        return any(char.isdigit() for char in core) and any(char.isalpha() for char in core)
    return len(core) >= 20 and len(re.findall(r"[a-z][A-Z]|[A-Z]{2}[a-z]", core)) >= 4
