"""Every model with a project has a way to follow it."""

from __future__ import annotations

import pytest
from django.apps import apps

from capture.models import LearningIdentity
from ghap.models import Clustering
from memoryserver.accounts import project_rows
from memoryserver.accounts.models import OwnedModel, Project, User
from tests.support.rows.factories import ProjectFactory


def test_models_with_a_project_are_owned_or_have_a_rule_and_name_it_project() -> None:
    fields = {
        (model, field.name)
        for model in apps.get_models()
        for field in model._meta.fields
        if field.related_model is Project
    }
    assert {name for _, name in fields} == {"project"}
    with_rule = {model._meta.label for model, _ in fields if not issubclass(model, OwnedModel)}
    assert with_rule == {
        "accounts.ProjectAlias",
        "capture.LearningIdentity",
        "ghap.Clustering",
        "ghap.Failure",
        "trajectory.ObserverConfig",
    }
    assert with_rule == {model._meta.label for model in project_rows._rules}


def test_model_without_a_rule_stops_the_merge(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    source, target = ProjectFactory(owner=alice), ProjectFactory(owner=alice)
    Clustering.objects.create(axis="full", user=alice, project=source)
    rules = {model: rule for model, rule in project_rows._rules.items() if model is not Clustering}
    monkeypatch.setattr(project_rows, "_rules", rules)

    with pytest.raises(LookupError, match=r"no rule says how rows of ghap\.Clustering follow their project"):
        project_rows.move(source, target)


def test_rule_moves_the_rows_of_its_model(alice: User) -> None:
    source, target = ProjectFactory(owner=alice), ProjectFactory(owner=alice)
    LearningIdentity.objects.create(user=alice, project=source, type="gotcha", digest="0" * 64)
    project_rows.move(source, target)

    assert LearningIdentity.objects.get().project == target
