"""Forms of the pages of access."""

from __future__ import annotations

from datetime import datetime, timedelta

from django import forms
from django.utils import timezone

from memoryserver.accounts.scopes import Scope

_LIFETIMES = [("30", "30 days"), ("90", "90 days"), ("365", "a year"), ("", "never")]


class TokenForm(forms.Form):
    """A new token."""

    name = forms.CharField(max_length=100, help_text="what it is for, such as a laptop's name")
    scopes = forms.MultipleChoiceField(
        choices=[(scope.value, f"{scope.value}: {scope.label}") for scope in Scope],
        widget=forms.CheckboxSelectMultiple,
        initial=[Scope.INGEST.value, Scope.READ.value],
        error_messages={"required": "choose at least one"},
    )
    days = forms.ChoiceField(choices=_LIFETIMES, required=False, initial="365", label="Expires after")

    def expires_at(self) -> datetime | None:
        """Return when the token ends."""
        days = self.cleaned_data["days"]
        return timezone.now() + timedelta(days=int(days)) if days else None


class CodeForm(forms.Form):
    """The short code that `memory login` shows."""

    code = forms.CharField(
        max_length=20,
        label="Code",
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "characters", "spellcheck": "false"}),
    )
