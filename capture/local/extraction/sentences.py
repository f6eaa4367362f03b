"""Splits a message into sentences, without what is not prose: code, tables, quotations, pasted output."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

LONGEST_TEXT = 20_000  # characters of one message that are looked at

_FENCE = re.compile(r"^\s*(```+|~~~+)")
_ITEM = re.compile(r"^\s*(?:[-*+\u2022]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?")
_HEADING = re.compile(r"^\s{0,3}#{1,6}\s|^\s*(?:[-=_*]\s*){3,}$")
_NOT_PROSE = re.compile(
    r"""^\s*(?:\||>|<[/!a-zA-Z]|\$\s|❯|at\s+\S+\s*\(|File\s+"|Traceback|[-+]{3}\s|@@\s|diff\s--git
    |\d{4}-\d\d-\d\d[T ]\d\d:|\[?\d\d:\d\d:\d\d|\[?(?:DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL|TRACE)\b[\]: ]
    |[A-Z]\w*(?:Error|Exception|Warning):\s|(?:def|class|import|from|const|let|var|function|return|if|for)\s.*[:;{(]\s*$
    |[\w.$-]+\s*=\s*\S|"[\w.$-]+"\s*:|[{}\[\]();])""",
    re.VERBOSE,
)
_LINK = re.compile(r"!?\[([^\]\n]+)\]\([^()\s]*(?:\([^()]*\)[^()\s]*)*\)")
_STRONG = re.compile(r"\*\*(?=\S)(.+?)(?<=\S)\*\*(?!\w)")
_STRONG_UNDERSCORES = re.compile(r"(?<!\w)__(?=\S)([A-Z][^_\n]*|[^_\n]*[^\w\n][^_\n]*)(?<=\S)__(?!\w)")  # not __init__
_EMPHASIS = re.compile(r"(?<![\w*`/])\*(?=[^\s*])([^*\n`]+?)(?<=[^\s*])\*(?![\w*])")
_PICTOGRAPH = re.compile("[\u2600-\u27bf\u2b50\u2b55\U0001f000-\U0001faff\ufe0f\u200d]+")
CODE_SPAN = re.compile(r"``*[^`\n]+`+")  # the engine looks for one character five times as fast as for "`+"
_MASK = "\x00"  # stands for a code span
_QUOTED = re.compile(r'"[^"\n]{1,300}"|\u201c[^\u201d\n]{1,300}\u201d|\([^()\n]{1,300}\)')
_AFTER_END = r"""["'\u201d\u2019)\]]*(?:(?=\s+(\S))|$)"""
_END = re.compile(rf"[.!?\u2026]{_AFTER_END}")
_FULL_STOP = re.compile(rf"\.{_AFTER_END}")  # found in 60 % of the time; most paragraphs have no other ends
_ABBREVIATIONS = (
    "e.g.",
    "i.e.",
    "cf.",
    "vs.",
    "etc.",
    "approx.",
    "resp.",
    "incl.",
    "no.",
    "fig.",
    "dr.",
    "mr.",
    "mrs.",
    "ms.",
    "st.",
    "al.",
    "ca.",
)
_DOCUMENT = re.compile(r"\A\s*(?:---\n[\w-]+:|#!|<\?xml|<!doctype|You are (?:an? |the )\w+)", re.IGNORECASE)
_MARKDOWN_HEADING = re.compile(r"^#{1,4} \S", re.MULTILINE)


class Sentence(NamedTuple):
    """A sentence, and the sentence before it in the same paragraph or list item ("" for the first)."""

    text: str
    before: str = ""


_sentence = tuple.__new__  # creates a Sentence in half the time of calling the class; there are very many


@lru_cache(maxsize=8)  # several callers ask for those of the same message
def sentences(text: str) -> tuple[Sentence, ...]:
    """Return the sentences of a Markdown or plain text, without emphasis, in order."""
    return tuple(sentence for paragraph in paragraphs(text) for sentence in sentences_of(paragraph))


def sentences_of(paragraph: str) -> list[Sentence]:
    """Return the sentences of one paragraph that `paragraphs` yielded."""
    return in_their_order(split(paragraph))


def in_their_order(texts: Sequence[str]) -> list[Sentence]:
    """Return the sentences that `split` found in one paragraph, each with the one before it."""
    return [_sentence(Sentence, pair) for pair in zip(texts, ["", *texts], strict=False)]


def is_document(text: str) -> bool:
    """Return whether a person's text is a pasted file or a prompt written for an agent, not their own words."""
    if _DOCUMENT.match(text):
        return True
    return "\n#" in text and len(_MARKDOWN_HEADING.findall(text, 0, LONGEST_TEXT)) > 1


def paragraphs(text: str) -> Iterator[str]:
    """Yield the paragraphs and list items of `text`, each on one line, without emphasis."""
    lines: list[str] = []  # of the paragraph so far
    fence = ""
    for line in text[:LONGEST_TEXT].split("\n"):
        mark = _FENCE.match(line) if "``" in line or "~~" in line else None
        is_prose = not (
            fence or mark or _HEADING.match(line) or _is_code(line, in_item=bool(lines)) or _NOT_PROSE.match(line)
        )
        if mark:
            fence = mark[1] if not fence else "" if mark[1].startswith(fence) else fence
        if lines and not (is_prose and _continues(lines[-1], line)):
            yield _without_markup(" ".join(lines))
            lines = []
        if is_prose and line.strip():
            item = _ITEM.match(line)
            lines.append((line[item.end() :] if item else line).strip().rstrip("\\").rstrip())
    if lines:
        yield _without_markup(" ".join(lines))


def _is_code(line: str, *, in_item: bool) -> bool:
    return not in_item and (line.startswith(("    ", "\t"))) and not _ITEM.match(line)


def _continues(last: str, line: str) -> bool:
    """Return whether `line` continues the paragraph whose last line is `last`, as hard-wrapped text does."""
    line_text = line.strip()
    if not line_text or _ITEM.match(line) or last.endswith((".", "!", "?", ":", ";")):
        return False
    return len(last) > 60 or line_text[0].islower() or line_text[0] == "@"


def _without_markup(paragraph: str) -> str:
    """Return `paragraph` without emphasis, link targets and pictographs; code spans are unchanged."""
    if paragraph.isascii() and "*" not in paragraph and "[" not in paragraph and "__" not in paragraph:
        return " ".join(paragraph.split())
    paragraph = paragraph.replace("\u2019", "'").replace(_MASK, "")
    spans = iter(CODE_SPAN.findall(paragraph) if "`" in paragraph else ())
    text = _without_marks(CODE_SPAN.sub(_MASK, paragraph))
    return " ".join(re.sub(_MASK, lambda _: next(spans), text).split())


def _without_marks(text: str) -> str:
    """Return `text`, in which `_MASK` is in the place of each code span, without its marks."""
    if "*" in text:
        text = _EMPHASIS.sub(r"\1", text)
    if "[" in text:
        text = _LINK.sub(r"\1", text)
    if "**" in text:
        text = _STRONG.sub(r"\1", text)
    if "__" in text:
        text = _STRONG_UNDERSCORES.sub(r"\1", text)
    return text if text.isascii() else _PICTOGRAPH.sub("", text)


def split(paragraph: str) -> list[str]:
    """Return the texts of the sentences; a full stop inside a code span, quotation or parenthesis ends none."""
    inner = paragraph[:-1]
    if "." not in inner and "!" not in inner and "?" not in inner and "\u2026" not in inner:
        return [*filter(None, (paragraph.strip(),))]  # most items of lists
    masked = paragraph
    if "`" in masked:
        masked = CODE_SPAN.sub(lambda span: "X" * len(span[0]), masked)
    if '"' in masked or "(" in masked or "\u201c" in masked:
        masked = _QUOTED.sub(lambda span: span[0][0] + "X" * (len(span[0]) - 3) + span[0][-2:], masked)
    texts = []
    start = 0
    only_full_stops = "!" not in masked and "?" not in masked and "\u2026" not in masked
    for end in (_FULL_STOP if only_full_stops else _END).finditer(masked):
        following = end[1]
        if following is not None and following.islower():
            continue
        stop, after = end.span()
        ending = masked[max(start, stop - 8) : stop + 1].lower()
        if ending.endswith(_ABBREVIATIONS) and ending.split("(")[-1].split()[-1] in _ABBREVIATIONS:
            continue
        texts.append(paragraph[start:after].strip())
        start = after
    return [*filter(None, (*texts, paragraph[start:].strip()))]
