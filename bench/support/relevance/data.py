"""The sets of `bench/relevance.py`: a team's memory with questions, and a chat of two friends with questions.

`data/memory.txt` and `data/chat.txt` are written by hand, each question before anything was ranked. To the memory
comes filler out of templates, which speaks of the same subjects and answers none of the questions.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

ASKED_AT = datetime(2026, 11, 20, 12, tzinfo=UTC)  # when the questions of `dated` are asked

DATA = Path(__file__).parent.parent.parent / "data"

_FIELDS = {
    "G": "goal",
    "H": "hypothesis",
    "A": "action",
    "P": "prediction",
    "S": "surprise",
    "R": "cause",
    "W": "worked",
}
_OUTCOMES = {"C": "confirmed", "F": "falsified", "X": "abandoned"}


@dataclass
class Text:
    """One thing to be found: a learning (`type` and `text`), a turn (`text`), or an entry (`fields`).

    `day` is when it was learned, if that matters.
    """

    key: str
    text: str = ""
    type: str = ""
    fields: dict[str, str] = field(default_factory=dict)
    day: datetime | None = None


@dataclass(frozen=True)
class Question:
    """What is asked, and the keys of the texts of which any answers it."""

    words: str
    answers: frozenset[str]


@dataclass(frozen=True)
class Collected:
    """A corpus and its questions; those at even places are for tuning, the others are held out."""

    texts: Sequence[Text]
    questions: Sequence[Question]


def entry_of(text: Text) -> dict[str, Any]:
    """The entry of `text` as a laptop would send it."""
    fields = text.fields
    entry: dict[str, Any] = {
        "id": text.key,
        "session_id": "session_20260102_000000_abcdef",
        "created_at": "2026-01-02T00:00:00Z",
        "domain": "debugging",
        "strategy": "systematic-elimination",
        "goal": fields["goal"],
        "hypothesis": fields["hypothesis"],
        "action": fields["action"],
        "prediction": fields["prediction"],
        "history": [],
        "notes": [],
        "iteration_count": 1,
        "confidence_tier": "silver",
        "outcome": {
            "status": fields["status"],
            "result": fields["result"],
            "captured_at": "2026-01-02T01:00:00Z",
            "auto_captured": False,
        },
    }
    if "surprise" in fields:
        entry["surprise"] = fields["surprise"]
    if "cause" in fields:
        category, _, description = fields["cause"].partition(" - ")
        entry["root_cause"] = {"category": category.lower(), "description": description}
    if "worked" in fields:
        entry["lesson"] = {"what_worked": fields["worked"], "takeaway": None}
    return entry


def memory(filler: int = 400) -> Collected:
    """The team's memory: what was written by hand, and `filler` texts out of templates."""
    texts, questions = _read(DATA / "memory.txt", _memory_line)
    return Collected([*texts, *_filler(filler)], questions)


def chat() -> Collected:
    """The chat, a text for each turn, its speaker named at its beginning."""
    return Collected(*_read(DATA / "chat.txt", _chat_line))


def dated(filler: int = 400) -> dict[str, Collected]:
    """Texts of known days among those of the memory, with questions: by their time (two halves), and by content alone.

    The filler and the memory's learnings get days of the 14 months before ASKED_AT.
    """
    chance = random.Random(5)
    texts = [
        replace(text, day=ASKED_AT - timedelta(days=chance.randint(0, 420), hours=chance.randint(1, 20)))
        for text in memory(filler).texts
        if text.text
    ]
    kinds: dict[str, list[Question]] = {"chosen on": [], "held out": [], "by content": []}
    subject, day = -1, ASKED_AT
    for line in (DATA / "dated.txt").read_text("utf-8").splitlines():
        if line.startswith("="):
            subject += 1
        elif line.startswith("@ "):
            day = datetime.fromisoformat(line[2:]).replace(tzinfo=UTC, hour=10)
        elif line.startswith(("?", "!")):
            kind = "by content" if line[0] == "!" else list(kinds)[subject % 2]
            kinds[kind].append(Question(line[2:], frozenset({texts[-1].key})))
        elif line and not line.startswith("#"):
            texts.append(Text(f"dated-{len(texts)}", line, day=day))
    return {kind: Collected(texts, questions) for kind, questions in kinds.items()}


def _read(path: Path, take: Any) -> tuple[list[Text], list[Question]]:
    texts: list[Text] = []
    questions: list[Question] = []
    for line in path.read_text("utf-8").splitlines():
        if line.startswith("? "):
            questions.append(Question(line[2:], frozenset({texts[-1].key})))
        elif line and not line.startswith("#"):
            take(texts, line)
    return texts, questions


def _chat_line(texts: list[Text], line: str) -> None:
    texts.append(Text(f"t{len(texts)}", line))


def _memory_line(texts: list[Text], line: str) -> None:
    letter, _, rest = line.partition(" ")
    if letter == "L":
        kind, _, text = rest.partition(": ")
        texts.append(Text(f"learning-{len(texts)}", text, kind))
        return
    if letter == "G":
        texts.append(Text(f"entry-{len(texts)}"))
    if letter in _OUTCOMES:
        texts[-1].fields |= {"status": _OUTCOMES[letter], "result": rest}
    else:
        texts[-1].fields[_FIELDS[letter]] = rest


