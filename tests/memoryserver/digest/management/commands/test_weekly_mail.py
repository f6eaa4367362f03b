"""The weekly mail is shown before it is sent, also of a person who has not chosen it."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core import mail
from django.core.management import CommandError, call_command

from ghap.intake import receive
from memoryserver.accounts.models import Project, User
from memoryserver.digest import subscriptions
from memoryserver.digest.mail import message_to
from memoryserver.digest.models import Subscription
from tests.support.rows.ghap_entries import body


def shown(*words: str) -> str:
    out = StringIO()
    call_command("weekly_mail", *words, stdout=out)
    return out.getvalue()


def test_mail_is_printed_as_it_would_be_sent_and_nothing_is_sent(alice: User, shared_project: Project) -> None:
    alice.email = "alice@example.org"
    alice.save()
    receive(alice, shared_project, [body()])
    message = message_to(subscriptions.subscribe(alice))
    assert message is not None

    head = f"To: alice@example.org\nSubject: {message.subject}\n\n"
    assert shown("alice").rstrip("\n") == (head + str(message.body)).rstrip("\n")
    assert shown("alice", "--html").rstrip("\n") == str(message.alternatives[0][0]).rstrip("\n")
    assert mail.outbox == []


def test_person_who_has_not_chosen_it_sees_it_and_gets_no_subscription(alice: User, shared_project: Project) -> None:
    receive(alice, shared_project, [body()])

    assert shown("alice").startswith("To: nobody: there is no mail address\nSubject: The memory, week from ")
    assert Subscription.objects.count() == 0


def test_what_cannot_be_shown_is_one_sentence(alice: User) -> None:
    assert shown("alice") == "There is nothing to tell alice yet, so no mail would be sent.\n"
    with pytest.raises(CommandError, match=r"^there is no user 'nobody'$"):
        shown("nobody")
