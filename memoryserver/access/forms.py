"""Forms of the pages of access."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from allauth.account.forms import LoginForm, SignupForm
from allauth.core import context
from allauth.mfa.webauthn.forms import AddWebAuthnForm
from django import forms
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone

from memoryserver.access import invitations
from memoryserver.accounts.mailing import are_mails_sent
from memoryserver.accounts.models import Team, User
from memoryserver.accounts.scopes import Scope
from memoryserver.common.text import one_line, printable

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


class NameForm(forms.ModelForm[User]):
    """What a person is called."""

    class Meta:
        model = User
        fields = ["first_name", "last_name"]

    def clean(self) -> dict[str, Any]:
        """Make each name one line without control characters."""
        cleaned = super().clean() or {}
        return cleaned | {name: one_line(printable(text)) for name, text in cleaned.items()}


class AddKeyForm(AddWebAuthnForm):  # type: ignore[misc]  # allauth has no types
    """A new security key."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        passwordless = self.fields["passwordless"]
        passwordless.label = "Make it a passkey"
        passwordless.help_text = "it then signs you in alone, without your name and password; the key must ask for you"


class CodeForm(forms.Form):
    """The short code that `memory login` shows."""

    code = forms.CharField(
        max_length=20,
        label="Code",
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "characters", "spellcheck": "false"}),
    )


class SignInForm(LoginForm):  # type: ignore[misc]  # allauth has no types
    """The form of the sign-in page."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["login"].label = "User or e-mail address"
        for field in self.fields.values():
            field.widget.attrs.pop("placeholder", None)

    def user_credentials(self) -> dict[str, Any]:
        """Return what to authenticate with.

        An address is given once: allauth's backend tries a `username` as an address too. With both, it checks the
        password of an address with an account twice, and the time that this takes tells that there is an account.
        """
        credentials: dict[str, Any] = super().user_credentials()
        if credentials.get("email") == credentials.get("username"):
            del credentials["email"]
        return credentials


class SignUpForm(SignupForm):  # type: ignore[misc]  # allauth has no types
    """The form of somebody who was invited: the address is that of the invitation."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        invitation = invitations.of_session(context.request)
        self.fields["email"].disabled = True
        self.fields["email"].initial = invitation.email if invitation else ""
        for field in self.fields.values():
            field.widget.attrs.pop("placeholder", None)

    @transaction.atomic
    def save(self, request: HttpRequest) -> User:
        """Make the account and use the invitation up. Raises PermissionDenied if it was used meanwhile."""
        invitation = invitations.claim(request)
        user: User = super().save(request)
        invitations.accept(invitation, user)
        return user


class InvitationForm(forms.Form):
    """Whom to invite, and to which team."""

    email = forms.EmailField(label="E-mail address")
    team = forms.ModelChoiceField(queryset=Team.objects.none(), required=False, empty_label="no team")
    mail = forms.BooleanField(required=False, label="Send the link by mail", initial=True)

    def __init__(self, teams: QuerySet[Team], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["team"].queryset = teams  # type: ignore[attr-defined]
        if not are_mails_sent():
            del self.fields["mail"]
