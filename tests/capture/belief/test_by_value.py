"""A number for each value of a column is that of Django's Case, in a statement that is made in less time."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from django.db.models import Case, FloatField, Q, QuerySet, Value, When

from capture.belief.by_value import ByValue
from capture.models import Learning
from memoryserver.accounts.models import User
from tests.support.rows import many_rows

NUMBERS: Mapping[str, float] = {"learning": 0.5, "it's": 2, **{f"type-{n}": n / 7 for n in range(16)}}


def case() -> Case:
    """The same by Django."""
    whens = (When(Q(type=name), then=Value(number)) for name, number in NUMBERS.items())
    return Case(*whens, default=Value(9.5), output_field=FloatField())


def test_each_value_has_its_number_and_others_the_default(alice: User) -> None:
    many_rows.learnings(alice, 3)
    Learning.objects.filter(content="learned-1.").update(type="it's")
    Learning.objects.filter(content="learned-2.").update(type="of the future")

    rows = Learning.objects.annotate(number=ByValue("type", NUMBERS, default=9.5), same=case()).order_by("pk")

    assert list(rows.values_list("number", "same")) == [(0.5, 0.5), (2.0, 2.0), (9.5, 9.5)]


def test_rows_are_ordered_and_selected_by_the_number(alice: User) -> None:
    many_rows.learnings(alice, 2)
    Learning.objects.filter(content="learned-0.").update(type="it's")

    rows = Learning.objects.annotate(number=ByValue("type", NUMBERS, default=9.5))

    assert list(rows.order_by("-number").values_list("number", flat=True)) == [2.0, 0.5]
    assert list(rows.filter(number__gt=1).values_list("content", flat=True)) == ["learned-0."]


def test_equal_ones_are_equal() -> None:
    assert ByValue("type", NUMBERS, default=1) == ByValue("type", dict(NUMBERS), default=1)
    assert ByValue("type", NUMBERS, default=1) != ByValue("type", {"learning": 0.5}, default=1)
    assert ByValue("type", NUMBERS, default=1) != ByValue("source", NUMBERS, default=1)


def test_statement_takes_at_most_half_the_time_of_case(db: None) -> None:
    def taken(rows: Callable[[], QuerySet[Learning]]) -> float:
        times = []
        for _ in range(15):
            begun = time.process_time()
            str(rows().query)
            times.append(time.process_time() - begun)
        return min(times)

    of_case = taken(lambda: Learning.objects.annotate(number=case()))
    assert taken(lambda: Learning.objects.annotate(number=ByValue("type", NUMBERS, default=9.5))) < of_case / 2
