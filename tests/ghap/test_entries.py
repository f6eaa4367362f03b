from __future__ import annotations

from django.db import connection

from ghap.entries import LATEST_FIRST, OUTCOMES, Filter, find, matching
from ghap.intake import receive
from memoryserver.accounts.models import User
from tests.support.rows.ghap_entries import falsified


def numbered(number: int) -> dict[str, object]:
    captured = f"2026-11-2{number}T14:50:00Z"
    outcome = {**falsified()["outcome"], "captured_at": captured}
    return falsified(id=f"ghap_2026112{number}_143000_a1b2c3", goal=f"Goal {number}", outcome=outcome)


def test_latest_entry_comes_first_and_the_pages_follow_each_other(alice: User) -> None:
    receive(alice, None, [numbered(number) for number in range(5)])
    seen, cursor = [], ""
    while True:
        page = find(alice, Filter(), limit=2, cursor=cursor)
        seen += [row.goal for row in page.rows]
        if page.next_cursor is None:
            break
        cursor = page.next_cursor
    assert seen == ["Goal 4", "Goal 3", "Goal 2", "Goal 1", "Goal 0"]


def test_every_outcome_can_be_chosen() -> None:
    assert list(OUTCOMES) == ["", "confirmed", "falsified", "abandoned", "all", "open"]


def test_conditions_are_cleaned_of_what_postgres_refuses(alice: User) -> None:
    assert not matching(alice, Filter(person="\x00", domain="\ud800")).exists()


def test_list_reads_the_latest_entries_by_their_index_and_sorts_none(alice: User) -> None:
    with connection.cursor() as cursor:  # a table of a few rows is faster read whole
        cursor.execute("SET LOCAL enable_seqscan = off; SET LOCAL enable_sort = off")
    plan = matching(alice, Filter()).order_by(*LATEST_FIRST)[:40].explain()
    assert ("ghap_entry_figures" in plan, "Sort" in plan) == (True, False)
