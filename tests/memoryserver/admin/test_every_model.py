"""Every model of this server is in the admin, or there is a reason why not; and its list can be searched."""

from __future__ import annotations

import pytest
from django.apps import apps
from django.contrib import admin
from django.db import models
from django.test import Client
from django.urls import reverse

from memoryserver.accounts.models import User
from tests.support.rows.many_rows import OF_EACH_MODEL

NOT_REGISTERED = {
    "limits.Counter": "counts of a minute, whose keys are of no use to a person",
    "limits.CacheEntry": "rows of Django's cache, which are no evidence",
    "vectors.Record": "the texts of rows that are in the admin themselves, with their vectors",
    "vectors.TokenCodes": "bits of the tokens of a text, which say nothing to a person",
    "vectors.NextEmbedding": "vectors that wait for a change of the model",
    "capture.LearningIdentity": "digests of wordings; the wordings are in learnings and their changes",
    "obslog.Scope": "shown with the observation that it belongs to",
    "obslog.SearchMark": "one number: how far the log is indexed",
    "obslog.Unembedded": "observations that wait to be embedded; the page of the operation counts them",
}
WITHOUT_DATES = {
    "accounts.Team": "no date",
    "auth.Group": "no date",
    "django_q.OrmQ": "the lock is the time until which a worker has it",
    "django_q.Schedule": "the next runs, all within a day",
    "ghap.Cluster": "as old as its clustering",
    "accounts.User": "their list is short",
}
WITHOUT_TEXT = {"django_q.OrmQ": "its text is pickled"}


def ours() -> set[str]:
    own = ("memoryserver.", "ghap.", "capture.", "trajectory.", "obslog.", "demo.")
    return {model._meta.label for model in apps.get_models() if f"{model.__module__}.".startswith(own)}


def test_every_model_of_ours_is_registered_or_an_inline_or_listed_with_a_reason() -> None:
    shown = {model._meta.label for model in admin.site._registry}
    shown |= {inline.model._meta.label for each in admin.site._registry.values() for inline in each.inlines}

    assert ours() - shown == set(NOT_REGISTERED)


def test_every_list_with_a_date_can_be_narrowed_by_it_and_every_list_searched() -> None:
    registry = admin.site._registry
    assert {model._meta.label for model, each in registry.items() if not each.date_hierarchy} - {
        "obslog.Observation"  # its list is by id, whose first part is the time
    } == set(WITHOUT_DATES)
    assert {model._meta.label for model, each in registry.items() if not each.search_fields} == set(WITHOUT_TEXT)


def test_there_are_rows_for_the_list_of_each_model() -> None:
    assert {model._meta.label for model in admin.site._registry} == {model._meta.label for model in OF_EACH_MODEL}


@pytest.mark.parametrize("model", OF_EACH_MODEL, ids=lambda model: model._meta.label)
def test_page_of_a_row_and_a_search_open(model: type[models.Model], alice: User, admin_client: Client) -> None:
    OF_EACH_MODEL[model](alice, 1)
    row = model._default_manager.first()
    assert row is not None
    name = f"admin:{model._meta.app_label}_{model._meta.model_name}"

    page = admin_client.get(reverse(f"{name}_change", args=[row.pk]))
    search = admin_client.get(reverse(f"{name}_changelist"), {"q": "x"})

    assert (page.status_code, search.status_code) == (200, 200)
