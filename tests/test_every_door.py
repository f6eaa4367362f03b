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
from ghap.intake import receive
from ghap.models import Entry
from memoryserver.accounts import tokens
from memoryserver.accounts.models import Project, User
from memoryserver.api import api as ninja_api
from obslog import log
from obslog.emit import emit
from tests.ghap.failures import clustered
from tests.support.factories import ProjectFactory, TeamFactory, UserFactory
from tests.support.ghap_entries import body
from tests.support.observations import new
from tests.support.sent_calls import call
from trajectory.intake import receive as receive_calls
from trajectory.models import Trajectory

ROLES = ("nobody", "revoked", "stranger", "staff", "member", "lead", "author")
SHARED, PRIVATE = "marigold", "nightshade"
"""Words of the author's rows in the team's project, and in a private one."""

EVERYBODY = "200 200 200 200 200 200 200"
SIGNED_IN = "401 401 200 200 200 200 200"
ENTERED = "401 401 422 422 422 422 422"  # an empty body: who may send one is told what is wrong with it
PAGE = "302 302 200 200 200 200 200"
TEAM_ROW, PRIVATE_ROW = "401 401 404 404 200 200 200", "401 401 404 404 404 404 200"
TEAM_PAGE, PRIVATE_PAGE = "302 302 404 404 200 200 200", "302 302 404 404 404 404 200"


@dataclass(frozen=True)
class Door:
    """A method and an address; `shared` are the statuses by role for a row of the team, `private` for a private one."""

    method: str
    address: str
    shared: str
    private: str = ""
    query: str = ""
    data: Mapping[str, Any] | None = None


