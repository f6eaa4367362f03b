"""The form of a configuration: for each observer whether it looks, whether the agent is told, and its thresholds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms

from memoryserver.accounts.models import User
from memoryserver.accounts.visibility import visible_projects
from trajectory.configs import Scope
from trajectory.local.config import registry, schema

_TITLES = {kind: kind.replace("_", " ").capitalize() for kind in registry.KINDS}


class Row:
    """One observer in the form."""

    def __init__(self, form: ObserversForm, kind: str) -> None:
        self.kind = kind
        self.title = _TITLES[kind]
        self.about = (registry.KINDS[kind].__doc__ or "").strip().split("\n\n")[0].replace("`", "")
        self.enabled = form[f"{kind}.enabled"]
        self.tell = form[f"{kind}.tell"]
        self.settings = [form[name] for name in form.fields if name.startswith(f"{kind}.settings.")]


class ObserversForm(forms.Form):
    """Fields are made from the catalogue; `body()` holds only what differs from the default set."""

    def __init__(self, body: Mapping[str, Any], data: Mapping[str, Any] | None = None) -> None:
        super().__init__(data)
        self._given: Mapping[str, Any] = body.get("observers", {})
        for kind in registry.KINDS:
            self._add(kind)

    def rows(self) -> list[Row]:
        """What the page shows, an observer each."""
        return [Row(self, kind) for kind in registry.KINDS]

    def clean(self) -> dict[str, Any]:
        """The configuration as a whole must be one that can be used."""
        cleaned = super().clean() or {}
        if not self.errors:
            try:
                schema.parse(self.body())
            except schema.ConfigurationError as error:
                raise forms.ValidationError(str(error)) from error
        return cleaned

    def body(self) -> dict[str, Any]:
        """The configuration that was entered; what a page cannot show, such as triggers, stays as it was."""
        observers = {kind: part for kind in registry.KINDS if (part := self._part(kind))}
        return {"observers": observers}

    def _add(self, kind: str) -> None:
        given, default = self._given.get(kind, {}), registry.default_of(kind)
        enabled = given.get("enabled", True) if kind in self._given else default is not None
        tell = given.get("tell", default.tell if default else True)
        self.fields[f"{kind}.enabled"] = forms.BooleanField(label="looks", required=False, initial=enabled)
        self.fields[f"{kind}.tell"] = forms.BooleanField(label="tells", required=False, initial=tell)
        for name, known in registry.settings_of(kind).items():
            now = given.get("settings", {}).get(name, known)
            field = _field(kind, name, known)
            field.initial = "\n".join(sorted(now)) if isinstance(now, list | frozenset) else now
            self.fields[f"{kind}.settings.{name}"] = field

    def _part(self, kind: str) -> dict[str, Any]:
        default = registry.default_of(kind)
        enabled, tell = self.cleaned_data[f"{kind}.enabled"], self.cleaned_data[f"{kind}.tell"]
        part = {key: value for key, value in self._given.get(kind, {}).items() if key == "trigger"}
        known = registry.settings_of(kind)
        entered = {name: _entered(kind, name, self.cleaned_data) for name in known}
        settings = {name: value for name, value in entered.items() if value not in (None, "") and value != known[name]}
        if settings:
            part["settings"] = settings
        if tell != (default.tell if default else True):
            part["tell"] = tell
        if not enabled:
            return {"enabled": False, **part} if default or part else {}
        return part or ({} if default else {"enabled": True})


def scopes_of(user: User) -> dict[str, Scope]:
    """What `user` may configure, by the names that the page's address has for it."""
    scopes: dict[str, Scope] = {"user": user}
    scopes |= {f"team-{team.pk}": team for team in user.teams.all()}
    return scopes | {f"project-{project.pk}": project for project in visible_projects(user)}


def _field(kind: str, name: str, known: object) -> forms.Field:
    label = name.replace("_", " ")
    if kind == "no_change" and name == "wants_changes":
        choices = [("", "once it has made one"), ("true", "yes"), ("false", "no")]
        return forms.TypedChoiceField(
            label=label, choices=choices, required=False, coerce=lambda value: value == "true", empty_value=None
        )
    if name in ("message", "title", "root", "severity"):
        return forms.CharField(label=label, required=False, max_length=2000)
    if name == "initial_paths":
        return forms.CharField(
            label="paths of the task, one a line", required=False, widget=forms.Textarea({"rows": 2})
        )
    if isinstance(known, float) or name in ("seconds", "cost", "budget_seconds"):
        return forms.FloatField(
            label=label, required=False, min_value=0.0001, widget=forms.NumberInput({"step": "any"})
        )
    return forms.IntegerField(label=label, required=False, min_value=1)


def _entered(kind: str, name: str, cleaned: Mapping[str, Any]) -> Any:
    value = cleaned[f"{kind}.settings.{name}"]
    return [line.strip() for line in value.split("\n") if line.strip()] or None if name == "initial_paths" else value
