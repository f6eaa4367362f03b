"""Entries as documents, by id and by time."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from django.contrib.auth.models import AnonymousUser
from django.db.models import Q, QuerySet

from ghap.local import GHAPEntry
from ghap.models import Entry
from memoryserver.accounts.models import User
from memoryserver.accounts.visibility import visible_rows
from memoryserver.common.text import printable
from memoryserver.home.addresses import address_of
from memoryserver.search.documents import Document
from memoryserver.search.lookup import Finder, Match, match_of
from memoryserver.search.sources import Side

SOURCE = "ghap"
PAGE = "ghap-entry"
_PREFIX, _SESSION_PREFIX = "ghap_", "session_"
_LEAST = 6  # characters after the prefix by which entries are found


def visible(user: User | AnonymousUser) -> QuerySet[Entry]:
    """Return the resolved entries that `user` may see."""
    return visible_rows(Entry.objects.select_related("user", "project"), user)


def read(user: User, key: str) -> Sequence[Document]:
    """Return the entries with that id that `user` may see."""
    return [_document(row) for row in visible(user).filter(ghap_id=key)]


def pages(user: User, documents: Collection[str]) -> dict[str, str]:
    """Return the page of each entry among `documents`, ids such as `ghap/ID`, that `user` may see."""
    names = (name.partition("/") for name in documents)
    keys = [key for source, _, key in names if source == SOURCE]
    rows = visible(user).filter(ghap_id__in=keys).order_by("-pk").values_list("ghap_id", "pk")
    return {f"{SOURCE}/{key}": address_of(PAGE, pk) for key, pk in rows} if keys else {}


def near(user: User, here: Document, side: Side, limit: int) -> Sequence[Document]:
    """Return the `limit` entries next to `here` on that side, of its project or its sessions."""
    same = Q(session_id__in=here.threads) | Q(ghap_id__in=here.threads)
    if here.project_id is not None:
        same |= Q(project=here.project_id)
    rows = visible(user).filter(same)
    if side == "before":
        rows = rows.filter(created_at__lte=here.created_at).order_by("-created_at", "-pk")
    else:
        rows = rows.filter(created_at__gt=here.created_at).order_by("created_at", "pk")
    return [_document(row) for row in rows[:limit]]


def find(user: User, word: str, limit: int) -> Sequence[Match]:
    """Return the entries with that id; else those whose id begins so, or that were made in the session of that id."""
    rows = visible(user)
    if exact := list(rows.filter(ghap_id=word)[:limit]):
        return [_match(row) for row in exact]
    if word.startswith(_SESSION_PREFIX):
        in_session = rows.filter(session_id=word).order_by("-created_at", "-pk")
        return [_match(row, exact=False) for row in in_session[:limit]]
    beginning = word if word.startswith(_PREFIX) else _PREFIX + word
    if len(beginning) < len(_PREFIX) + _LEAST:
        return []
    return [_match(row, exact=False) for row in rows.filter(ghap_id__startswith=beginning).order_by("-pk")[:limit]]


def of_page(user: User, key: str) -> Sequence[Match]:
    """Return the entry on the page with that key."""
    row = entry_of(user, int(key))
    return [] if row is None else [_match(row)]


def _match(row: Entry, *, exact: bool = True) -> Match:
    key = f"{SOURCE}/{row.ghap_id}"
    return match_of(row, "entry", key, title=row.goal, created_at=row.created_at, page_name=PAGE, exact=exact)


FINDER = Finder(SOURCE, find, PAGE, of_page)


def entry_of(user: User | AnonymousUser, key: int) -> Entry | None:
    """Return the entry with that primary key, if `user` may see it."""
    return visible(user).filter(pk=key).first()


def text_of(row: Entry) -> str:
    """Return the full text of the entry, one line per field, in chronological order."""
    entry = row.entry
    lines = [f"Goal: {entry.goal}"]
    for number, earlier in enumerate(entry.history, 1):
        lines += [f"{number}. hypothesis: {earlier.hypothesis}", f"{number}. action: {earlier.action}"]
        lines.append(f"{number}. prediction: {earlier.prediction}")
    lines += _last_iteration(entry)
    lines += [f"Note: {note}" for note in entry.notes]
    return printable("\n".join(lines))


def _last_iteration(entry: GHAPEntry) -> Iterator[str]:
    yield f"Hypothesis: {entry.hypothesis}"
    yield f"Action: {entry.action}"
    yield f"Prediction: {entry.prediction}"
    if entry.check:
        yield f"Check: {entry.check}"
    if entry.outcome:
        yield f"Outcome: {entry.outcome.status.value} - {entry.outcome.result}"
    if entry.surprise:
        yield f"Surprise: {entry.surprise}"
    if entry.root_cause:
        yield f"Root cause: {entry.root_cause.category} - {entry.root_cause.description}"
    if entry.lesson:
        yield f"What worked: {entry.lesson.what_worked}"
        if entry.lesson.takeaway:
            yield f"Takeaway: {entry.lesson.takeaway}"


def _document(row: Entry) -> Document:
    return Document(
        source=SOURCE,
        key=row.ghap_id,
        kind=f"{row.outcome_status} {row.domain}",
        title=row.goal,
        text=text_of(row),
        user=row.user.get_username(),
        project=row.project.key if row.project else None,
        created_at=row.created_at,
        details={
            "entry": row.body,
            "tier": row.confidence_tier,
            "collector_tier": row.collector_tier,
            "quality_score": row.quality_score,
            "quality_reasons": row.quality_reasons,
        },
        project_id=row.project_id,
        threads=frozenset({row.ghap_id, row.session_id}),
    )