DOORS = [
    Door("GET", "api/v1/whoami", SIGNED_IN),
    Door("GET", "api/v1/capture/metrics", SIGNED_IN),
    Door("GET", "api/v1/context", SIGNED_IN, SIGNED_IN, "?project={project}"),
    Door("GET", "api/v1/context/explanation", SIGNED_IN, SIGNED_IN, "?project={project}"),
    Door("GET", "api/v1/ghap/clusters", SIGNED_IN),
    Door("GET", "api/v1/ghap/clusters/{int:key}/members", TEAM_ROW, PRIVATE_ROW, "{cluster}"),
    Door("GET", "api/v1/ghap/strategies", SIGNED_IN),
    Door("GET", "api/v1/projects", SIGNED_IN),
    Door("GET", "api/v1/export", SIGNED_IN),
    Door("GET", "api/v1/export", TEAM_ROW, PRIVATE_ROW, "?project={project}"),
    Door("GET", "api/v1/learnings", SIGNED_IN, "", "?state=all"),
    Door("GET", "api/v1/learnings/{int:key}", TEAM_ROW, PRIVATE_ROW, "{learning}"),
    Door("GET", "api/v1/learnings/{int:key}/sources", TEAM_ROW, PRIVATE_ROW, "{learning}"),
    Door(
        "PATCH",
        "api/v1/learnings/{int:key}",
        "401 401 404 404 403 200 200",
        PRIVATE_ROW,
        "{learning}",
        {"content": "now reads differently"},
    ),
    Door(
        "DELETE",
        "api/v1/learnings/{int:key}",
        "401 401 404 404 403 403 204",
        "401 401 404 404 404 404 204",
        "{learning}",
    ),
    Door("POST", "api/v1/learnings/{int:key}/separate", "401 401 404 404 403 200 200", PRIVATE_ROW, "{learning}"),
    Door("GET", "api/v1/memory", SIGNED_IN, SIGNED_IN, "?id=learnings/{learning}&id=ghap/{entry}"),
    Door("GET", "api/v1/memory/{source}/{key}", TEAM_ROW, PRIVATE_ROW, "learnings/{learning}"),
    Door("GET", "api/v1/observations", SIGNED_IN, "", "?scope_ids=nightshade"),
    Door("GET", "api/v1/observations/recent", SIGNED_IN),
    Door("GET", "api/v1/search", SIGNED_IN, SIGNED_IN, "?q=marigold nightshade&mode=lexical"),
    Door("GET", "api/v1/timeline", TEAM_ROW, PRIVATE_ROW, "?id=learnings/{learning}"),
    Door("GET", "api/v1/trajectory/configuration", SIGNED_IN, SIGNED_IN, "?project={project}"),
    Door("GET", "api/v1/trajectory/sessions", SIGNED_IN),
    Door("GET", "api/v1/trajectory/sessions/{session_id}/assessment", TEAM_ROW, PRIVATE_ROW, "{session}"),
    *(
        Door("POST", f"api/v1/{path}", ENTERED, "", "", {})
        for path in (
            *("capture/compactions", "capture/contexts", "capture/queue-files", "ghap/entries", "learnings"),
            *("observations", "trajectory/calls"),
        )
    ),
    Door("GET", "api/v1/contradictions", SIGNED_IN),
    Door("POST", "api/v1/contradictions/{key}/decision", "401 401 404 404 404 404 404", "", "7", {"keep": "both"}),
    Door("POST", "api/v1/device/code", EVERYBODY, "", "", {}),
    Door("POST", "api/v1/device/token", "400 400 400 400 400 400 400", "", "", {"device_code": "unknown"}),
    Door("POST", "api/v1/laptops", ENTERED, "", "", {}),
    Door("POST", "api/v1/trajectory/ends", ENTERED, "", "", {}),
    Door("DELETE", "api/v1/tokens/current", "401 401 204 204 204 204 204"),
    Door("POST", "api/v1/learnings/{int:key}/restore", "401 401 404 404 403 200 200", PRIVATE_ROW, "{learning}"),
    Door("POST", "api/v1/hooks/claude-code", SIGNED_IN, "", "", {}),  # an event that nobody handles
    Door("GET", "api/v1/openapi.json", EVERYBODY),
    Door("GET", "api/v1/docs", EVERYBODY),
    Door("GET", "healthz", EVERYBODY),
    Door("GET", "readyz", "503 503 503 503 503 503 503"),
    Door("GET", "metrics", "401 401 401 200 401 401 401"),
    Door("GET", "", PAGE),
    Door("GET", "favicon.ico", "302 302 302 302 302 302 302"),
    Door("GET", "login/", "200 200 302 302 302 302 302"),
    Door("GET", "logout/", PAGE),
    *(
        Door("GET", f"{name}/", PAGE)
        for name in ("strategies", "clusters", "capture", "trajectory", "trajectory/observers")
    ),
    Door("GET", "learnings/", PAGE, "", "?state=all"),
    Door("GET", "context/", PAGE, PAGE, "?project={project}"),
    Door("GET", "search/", PAGE, "", "?q=marigold nightshade&mode=lexical"),
    Door("GET", "clusters/<int:key>/", TEAM_PAGE, PRIVATE_PAGE, "{cluster}"),
    Door("GET", "entries/", PAGE, "", "?outcome=all"),
    Door("GET", "entries/<int:key>/", TEAM_PAGE, PRIVATE_PAGE, "{entry}"),
    Door("GET", "entries/<int:key>/similar/", TEAM_PAGE, PRIVATE_PAGE, "{entry}"),
    Door("GET", "log/", PAGE),
    Door("GET", "log/<uuid:key>/", "302 302 404 404 404 404 200", "", "{observation}"),
    Door("GET", "learnings/contradictions/", PAGE),
    Door("POST", "learnings/contradictions/<int:key>/", "302 302 404 404 404 404 404", "", "7", {"keep": "both"}),
    Door("GET", "learnings/<int:key>/", TEAM_PAGE, PRIVATE_PAGE, "{learning}"),
    Door("GET", "trajectory/<int:key>/", TEAM_PAGE, PRIVATE_PAGE, "{trajectory}"),
    *(
        Door(
            "POST",
            f"learnings/<int:key>/{what}/",
            f"302 302 404 404 404 {lead} 302",
            "302 302 404 404 404 404 302",
            "{learning}",
            {"pinned": "1"},
        )
        for what, lead in (("change", 302), ("separate", 302), ("restore", 302), ("delete", 404))
    ),
    *(Door("GET", f"account/{page}/", PAGE) for page in ("tokens", "laptops", "sessions", "two-factor")),
    Door("GET", "account/password/", PAGE),
    Door("GET", "account/password/set/", "302 302 302 302 302 302 302"),
    Door("GET", "account/confirm/", PAGE),
    Door("GET", "account/invitations/", "302 302 403 200 403 200 403"),
    Door("POST", "account/invitations/<int:key>/withdraw/", "302 302 404 404 404 404 404", "", "7", {}),
    Door("POST", "account/tokens/<int:key>/revoke/", "302 302 404 404 404 404 302", "", "{token}", {}),
    Door("GET", "account/two-factor/webauthn/", PAGE),
    *(  # these ask for the password again, or for a second factor that nobody has
        Door("GET", f"account/two-factor/{page}/", "302 302 302 302 302 302 302", "", "7" if "<" in page else "")
        for page in (
            *("authenticate", "reauthenticate", "recovery-codes/generate", "totp/activate"),
            *("webauthn/add", "webauthn/login", "webauthn/reauthenticate"),
            *("webauthn/keys/<int:pk>/edit", "webauthn/keys/<int:pk>/remove"),
        )
    ),
    *(
        Door("GET", f"account/two-factor/{page}/", "302 302 404 404 404 404 404")
        for page in ("recovery-codes", "recovery-codes/download", "totp/deactivate")
    ),
    Door("GET", "device/", PAGE),
    Door("GET", "signup/", "200 200 302 302 302 302 302"),
    *(Door("GET", f"{page}/", EVERYBODY) for page in ("inactive", "password/reset")),
    *(Door("GET", f"password/reset/{page}/", EVERYBODY) for page in ("done", "key/done")),
    Door("GET", "invitation/<slug:key>/", "410 410 410 410 410 410 410", "", "unknown"),
    Door(  # its pattern is a regular expression, so that no link is made of it here
        "GET", "^password/reset/key/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>.+)/$", "404 404 404 404 404 404 404", "", "x"
    ),
    Door("GET", "teams/", PAGE),
    Door("GET", "export/", PAGE),
    Door("GET", "export/<int:key>/", TEAM_PAGE, PRIVATE_PAGE, "{project_id}"),
    Door("GET", "teams/<int:key>/audit/", "302 302 404 404 404 200 404", "", "{team}"),
    Door("POST", "teams/<int:key>/members/", "302 302 404 404 404 302 404", "", "{team}", {"username": "charlie"}),
    Door(
        "POST",
        "teams/<int:key>/members/<int:user>/",
        "302 302 404 404 404 302 404",
        "",
        "{team}/members/{user}",
        {"role": "lead"},
    ),
    *(
        Door(
            method,
            "projects/<int:key>/move/<int:team>/",
            f"302 302 404 404 404 {status} 404",
            f"302 302 404 404 404 404 {status}",
            "{move}",
            data,
        )
        for method, status, data in (("GET", 200, None), ("POST", 302, {}))
    ),
]
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
    learning, _ = sink.store_by_hand(user, project, sink.IncomingLearning("gotcha", f"The {word} needs rain.", 1.0, 0))
    assert learning is not None
    identifier = f"ghap_20261120_150000_{'aaaaaa' if word == SHARED else 'bbbbbb'}"
    receive(user, project, [body(id=identifier, goal=f"Water the {word}")])
    receive_calls(user, project, f"session-{word}", "", [call(number) for number in (1, 2)])
    cluster = clustered(user, project, numbers, terms=(word,))
    return {
        "project": project.key,
        "project_id": project.pk,
        "learning": learning.pk,
        "entry": Entry.objects.get(ghap_id=identifier).pk,
        "session": f"session-{word}",
        "trajectory": Trajectory.objects.get(session_id=f"session-{word}").pk,
        "cluster": cluster.pk,
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
    return answer.status_code, b"".join(parts).decode()


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


ADMIN = sorted(address for address in addresses() if address.startswith("admin/"))


@pytest.fixture
def helper(db: None) -> Client:
    """A browser of an administrator without any permission."""
    return signed_in(UserFactory(username="helper", is_staff=True))


def admin_address(pattern: str) -> str:
    """The address with the key of no row, and of the first model of an app."""
    address = pattern.replace("(?P<app_label>", "(").replace("<path:object_id>", "1").replace("<id>", "1")
    address = re.sub(r"<[a-z_:]*>", "1", address)
    return re.sub(r"\^?\(.*\)/?\$?$", "accounts/", address)


@pytest.mark.parametrize("pattern", ADMIN)
def test_admin_is_closed_to_all_but_staff(pattern: str, world: World, helper: Client) -> None:
    address = "/" + admin_address(pattern)
    clients = {role: client for role, client in world.browser.items() if role != "staff"}
    closed = {role: client.get(address).status_code for role, client in clients.items()}
    answer = helper.get(address)

    if pattern in NOT_ONLY_FOR_STAFF:
        return
    assert closed == dict.fromkeys(closed, 302)
    assert answer.status_code in (200, 302, 403, 404), address
    assert not [word for word in (SHARED, PRIVATE) if word in answer.content.decode()]


def test_staff_reads_private_rows_in_the_admin_alone(world: World) -> None:
    key = world.private["learning"]
    answers = {
        role: client.get(f"/admin/capture/learning/{key}/change/").status_code for role, client in world.browser.items()
    }
    assert answers == dict.fromkeys(ROLES, 302) | {"staff": 200}


def test_staff_with_a_permission_reads_what_it_is_for(world: World, helper: Client) -> None:
    User.objects.get(username="helper").user_permissions.add(Permission.objects.get(codename="view_learning"))
    statuses = [helper.get(f"/admin/{model}/").status_code for model in ("capture/learning", "ghap/entry")]

    assert statuses == [200, 403]
