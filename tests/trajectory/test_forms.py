"""The form of a configuration: it contains what differs from the defaults, and rejects invalid thresholds."""

from __future__ import annotations

import pytest

from memoryserver.accounts.models import Project, User
from tests.support.rows.sent_calls import same
from tests.trajectory.browsing import browser, form_of
from tests.trajectory.sending import send
from trajectory import configs
from trajectory.forms import scopes_of
from trajectory.local.config import registry
from trajectory.models import ObserverConfig


def test_form_that_is_sent_as_it_was_opened_says_nothing(alice: User) -> None:
    answer = browser(alice).post("/trajectory/observers/", form_of(alice))
    assert (answer.status_code, ObserverConfig.objects.get().body) == (302, {"observers": {}})


def test_form_keeps_what_differs_as_the_next_version(alice: User) -> None:
    entered = form_of(alice) | {"repeat_call.settings.repetition_threshold": "5", "pace.enabled": "on"}
    entered |= {"pace.settings.calls": "300"}
    del entered["poll.enabled"]
    browser(alice).post("/trajectory/observers/", entered)
    assert configs.effective(alice, "").body == {
        "observers": {
            "repeat_call": {"settings": {"repetition_threshold": 5}},
            "poll": {"enabled": False},
            "pace": {"settings": {"calls": 300}},
        }
    }
    page = browser(alice).get("/trajectory/observers/").content.decode()
    assert "now version 1 by alice" in page


def test_lowered_threshold_is_in_effect_from_the_next_call_on(alice: User) -> None:
    browser(alice).post("/trajectory/observers/", form_of(alice) | {"repeat_call.settings.repetition_threshold": "2"})
    assert [bool(send(alice, same(n)).tell) for n in (1, 2)] == [False, True]


@pytest.mark.parametrize("bad", ["0", "-2", "many"])
def test_form_refuses_thresholds_that_are_no_positive_numbers(alice: User, bad: str) -> None:
    entered = form_of(alice) | {"repeat_call.settings.repetition_threshold": bad}
    answer = browser(alice).post("/trajectory/observers/", entered)
    assert (answer.status_code, ObserverConfig.objects.count()) == (422, 0)


def test_form_names_the_threshold_that_can_never_be_met(alice: User) -> None:
    answer = browser(alice).post(
        "/trajectory/observers/", form_of(alice) | {"repeat_call.settings.repetition_threshold": "12"}
    )
    assert (answer.status_code, ObserverConfig.objects.count()) == (422, 0)
    said = "repeat_call: repetition_threshold must be at most 10, the window_size, not 12"
    assert said in answer.content.decode()


def test_every_observer_has_its_place_in_the_form_and_what_is_changed_is_marked(alice: User) -> None:
    browser(alice).post("/trajectory/observers/", form_of(alice) | {"repeat_call.settings.repetition_threshold": "5"})
    page = browser(alice).get("/trajectory/observers/")
    rows = [row for group in page.context["form"].groups().values() for row in group]
    assert sorted(row.kind for row in rows) == sorted(registry.KINDS)
    assert [row.kind for row in rows if row.is_changed] == ["repeat_call"]
    assert page.content.decode().count("(by default 3)") == 1


def test_scopes_are_what_the_user_sees(alice: User, bob: User, shared_project: Project) -> None:
    own = Project.objects.create(owner=bob, key=shared_project.key)
    team = shared_project.team
    assert team is not None
    names = [f"team-{team.pk}", f"project-{shared_project.pk}"]

    assert scopes_of(alice) == dict(zip(["user", *names], [alice, team, shared_project], strict=True))
    assert set(scopes_of(bob)) == {"user", *names, f"project-{own.pk}"}
