"""Whether questions find what answers them: by words, by meaning and by both, with the real model.

    python bench/relevance.py [--filler N]

Progress is printed to standard error.
A team's memory (bench/support/relevance/data.py): entries and learnings stored and searched as the server
does it. A chat, each turn a learning: texts much shorter, and questions of another kind. Of both the questions at odd
places were held out while the fusion was tuned. And four long dialogues (bench/support/relevance/dialogues.py), each
the memory of its own user, in the manner of the public sets of questions over chat turns; the last two were held out.
Eight long conversations (bench/support/relevance/conversations.py), whose turns belong together. And texts of known
days, asked for by their time ("last spring").

Beside ours stand what is to be beaten: BM25 and meaning fused by rank alone, 1 / (60 + rank), of all that each found
("plain RRF", as it is usually done) and of the first ten of each ("RRF of tens").

Of each share of questions the 95 % interval (Wilson) is told. The environment chooses the model as for the server, such
as MEMORYSERVER_EMBEDDING_SERVICE=onnx with MEMORYSERVER_EMBEDDING_PRECISION=int8.

At the end, what the floor costs and does: true answers that are no longer found (with what the search finds without
the floor), and questions without an answer that find something. The last line is JSON.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # before this folder, with another `capture` in it

from bench.support import server
from bench.support.relevance.conversations import LOOKED_AT, TUNED_ON, UNSEEN, conversation
from bench.support.relevance.data import ASKED_AT, Collected, Question, Text, chat, dated, entry_of, memory
from bench.support.relevance.dialogues import NAMES, dialogue
from bench.support.relevance.floor import mean, shown, unanswerable
from memoryserver.home.intervals import wilson

MODES = ("lexical", "semantic", "hybrid")
WAYS = (*MODES, "plain RRF", "RRF of tens")
DEPTHS = {"hit@1": 1, "hit@5": 5, "hit@10": 10}
BORN = datetime(2026, 1, 2, tzinfo=UTC)

Places = list[int | None]

_SETS: dict[str, tuple[Any, dict[str, str], Collected]] = {}
"""The stored sets by name: owner, keys of the texts whose key in the database is another, and the set."""


def main() -> None:
    """Print the tables and the line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--filler", type=int, default=400, help="how many texts out of templates to add")
    options = parser.parse_args()
    with server.running():
        from memoryserver import embedding
        from memoryserver.search import query_embedding

        embedding.load()
        query_embedding.embedder = query_embedding.QueryEmbedder(deadline=600)  # a busy machine changes no figure
        places = _places("memory", memory(options.filler))
        _print_halves("memory", places)
        _print_halves("chat", _places("chat", chat()))
        dialogues = [_places(name, dialogue(name)) for name in NAMES]
        _print_floor()
        by_time = _print_dated(options.filler)
        _print("dialogues, tuned on", _joined(dialogues[:2]))
        held_out = _joined(dialogues[2:])
        _print("dialogues, held out", held_out)
        for title, names in (("tuned on", TUNED_ON), ("looked at", LOOKED_AT)):
            _print(f"conversations, {title}", _joined([_places(name, conversation(name)) for name in names]))
        unseen = _joined([_places(name, conversation(name)) for name in UNSEEN])
        _print("conversations, unseen", unseen)
    rows = [row for mode in MODES for row in _rows(mode, places[mode])]
    rows += [row for way, found in held_out.items() for row in _rows(f"dialogues {way}", found)]
    rows += [row for way, found in unseen.items() for row in _rows(f"conversations {way}", found)]
    rows += _rows("dated", by_time["held out"])
    print(json.dumps({"bench": "relevance", "rows": rows}))


def _rows(what: str, places: Places) -> Iterator[dict[str, Any]]:
    """The lines of JSON: each measure, and of shares the bounds of the interval."""
    for measure, value in _values(places).items():
        row = {"what": f"{what} {measure}", "ratio": round(value, 4)}
        if measure in DEPTHS:
            low, high = wilson(round(value * len(places)), len(places))
            row |= {"low": round(low, 4), "high": round(high, 4)}
        yield row


