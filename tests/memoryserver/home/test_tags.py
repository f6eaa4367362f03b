"""Template tags of the scope."""

from __future__ import annotations

import re

import pytest
from django.template import Context, RequestContext, Template
from django.test import RequestFactory

from memoryserver.accounts.models import Project, User


def rendered(template: str, query: str, user: User | None = None) -> str:
    request = RequestFactory().get(f"/?{query}")
    if user is not None:
        request.user = user
    return Template(template).render(RequestContext(request))


@pytest.mark.parametrize(
    ("template", "query", "address"),
    [
        ("{% link 'ghap-entries' %}", "", "/entries/"),
        ("{% link 'ghap-entries' %}", "q=x&team=crew&days=30", "/entries/?team=crew&amp;days=30"),
        ("{% link 'ghap-entry' 5 %}", "project=a/b", "/entries/5/?project=a%2Fb"),
        ("{% link 'ghap-entries' outcome='falsified' days='' %}", "days=30", "/entries/?outcome=falsified"),
        ("{% link 'ghap-entries' project='other' %}", "project=a", "/entries/?project=other"),
    ],
)
def test_link_keeps_the_scope(template: str, query: str, address: str) -> None:
    assert rendered(template, query) == address


@pytest.mark.parametrize(
    ("query", "address"),
    [("", "/entries/5/#c3"), ("q=x&team=crew&days=30", "/entries/5/?team=crew&amp;days=30#c3")],
)
def test_address_that_an_app_has_made_gets_the_scope(query: str, address: str) -> None:
    assert rendered("{% scoped '/entries/5/#c3' %}", query) == address


def test_form_that_leads_elsewhere_takes_the_scope_along() -> None:
    fields = rendered("{% scope_fields %}", "q=x&team=crew&days=30")
    assert fields.count("<input") == 2
    assert '<input type="hidden" name="days" value="30">' in fields


def test_link_works_on_a_page_without_a_request() -> None:
    assert Template("{% link 'home' %}").render(Context({})) == "/"


def test_bar_has_the_chosen_values(alice: User, shared_project: Project) -> None:
    bar = rendered("{% scope_bar %}", f"team=crew&project={shared_project.key}&days=30", alice)
    assert bar.count("selected>") == 3
    assert '<option value="github.com/crew/shop" title="github.com/crew/shop" data-teams="crew" selected>shop' in bar
    assert '<option value="30" selected>' in bar


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("team=crew&project=github.com/crew/shop", ""),
        ("project=nope", "the project “nope”"),
        ("team=other&project=a%00b", "the team “other” and the project “a�b”"),
        ("project=" + "x" * 90, f"the project “{'x' * 79}…”"),
    ],
)
def test_bar_names_what_was_left_out_of_the_address(
    query: str, named: str, alice: User, shared_project: Project
) -> None:
    said = re.findall("The address named (.*), which you cannot see here", rendered("{% scope_bar %}", query, alice))
    assert said == ([named] if named else [])


def test_bar_of_a_user_without_a_team_offers_none(charlie: User) -> None:
    assert 'name="team"' not in rendered("{% scope_bar '7' %}", "", charlie)
