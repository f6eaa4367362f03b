"""Links from a row's page in the admin to the rows that belong to it."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse

from capture.models import Learning
from ghap.intake import receive
from ghap.models import Entry
from memoryserver.accounts.models import User
from tests.support.rows import many_rows
from tests.support.rows.factories import UserFactory
from tests.support.rows.ghap_entries import body
from trajectory.models import Trajectory


def lists(client: Client, row: Any) -> dict[str, str]:
    name = row._meta.label_lower.replace(".", "_")
    page = client.get(reverse(f"admin:{name}_change", args=[row.pk]))
    return {related.name: related.address for related in page.context["related_lists"]}


def test_learning_links_to_what_names_it(alice: User, admin_client: Client) -> None:
    (row,) = many_rows.learnings(alice, 1)

    assert lists(admin_client, row) == {
        "contradictions: earlier": f"/admin/capture/contradiction/?earlier__id__exact={row.pk}",
        "contradictions: later": f"/admin/capture/contradiction/?later__id__exact={row.pk}",
        "learning changes": f"/admin/capture/learningchange/?learning__id__exact={row.pk}",
        "learning sources": f"/admin/capture/learningsource/?learning__id__exact={row.pk}",
        "learnings": f"/admin/capture/learning/?merged_into__id__exact={row.pk}",
    }


def test_every_link_opens_the_list_of_those_rows_alone(alice: User, bob: User, admin_client: Client) -> None:
    mine, _ = many_rows.learnings(alice, 1)[0], many_rows.learnings(bob, 1)[0]
    found = {name: admin_client.get(address).status_code for name, address in lists(admin_client, alice).items()}
    assert set(found.values()) == {200}
    page = admin_client.get(lists(admin_client, alice)["learnings: user"])
    assert [*page.context["cl"].result_list] == [mine]


def test_entry_and_session_of_an_agent_link_to_each_other(alice: User, bob: User, admin_client: Client) -> None:
    receive(alice, None, [body(agent_session="one")])
    session = Trajectory.objects.create(user=alice, session_id="one")
    Trajectory.objects.create(user=bob, session_id="one")
    entry = Entry.objects.get()

    to_session = lists(admin_client, entry)["trajectories of the session"]
    to_entry = lists(admin_client, session)["GHAP entries of the session"]

    assert [*admin_client.get(to_session).context["cl"].result_list] == [session]
    assert [*admin_client.get(to_entry).context["cl"].result_list] == [entry]


def test_entry_without_a_session_links_to_none(alice: User, admin_client: Client) -> None:
    receive(alice, None, [body()])

    assert [name for name in lists(admin_client, Entry.objects.get()) if name.endswith("of the session")] == []


def test_person_who_may_see_learnings_alone_gets_links_to_no_other_list(alice: User) -> None:
    many_rows.learnings(alice, 1)
    reader = UserFactory(is_staff=True)
    reader.user_permissions.add(Permission.objects.get(codename="view_learning"))
    client = Client()
    client.force_login(reader)

    assert sorted(lists(client, Learning.objects.get())) == ["learnings"]
