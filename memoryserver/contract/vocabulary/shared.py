"""Words that operations of several apps use."""

from __future__ import annotations

from typing import Any

from memoryserver.contract.vocabulary.examples import PROJECT, TIME

FIELDS: dict[str, tuple[str, Any]] = {
    "axis": ("one of the texts of an entry that are compared: full, strategy, surprise or root_cause", "surprise"),
    "before": ("how many records before it", 5),
    "branch": ("the branch that was checked out", "fix/cart-total"),
    "captured_at": ("when the laptop read the message", TIME),
    "created_at": ("when it came about", TIME),
    "cursor": ("`next_cursor` of the last answer; empty for the first page", ""),
    "details": ("a longer text", "exit code 2"),
    "domain": ("the kind of work: debugging, feature, refactoring and others", "debugging"),
    "id": ("its id", "toolu_01"),
    "key": ("its key in the source", "42"),
    "kind": ("what it is", "gotcha"),
    "known": ("how many were known before", 1),
    "limit": ("the most results of a page", 20),
    "mode": ("how it is searched: hybrid, semantic or lexical", "hybrid"),
    "more": ("whether there are more", False),
    "name": ("its name", "ada's laptop"),
    "next_cursor": ("what to send as `cursor` for the next page; null at the end", None),
    "note": ("what to know about the answer, null if nothing", None),
    "page": ("the address of its page", "/learnings/42/"),
    "project": ("the project's key", PROJECT),
    "reason": ("why, null if there is nothing to say", "the texts say the opposite"),
    "results": ("the result for each item, in the order sent", None),
    "scope": ("whose it is", "team crew"),
    "scopes": ("what the token may do", ["ingest", "read"]),
    "session_id": ("the agent's id of the session", "5d2c7a10-0000-4000-8000-000000000001"),
    "sessions": ("the sessions, the latest first", None),
    "since": ("only what came about from then on", "2026-01-01"),
    "size": ("how many entries it has", 4),
    "source": ("where it comes from", "learnings"),
    "status": ("what became of it; `refused` has a reason", "stored"),
    "strategy": ("how the work was approached", "root-cause-analysis"),
    "team": ("the team's name", "crew"),
    "text": ("the text", "Run `make test` with DATABASE_URL unset."),
    "tier": ("how far the outcome can be trusted: gold, silver or bronze", "gold"),
    "title": ("its title", "Fix the cart total"),
    "total": ("how many there are", 120),
    "type": ("the kind of learning", "gotcha"),
    "until": ("only what came about before then", "2026-02-01"),
    "user": ("the person's name", "ada"),
    "version": ("the version", "0.9.0"),
    "weight": ("how much it counts in the order", 0.7),
    "why": ("the reason, in words", "the agent was corrected"),
}
