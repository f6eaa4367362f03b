"""Each event that the audit is for, done where people do it: what is in the log, with whose it is and who did it, and
what the team's lead sees on the page of the audit.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from capture import sink
from capture.deliveries import IncomingLearning
from capture.models import Learning
from memoryserver.access import invitations
from memoryserver.accounts import tokens
from memoryserver.accounts.models import ApiToken, Project, Team, User
from obslog.models import Observation
from tests.support.rows.factories import ProjectFactory, UserFactory
from tests.trajectory.browsing import form_of

PASSWORD = "correct horse"
ADDRESS, ELSEWHERE = "192.0.2.7", "192.0.2.8"


@dataclass(frozen=True)
class World:
    """Alice leads the crew, Bob is in it, Charlie is a stranger, root is an administrator."""

    people: Mapping[str, User]
    crew: Team
    shared: Project
    private: Project
    twin: Project
    learning: Learning
    token: ApiToken
    text: str

    def browser(self, name: str) -> Client:
        client = Client(REMOTE_ADDR=ADDRESS)
        client.force_login(self.people[name])
        return client

    def api(self, address: str = ADDRESS) -> Client:
        """A client with Bob's token."""
        return Client(REMOTE_ADDR=address, headers={"authorization": f"Bearer {self.text}"})

    def member(self, name: str) -> str:
        return reverse("team-member", args=[self.crew.pk, self.people[name].pk])


@pytest.fixture
def world(alice: User, bob: User, charlie: User, shared_project: Project) -> World:
    bob.set_password(PASSWORD)
    bob.save()
    learning, _ = sink.store_by_hand(bob, shared_project, IncomingLearning("gotcha", "Use pnpm here.", 1.0, 0))
    assert learning is not None
    root = UserFactory(username="root", is_staff=True, is_superuser=True)
    return World(
        {"alice": alice, "bob": bob, "charlie": charlie, "root": root},
        alice.teams.get(),
        shared_project,
        ProjectFactory(owner=bob, key="notes"),
        ProjectFactory(owner=bob, key=shared_project.key),
        learning,
        *tokens.issue(bob, "laptop"),
    )


def sign_in(password: str) -> Callable[[World], None]:
    def do(world: World) -> None:
        form = {"login": "bob", "password": password}
        Client(REMOTE_ADDR=ADDRESS).post(reverse("account_login"), form)

    return do


def posts(person: str, address: Callable[[World], str], /, **form: Any) -> Callable[[World], None]:
    """That person sends a form of a page."""

    def do(world: World) -> None:
        values = {key: value(world) if callable(value) else value for key, value in form.items()}
        answer = world.browser(person).post(address(world), values)
        assert answer.status_code in (200, 302), answer.content.decode()

    return do


def by_memory_login(world: World) -> None:
    codes = Client().post("/api/v1/device/code", {"client_name": "made"}, content_type="application/json").json()
    form = {"code": codes["user_code"], "decision": "allow"}
    assert world.browser("bob").post(reverse("device"), form).status_code == 200
    body = {"device_code": codes["device_code"]}
    assert Client().post("/api/v1/device/token", body, content_type="application/json").status_code == 200


def in_the_shell(world: World) -> None:
    call_command("create_token", "bob", name="made")


def from_two_addresses(world: World) -> None:
    for address in (ADDRESS, ADDRESS, ELSEWHERE, ELSEWHERE):
        assert world.api(address).get("/api/v1/whoami").status_code == 200


def by_memory_logout(world: World) -> None:
    assert world.api().delete("/api/v1/tokens/current").status_code == 204


def by_the_api(world: World) -> None:
    assert world.api().delete(f"/api/v1/learnings/{world.learning.pk}").status_code == 204


def withdrawn_invitation(world: World) -> None:
    invitation, _ = invitations.make("eve@example.org", team=world.crew, by=world.people["alice"])
    address = reverse("invitation-withdraw", args=[invitation.pk])
    assert world.browser("alice").post(address).status_code == 302


def observers_of(name: str, scope: Callable[[World], str]) -> Callable[[World], None]:
    def do(world: World) -> None:
        entered = {key: value for key, value in form_of(world.people[name]).items() if not key.startswith("poll.")}
        page = f"{reverse('trajectory-observers')}?scope={scope(world)}"
        assert world.browser(name).post(page, entered).status_code == 302

    return do


def page(name: str, *args: Callable[[World], int]) -> Callable[[World], str]:
    return lambda world: reverse(name, args=[arg(world) for arg in args])


def crew(world: World) -> int:
    return world.crew.pk


