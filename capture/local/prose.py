"""Takes a message apart into sentences, leaving out what nobody said: code, tables, quotations, pasted output."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

LONGEST_TEXT = 20_000  # characters of one message that are looked at

_FENCE = re.compile(r"^\s*(```+|~~~+)")
_ITEM = re.compile(r"^\s*(?:[-*+\u2022]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?")
_HEADING = re.compile(r"^\s{0,3}#{1,6}\s|^\s*(?:[-=_*]\s*){3,}$")
_NOT_SAID = re.compile(
    r"""^\s*(?:\||>|<[/!a-zA-Z]|\$\s|❯|at\s+\S+\s*\(|File\s+"|Traceback|[-+]{3}\s|@@\s|diff\s--git
    |\d{4}-\d\d-\d\d[T ]\d\d:|\[?\d\d:\d\d:\d\d|\[?(?:DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL|TRACE)\b[\]: ]
    |[A-Z]\w*(?:Error|Exception|Warning):\s|(?:def|class|import|from|const|let|var|function|return|if|for)\s.*[:;{(]\s*$
    |[\w.$-]+\s*=\s*\S|"[\w.$-]+"\s*:|[{}\[\]();])""",
    re.VERBOSE,
)
_LINK = re.compile(r"!?\[([^\]\n]+)\]\([^()\s]*(?:\([^()]*\)[^()\s]*)*\)")
_STRONG = re.compile(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1(?!\w)")
_EMPHASIS = re.compile(r"(?<![\w*`/])\*(?=[^\s*])([^*\n`]+?)(?<=[^\s*])\*(?![\w*])")
_ORNAMENT = re.compile("[\u2600-\u27bf\u2b50\u2b55\U0001f000-\U0001faff\ufe0f\u200d]+")
_CODE_SPAN = re.compile(r"`+[^`\n]+`+")
_QUOTED = re.compile(r'"[^"\n]{1,300}"|\u201c[^\u201d\n]{1,300}\u201d|\([^()\n]{1,300}\)')
_END = re.compile(r"""[.!?\u2026]["'\u201d\u2019)\]]*(?=\s+\S)|[.!?\u2026]["'\u201d\u2019)\]]*$""")
_ABBREVIATION = re.compile(
    r"(?:^|[\s(])(?:e\.g|i\.e|cf|vs|etc|approx|resp|incl|no|fig|dr|mr|mrs|ms|st|al|ca)\.$", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence and the one right before it in the same paragraph or list item, "" for its first."""

    text: str
    before: str = ""


@lru_cache(maxsize=8)  # several ask about one message
def sentences(text: str) -> tuple[Sentence, ...]:
    """The sentences of what somebody wrote in Markdown or plain, without its marks of emphasis, in order."""
    found = []
    for paragraph in _paragraphs(text[:LONGEST_TEXT]):
        before = ""
        for sentence in _split(_plain(paragraph)):
            found.append(Sentence(sentence, before))
            before = sentence
    return tuple(found)


def _paragraphs(text: str) -> Iterator[str]:
    held: list[str] = []
    fence = ""
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        said = not (
            fence or mark or _HEADING.match(line) or _is_code(line, in_item=bool(held)) or _NOT_SAID.match(line)
        )
        if mark:
            fence = mark[1] if not fence else "" if mark[1].startswith(fence) else fence
        if held and not (said and _continues(held[-1], line)):
            yield " ".join(held)
            held = []
        if said and line.strip():
            held.append(_ITEM.sub("", line).strip().rstrip("\\").rstrip())
    if held:
        yield " ".join(held)


def _is_code(line: str, *, in_item: bool) -> bool:
    return not in_item and (line.startswith(("    ", "\t"))) and not _ITEM.match(line)


def _continues(last: str, line: str) -> bool:
    """Whether `line` goes on with the paragraph that `last` belongs to: hard-wrapped text does, a new thought not."""
    line_text = line.strip()
    if not line_text or _ITEM.match(line) or last.endswith((".", "!", "?", ":", ";")):
        return False
    return len(last) > 60 or line_text[0].islower()


def _plain(paragraph: str) -> str:
    """Without emphasis, links' targets and ornaments; code spans stay as they are."""
    if paragraph.isascii() and not any(mark in paragraph for mark in "*_["):
        return " ".join(paragraph.split())
    parts: list[str] = []
    end = 0
    for span in _CODE_SPAN.finditer(paragraph):
        parts += [_unmarked(paragraph[end : span.start()]), span[0]]
        end = span.end()
    joined = "".join([*parts, _unmarked(paragraph[end:])])
    joined = _LINK.sub(r"\1", joined)
    joined = _STRONG.sub(r"\2", joined)
    return " ".join(joined.split())


def _unmarked(text: str) -> str:
    text = _EMPHASIS.sub(r"\1", text) if "*" in text else text
    return text if text.isascii() else _ORNAMENT.sub("", text)


def _split(paragraph: str) -> Iterator[str]:
    """Ends of sentences inside code spans, quotations and parentheses are none."""
    masked = _CODE_SPAN.sub(lambda span: "X" * len(span[0]), paragraph)
    masked = _QUOTED.sub(lambda span: span[0][0] + "X" * (len(span[0]) - 3) + span[0][-2:], masked)
    start = 0
    for end in _END.finditer(masked):
        following = masked[end.end() :].lstrip()[:1]
        if _ABBREVIATION.search(masked[start : end.start() + 1]) or following.islower():
            continue
        sentence = paragraph[start : end.end()].strip()
        if sentence:
            yield sentence
        start = end.end()
    rest = paragraph[start:].strip()
    if rest:
        yield rest
