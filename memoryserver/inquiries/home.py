"""The part of the home page: how often the memory was asked, by whom."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from django.db.models import Count

from memoryserver.home.parts import Card, Line, Part
from memoryserver.home.scope import PageScope
from memoryserver.inquiries.models import Inquiry

PEOPLE = 8


def cards(scope: PageScope) -> Sequence[Card]:
    """Return how often each person and their agents asked in the period, the most first; never what."""
    rows = scope.rows(Inquiry.objects.filter(scope.period("asked_at")))
    kinds: Counter[str] = Counter()
    people: Counter[str] = Counter()
    for kind, name, count in rows.order_by().values_list("kind", "user__username").annotate(count=Count("pk")):
        kinds[kind] += count
        people[name] += count
    by_kind = [(label, kinds[kind]) for kind, label in Inquiry.Kind.choices if kinds[kind]]
    most = sorted(people.items(), key=lambda person: (-person[1], person[0]))[:PEOPLE]
    context = {"kinds": by_kind, "people": most, "days": scope.days}
    text = ", ".join(f"{name} {count}" for name, count in most) or "nobody"
    return [
        Card("Who asked the memory", "right", "inquiries/_home.html", context, scope.link("inquiries"), [Line(text)])
    ]


PART = Part("inquiries", 40, cards=cards)