_SLOTS = {
    name: words.split("|")
    for name, words in {
        "part": "the importer|the checkout|the gateway|the scheduler|the search service|the login form|"
        "the mail worker|the invoice job|the mobile app|the admin page|the cache|the parser|the upload service|"
        "the report builder|the notification hub|the map view|the price engine|the backup script|the chat server|"
        "the label printer",
        "tool": "webpack|pytest|Docker|nginx|Postgres|Redis|Terraform|GitHub Actions|Celery|gunicorn|esbuild|Kafka|"
        "Helm|mypy|Playwright|SQLite|RabbitMQ|Ansible|Prometheus|Grafana",
        "symptom": "timeouts|empty answers|duplicate rows|wrong totals|memory growth|slow starts|lost messages|"
        "garbled names|stale pages|broken links|flaky tests|high latency|failed logins|missing rows",
        "cause": "a missing index|a wrong time zone|an old lock file|a race between two workers|a proxy that buffers|"
        "a full disk|an expired certificate|a default that changed|a retry without a limit|a wrong encoding|"
        "a cache key without the tenant|an unclosed connection",
        "who": "the data team|the platform team|support|the reviewers|the office in Lyon|our largest client|QA",
        "number": "2|3|5|8|12|20|30|45|60|90|120|250|400|900",
    }.items()
}

_LEARNINGS = (
    "solution: {symptom} in {part} went away after {tool} was restarted with {number} workers.",
    "solution: {part} had {symptom} because of {cause}; fixing it took {number} minutes.",
    "gotcha: {tool} reads its settings once, so a change for {part} needs a restart.",
    "gotcha: {tool} {number} reports success although {part} shows {symptom}.",
    "decision: {part} stays on {tool}, since {who} know it and moving would take {number} days.",
    "decision: We give {part} a limit of {number} seconds for each call to {tool}.",
    "preference: {who} want the results of {part} as a table with {number} rows at most.",
    "preference: Ask {who} before touching the {tool} settings of {part}.",
    "convention: Log lines of {part} begin with the tenant and carry {number} characters at most.",
    "convention: Every change of {part} comes with a {tool} run against staging.",
    "command: {tool} --parallel {number} finishes the checks of {part} without {symptom}.",
    "optimization: Batching {number} rows in {part} halved the load on {tool}.",
    "optimization: {part} answers {number} ms earlier since {tool} keeps connections open.",
    "learning: {symptom} in {part} are nearly always {cause}.",
    "learning: {tool} and {part} disagree about empty values; {who} noticed it after {number} days.",
    "correction: Not {tool}, {part} is what {who} meant when they spoke of {symptom}.",
    "refactoring: {part} no longer knows {tool}; an adapter of {number} lines stands between them.",
    "error_recovery: After {cause} we rebuilt {part} from the {tool} snapshot of {number} hours before.",
    "handoff: {part} is moved to {tool} in staging; {symptom} are still open for {who}.",
    "checkpoint: {number} of the cases of {part} pass with {tool}, the rest show {symptom}.",
    "outcome: {tool} in front of {part} took away {number} percent of the {symptom}.",
    "test: A run with {number} users showed {symptom} in {part} from the second minute on.",
    "security: {part} passes the {tool} password in its environment now, {who} can no longer read it.",
    "breakthrough: {cause} explains the {symptom} that {who} saw in {part}.",
)
_GOALS = (
    "Stop {symptom} in {part}",
    "Find out why {part} has {symptom}",
    "Move {part} to {tool}",
    "Make {part} cope with {number} users",
    "Let {who} use {part} on their own",
    "Cut the running time of {part} to {number} minutes",
    "Upgrade {tool} for {part}",
    "Explain the {symptom} that {who} report",
)
_HYPOTHESES = (
    "The reason is {cause}",
    "{tool} is overloaded by {part}",
    "{cause} makes {tool} wait",
    "{tool} drops what {part} sends after {number} seconds",
    "{part} asks {tool} once for each row",
)
_ACTIONS = (
    "Raise the limit of {tool} to {number}",
    "Trace {part} for {number} minutes",
    "Rebuild {part} without {tool}",
    "Remove {cause} on staging",
    "Split the calls of {part} into batches of {number}",
)
_PREDICTIONS = (
    "No more {symptom} within {number} minutes",
    "{symptom} fall by {number} percent",
    "{part} answers in under {number} ms",
    "{tool} shows {number} connections at most",
)
_RESULTS = (
    "{number} of {number} runs without {symptom}",
    "{symptom} as before",
    "{part} answers, {tool} at {number} percent",
    "{who} see no {symptom} any more",
)


def _filler(count: int) -> Iterator[Text]:
    """Half learnings, half entries, the same at every call."""
    chance = random.Random(11)
    for number in range(count):
        if number % 2:
            kind, _, text = _fill(chance, chance.choice(_LEARNINGS)).partition(": ")
            yield Text(f"filler-{number}", text[0].upper() + text[1:], kind)
            continue
        fields = {
            "goal": _fill(chance, chance.choice(_GOALS)),
            "hypothesis": _fill(chance, chance.choice(_HYPOTHESES)),
            "action": _fill(chance, chance.choice(_ACTIONS)),
            "prediction": _fill(chance, chance.choice(_PREDICTIONS)),
            "status": chance.choice(("confirmed", "falsified")),
            "result": _fill(chance, chance.choice(_RESULTS)),
        }
        if fields["status"] == "falsified":
            fields["surprise"] = _fill(chance, "It was {cause} in {part}")
            fields["cause"] = _fill(chance, "wrong-assumption - nobody had looked at {tool}")
        yield Text(f"filler-{number}", fields=fields)


def _fill(chance: random.Random, template: str) -> str:
    while "{" in template:
        name = template.partition("{")[2].partition("}")[0]
        template = template.replace("{" + name + "}", chance.choice(_SLOTS[name]), 1)
    return template[0].upper() + template[1:] if ": " not in template else template
