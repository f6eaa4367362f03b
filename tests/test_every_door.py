"""Every address of the API, the pages and the admin is tried by everybody, with rows that are theirs and that are not.

A row of DOORS says which status each of ROLES gets; an address without a row fails. Whatever a door answers, the words
of the author's rows are only in answers to those who may see them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.db import transaction
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from capture import sink
from capture.deliveries import IncomingLearning
from ghap.intake import receive
from ghap.models import Entry, Failure, OpenEntry
from ghap.recurring import recount
from ghap.unresolved.open_entries import receive as receive_open
from memoryserver.accounts import tokens
from memoryserver.accounts.models import Project, User
from memoryserver.api import api as ninja_api
from obslog import log
from obslog.emit import emit
from tests.ghap.failures import clustered
from tests.support.requests.doors import DOORS, PRIVATE, ROLES, SHARED, SIGNED_IN, Door
from tests.support.rows.factories import ProjectFactory, TeamFactory, UserFactory
from tests.support.rows.ghap_entries import body
from tests.support.rows.observations import new
from tests.support.rows.sent_calls import call
from trajectory.intake import receive as receive_calls
from trajectory.models import Trajectory

NOT_ONLY_FOR_STAFF = {"admin/login/", "admin/logout/"}


@dataclass(frozen=True)
class World:
    """The people by role, a client of each, and what the placeholders of a door's address are filled with."""

    api: Mapping[str, Client]
    browser: Mapping[str, Client]
    shared: Mapping[str, object]
    private: Mapping[str, object]


@pytest.fixture(scope="module")
def world(django_db_setup: None, django_db_blocker: Any) -> Iterator[World]:
    """What `build` makes, for all tests of this file, which undo what they change."""
    with django_db_blocker.unblock(), transaction.atomic():
        yield build()
        transaction.set_rollback(True)


def build() -> World:
    """Dora's rows, seen by the team that Alice leads and Bob is in, or by herself; Charlie is a stranger."""
    alice, bob, charlie, dora = (UserFactory(username=name) for name in ("alice", "bob", "charlie", "dora"))
    root = UserFactory(username="root", is_staff=True, is_superuser=True)
    team = TeamFactory(name="garden", people=[alice, bob, dora])
    other = TeamFactory(name="orchard", people=[alice, dora])
    open_project = ProjectFactory(team=team, key="github.com/garden/open")
    closed_project = ProjectFactory(owner=dora, key="github.com/garden/closed")
    shared = rows_of(dora, open_project, SHARED, range(3))
    token, _ = tokens.issue(dora, "laptop")
    note = str(log.append(dora, new(message=PRIVATE)).id)
    private = rows_of(dora, closed_project, PRIVATE, range(3, 6))
    emit(dora, type="note.taken", source="system:test", message=PRIVATE, scope_ids=[PRIVATE])
    people = {"stranger": charlie, "staff": root, "member": bob, "lead": alice, "author": dora}
    tokened = {name: with_token(user) for name, user in people.items()}
    browsing = {name: signed_in(user) for name, user in people.items()}
    return World(
        api={"nobody": Client(), "revoked": revoked(dora)} | tokened,
        browser={"nobody": Client(), "revoked": deactivated()} | browsing,
        shared={
            **shared,
            "token": token.pk,
            "observation": note,
            "team": team.pk,
            "user": dora.pk,
            "move": f"{open_project.pk}/move/{other.pk}",
        },
        private={**private, "move": f"{closed_project.pk}/move/{team.pk}"},
    )


def rows_of(user: User, project: Project, word: str, numbers: range) -> dict[str, object]:
    """Rows of the user in the project that all have `word` in their text; what identifies them."""
    learning, _ = sink.store_by_hand(user, project, IncomingLearning("gotcha", f"The {word} needs rain.", 1.0, 0))
    assert learning is not None
    identifier = f"ghap_20261120_150000_{'aaaaaa' if word == SHARED else 'bbbbbb'}"
    receive(user, project, [body(id=identifier, goal=f"Water the {word}")])
    receive_calls(user, project, f"session-{word}", "", [call(number) for number in (1, 2)])
    cluster = clustered(user, project, numbers, terms=(word,))
    recount.recount(None if project.team_id else user.pk, project.pk)
    open_id = identifier.replace("150000", "160000")
    receive_open(user, project, [body(id=open_id, goal=f"Water the {word} again", outcome=None)])
    return {
        "project": project.key,
        "project_id": project.pk,
        "learning": learning.pk,
        "ghap_id": identifier,
        "open_id": open_id,
        "entry": Entry.objects.get(ghap_id=identifier).pk,
        "open_entry": OpenEntry.objects.get(ghap_id=open_id).pk,
        "session": f"session-{word}",
        "trajectory": Trajectory.objects.get(session_id=f"session-{word}").pk,
        "cluster": cluster.pk,
        "failure": Failure.objects.get(terms=[word]).pk,
    }


def with_token(user: User) -> Client:
    return Client(headers={"authorization": f"Bearer {tokens.issue(user, 'test')[1]}"}, raise_request_exception=False)


def revoked(user: User) -> Client:
    token, text = tokens.issue(user, "lost")
    tokens.revoke(token)
    return Client(headers={"authorization": f"Bearer {text}"}, raise_request_exception=False)


def signed_in(user: User) -> Client:
    client = Client(raise_request_exception=False)
    client.force_login(user)
    return client


def deactivated() -> Client:
    """A browser that was signed in before its user lost the access."""
    user = UserFactory(username="gone")
    client = signed_in(user)
    User.objects.filter(pk=user.pk).update(is_active=False)
    return client