def made(by: str | None) -> tuple[str, str, str | None, dict[str, Any]]:
    return ("bob", "token.issued", by, {"name": "made"})


def revoked(by: str) -> tuple[str, str, str | None, dict[str, Any]]:
    return ("bob", "token.revoked", by, {"name": "laptop"})


NEW_TOKEN = {"name": "made", "scopes": ["read"]}
MEMBERSHIP = {"team": crew}
LEARNING = {"learning": lambda world: world.learning.pk}
DELETE = {"post": "yes"}
NO_MEMBERS = {"membership_set-TOTAL_FORMS": "0", "membership_set-INITIAL_FORMS": "0"}
NO_ALIASES = {"aliases-TOTAL_FORMS": "0", "aliases-INITIAL_FORMS": "0"}

# What is done; whose observation of which type is then in the log, who did it ("" where the type names nobody else than
# whose it is), and what of its data says to what; and what the lead's page says after the type and time.
EVENTS: dict[str, tuple[Callable[[World], None], list[tuple[str, str, str | None, Mapping[str, Any]]], list[str]]] = {
    "sign-in": (sign_in(PASSWORD), [("bob", "user.signed_in", "", {"address": ADDRESS})], []),
    "failed sign-in": (sign_in("wrong"), [("bob", "user.sign_in_failed", "", {"address": ADDRESS})], []),
    "token made on the page": (posts("bob", page("tokens"), days="30", **NEW_TOKEN), [made("bob")], []),
    "token made in the admin": (
        posts("root", page("admin:accounts_apitoken_add"), user=lambda world: world.people["bob"].pk, **NEW_TOKEN),
        [made("root")],
        [],
    ),
    "token made by memory login": (by_memory_login, [made("bob")], []),
    "token made in the shell": (in_the_shell, [made(None)], []),
    "token used from a new address": (
        from_two_addresses,
        [("bob", "token.used_from_new_address", "", {"name": "laptop", "address": ELSEWHERE})],
        [],
    ),
    "token revoked on the page": (
        posts("bob", page("token-revoke", lambda world: world.token.pk)),
        [revoked("bob")],
        [],
    ),
    "token revoked by memory logout": (by_memory_logout, [revoked("bob")], []),
    "token revoked in the admin": (
        posts(
            "root",
            page("admin:accounts_apitoken_changelist"),
            action="revoke_selected",
            confirmed="yes",
            _selected_action=lambda world: [world.token.pk],
        ),
        [revoked("root")],
        [],
    ),
    "project shared": (
        posts("bob", page("project-move", lambda world: world.private.pk, crew)),
        [("bob", "project.moved", "bob", {"project": lambda world: world.private.pk, "team": crew, "merged": None})],
        ["project.moved, by bob"],
    ),
    "project merged": (
        posts("bob", page("project-move", lambda world: world.twin.pk, crew)),
        [
            (
                *("bob", "project.merged", "bob"),
                {"project": lambda world: world.shared.pk, "team": crew, "merged": lambda world: world.twin.pk},
            )
        ],
        ["project.merged, by bob"],
    ),
    "member added": (
        posts("alice", page("team-member-add", crew), username="charlie"),
        [("charlie", "membership.changed", "alice", MEMBERSHIP | {"role": "member"})],
        ["membership.changed, about charlie, by alice"],
    ),
    "role changed": (
        posts("alice", lambda world: world.member("bob"), role="lead"),
        [("bob", "membership.changed", "alice", MEMBERSHIP | {"role": "lead"})],
        ["membership.changed, about bob, by alice"],
    ),
    "member removed": (
        posts("alice", lambda world: world.member("bob"), role="none"),
        [("bob", "membership.ended", "alice", MEMBERSHIP)],
        ["membership.ended, about bob, by alice"],
    ),
    "member leaves": (
        posts("bob", lambda world: world.member("bob"), role="none"),
        [("bob", "membership.ended", "bob", MEMBERSHIP)],
        ["membership.ended, by bob"],
    ),
    "member deleted": (
        posts("root", page("admin:accounts_user_delete", lambda world: world.people["bob"].pk), **DELETE),
        [
            ("root", "admin.deleted", "root", {"model": "accounts.user"}),
            ("deleted user", "membership.ended", "root", MEMBERSHIP),
        ],
        ["membership.ended, about deleted user, by root"],
    ),
    "observers of the team": (
        observers_of("alice", lambda world: f"team-{world.crew.pk}"),
        [("alice", "observers.changed", "alice", {"version": 1})],
        ["observers.changed, by alice"],
    ),
    "observers of the team's project": (
        observers_of("alice", lambda world: f"project-{world.shared.pk}"),
        [("alice", "observers.changed", "alice", {"version": 1})],
        ["observers.changed, by alice"],
    ),
    "observers of one's own": (
        observers_of("bob", lambda _: "user"),
        [("bob", "observers.changed", "bob", {"version": 1})],
        [],
    ),
    "learning deleted on its page": (
        posts("bob", page("learning-delete", lambda world: world.learning.pk)),
        [("bob", "capture.learning_deleted", "bob", LEARNING)],
        ["capture.learning_deleted, by bob"],
    ),
    "learning deleted by the API": (
        by_the_api,
        [("bob", "capture.learning_deleted", "bob", LEARNING)],
        ["capture.learning_deleted, by bob"],
    ),
    "learning deleted in the admin": (
        posts("root", page("admin:capture_learning_delete", lambda world: world.learning.pk), **DELETE),
        [
            ("root", "admin.deleted", "root", {"model": "capture.learning"}),
            ("bob", "capture.learning_deleted", "root", LEARNING),
        ],
        ["capture.learning_deleted, about bob, by root", "admin.deleted, by root"],
    ),
    "invitation withdrawn": (
        withdrawn_invitation,
        [("alice", "invitation.made", "", {"team": "crew"}), ("alice", "invitation.withdrawn", "", {"team": "crew"})],
        [],
    ),
    "project made in the admin": (
        posts("root", page("admin:accounts_project_add"), key="new", team=crew, **NO_ALIASES),
        [("root", "admin.added", "root", {"model": "accounts.project"})],
        ["admin.added, by root"],
    ),
    "team renamed in the admin": (
        posts("root", page("admin:accounts_team_change", crew), name="band", **NO_MEMBERS),
        [("root", "admin.changed", "root", {"model": "accounts.team", "id": lambda world: str(world.crew.pk)})],
        ["admin.changed, by root"],
    ),
    "scopes of a token changed in the admin": (
        posts(
            "root", page("admin:accounts_apitoken_change", lambda world: world.token.pk), name="laptop", scopes="read"
        ),
        [("bob", "admin.changed", "root", {"model": "accounts.apitoken", "fields": ["scopes"]})],
        [],
    ),
    "password set in the admin": (
        posts(
            "root",
            page("admin:auth_user_password_change", lambda world: world.people["bob"].pk),
            usable_password="true",
            password1="another horse battery",
            password2="another horse battery",
        ),
        [("bob", "admin.changed", "root", {"model": "accounts.user", "fields": ["password"]})],
        [],
    ),
    "project deleted in the admin": (
        posts("root", page("admin:accounts_project_delete", lambda world: world.shared.pk), **DELETE),
        [("root", "admin.deleted", "root", {"model": "accounts.project"})],
        ["admin.deleted, by root"],
    ),
}