def _places(name: str, collected: Collected) -> dict[str, Places]:
    """Where each question's answer is, by each way of ranking."""
    from memoryserver.accounts.models import User

    owner = User.objects.create(username=name)
    names = _store(owner, collected.texts)
    _SETS[name] = (owner, names, collected)
    places: dict[str, Places] = {way: [] for way in WAYS}
    for number, question in enumerate(collected.questions):
        _progress(name, number, len(collected.questions))
        ranked = {mode: _ranked(owner, names, question, mode) for mode in MODES}
        both = [ranked["lexical"], ranked["semantic"]]
        ranked |= {"plain RRF": _plain(both), "RRF of tens": _plain([keys[:10] for keys in both])}
        for way, keys in ranked.items():
            places[way].append(_place(question, keys))
    return places


def _progress(what: str, number: int, of: int) -> None:
    """To standard error, at each fiftieth: the whole takes from ten minutes to an hour on a busy machine."""
    if number % 50 == 0:
        print(f"    {what}: {number} of {of}", file=sys.stderr, flush=True)


def _joined(parts: Sequence[dict[str, Places]]) -> dict[str, Places]:
    return {way: [place for part in parts for place in part[way]] for way in WAYS}


def _print_halves(name: str, places: dict[str, Places]) -> None:
    _print(f"{name}, all", places)
    held_out = {way: [place for number, place in enumerate(found) if _half(number)] for way, found in places.items()}
    _print(f"{name}, held out", held_out)


def _print(title: str, places: dict[str, Places]) -> None:
    print(f"\n{title}: {len(places['hybrid'])} questions")
    print(f"    {'':12}" + "".join(f"{measure:>20}" for measure in DEPTHS) + f"{'mrr':>9}")
    for way, found in places.items():
        values = _values(found)
        told = (_with_interval(values[measure], len(found)) for measure in DEPTHS)
        print(f"    {way:12}" + "".join(f"{text:>20}" for text in told) + f"{values['mrr']:9.3f}")


def _with_interval(share: float, of: int) -> str:
    low, high = wilson(round(share * of), of)
    return f"{share:.3f} ({low:.2f}-{high:.2f})"


def _half(number: int) -> int:
    """Two questions ask for one text; both are in the same half."""
    return number // 2 % 2


def _values(places: Places) -> dict[str, float]:
    count = len(places)
    values = {
        measure: sum(place is not None and place <= most for place in places) / count
        for measure, most in DEPTHS.items()
    }
    return values | {"mrr": sum(1 / place for place in places if place is not None) / count}


def _ranked(owner: Any, names: dict[str, str], question: Question, mode: str) -> list[str]:
    """The keys of all texts that are found, best first."""
    from memoryserver.search.service import Search, search

    hits: list[Any] = []
    offset: int | None = 0
    while offset is not None:  # most questions have one page
        answer = search(owner, Search(question.words, mode=mode, limit=100, offset=offset))  # type: ignore[arg-type]
        assert answer.mode == mode
        hits += answer.hits
        offset = answer.next_offset
    return [_key([hit.key, *(name.partition("/")[2] for name in hit.same)], names, question) for hit in hits]


def _key(keys: Sequence[str], names: dict[str, str], question: Question) -> str:
    """That of the near-equal results of one hit which answers, or else the hit's own."""
    own = [names.get(key, key) for key in keys]
    return next((key for key in own if key in question.answers), own[0])


def _asked(half: int) -> list[tuple[tuple[Any, dict[str, str]], Question]]:
    """The questions of the half that the floor was chosen on (0), or that was held out (1), with where to ask them."""
    return [
        ((owner, names), question)
        for name, (owner, names, collected) in _SETS.items()
        for number, question in enumerate(collected.questions)
        if (name in NAMES[2:] if name in NAMES else _half(number)) == half
    ]


