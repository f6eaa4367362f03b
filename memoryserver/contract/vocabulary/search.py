"""Words of search, reading by id, the timeline and the context."""

from __future__ import annotations

from typing import Any

from memoryserver.contract.vocabulary.examples import TIME

FIELDS: dict[str, tuple[str, Any]] = {
    "after": ("how many records after it", 5),
    "AnswerOut.before": ("how many results are on the pages before this one", 0),
    "chars": ("the most characters of the answer", 2000),
    "counted": ("whether the answer is counted as a use of what it has", True),
    "delivered_at": ("when the session got it", TIME),
    "Deliveries.deliveries": ("the contexts, in chronological order", None),
    "ContextQuery.deliveries": ("whether it is kept, and reported when a session gets it", False),
    "DocumentOut.details": ("its fields", {"outcome": "confirmed"}),
    "documents": ("the documents, in the order asked for", None),
    "ContextOut.documents": ("the ids of the lines that can be read in full", ["learnings/42"]),
    "DeliveryIn.documents": ("the ids of the lines that the session got", ["learnings/42"]),
    "events": ("the records in chronological order", None),
    "folded": ("how many near-equal results are named by others", 0),
    "found": ("how many results matched well enough", 3),
    "generated_at": ("when this was composed", TIME),
    "SearchQuery.here": ("the key of the project asked from; nothing is left out by it", "github.com/acme/shop"),
    "here": ("whether it is the record that was asked for", True),
    "hits": ("the results, the best first", None),
    "lexical_rank": ("its place among the results by words; null if it has none", 1),
    "line": ("the record in one line", "14:05 gotcha: run `make test` with DATABASE_URL unset"),
    "lines": ("the lines, in their order", ["- Run `make test`"]),
    "DeliveryIn.lines": ("how many lines of it the session got", 12),
    "log_source": ("only observations of the log from this source", "agent:claude"),
    "matches": ("what the id names", None),
    "HitOut.mine": ("whether the token's user stored it", True),
    "missing": ("ids of which nothing is there for the token's user", []),
    "origin": ("where it comes from", {"session": "s-1"}),
    "outcome": ("how the entry ended: confirmed, falsified or abandoned", "confirmed"),
    "q": ("the question: words, or a sentence", "why does the cart total differ"),
    "same": ("ids of near-equal results that this one stands for", []),
    "score": ("how well it matches; only to compare within one answer", 0.031),
    "section": ("the section that the line is in", "learnings"),
    "sections": ("the parts of the context", None),
    "semantic_rank": ("its place among the results by meaning; null if it has none", 2),
    "DocumentOut.size": ("how many characters its text has", 180),
    "EventOut.size": ("how many characters its text has", 180),
    "HitOut.size": ("how many characters its text has", 180),
    "SearchQuery.type": ("the kind of learning, or what an observation says happened", "gotcha"),
    "DeliveryIn.way": ("how it came to the session: agent or command", "agent"),
    "words": ("the words of the question that it has", ["cart"]),
}
