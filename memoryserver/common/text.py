"""Makes text from outside safe to store: whatever writes files, requests or tables calls this first."""

from __future__ import annotations

REPLACEMENT = "\ufffd"
_UNSAFE = dict.fromkeys([0, *range(0xD800, 0xE000)], REPLACEMENT)
_LINE_BREAKS = dict.fromkeys(map(ord, "\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"), "\n")
_CONTROLS = dict.fromkeys(
    [
        *(*range(9), *range(0x0E, 0x1C), 0x1F, *range(0x7F, 0x85), *range(0x86, 0xA0)),
        *(
            0x061C,
            0x200E,
            0x200F,
            *range(0x202A, 0x202F),
            *range(0x2066, 0x206A),
        ),  # they reorder what is shown
    ]
)


def clean(text: str) -> str:
    """Return `text` with NUL and lone surrogates replaced by U+FFFD, so JSON, UTF-8 and Postgres take it."""
    if "\x00" not in text:
        try:
            text.encode("utf-8")
        except UnicodeEncodeError:
            pass
        else:
            return text
    return text.translate(_UNSAFE)


def decode(data: bytes) -> str:
    """Return `data` read as UTF-8, a leading BOM dropped and invalid bytes and NUL replaced by U+FFFD."""
    return clean(data.decode("utf-8-sig", errors="replace"))


def clean_json(value: object) -> object:
    """Return the JSON value `value` with every string in it, keys too, passed through `clean`."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {clean(str(key)): clean_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [clean_json(item) for item in value]
    return value


def printable(text: str) -> str:
    """`text` as a person may see it: no terminal sequences, no control or direction characters.

    Tabs stay; every kind of line break becomes a plain one.
    """
    if text.replace("\n", "").replace("\t", "").isprintable():
        return text  # as most are, and the tables below cost a hundred times as much
    text = clean(text)
    if "\x1b" in text or "\x9b" in text:
        import re

        text = re.sub(r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b.?", "", text)
    return text.replace("\r\n", "\n").translate(_LINE_BREAKS).translate(_CONTROLS)


def one_line(text: str) -> str:
    """`text` on one line: each run of white space, line and paragraph separators included, is one space."""
    return " ".join(clean(text).split())


def composed(text: str) -> str:
    """Return `text` in Unicode's form NFC, in which each letter has one spelling: macOS writes é in two characters."""
    if text.isascii():
        return text
    import unicodedata

    return unicodedata.normalize("NFC", text)


def readable(text: str) -> str:
    """Return `text`, which may quote arguments and names of files, composed and with U+FFFD for what is not UTF-8.

    That includes bytes that `repr` has already written as an escape such as `\\udce9`.
    """
    if "\\ud" in text:
        import re

        text = re.sub(r"(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}", rf"\g<1>{REPLACEMENT}", text)
    return composed(clean(text))


def wording(text: str) -> str:
    """Return `text` for comparison: what differs in white space, case or composed letters alone is equal."""
    return " ".join(composed(text).split()).casefold()


def shorten(text: str, limit: int) -> str:
    """Return at most `limit` characters of `text`; what was cut is shown by a last character `…`."""
    return text if len(text) <= limit else text[: max(limit - 1, 0)] + "…"


def parse_number(text: str, *, digits: int = 18) -> int | None:
    """Return the number that `text` is, of at most `digits` ASCII digits; None for any other text."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= digits else None