def _print_floor() -> None:
    """What the floor loses of the true answers, and what questions without an answer still find."""
    from unittest.mock import patch

    from memoryserver.accounts.models import User
    from memoryserver.search import floor
    from memoryserver.search.service import Search, search

    print("\nfloor: questions that find their answer among ten, without it and with it")
    for title, asked in (("chosen on", _asked(0)), ("held out", _asked(1))):
        with patch.object(floor, "passing", lambda ranked, *_, **__: ranked):
            before = [_place(question, _ranked(*where, question, "hybrid")) for where, question in asked]
        after = [_place(question, _ranked(*where, question, "hybrid")) for where, question in asked]
        lost = sum(
            was is not None and was <= 10 and (now is None or now > 10) for was, now in zip(before, after, strict=True)
        )
        gone = sum(was is not None and now is None for was, now in zip(before, after, strict=True))
        print(
            f"    {title:28} of {len(asked)}: lost among ten {shown(lost, len(asked))}, at all {gone / len(asked):.3f}"
        )
    print("floor: questions without an answer that find something, and how much")
    for kind, queries in unanswerable().items():
        for mode in ("hybrid", "semantic"):
            _progress(f"{kind}, {mode}", 0, len(_SETS) * len(queries))
            found = [
                search(User.objects.get(username=name), Search(words, mode=mode)).found
                for name in _SETS
                for words in queries
            ]
            title = f"{kind}, {mode}"
            print(f"    {title:38} of {len(found)}: {shown(sum(map(bool, found)), len(found))}, {mean(found):.1f}")


def _print_dated(filler: int) -> dict[str, Places]:
    """Print the places of answers to questions with a time, the time considered and ignored; return the former."""
    from unittest.mock import patch

    from django.utils import timezone

    from memoryserver.accounts.models import User
    from memoryserver.search.questions import periods

    owner = User.objects.create(username="dated")
    kinds = dated(filler)
    names = _store(owner, kinds["held out"].texts)
    found: dict[str, Places] = {}
    for kind, collected in kinds.items():

        def places(asked: Sequence[Question] = collected.questions) -> Places:
            return [_place(question, _ranked(owner, names, question, "hybrid")) for question in asked]

        with patch.object(timezone, "now", lambda: ASKED_AT):
            with_time = places()
            with patch.object(periods, "WEIGHT", 0):
                found[kind] = with_time
                _print(f"dated, {kind}", {"hybrid": with_time, "without time": places()})
    return found


def _place(question: Question, ranked: Sequence[str]) -> int | None:
    """At which place the first text that answers is."""
    return next((place for place, key in enumerate(ranked, 1) if key in question.answers), None)


def _plain(rankings: Sequence[Sequence[str]]) -> list[str]:
    """The rankings fused by 1 / (60 + rank) alone."""
    scores: dict[str, float] = {}
    for ranking in rankings:
        for rank, key in enumerate(ranking, 1):
            scores[key] = scores.get(key, 0) + 1 / (60 + rank)
    return sorted(scores, key=lambda key: -scores[key])


def _store(owner: Any, texts: Sequence[Text]) -> dict[str, str]:
    """As the server would have them: entries by intake and job, learnings by capture's documents.

    Gives the keys of texts whose key in the database is another.
    """
    from django.db import transaction

    from capture import documents
    from capture.models import Learning
    from ghap.intake import receive
    from ghap.jobs import persist_pending
    from memoryserver.embedding import service

    receipts = receive(owner, None, [entry_of(text) for text in texts if text.fields])
    assert {receipt.status for receipt in receipts} <= {"stored"}, receipts
    persist_pending()
    learnings = Learning.objects.bulk_create(
        Learning(
            user=owner,
            type=text.type or "learning",
            content=text.text,
            confidence=0.9,
            first_seen=text.day or BORN,
            last_seen=text.day or BORN,
            content_digest=text.key,
        )
        for text in texts
        if not text.fields
    )
    with transaction.atomic():
        documents.embed(owner, None, learnings, service())
    return {str(row.pk): row.content_digest for row in learnings}


if __name__ == "__main__":
    main()
