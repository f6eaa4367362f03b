"""Whether questions find what answers them: by words, by meaning and by both, with the real model.

    python bench/relevance.py [--filler N]

Two sets (bench/relevance_data.py): a team's memory, entries and learnings stored and searched as the server does it,
and a chat, each turn a learning. Of both the questions at odd places were held out while the fusion was tuned. The
chat is a second opinion, with texts much shorter and questions of another kind. For the chat's fusion by rank alone
(BM25 and meaning, 1 / (60 + rank), as it is usually done) a line shows what is to be beaten. The last line is JSON.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from bench import server
from bench.relevance_data import Collected, Question, Text, chat, memory

MODES = ("lexical", "semantic", "hybrid")
MEASURES = ("hit@1", "hit@5", "hit@10", "mrr")
BORN = datetime(2026, 1, 2, tzinfo=UTC)

Places = list[int | None]


def main() -> None:
    """Print the tables and the line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--filler", type=int, default=400, help="how many texts out of templates to add")
    options = parser.parse_args()
    with server.running():
        from memoryserver import embedding

        embedding.load()
        rows = _measure("memory", memory(options.filler))
        _measure("chat", chat())
    print(json.dumps({"bench": "relevance", "rows": rows}))


def _measure(name: str, collected: Collected) -> list[dict[str, Any]]:
    from memoryserver.accounts.models import User

    owner = User.objects.create(username=name)
    names = _store(owner, collected.texts)
    places: dict[str, Places] = {mode: [] for mode in (*MODES, "plain RRF")}
    for question in collected.questions:
        ranked = {mode: _ranked(owner, names, question, mode) for mode in MODES}
        ranked["plain RRF"] = _plain([ranked["lexical"], ranked["semantic"]])
        for mode, keys in ranked.items():
            places[mode].append(_place(question, keys))
    for half, chosen in (("all", None), ("held out", 1)):
        count = len([number for number in range(len(collected.questions)) if chosen in (None, _half(number))])
        print(f"\n{name}, {half}: {count} questions, {len(collected.texts)} texts")
        print(f"    {'':12}" + "".join(f"{measure:>9}" for measure in MEASURES))
        for mode, found in places.items():
            own = [place for number, place in enumerate(found) if chosen in (None, _half(number))]
            print(f"    {mode:12}" + "".join(f"{value:9.3f}" for value in _values(own).values()))
    return [
        {"what": f"{mode} {measure}", "ratio": round(value, 4)}
        for mode in MODES
        for measure, value in _values(places[mode]).items()
    ]


def _half(number: int) -> int:
    """Two questions ask for one text; both are in the same half."""
    return number // 2 % 2


def _values(places: Places) -> dict[str, float]:
    count = len(places)
    values = {
        f"hit@{most}": sum(place is not None and place <= most for place in places) / count for most in (1, 5, 10)
    }
    return values | {"mrr": sum(1 / place for place in places if place is not None) / count}


def _ranked(owner: Any, names: dict[str, str], question: Question, mode: str) -> list[str]:
    """The keys of all texts that are found, best first."""
    from memoryserver.search.service import Search, search

    answers = [
        search(owner, Search(question.words, mode=mode, limit=100, offset=offset))  # type: ignore[arg-type]
        for offset in (0, 100)
    ]
    assert {answer.mode for answer in answers} == {mode}
    return [names.get(hit.key, hit.key) for answer in answers for hit in answer.hits]


def _place(question: Question, ranked: Sequence[str]) -> int | None:
    """At which place the first text that answers is."""
    return next((place for place, key in enumerate(ranked, 1) if key in question.answers), None)


def _plain(rankings: Sequence[Sequence[str]]) -> list[str]:
    """What equal weights would give: the rankings fused by 1 / (60 + rank)."""
    scores: dict[str, float] = {}
    for ranking in rankings:
        for rank, key in enumerate(ranking, 1):
            scores[key] = scores.get(key, 0) + 1 / (60 + rank)
    return sorted(scores, key=lambda key: -scores[key])


def _store(owner: Any, texts: Sequence[Text]) -> dict[str, str]:
    """As the server would have them: entries by intake and job, learnings by capture's documents.

    Gives the keys of texts whose key in the database is another.
    """
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
            identity=text.key,
            confidence=0.9,
            first_seen=BORN,
            last_seen=BORN,
            content_digest=text.key,
        )
        for text in texts
        if not text.fields
    )
    documents.embed(owner, None, learnings, service())
    return {str(row.pk): row.identity for row in learnings}


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


if __name__ == "__main__":
    main()
