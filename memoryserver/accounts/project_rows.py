"""The rows of projects that are merged: each follows into the other project.

A row of an OwnedModel simply gets the other project. Any other model with a project, such as one whose rows exist once
per project, needs a rule of its own, which its app registers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from django.apps import apps
from django.db import models

from memoryserver.accounts.models import OwnedModel, Project

Rule = Callable[[Project, Project], None]
"""Moves the rows of one model from the first project to the second, within the caller's transaction.

After it no row may refer to the first project. It is called before the rows of the OwnedModels have moved.
"""

_rules: dict[type[models.Model], Rule] = {}


def register(model: type[models.Model], rule: Rule) -> None:
    """Let `rule` move the rows of `model`; registering again replaces it."""
    _rules[model] = rule


def move(source: Project, target: Project) -> None:
    """Let all rows of `source` belong to `target`. Raises LookupError if a model has a project and no rule."""
    for model in _followers():
        if model not in _rules and not issubclass(model, OwnedModel):
            raise LookupError(f"no rule says how rows of {model._meta.label} follow their project")
    for rule in _rules.values():
        rule(source, target)
    for model in _followers():
        if model not in _rules:
            model._default_manager.filter(project=source).update(project=target)


def _followers() -> Iterator[type[models.Model]]:
    """Yield the models with a foreign key to projects, which is named `project` in all of them."""
    for model in apps.get_models():
        if any(field.related_model is Project for field in model._meta.fields):
            yield model
