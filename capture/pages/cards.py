"""The cards of learnings on pages: what each says and where its links lead, made ready for `capture/_cards.html`."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any, TypedDict, cast

from django.http import QueryDict
from django.utils.safestring import SafeString

from capture.models import Learning
from memoryserver.accounts.models import User
from memoryserver.home.addresses import address_of
from memoryserver.home.scope import query_of
from memoryserver.pages.filters import ago, short_name
from memoryserver.texts.markdown import markdown

_SOURCES = dict(Learning.Source.choices)


class Card(TypedDict):
    """A learning, judged, as a page shows it.

    `page` is its address with the scope of the page that shows it, `address` without. A tag is a text, a
    title and a style; `seen` says how often, and `last_seen` when last.
    """

    key: int
    page: str
    address: str
    change: str
    delete: str
    type: str
    source: str
    source_title: str
    tags: Sequence[tuple[str, str, str]]
    user: str
    project: str
    project_name: str
    seen: str
    last_seen: str
    content: str
    html: SafeString
    pinned: bool
    hidden: bool
    is_changeable: bool
    is_own: bool


def cards(rows: Iterable[Learning], changeable: Collection[int], user: User, params: QueryDict) -> Sequence[Card]:
    """Return the cards of `rows` for `user`, who may change those in `changeable`, on a page with `params`."""
    scope = query_of(params)
    return [_card(row, scope, is_changeable=row.pk in changeable, is_own=row.user_id == user.pk) for row in rows]


def _card(row: Learning, scope: str, *, is_changeable: bool, is_own: bool) -> Card:
    key, address = row.pk, address_of("learning", row.pk)
    project = str(row.project) if row.project else ""
    return Card(
        key=key,
        page=address + scope,
        address=address,
        change=address_of("learning-change", key),
        delete=address_of("learning-delete", key),
        type=row.type,
        source=row.source,
        source_title=_SOURCES.get(row.source, row.source),
        tags=_tags(row),
        user=str(row.user),
        project=project,
        project_name=short_name(project),
        seen=f"seen {row.seen_count} times, last" if row.seen_count > 1 else "",
        last_seen=ago(row.last_seen),
        content=row.content,
        html=markdown(row.content),
        pinned=row.pinned,
        hidden=row.hidden,
        is_changeable=is_changeable,
        is_own=is_own,
    )


def _tags(row: Learning) -> Sequence[tuple[str, str, str]]:
    known = (
        (row.is_report, ("status report", "", "")),
        (row.judge_verdict == "rejected", ("rejected by the judge", "enters no context", "")),
        (cast("Any", row).provisional, ("provisional", "its session still runs", "")),
        (row.pinned, ("pinned", "", "caution")),
        (row.merged_into_id is not None, ("merged", "", "")),
        (row.hidden, ("hidden", "", "warning")),
    )
    return [tag for applies, tag in known if applies]
