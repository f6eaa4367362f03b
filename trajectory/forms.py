"""The form of a configuration: for each observer whether it runs, whether the agent is told, and its thresholds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django import forms

from memoryserver.accounts.models import User
from memoryserver.accounts.visibility import visible_projects, visible_teams
from trajectory.configs import Scope
from trajectory.local.config import registry, schema
from trajectory.observer_texts import GROUPS, TEXTS


@dataclass(frozen=True)
class Piece:
    """A piece of an observer's sentence: a text and, unless it is None, the field after it.

    `default` is the value by default as text if the field has another one, else "".
    """

    text: str
    field: forms.BoundField | None
    default: str


class Row:
    """One observer in the form, with its sentence in pieces."""

    def __init__(self, form: ObserversForm, kind: str) -> None:
        text = TEXTS[kind]
        self.kind = kind
        self.title = text.title
        self.enabled = form[f"{kind}.enabled"]
        self.tell = form[f"{kind}.tell"]
        self.pieces = [_piece(form, kind, before, name) for before, name in text.parts()]
        default = registry.default_of(kind)
        self.is_changed = (
            any(piece.default for piece in self.pieces)
            or bool(self.enabled.value()) != (default is not None)
            or bool(self.tell.value()) != (default.tell if default else True)
        )

    @property
    def errors(self) -> list[str]:
        """What is wrong with the settings."""
        return [str(error) for piece in self.pieces if piece.field for error in piece.field.errors]


class ObserversForm(forms.Form):
    """A form with fields from the registry; `body()` contains only what differs from the defaults."""

    def __init__(self, body: Mapping[str, Any], data: Mapping[str, Any] | None = None) -> None:
        super().__init__(data)
        self._initial_body: Mapping[str, Any] = body.get("observers", {})
        for kind in registry.KINDS:
            self._add(kind)

    def groups(self) -> dict[str, list[Row]]:
        """Return the rows of the page, one per observer, by the name of their group."""
        return {group: [Row(self, kind) for kind in texts] for group, texts in GROUPS.items()}

    def clean(self) -> dict[str, Any]:
        """Check that the configuration as a whole is valid."""
        cleaned = super().clean() or {}
        if not self.errors:
            try:
                schema.parse(self.body())
            except schema.ConfigurationError as error:
                raise forms.ValidationError(str(error)) from error
        return cleaned

    def body(self) -> dict[str, Any]:
        """Return the entered configuration; settings that the page does not show, such as triggers, are kept."""
        observers = {kind: part for kind in registry.KINDS if (part := self._part(kind))}
        return {"observers": observers}

    def _add(self, kind: str) -> None:
        stored, default = self._initial_body.get(kind, {}), registry.default_of(kind)
        enabled = stored.get("enabled", True) if kind in self._initial_body else default is not None
        tell = stored.get("tell", default.tell if default else True)
        self.fields[f"{kind}.enabled"] = forms.BooleanField(required=False, initial=enabled)
        self.fields[f"{kind}.tell"] = forms.BooleanField(required=False, initial=tell)
        for name, default_value in registry.settings_of(kind).items():
            value = stored.get("settings", {}).get(name, default_value)
            field = _field(kind, name, default_value)
            field.initial = "\n".join(sorted(value)) if isinstance(value, list | frozenset) else value
            field.widget.attrs["aria-label"] = f"{TEXTS[kind].title}: {field.label}"
            self.fields[f"{kind}.settings.{name}"] = field

    def _part(self, kind: str) -> dict[str, Any]:
        default = registry.default_of(kind)
        enabled, tell = self.cleaned_data[f"{kind}.enabled"], self.cleaned_data[f"{kind}.tell"]
        part = {key: value for key, value in self._initial_body.get(kind, {}).items() if key == "trigger"}
        defaults = registry.settings_of(kind)
        entered = {name: _entered(kind, name, self.cleaned_data) for name in defaults}
        settings = {
            name: value for name, value in entered.items() if value not in (None, "") and value != defaults[name]
        }
        if settings:
            part["settings"] = settings
        if tell != (default.tell if default else True):
            part["tell"] = tell
        if not enabled:
            return {"enabled": False, **part} if default or part else {}
        return part or ({} if default else {"enabled": True})


def scopes_of(user: User) -> dict[str, Scope]:
    """Return the scopes whose configuration `user` may see, by their names in the page's URL."""
    projects = visible_projects(user).select_related("team").order_by("key", "pk")
    scopes: dict[str, Scope] = {"user": user}
    scopes |= {f"team-{team.pk}": team for team in visible_teams(user).order_by("name")}
    return scopes | {f"project-{project.pk}": project for project in projects}


def _piece(form: ObserversForm, kind: str, text: str, name: str) -> Piece:
    if not name:
        return Piece(text, None, "")
    field, default = form[f"{kind}.settings.{name}"], registry.settings_of(kind)[name]
    shown = "" if default is None else str(default)
    value = "" if field.value() is None else str(field.value())
    return Piece(text, field, (shown or "none") if value != shown and name != "initial_paths" else "")


def _field(kind: str, name: str, default_value: object) -> forms.Field:
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
            label="paths of the task, one per line", required=False, widget=forms.Textarea({"rows": 2})
        )
    if isinstance(default_value, float) or name in ("seconds", "cost", "budget_seconds"):
        return forms.FloatField(
            label=label, required=False, min_value=0.0001, widget=forms.NumberInput({"step": "any"})
        )
    return forms.IntegerField(label=label, required=False, min_value=1)


def _entered(kind: str, name: str, cleaned: Mapping[str, Any]) -> Any:
    value = cleaned[f"{kind}.settings.{name}"]
    return [line.strip() for line in value.split("\n") if line.strip()] or None if name == "initial_paths" else value