def attempt(client: Client, door: Door, ids: Mapping[str, object]) -> tuple[int, str]:
    """Return the status and the text of the answer; what the request changed is undone."""
    address, name = door.address, re.search(r"[{<].*[}>]", door.address)
    query = door.query.format(**ids)
    if name is not None and not query.startswith("?"):
        address, query = address.replace(name[0], query), ""
    mark = transaction.savepoint()
    content = {"content_type": "application/json"} if door.address.startswith("api/") else {}
    if door.data is None:
        answer: Any = client.generic(door.method, f"/{address}{query}")
    else:
        answer = getattr(client, door.method.lower())(f"/{address}{query}", door.data, **content)
    transaction.savepoint_rollback(mark)
    parts = answer.streaming_content if answer.streaming else [answer.content]
    return answer.status_code, b"".join(parts).decode(errors="replace")


def attempts(world: World, door: Door, ids: Mapping[str, object]) -> Iterator[tuple[str, int, str]]:
    clients = world.api if door.address.startswith("api/") else world.browser
    for role in ROLES:
        yield role, *attempt(clients[role], door, ids)


@pytest.mark.parametrize(
    "door", DOORS, ids=[f"{door.method}-{door.address or 'home'}{door.query[:8]}" for door in DOORS]
)
def test_door_opens_for_those_who_may_and_shows_them_what_is_theirs(door: Door, world: World) -> None:
    for ids, statuses in ((world.shared, door.shared), (world.private, door.private)):
        if not statuses:
            continue
        answers = list(attempts(world, door, ids))
        assert {role: status for role, status, _ in answers} == dict(
            zip(ROLES, map(int, statuses.split()), strict=True)
        )
        asked = door.query.lower() + str(dict(ids))
        assert {role for role, _, text in answers if PRIVATE in text.replace(asked, "")} <= {"author"} | echoing(door)
        assert {role for role, _, text in answers if SHARED in text} <= {"author", "member", "lead"} | echoing(door)


def echoing(door: Door) -> set[str]:
    """The roles to whom the page repeats their own question, which has the words."""
    return set(ROLES) if "marigold" in door.query or "nightshade" in door.query else set()


def test_search_finds_for_each_what_they_may_see(world: World) -> None:
    door = Door("GET", "api/v1/search", SIGNED_IN, "", "?q=rain&mode=lexical&source=learnings")
    found = {role: {word for word in (SHARED, PRIVATE) if word in text} for role, _, text in attempts(world, door, {})}
    assert found == {role: set() for role in ROLES} | {
        "member": {SHARED},
        "lead": {SHARED},
        "author": {SHARED, PRIVATE},
    }


def patterns(resolver: URLResolver, prefix: str = "") -> Iterator[tuple[str, URLPattern]]:
    for pattern in resolver.url_patterns:
        address = prefix + str(pattern.pattern)
        if isinstance(pattern, URLPattern):
            yield address, pattern
        else:
            yield from patterns(pattern, address)


def addresses() -> set[str]:
    return {address for address, _ in patterns(get_resolver())}


def test_every_page_and_every_address_of_the_api_has_a_row() -> None:
    pages = {address for address in addresses() if not address.startswith(("admin/", "api/"))}
    operations = {
        (method.upper(), f"api/v1{path}")
        for path, item in ninja_api.get_openapi_schema(path_prefix="")["paths"].items()
        for method in item
    }
    without_types = {(door.method, door.address.replace("{int:", "{")) for door in DOORS}

    assert pages - {door.address for door in DOORS} == set()
    assert operations - without_types == set()
    assert {address for _, address in without_types if "/v1/" in address} - {path for _, path in operations} == {
        "api/v1/openapi.json",
        "api/v1/docs",
    }


ADMIN = sorted(address for address in addresses() - NOT_ONLY_FOR_STAFF if address.startswith("admin/"))


@pytest.fixture
def helper(db: None) -> Client:
    """A browser of an administrator without any permission."""
    return signed_in(UserFactory(username="helper", is_staff=True))


def admin_address(pattern: str) -> str:
    """The address with the key of no row, and of the first model of an app."""
    address = pattern.replace("(?P<app_label>", "(").replace("<path:object_id>", "1").replace("<id>", "1")
    address = re.sub(r"<[a-z_:]*>", "1", address)
    return re.sub(r"\^?\(.*\)/?\$?$", "accounts/", address)


def test_every_page_of_the_admin_is_closed_to_the_author_and_shows_no_row_without_a_permission(
    world: World, helper: Client
) -> None:
    faults = {}
    for pattern in ADMIN:
        address = "/" + admin_address(pattern)
        closed, answer = world.browser["author"].get(address), helper.get(address)
        words = [word for word in (SHARED, PRIVATE) if word in answer.content.decode()]
        if closed.status_code != 302 or answer.status_code not in (200, 302, 403, 404) or words:
            faults[pattern] = (closed.status_code, answer.status_code, words)

    assert faults == {}


@pytest.mark.parametrize("address", ["", "capture/learning/", "capture/learning/{learning}/change/"])
def test_admin_is_closed_to_every_role_but_staff(address: str, world: World) -> None:
    path = "/admin/" + address.format(**world.private)
    statuses = {role: client.get(path).status_code for role, client in world.browser.items()}

    assert statuses == dict.fromkeys(ROLES, 302) | {"staff": 200}


def test_staff_with_a_permission_reads_what_it_is_for(world: World, helper: Client) -> None:
    User.objects.get(username="helper").user_permissions.add(Permission.objects.get(codename="view_learning"))
    statuses = [helper.get(f"/admin/{model}/").status_code for model in ("capture/learning", "ghap/entry")]

    assert statuses == [200, 403]