def name_of(user: User | None) -> str | None:
    return None if user is None else re.sub(r"^deleted user \d+$", "deleted user", user.username)


def data_of(row: Observation) -> dict[str, Any]:
    assert isinstance(row.data, dict)
    return row.data


def actor(row: Observation) -> str | None:
    return name_of(User.objects.filter(pk=data_of(row)["by"]).first()) if "by" in data_of(row) else ""


def on_the_page(world: World) -> list[str]:
    """What the lead reads, without the time; the latest first."""
    html = world.browser("alice").get(reverse("team-audit", args=[world.crew.pk])).content.decode()
    lines = re.findall(r'<span class="faint">([a-z_.]+), <time [^>]*>[-0-9: ]+ UTC</time>([^<]*)</span>', html)
    return [kind + re.sub(r"deleted user \d+", "deleted user", rest) for kind, rest in lines]


@pytest.mark.parametrize("event", EVENTS)
def test_event_is_in_the_log_once_and_on_the_page_of_the_team_it_concerns(event: str, world: World) -> None:
    do, expected, lines = EVENTS[event]
    before = set(Observation.objects.values_list("pk", flat=True))
    do(world)

    rows = list(Observation.objects.exclude(pk__in=before).order_by("arrival"))
    # `browser` signs in without the page; only the test of the page is about that event.
    told = [row for row in rows if row.type != "user.signed_in" or event == "sign-in"]
    assert [(name_of(row.user), row.type, actor(row)) for row in told] == [part[:3] for part in expected]
    for row, (*_, data) in zip(told, expected, strict=True):
        about = {key: value(world) if callable(value) else value for key, value in data.items()}
        assert {key: data_of(row)[key] for key in about} == about
    assert on_the_page(world) == lines
